package dev.berth.server.upkeep;

import java.time.Instant;

/**
 * Background work that does not succeed.
 *
 * @param name what it does, in words that stay the same
 * @param since when it failed first
 * @param failures how often it has failed since
 * @param sentence what the last failure was
 * @param nextTry when it is tried again
 */
public record FailingWork(String name, Instant since, int failures, String sentence, Instant nextTry) {
    /** The same work with what of it fails beside: since the first failure, with the words of the latest. */
    FailingWork with(FailingWork other) {
        FailingWork latest = nextTry.isBefore(other.nextTry) ? other : this;
        return new FailingWork(
                name,
                since.isBefore(other.since) ? since : other.since,
                failures + other.failures,
                latest.sentence,
                nextTry.isBefore(other.nextTry) ? nextTry : other.nextTry);
    }
}
