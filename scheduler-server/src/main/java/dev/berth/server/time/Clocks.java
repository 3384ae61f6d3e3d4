package dev.berth.server.time;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/**
 * The clocks of a server. A date is what people and other programs read; how long something takes or may take is counted
 * by the steady clock, so that a date that is corrected ends nothing early.
 *
 * @param dates the machine's date, which may be set at any time
 * @param steady the same date as long as nobody sets it; goes on with the time that passes
 */
public record Clocks(InstantSource dates, InstantSource steady) {
    /** A date that moves by so much against the steady clock was set; it is steered by less. */
    private static final Duration SET = Duration.ofSeconds(1);

    /** Clocks of which nobody sets the date. */
    public static Clocks neverSet(InstantSource clock) {
        return new Clocks(clock, clock);
    }

    /** The date of now. */
    public Instant instant() {
        return dates.instant();
    }

    /** The date at which the steady clock began, which tells that of another start of the machine. */
    public Instant zero() {
        return steady instanceof SteadyClock clock ? clock.zero() : Instant.EPOCH;
    }

    /** The time by which the date has been set ahead; negative where it was set back. */
    public Duration ahead(Instant now) {
        return Duration.between(steady.instant(), now);
    }

    /** Whether the date was set where its lead has changed by so much. */
    public static boolean wasSet(Duration change) {
        return change.abs().compareTo(SET) >= 0;
    }

    /** The time of the steady clock at a date that lies behind, as the date is now. */
    public Instant steadyAt(Instant date) {
        Instant now = dates.instant();
        Instant passed = steady.instant();
        Instant then = date.minus(Duration.between(passed, now));
        return then.isBefore(passed) ? then : passed;
    }

    /**
     * A date of now for what is removed once it is old: a date that was set ahead, as after a start of the machine with an
     * empty clock, makes nothing old.
     */
    public Instant cautious() {
        Instant date = dates.instant();
        Instant passed = steady.instant();
        return passed.isBefore(date) ? passed : date;
    }
}
