package dev.berth.core.machine;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobState.Finished;
import org.jspecify.annotations.Nullable;

/**
 * A container held against the books.
 *
 * @param owner the job it says it belongs to, as that stands now; null where there is none of that number
 */
public record Sighting(Found found, @Nullable Job owner) {
    Attempt attempt() {
        return found.of();
    }

    boolean isOfFinished() {
        return owner != null && owner.state() instanceof Finished;
    }
}
