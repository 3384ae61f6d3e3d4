package dev.berth.server.http.exchange;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.server.store.JobQueries;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A job's number as people write it: {@code 42}, {@code 42_7} for task 7 of array 42, or {@code 42_[0-4]} for the pack of its tasks
 * 0 to 4.
 *
 * @param job that of the array, for a task or a pack
 * @param task the index of the task, of a pack its first one; null for a job that is named by its number alone
 * @param pack the tasks of the pack; null for others
 */
public record JobNumber(
        JobId job, @Nullable Long task, @Nullable String pack) {
    private static final Pattern TEXT =
            Pattern.compile("([0-9]{1,19})(?:_(?:([0-9]{1,18})|\\[(([0-9]{1,18})[0-9,-]{0,2000})]))?");

    /** The number that a text is; empty where it is none. */
    public static Optional<JobNumber> parse(String text) {
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        try {
            JobId job = new JobId(Long.parseLong(matcher.group(1)));
            String pack = matcher.group(3);
            String task = pack == null ? matcher.group(2) : matcher.group(4);
            return Optional.of(new JobNumber(job, task == null ? null : (Long) Long.parseLong(task), pack));
        } catch (IllegalArgumentException e) {
            // Zero, or too many.
            return Optional.empty();
        }
    }

    /** The job of this number. */
    public Optional<Job> find(JobQueries queries) {
        if (task == null) {
            return queries.find(job);
        }
        return pack == null
                ? queries.findTask(job, task)
                : queries.findPack(job, task).filter(found -> found.number().equals(job + "_[" + pack + "]"));
    }
}
