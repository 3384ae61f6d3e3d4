package dev.berth.core.job;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a submitter asked for, checked and complete: nothing in it is filled in later.
 *
 * @param name what people call the job; not unique
 * @param project what it belongs to
 * @param command the program and its arguments, as they are executed in the container
 * @param snapshot the digest of the stored directory the job runs in, empty for none
 * @param image the container image's name
 * @param gpus how much GPU it asks for
 * @param environment variables for the program; their values are secrets and stay out of {@link #toString()}
 * @param timeLimit how long the program may run, at most {@link #MAX_TIME_LIMIT}, or null for no limit
 * @param options all the rest
 */
public record JobSpec(
        String name,
        String project,
        List<String> command,
        String snapshot,
        String image,
        GpuRequest gpus,
        Map<String, String> environment,
        @Nullable Duration timeLimit,
        JobOptions options) {

    /** Longer than any program runs; keeps the deadline that follows from it far from overflow. */
    public static final Duration MAX_TIME_LIMIT = Duration.ofDays(3650);

    public JobSpec {
        if (command.isEmpty()) {
            throw new IllegalArgumentException("a job needs a command");
        }
        if (timeLimit != null && !timeLimit.isPositive()) {
            throw new IllegalArgumentException("a time limit is longer than nothing, not " + timeLimit);
        }
        if (timeLimit != null && timeLimit.compareTo(MAX_TIME_LIMIT) > 0) {
            throw new IllegalArgumentException(
                    "a time limit is at most " + MAX_TIME_LIMIT.toDays() + " days, not " + timeLimit);
        }
        command = List.copyOf(command);
        environment = java.util.Collections.unmodifiableSortedMap(new TreeMap<>(environment));
    }

    /** Whether it is a process of the machine itself and no container. */
    public boolean isHost() {
        return options.host() != null;
    }

    /** The same to run once more. */
    public JobSpec repeating(JobId job) {
        return new JobSpec(
                name, project, command, snapshot, image, gpus, environment, timeLimit, options.repeating(job));
    }

    /** Names the environment's variables, never their values. */
    @Override
    public String toString() {
        return ("JobSpec[name=%s, project=%s, command=%s, snapshot=%s, image=%s, gpus=%s, environment=%s, timeLimit=%s,"
                        + " options=%s]")
                .formatted(
                        name,
                        project,
                        command,
                        snapshot,
                        image,
                        gpus.milli(),
                        environment.keySet(),
                        timeLimit,
                        options);
    }
}
