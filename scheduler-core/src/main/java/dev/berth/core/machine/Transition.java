package dev.berth.core.machine;

import dev.berth.core.job.JobState;
import java.util.List;

/** The result of an event for a job. */
public sealed interface Transition {

    /** The job is in another state now, and these effects are owed. */
    record Moved(JobState next, List<Effect> effects) implements Transition {
        public Moved {
            effects = List.copyOf(effects);
        }

        static Moved to(JobState next, Effect... effects) {
            return new Moved(next, List.of(effects));
        }
    }

    /** Nothing changed: the event came late, twice, or too early to matter. */
    record Ignored(String reason) implements Transition {}
}
