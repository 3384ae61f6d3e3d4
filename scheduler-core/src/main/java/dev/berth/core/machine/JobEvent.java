package dev.berth.core.machine;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.Dependency;
import dev.berth.core.job.EngineRun;
import dev.berth.core.job.GpuId;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.JobState.Held;
import dev.berth.core.job.Outcome;
import dev.berth.core.job.Signal;
import dev.berth.core.job.StateName;
import dev.berth.core.job.Unmet;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Something that happened to one job. A run is an attempt's program in whatever carries it: a container, or a process of
 * the machine itself.
 */
public sealed interface JobEvent {

    /** The name under which the event is kept and told, whatever its class is called. */
    default String name() {
        return switch (this) {
            case DependencyEnded _ -> "DependencyEnded";
            case DependenciesHandedOver _ -> "DependenciesHandedOver";
            case BeginReached _ -> "BeginReached";
            case ImageArrived _ -> "ImageArrived";
            case ImageRefused _ -> "ImageRefused";
            case Allocated _ -> "Allocated";
            case FoundTooLarge _ -> "FoundTooLarge";
            case ArrayEnded _ -> "ArrayEnded";
            case CancelRequested _ -> "CancelRequested";
            case HoldRequested _ -> "HoldRequested";
            case ReleaseRequested _ -> "ReleaseRequested";
            case RunCreated _ -> "ContainerCreated";
            case GpusConfirmed _ -> "GpusConfirmed";
            case GpusTaken _ -> "GpusTaken";
            case RunHandedOver _ -> "HandedOver";
            case HoldSeen _ -> "HoldSeen";
            case RunEnded _ -> "TargetEnded";
            case RunStarted _ -> "ContainerStarted";
            case LaunchRefused _ -> "LaunchRefused";
            case LaunchPutOff _ -> "LaunchPutOff";
            case GpusWithdrawn _ -> "GpusWithdrawn";
            case ImageVanished _ -> "ImageVanished";
            case RunExited _ -> "ContainerExited";
            case StartLost _ -> "StartLost";
            case RunGone _ -> "ContainerGone";
            case MachineRebooted _ -> "MachineRebooted";
            case EngineStopped _ -> "EngineStopped";
            case DeviceLost _ -> "DeviceLost";
            case IdleTimeoutReached _ -> "IdleTimeoutReached";
            case TimeLimitReached _ -> "TimeLimitReached";
            case SignalDue _ -> "SignalDue";
            case SignalSent _ -> "SignalSent";
            case PackEnded _ -> "PackEnded";
            case TasksTold _ -> "TasksTold";
        };
    }

    /** The sentence that people should know of it beyond its name; null for most. */
    default @Nullable String sentence() {
        return null;
    }

    /** News of the image of a job that waits for it. */
    sealed interface ImageNews extends JobEvent {}

    /** News of what a job waits for before it is ready. */
    sealed interface ReadinessNews extends JobEvent {}

    /** A decision that only the scheduler itself makes. */
    sealed interface Decision extends JobEvent {}

    /** A request of a user or of the server. */
    sealed interface Request extends JobEvent {
        /** The login name of who asked, or {@link Held#BY_SERVER}. */
        String by();

        @Override
        default String sentence() {
            return by().equals(Held.BY_SERVER) ? "by the server" : "by " + by();
        }
    }

    /** News about one attempt. About an attempt that is not the current one it is late, and ignored. */
    sealed interface OfAttempt extends JobEvent {
        int attempt();
    }

    /** News of what became of an attempt's launch. */
    sealed interface LaunchNews extends OfAttempt {}

    /** The launch came to nothing: nothing of it is left, and the program never ran. */
    sealed interface LaunchFailed extends LaunchNews {}

    /** The engine did not start the container that was made. */
    sealed interface StartFailed extends OfAttempt {
        /** The attempt's GPUs on which a test container of Berth's own does not start either, and what was said of that one. */
        SortedMap<GpuId, String> faults();
    }

    /** Nothing of the attempt is left, and nobody knows how its program ended, or whether it ran. */
    sealed interface Vanished extends OfAttempt {}

    /** The reason why a program that runs is to be ended. */
    sealed interface StopReason extends OfAttempt {}

