package dev.berth.core.job;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The state of a job. Each state carries exactly the data that is valid in it. */
public sealed interface JobState {

    /** The stable name, the same in code, database, API and command line. */
    StateName name();

    /** The attempt this state is about: the coming one for a queued job, else the current or last one; from 1. */
    int attempt();

    /** What it waits for beside its turn. */
    default Unmet unmet() {
        return Unmet.NONE;
    }

    /** The date at which the attempt's program started; null where it did not, or nobody knows that it did. */
    default @Nullable Instant startedAt() {
        return null;
    }

    /** Has a place in the queue, and holds nothing. */
    sealed interface Waiting extends JobState {}

    /** Waits for its turn. */
    record Queued(int attempt, ImageState image) implements Waiting {
        @Override
        public StateName name() {
            return StateName.QUEUED;
        }
    }

    /**
     * Not ready: waits for other jobs or for a date. It keeps its place and is passed over; its image is looked for once it
     * is ready.
     *
     * @param unmet what it waits for, never nothing
     */
    record Deferred(int attempt, Unmet unmet) implements Waiting {
        @Override
        public StateName name() {
            return StateName.QUEUED;
        }
    }

    /**
     * Set aside by somebody: it keeps its place and is passed over.
     *
     * @param unmet what it waits for beside its release
     * @param by the login name of who set it aside, or {@link #BY_SERVER}
     */
    record Held(int attempt, ImageState image, Unmet unmet, String by, Instant since) implements Waiting {
        /** The state of a job that waits for nothing else. */
        public Held(int attempt, ImageState image, String by, Instant since) {
            this(attempt, image, Unmet.NONE, by, since);
        }

        /** The server itself, which cannot run it as it was started; no login has this name. */
        public static final String BY_SERVER = "";

        public boolean isByServer() {
            return by.equals(BY_SERVER);
        }

        @Override
        public StateName name() {
            return StateName.HELD;
        }
    }

    /** Holds a worker, and GPUs if it asked for any. */
    sealed interface Live extends JobState {
        Allocation allocation();

        /**
         * The steady clock's time when the program started, by which its time counts; null where nobody knows that it
         * did. Before that is known, the time when it was to be started: the program began no earlier.
         */
        default @Nullable Instant countedFrom() {
            return null;
        }

        /** The state, counted from another moment where one is known. */
        default Live countedFrom(Instant began) {
            return this;
        }
    }

    /** The job's program is not known to run yet. */
    sealed interface Launching extends Live {}

    /**
     * The job's turn has come and its container is owed; nothing of it has run.
     *
     * @param isDecided whether the allocation stands. Until somebody has looked at its GPUs they may turn out to be in
     *     other hands, and the job then goes back to its place: nobody behind it is given anything before that is known
     */
    record Creating(int attempt, String imageId, Allocation allocation, boolean isDecided) implements Launching {
        /** Makes the state of a job whose GPUs, where it has any, nobody has looked at yet. */
        public Creating(int attempt, String imageId, Allocation allocation) {
            this(attempt, imageId, allocation, allocation.isNone());
        }

        /** The state once its GPUs have been looked at. */
        public Creating decided() {
            return new Creating(attempt, imageId, allocation, true);
        }

        @Override
        public StateName name() {
            return StateName.STARTING;
        }
    }

    /**
     * The job's container was made, and the start of that is owed. The start may have happened already: a container
     * that is missing from here on is never made again, so that no program is started twice.
     *
     * @param engine the run of the engine that the start is sent to. Once that run has ended, the program may have begun
     *     although the engine says that it did not
     * @param countedFrom what the steady clock said when that was asked for, null where nobody kept it
     */
    record Starting(
            int attempt,
            String imageId,
            Allocation allocation,
            EngineRun engine,
            @Nullable Instant countedFrom) implements Launching {
        /** Makes the state of a job that is to be started now. */
        public Starting(int attempt, String imageId, Allocation allocation, EngineRun engine) {
            this(attempt, imageId, allocation, engine, null);
        }

        @Override
        public Starting countedFrom(Instant asked) {
            return new Starting(attempt, imageId, allocation, engine, asked);
        }

        @Override
        public StateName name() {
            return StateName.STARTING;
        }
    }

