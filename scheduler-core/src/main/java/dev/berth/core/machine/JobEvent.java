package dev.berth.core.machine;

import dev.berth.core.job.Allocation;
import java.time.Instant;

/** Something that happened to one job. */
public sealed interface JobEvent {

    /** The stable name under which the event is kept. */
    default String name() {
        return getClass().getSimpleName();
    }

    /** News about one attempt. About an attempt that is not the current one it is late, and ignored. */
    sealed interface OfAttempt extends JobEvent {
        int attempt();
    }

    /** The job's image is on this machine. */
    record ImageArrived(String imageId) implements JobEvent {}

    /** The job's image is not here and cannot be had. */
    record ImageRefused(String sentence) implements JobEvent {}

    /** Its turn has come and these GPUs are its own. */
    record Allocated(Allocation allocation) implements JobEvent {}

    /** It asks for more than this machine has. */
    record FoundTooLarge(String sentence) implements JobEvent {}

    /** Somebody who may asked for its end. */
    record CancelRequested(String by) implements JobEvent {}

    /** Somebody who may set it aside. */
    record HoldRequested(String by) implements JobEvent {}

    /** Somebody who may let it go on. */
    record ReleaseRequested(String by) implements JobEvent {}

    /** The program runs since {@code startedAt}. */
    record ContainerStarted(int attempt, Instant startedAt) implements OfAttempt {}

    /** The engine refused to create or start the container; nothing of it is left and the program never ran. */
    record LaunchRefused(int attempt, String sentence) implements OfAttempt {}

    /** The image went away between its arrival and the launch; nothing was created and the program never ran. */
    record ImageVanished(int attempt) implements OfAttempt {}

    /**
     * The container has stopped: no process of it is left.
     *
     * @param exitCode what the program ended with, 128 + n for signal n
     * @param outOfMemory whether the kernel killed it for want of memory
     */
    record ContainerExited(int attempt, int exitCode, boolean outOfMemory, Instant endedAt) implements OfAttempt {}

    /** There is no container of this attempt, and nobody saw it end. */
    record ContainerGone(int attempt) implements OfAttempt {}

    /** The program has run as long as it may. */
    record TimeLimitReached(int attempt) implements OfAttempt {}
}
