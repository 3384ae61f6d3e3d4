package dev.berth.cli.client;

import dev.berth.cli.exit.Failure;
import java.time.Duration;
import java.util.function.Consumer;

/** Pauses between tries, and how often to try again, while a server is away. For one thread. */
final class Backoff {
    private static final Duration FIRST = Duration.ofMillis(100);
    private static final Duration LONGEST = Duration.ofSeconds(2);
    private static final int SPREAD = 4;
    private static final Duration ALL = Duration.ofSeconds(60);

    private final Pause pause;
    private final Consumer<String> notices;
    private Duration next = FIRST;
    private Duration spent = Duration.ZERO;
    private boolean told;

    Backoff(Pause pause, Consumer<String> notices) {
        this.pause = pause;
        this.notices = notices;
    }

    /** The server answers: what it was away before counts no more, or outages of a long job would add up. */
    void connected() {
        if (told) {
            notices.accept("the server is back");
        }
        told = false;
        spent = Duration.ZERO;
    }

    /** The server gives what was asked for. */
    void reset() {
        connected();
        next = FIRST;
    }

    /** The server is away: waits, or throws {@code cause} where that was long enough. */
    <E extends Exception> void away(E cause) throws E {
        if (spent.compareTo(ALL) >= 0) {
            throw cause;
        }
        if (!told) {
            told = true;
            notices.accept("the server is away; trying again for " + ALL.toSeconds() + " s");
        }
        rest();
    }

    /** The server refuses: the same as {@link #away} where it is in trouble itself, and final where it means what it says. */
    void refused(Failure refusal) {
        if (!refusal.isServerSide()) {
            throw refusal;
        }
        away(refusal);
    }

    /** A short wait without giving up. */
    void rest() {
        // Those whose server went together are not to come back together.
        pause.pause(
                next.equals(FIRST)
                        ? next
                        : next.minus(next.dividedBy(2 * SPREAD)).plus(BusyWait.byChance(next.dividedBy(SPREAD))));
        spent = spent.plus(next);
        Duration doubled = next.multipliedBy(2);
        next = doubled.compareTo(LONGEST) > 0 ? LONGEST : doubled;
    }
}