    /**
     * Another job has ended, in the state {@code end}.
     *
     * @param number what people call it
     */
    record DependencyEnded(JobId other, StateName end, String number) implements ReadinessNews {
        public DependencyEnded(JobId other, StateName end) {
            this(other, end, other.toString());
        }

        /** The event for a job that waits for it, which knows by what number. */
        static DependencyEnded of(Unmet unmet, JobId other, StateName end) {
            String number = unmet.pending().stream()
                    .filter(dependency -> dependency.job().equals(other))
                    .map(Dependency::number)
                    .findFirst()
                    .orElse(other.toString());
            return new DependencyEnded(other, end, number);
        }

        @Override
        public String sentence() {
            return "job " + number + " has ended " + end;
        }
    }

    /** All that it waits for is with its own target, whose engine lets it wait for them. */
    record DependenciesHandedOver() implements ReadinessNews {}

    /** The date has come before which it was not to start. */
    record BeginReached() implements ReadinessNews {}

    /** The job's image is on this machine. */
    record ImageArrived(String imageId) implements ImageNews {}

    /** The job's image is not here and cannot be had. */
    record ImageRefused(String sentence) implements ImageNews {}

    /**
     * The job's turn has come and these GPUs are its own.
     *
     * @param attempt the number of the attempt that begins
     */
    record Allocated(int attempt, Allocation allocation) implements Decision {}

    /** The job asks for more than this machine has. */
    record FoundTooLarge(String sentence) implements Decision {}

    /**
     * All tasks of an array that had a turn have ended.
     *
     * @param tasks how many in which state
     */
    record ArrayEnded(SortedMap<StateName, Long> tasks) implements Decision {
        public ArrayEnded {
            tasks = Collections.unmodifiableSortedMap(new TreeMap<>(tasks));
        }
    }

    /** Somebody who may asked for its end. */
    record CancelRequested(String by) implements Request {}

    /**
     * Somebody who may set it aside.
     *
     * @param sentence why, where the server itself does; else null
     */
    record HoldRequested(String by, @Nullable String sentence) implements Request {
        public HoldRequested(String by) {
            this(by, null);
        }

        @Override
        public String sentence() {
            return sentence == null ? Request.super.sentence() : sentence;
        }
    }

    /** Somebody who may let it go on. */
    record ReleaseRequested(String by) implements Request {}

    /**
     * The container is there; nothing of it has run.
     *
     * @param engine the run of the engine that is to be asked for its start
     */
    record RunCreated(int attempt, EngineRun engine) implements LaunchNews {}

    /** The GPUs that were given to it have been looked at, and it can have them. */
    record GpusConfirmed(int attempt) implements LaunchNews {}

    /**
     * GPUs that were given to it are in somebody else's hands; nothing was created.
     *
     * @param sentence who has them
     */
    record GpusTaken(int attempt, String sentence) implements LaunchNews {}

    /** A target's engine has it in its queue. */
    record RunHandedOver(int attempt) implements LaunchNews {}

    /** Somebody set it aside in the queue of a target's engine, or let it go on there. */
    record HoldSeen(int attempt, boolean isHeld) implements LaunchNews {}

    /** The program runs since {@code startedAt}. */
    record RunStarted(int attempt, Instant startedAt) implements LaunchNews {}

    /** The engine refused to create or start the container; nothing of it is left and the program never ran. */
    record LaunchRefused(int attempt, String sentence, SortedMap<GpuId, String> faults)
            implements LaunchFailed, StartFailed {
        public LaunchRefused {
            faults = Collections.unmodifiableSortedMap(new TreeMap<>(faults));
        }

        public LaunchRefused(int attempt, String sentence) {
            this(attempt, sentence, new TreeMap<>());
        }
    }

    /**
     * Nothing was started, and that is not the job's fault: the engine starts no container at all for the time being, Berth's
     * own test container neither.
     *
     * @param sentence what was said of Berth's own
     */
    record LaunchPutOff(int attempt, String sentence) implements LaunchFailed {}

    /**
     * The GPUs are withdrawn: this server does not allocate all that an earlier one gave the job; nothing was started.
     */
    record GpusWithdrawn(int attempt) implements LaunchFailed {
        @Override
        public String sentence() {
            return "an earlier server gave it GPUs that this one does not allocate";
        }
    }

