package dev.berth.core.machine;

import dev.berth.core.job.GpuId;
import dev.berth.core.job.JobId;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A container with this server's labels.
 *
 * @param attempt the attempt it was made for
 * @param gpus the GPUs it was made with
 */
public record Found(JobId job, int attempt, Condition condition, List<GpuId> gpus) {

    /** In what condition a container was found. */
    public sealed interface Condition {

        /** Created and never started. */
        record Created() implements Condition {}

        /** Its program runs. */
        record Alive(Instant startedAt) implements Condition {}

        /**
         * Its program has ended.
         *
         * @param startedAt when it began, or null where the engine does not say
         */
        record Exited(
                int exitCode, boolean outOfMemory, @Nullable Instant startedAt, Instant endedAt) implements Condition {}
    }

    public Found {
        gpus = List.copyOf(gpus);
    }

    /** Whose container it says it is. */
    public Attempt of() {
        return new Attempt(job, attempt);
    }
}
