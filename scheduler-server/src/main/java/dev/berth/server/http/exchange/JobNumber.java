package dev.berth.server.http.exchange;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.server.store.JobQueries;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A job's number as people write it: {@code 42}, or {@code 42_7} for task 7 of array 42.
 *
 * @param job that of the array, for a task
 * @param task the index of the task, null for a job that is named by its number alone
 */
public record JobNumber(JobId job, @Nullable Long task) {
    private static final Pattern TEXT = Pattern.compile("([0-9]{1,19})(?:_([0-9]{1,18}))?");

    /** The number that a text is; empty where it is none. */
    public static Optional<JobNumber> parse(String text) {
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        try {
            JobId job = new JobId(Long.parseLong(matcher.group(1)));
            String task = matcher.group(2);
            return Optional.of(new JobNumber(job, task == null ? null : (Long) Long.parseLong(task)));
        } catch (IllegalArgumentException e) {
            // Zero, or too many.
            return Optional.empty();
        }
    }

    /** The job of this number. */
    public Optional<Job> find(JobQueries queries) {
        return task == null ? queries.find(job) : queries.findTask(job, task);
    }
}
