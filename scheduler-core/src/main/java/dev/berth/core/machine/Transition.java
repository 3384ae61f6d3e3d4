package dev.berth.core.machine;

import dev.berth.core.job.JobState;
import dev.berth.core.job.JobState.Finished;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The result of an event for a job. */
public sealed interface Transition {

    /**
     * The job is in another state now, and these effects are owed.
     *
     * @param attempt how the attempt ended after which it begins another; null where it does not
     * @param isRetry whether that other one is a retry
     */
    record Moved(
            JobState next, List<Effect> effects, @Nullable Finished attempt, boolean isRetry) implements Transition {
        public Moved {
            effects = List.copyOf(effects);
        }

        static Moved to(JobState next, Effect... effects) {
            return new Moved(next, List.of(effects), null, false);
        }
    }

    /** Nothing changed: the event came late, twice, or too early to matter. */
    record Ignored(String reason) implements Transition {}
}
