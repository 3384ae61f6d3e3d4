package dev.berth.core.machine;

import dev.berth.core.job.GpuId;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A run that a runner knows as this server's, such as a container with its labels.
 *
 * @param of the attempt that it says it was made for
 * @param gpus the GPUs it was made with
 */
public record Found(RunnerKind runner, Attempt of, Condition condition, List<GpuId> gpus) {

    /** The condition in which a run was found. */
    public sealed interface Condition {

        /**
         * Created, and never started as far as the engine knows.
         *
         * @param hasFailed whether a start was asked for and has failed as far as the engine knows
         */
        record Created(boolean hasFailed) implements Condition {
            /** Makes the condition of a container whose start nobody asked for, or has no answer yet. */
            public Created() {
                this(false);
            }
        }

        /** The run is gone, and files that were laid out for it are left. */
        record FilesLeft() implements Condition {}

        /** The run's program runs. */
        record Alive(Instant startedAt) implements Condition {}

        /**
         * The run's program has ended. What is told of that, by the one who finds out, follows from this and is made
         * here.
         *
         * @param startedAt when it began, or null where the engine does not say
         * @param isUnknown whether the engine ended it with itself, or did not see it end, so that the exit code is none of
         *     the program's
         */
        record Exited(
                int exitCode, boolean outOfMemory, @Nullable Instant startedAt, Instant endedAt, boolean isUnknown)
                implements Condition {
            /** The exit code of a program that SIGKILL ended, as the kernel's does where memory runs out. */
            public static final int SIGKILLED = 137;

            private static final int SIGTERMED = 143;

            /** Makes an end that the engine saw. */
            public Exited(int exitCode, boolean outOfMemory, @Nullable Instant startedAt, Instant endedAt) {
                this(exitCode, outOfMemory, startedAt, endedAt, false);
            }

            /** The end as one that the engine brought about with its own end, or did not see. */
            public Exited byEngine() {
                return new Exited(exitCode, outOfMemory, startedAt, endedAt, true);
            }

            /** Whether a program ended as those do that an engine, or the machine's own end, stops: SIGKILL and SIGTERM. */
            public static boolean isBySignal(int exitCode) {
                return exitCode == SIGKILLED || exitCode == SIGTERMED;
            }

            /**
             * Whether this program ended so, and not by the kernel for its memory. A program whose memory ran out ends
             * by SIGKILL; of another end it tells that a child's did.
             */
            public boolean isBySignal() {
                return isBySignal(exitCode) && !(outOfMemory && exitCode == SIGKILLED);
            }

            /** The event to tell of an attempt whose run has ended so. */
            public JobEvent of(int attempt) {
                return isUnknown
                        ? new JobEvent.EngineStopped(attempt, exitCode, endedAt)
                        : new JobEvent.RunExited(attempt, exitCode, outOfMemory, startedAt, endedAt);
            }
        }
    }

    public Found {
        gpus = List.copyOf(gpus);
    }
}
