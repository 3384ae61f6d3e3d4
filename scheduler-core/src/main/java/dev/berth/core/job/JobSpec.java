package dev.berth.core.job;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a submitter asked for, checked and complete: nothing in it is filled in later. What scheduling and lists go by;
 * the program itself, which may be a thousand times as large, is {@link Program}.
 *
 * @param name what people call the job; not unique
 * @param project what it belongs to
 * @param snapshot the digest of the stored directory the job runs in, empty for none
 * @param image the container image's name
 * @param gpus how much GPU it asks for
 * @param timeLimit how long the program may run, at most {@link #MAX_TIME_LIMIT}, or null for no limit
 * @param options all the rest
 */
public record JobSpec(
        String name,
        String project,
        String snapshot,
        String image,
        GpuRequest gpus,
        @Nullable Duration timeLimit,
        JobOptions options) {

    /** Longer than any program runs; keeps the deadline that follows from it far from overflow. */
    public static final Duration MAX_TIME_LIMIT = Duration.ofDays(3650);

    public JobSpec {
        if (timeLimit != null && !timeLimit.isPositive()) {
            throw new IllegalArgumentException("a time limit is longer than nothing, not " + timeLimit);
        }
        if (timeLimit != null && timeLimit.compareTo(MAX_TIME_LIMIT) > 0) {
            throw new IllegalArgumentException(
                    "a time limit is at most " + MAX_TIME_LIMIT.toDays() + " days, not " + timeLimit);
        }
    }

    /** Whether it is a process of the machine itself and no container. */
    public boolean isHost() {
        return options.host() != null;
    }

    /** How much room it takes beside its program: the bytes of its texts in UTF-8. */
    public long bytes() {
        return Utf8.length(name) + Utf8.length(project) + Utf8.length(snapshot) + Utf8.length(image) + options.bytes();
    }

    /** The same to run once more. */
    public JobSpec repeating(JobId job) {
        return new JobSpec(name, project, snapshot, image, gpus, timeLimit, options.repeating(job));
    }
}
