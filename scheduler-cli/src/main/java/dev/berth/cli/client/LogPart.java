package dev.berth.cli.client;

import dev.berth.core.api.JobView;
import org.jspecify.annotations.Nullable;

/**
 * The part of a log that is wanted.
 *
 * @param attempt of one attempt; null for all
 * @param tail how many last lines; null for all
 * @param since an ISO time; null for all
 * @param stream {@code stdout} or {@code stderr}; null for both
 */
public record LogPart(
        @Nullable Integer attempt,
        @Nullable Integer tail,
        @Nullable String since,
        @Nullable String stream) {
    public static final LogPart ALL = new LogPart(null, null, null, null);

    /** The whole log of one attempt; null for that of all. */
    public static LogPart ofAttempt(@Nullable Integer attempt) {
        return new LogPart(attempt, null, null, null);
    }

    /** Whether it begins where the log does, or the attempt. */
    boolean isFromTheBeginning() {
        return tail == null && since == null;
    }

    /** The part once it is known where it begins. */
    LogPart begun() {
        return new LogPart(attempt, null, null, stream);
    }

    /** Whether nothing more is written of it, at that state of the job. */
    boolean isOver(JobView job) {
        boolean isAttemptOver =
                attempt != null && (job.attempt() > attempt || (job.attempt() == attempt && isWaiting(job)));
        return isAttemptOver || JobFollower.isFinal(job.state());
    }

    /** Between two attempts. */
    private static boolean isWaiting(JobView job) {
        return job.state().equals("QUEUED") || job.state().equals("HELD");
    }

    /** As the API wants it, to be added to a query. */
    String query() {
        return (stream == null ? "" : "&stream=" + stream)
                + (attempt == null ? "" : "&attempt=" + attempt)
                + (tail == null ? "" : "&tail=" + tail)
                + (since == null ? "" : "&since=" + since);
    }
}