    /**
     * A target's engine has it, and lets it wait in its own queue. It holds nothing of this machine.
     *
     * @param isHeld whether it is set aside in that queue
     */
    record HandedOver(int attempt, boolean isHeld) implements Launching {
        @Override
        public Allocation allocation() {
            return Allocation.NONE;
        }

        @Override
        public StateName name() {
            return isHeld ? StateName.HELD : StateName.QUEUED;
        }
    }

    /**
     * The program runs.
     *
     * @param countedFrom what the steady clock said at the start, by which its time limit counts
     * @param signal how far it is with the signal that comes before its time limit
     */
    record Running(int attempt, Allocation allocation, Instant startedAt, Instant countedFrom, SignalState signal)
            implements Live {
        /** As it is where no signal is due yet. */
        public Running(int attempt, Allocation allocation, Instant startedAt, Instant countedFrom) {
            this(attempt, allocation, startedAt, countedFrom, SignalState.NOT_DUE);
        }

        /** As it is where nobody has set the date since the machine came up. */
        public Running(int attempt, Allocation allocation, Instant startedAt) {
            this(attempt, allocation, startedAt, startedAt);
        }

        @Override
        public Running countedFrom(Instant began) {
            return new Running(attempt, allocation, startedAt, began, signal);
        }

        /** The state once it is so far with its signal. */
        public Running with(SignalState next) {
            return new Running(attempt, allocation, startedAt, countedFrom, next);
        }

        @Override
        public StateName name() {
            return StateName.RUNNING;
        }
    }

    /** A stop is owed. */
    record Stopping(
            int attempt,
            Allocation allocation,
            @Nullable Instant startedAt,
            @Nullable Instant countedFrom,
            StopCause cause)
            implements Live {
        /** As it is where nobody has set the date since the machine came up. */
        public Stopping(int attempt, Allocation allocation, @Nullable Instant startedAt, StopCause cause) {
            this(attempt, allocation, startedAt, startedAt, cause);
        }

        @Override
        public Stopping countedFrom(Instant began) {
            return new Stopping(attempt, allocation, startedAt, startedAt == null ? null : began, cause);
        }

        @Override
        public StateName name() {
            return StateName.STOPPING;
        }
    }

    /**
     * An array none of whose tasks waits for its turn any more, and some of whose tasks that had theirs have not ended. It is
     * called running, and holds nothing itself.
     *
     * @param rest how the tasks ended that had no turn, as the array was ended before; null where all had theirs
     */
    record Dispatched(int attempt, @Nullable Finished rest) implements JobState {
        @Override
        public StateName name() {
            return StateName.RUNNING;
        }
    }

    /**
     * A task in a pack, whose container has it: it has no turn of its own and holds nothing itself.
     *
     * @param startedAt when its program began, null before that
     * @param stop why its program is to end, or not to begin; null where it is not
     */
    record Packed(@Nullable Instant startedAt, @Nullable StopCause stop) implements JobState {
        /** Before anything of it has begun. */
        public static final Packed WAITING = new Packed(null, null);

        /** The first: one that follows has a container of its own. */
        @Override
        public int attempt() {
            return 1;
        }

        @Override
        public StateName name() {
            if (stop != null) {
                return StateName.STOPPING;
            }
            return startedAt == null ? StateName.QUEUED : StateName.RUNNING;
        }
    }

    /**
     * The job is finished; nothing is held any more.
     *
     * @param attempt the last attempt, 0 for a job that never had one
     * @param ran how long the last attempt's program ran by the steady clock; the dates are as they were told then
     */
    record Finished(int attempt, @Nullable Instant startedAt, Instant endedAt, Duration ran, Outcome outcome)
            implements JobState {
        /** As it is where nobody has set the date meanwhile. */
        public Finished(int attempt, @Nullable Instant startedAt, Instant endedAt, Outcome outcome) {
            this(
                    attempt,
                    startedAt,
                    endedAt,
                    startedAt == null || startedAt.isAfter(endedAt)
                            ? Duration.ZERO
                            : Duration.between(startedAt, endedAt),
                    outcome);
        }

        /** The state of a job that ran for another time than the dates say. */
        public Finished lasting(Duration time) {
            return new Finished(attempt, startedAt, endedAt, time, outcome);
        }

        @Override
        public StateName name() {
            return outcome.state();
        }
    }
}
