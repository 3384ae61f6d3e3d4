package dev.berth.core.machine;

import dev.berth.core.job.JobState.Running;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The lead of the clock that tells dates over the steady clock. The steady clock began with the machine at some date,
 * goes on as time passes, and nobody sets it: time limits count by it, and a machine whose date is corrected ends no
 * program.
 *
 * @param ahead by how much now; negative where the date was set back
 * @param before by how much before it was set the last time: news of what happened then may come late
 */
public record DateClock(Duration ahead, Duration before) {
    /** Two clocks that are read one after the other differ by less, and the date is steered by less from look to look. */
    static final Duration JITTER = Duration.ofSeconds(1);

    /** Clocks that tell the same. */
    public static final DateClock NEVER_SET = new DateClock(Duration.ZERO, Duration.ZERO);

    DateClock then(Duration next) {
        return next.minus(ahead).abs().compareTo(JITTER) < 0 ? new DateClock(next, before) : new DateClock(next, ahead);
    }

    /** The steady clock's time at a date of now. */
    Instant steady(Instant now) {
        return now.minus(ahead);
    }

    /** The date that it will be when the steady clock says this, if nobody sets it. */
    Instant date(Instant steady) {
        return steady.plus(ahead);
    }

    /**
     * The steady clock's time when something began of which the news come now; later rather than earlier where the date
     * was set.
     *
     * @param earliest what it said when that was asked for, null where nobody knows
     */
    Instant began(Instant date, @Nullable Instant earliest, Instant now) {
        Instant latest = steady(now);
        Instant began = Stream.of(date.minus(ahead), date.minus(before))
                // What is still to come is told by another clock.
                .filter(possible -> possible.isBefore(latest.plus(JITTER)))
                .max(Comparator.naturalOrder())
                .orElse(latest);
        Instant possible = earliest != null && earliest.isAfter(began) ? earliest : began;
        return possible.isAfter(latest) ? latest : possible;
    }

    /** The date of a start as it is told now: another than it was then only where the date was set since. */
    public Instant date(Running running) {
        Instant now = date(running.countedFrom());
        return Duration.between(running.startedAt(), now).abs().compareTo(JITTER) < 0 ? running.startedAt() : now;
    }

    /**
     * The time that something took which began when the steady clock said {@code began}. A date that cannot be one of
     * now is one of before it was set.
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
