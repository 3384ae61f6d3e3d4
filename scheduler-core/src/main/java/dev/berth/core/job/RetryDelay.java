package dev.berth.core.job;

import dev.berth.core.text.DurationText;
import java.time.Duration;

/**
 * The time between the end of an attempt and the moment from which the next one may begin. It doubles with each retry, from
 * the first to the longest; its text is {@code 1m..1h}, or {@code 30s} where it stays the same.
 */
public record RetryDelay(Duration first, Duration longest) {
    /** The longest that there may be. */
    public static final Duration MAX = Duration.ofDays(30);

    /** Another attempt at once. */
    public static final RetryDelay NONE = new RetryDelay(Duration.ZERO, Duration.ZERO);

    private static final String BETWEEN = "..";

    /**
     * The delay of such a text.
     *
     * @throws IllegalArgumentException whose message is the rule that the text breaks, and goes on from the text
     */
    public static RetryDelay parse(String text) {
        int between = text.indexOf(BETWEEN);
        Duration first = part(between < 0 ? text : text.substring(0, between));
        Duration longest = between < 0 ? first : part(text.substring(between + BETWEEN.length()));
        if (first.isZero() && !longest.isZero()) {
            throw new IllegalArgumentException("must have a first time above 0, which is doubled");
        }
        if (longest.compareTo(first) < 0) {
            throw new IllegalArgumentException("must not go from the longer to the shorter time");
        }
        return new RetryDelay(first, longest);
    }

    private static Duration part(String text) {
        long seconds = DurationText.seconds(text);
        if (text.isEmpty() || seconds < 0 || seconds > MAX.toSeconds()) {
            throw new IllegalArgumentException("must be a time of at most " + MAX.toDays()
                    + " days, such as 30s, or a first and a longest one, 1m..1h");
        }
        return Duration.ofSeconds(seconds);
    }

    /** The delay before a retry, where there were so many before it. */
    Duration after(int retries) {
        Duration delay = first;
        for (int retry = 0; retry < retries && delay.compareTo(longest) < 0; retry++) {
            delay = delay.multipliedBy(2);
        }
        return delay.compareTo(longest) > 0 ? longest : delay;
    }

    @Override
    public String toString() {
        String from = DurationText.of(first.toSeconds());
        return first.equals(longest) ? from : from + BETWEEN + DurationText.of(longest.toSeconds());
    }
}
