package dev.berth.core.machine;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How far the clock that tells dates is ahead of the steady one. That one began with the machine at some date, goes on as
 * time passes, and nobody sets it: time limits count by it, and a machine whose date is corrected ends no program.
 *
 * @param ahead by how much now; negative where the date was set back
 * @param before by how much before it was set the last time: news of what happened then may come late
 */
public record DateClock(Duration ahead, Duration before) {
    /** Two clocks that are read one after the other differ by less, and the date is steered by less from look to look. */
    static final Duration JITTER = Duration.ofSeconds(1);

    /** Both tell the same. */
    public static final DateClock NEVER_SET = new DateClock(Duration.ZERO, Duration.ZERO);

    DateClock then(Duration next) {
        return next.minus(ahead).abs().compareTo(JITTER) < 0 ? new DateClock(next, before) : new DateClock(next, ahead);
    }

    /** What the steady clock said at a date of now. */
    Instant steady(Instant now) {
        return now.minus(ahead);
    }

    /** Which date it will be when the steady clock says this, if nobody sets it. */
    public Instant date(Instant steady) {
        return steady.plus(ahead);
    }

    /**
     * What the steady clock said when something began of which the news come now; later rather than earlier where the date
     * was set.
     *
     * @param earliest what it said when that was asked for, null where nobody knows
     */
    Instant began(Instant date, @Nullable Instant earliest, Instant now) {
        Instant began = later(date.minus(ahead), date.minus(before));
        Instant latest = steady(now);
        Instant possible = earliest == null ? began : later(began, earliest);
        return possible.isAfter(latest) ? latest : possible;
    }

    private static Instant later(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }

    /**
     * How long that took which began when the steady clock said {@code began}. A date that cannot be one of now is one of before
     * it was set.
     *
     * @param end the date of its end, of which the news come now
     */
    Duration lasted(Instant began, Instant end, Instant now) {
        Instant ended = end.minus(ahead);
        if (end.isAfter(now) || ended.isBefore(began)) {
            ended = end.minus(before);
        }
        Instant latest = steady(now);
        Duration time = Duration.between(began, ended.isAfter(latest) ? latest : ended);
        return time.isNegative() ? Duration.ZERO : time;
    }
}
