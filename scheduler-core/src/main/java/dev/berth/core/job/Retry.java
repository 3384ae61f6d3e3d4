package dev.berth.core.job;

import java.time.Duration;

/**
 * What a job asks for where an attempt of it fails: more attempts, from the same snapshot.
 *
 * @param most the number of retries that it may use, 0 for none
 * @param causes the ends of an attempt after which it is retried
 * @param delay how long after that
 * @param atEnd whether a retry goes to the end of the queue, and not to the job's old place
 */
public record Retry(int most, RetryCauses causes, RetryDelay delay, boolean atEnd) {
    /** The most retries that a job may ask for. */
    public static final int MAX = 100;

    /** One attempt, whatever becomes of it. */
    public static final Retry NONE = new Retry(0, RetryCauses.USUAL, RetryDelay.NONE, false);

    /** Whether a job that has used so many retries is retried after an attempt that ended so. */
    public boolean follows(Outcome end, int used) {
        return used < most && causes.cover(end);
    }

    /** The delay before the next retry of a job that has used so many. */
    public Duration delay(int used) {
        return delay.after(used);
    }
}
