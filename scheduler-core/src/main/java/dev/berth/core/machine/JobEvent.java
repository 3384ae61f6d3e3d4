package dev.berth.core.machine;

import dev.berth.core.job.Allocation;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Something that happened to one job. */
public sealed interface JobEvent {

    /** The stable name under which the event is kept. */
    default String name() {
        return getClass().getSimpleName();
    }

    /** What people should know of it beyond its name, or null. */
    default @Nullable String told() {
        return switch (this) {
            case GpusTaken taken -> taken.sentence();
            case LaunchRefused refused -> refused.sentence();
            case ImageRefused refused -> refused.sentence();
            case DeviceLost lost -> lost.sentence();
            case IdleTimeoutReached idle -> idle.sentence();
            default -> null;
        };
    }

    /** News about one attempt. About an attempt that is not the current one it is late, and ignored. */
    sealed interface OfAttempt extends JobEvent {
        int attempt();
    }

    /** The job's image is on this machine. */
    record ImageArrived(String imageId) implements JobEvent {}

    /** The job's image is not here and cannot be had. */
    record ImageRefused(String sentence) implements JobEvent {}

    /**
     * Its turn has come and these GPUs are its own.
     *
     * @param attempt the number of the attempt that begins
     */
    record Allocated(int attempt, Allocation allocation) implements JobEvent {}

    /** It asks for more than this machine has. */
    record FoundTooLarge(String sentence) implements JobEvent {}

    /** Somebody who may asked for its end. */
    record CancelRequested(String by) implements JobEvent {}

    /** Somebody who may set it aside. */
    record HoldRequested(String by) implements JobEvent {}

    /** Somebody who may let it go on. */
    record ReleaseRequested(String by) implements JobEvent {}

    /** The container is there; nothing of it has run. */
    record ContainerCreated(int attempt) implements OfAttempt {}

    /**
     * GPUs that were given to it are in somebody else's hands; nothing was created.
     *
     * @param sentence who has them
     */
    record GpusTaken(int attempt, String sentence) implements OfAttempt {}

    /** The program runs since {@code startedAt}. */
    record ContainerStarted(int attempt, Instant startedAt) implements OfAttempt {}

    /**
     * The engine refused to create or start the container; nothing of it is left and the program never ran.
     *
     * @param byGpu whether it was the GPUs, or what gives them to containers, that failed
     */
    record LaunchRefused(int attempt, String sentence, boolean byGpu) implements OfAttempt {
        public LaunchRefused(int attempt, String sentence) {
            this(attempt, sentence, false);
        }
    }

    /** The image went away between its arrival and the creation; nothing was created. */
    record ImageVanished(int attempt) implements OfAttempt {}

    /**
     * The container has stopped: no process of it is left.
     *
     * @param exitCode what the program ended with, 128 + n for signal n
     * @param outOfMemory whether the kernel killed it for want of memory
     * @param startedAt when the program began, or null where the news does not say
     */
    record ContainerExited(
            int attempt,
            int exitCode,
            boolean outOfMemory,
            @Nullable Instant startedAt,
            Instant endedAt) implements OfAttempt {}

    /** There is no container of this attempt, and nobody saw it end. */
    record ContainerGone(int attempt) implements OfAttempt {}

    /**
     * The machine went down while the attempt was under way, so that nobody saw its program end.
     *
     * @param bootedAt when the machine came up again
     */
    record MachineRebooted(int attempt, Instant bootedAt) implements OfAttempt {}

    /**
     * The container engine was stopped while the program ran, and ended it.
     *
     * @param exitCode what the program ended with, 128 + n for signal n
     */
    record EngineStopped(int attempt, int exitCode, Instant endedAt) implements OfAttempt {}

    /** The container has lost its GPUs; the program may go on, and will not find them. */
    record DeviceLost(int attempt, String sentence) implements OfAttempt {}

    /** The program has left its GPUs idle as long as it may. */
    record IdleTimeoutReached(int attempt, String sentence) implements OfAttempt {}

    /** The program has run as long as it may. */
    record TimeLimitReached(int attempt) implements OfAttempt {}
}