    /** The image went away between its arrival and the creation; nothing was created. */
    record ImageVanished(int attempt) implements LaunchFailed {}

    /**
     * The container has stopped: no process of it is left.
     *
     * @param exitCode what the program ended with, 128 + n for signal n
     * @param outOfMemory whether the kernel killed it for want of memory
     * @param startedAt when the program began, or null where the news does not say
     */
    record RunExited(
            int attempt,
            int exitCode,
            boolean outOfMemory,
            @Nullable Instant startedAt,
            Instant endedAt) implements OfAttempt {}

    /**
     * A target's engine has ended it for a reason of its own, or does not know it any more; nothing of it is left.
     *
     * @param startedAt when its program began; null where it never did, or nobody knows
     */
    record RunEnded(int attempt, Outcome outcome, @Nullable Instant startedAt, Instant endedAt) implements OfAttempt {
        @Override
        public String sentence() {
            return outcome.sentence();
        }
    }

    /**
     * The engine ended when it was to start the container, and does not say that the program began: it may have. Nothing of
     * it is left.
     *
     * @param said the engine's answer, where there was one
     */
    record StartLost(int attempt, @Nullable String said, SortedMap<GpuId, String> faults)
            implements Vanished, StartFailed {
        public StartLost {
            faults = Collections.unmodifiableSortedMap(new TreeMap<>(faults));
        }

        public StartLost(int attempt, @Nullable String said) {
            this(attempt, said, new TreeMap<>());
        }

        /** Makes the news of a lost start of which the engine said nothing. */
        public StartLost(int attempt) {
            this(attempt, null);
        }
    }

    /** No container of this attempt is there, and nobody saw it end. */
    record RunGone(int attempt) implements Vanished {}

    /**
     * The machine went down while the attempt was under way, so that nobody saw its program end.
     *
     * @param bootedAt when the machine came up again
     */
    record MachineRebooted(int attempt, Instant bootedAt) implements OfAttempt {}

    /**
     * The container engine was stopped while the program ran, and ended it, or does not know how it ended.
     *
     * @param exitCode what the program ended with, 128 + n for signal n, 255 where that may be unknown
     */
    record EngineStopped(int attempt, int exitCode, Instant endedAt) implements OfAttempt {
        /**
         * The exit code that is told of a program whose end nobody saw (containerd, "UnknownExitStatus"); a program may
         * say it of itself.
         */
        public static final int UNKNOWN_EXIT = 255;
    }

    /** The container has lost its GPUs; the program may go on, and will not find them. */
    record DeviceLost(int attempt, String sentence) implements StopReason {}

    /** The program has left its GPUs idle as long as it may. */
    record IdleTimeoutReached(int attempt, String sentence) implements StopReason {}

    /** The program has run as long as it may. */
    record TimeLimitReached(int attempt) implements StopReason {}

    /**
     * The time has come at which the program is to be told that its time limit is near.
     *
     * @param left how long it is until then, by now
     */
    record SignalDue(int attempt, Signal signal, Duration left) implements OfAttempt {
        @Override
        public String sentence() {
            // The loop wakes some milliseconds late.
            return signal.inFull() + ", " + Durations.inWords(left.plusMillis(999)) + " before its time limit";
        }
    }

    /** The program was sent the signal. */
    record SignalSent(int attempt, Signal signal) implements OfAttempt {
        @Override
        public String sentence() {
            return signal.inFull();
        }
    }

    /**
     * The pack that has a task has ended, and whatever it told of that task is known.
     *
     * @param end how the pack ended
     * @param hasBegun whether any of its tasks began
     * @param isKnown whether it is known of each that has not told of its begin that it has not begun
     */
    record PackEnded(Finished end, boolean hasBegun, boolean isKnown) implements JobEvent {
        @Override
        public String sentence() {
            return end.outcome().sentence();
        }
    }

    /**
     * A pack runs no more, and whatever is known of its tasks is told.
     *
     * @param isKnown whether its files were there
     */
    record TasksTold(int attempt, boolean isKnown) implements OfAttempt {}
}
