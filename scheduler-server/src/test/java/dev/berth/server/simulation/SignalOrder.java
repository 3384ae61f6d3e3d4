package dev.berth.server.simulation;

import dev.berth.core.job.JobSpec;
import dev.berth.core.job.LimitSignal;
import dev.berth.core.machine.Attempt;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/** Holds the law about signals at the very moment at which a server sends one. */
final class SignalOrder {
    private final World world;

    /** The attempts of which the server of now has heard that they were sent their signal. */
    private final Set<Attempt> heard = new HashSet<>();

    /** The attempts in containers that the server of now is to stop. */
    private final Set<Attempt> stopped = new HashSet<>();

    SignalOrder(World world) {
        this.world = world;
    }

    /** Another server knows what is committed, and nothing else. */
    void serverBegins() {
        heard.clear();
        stopped.clear();
    }

    void stopOwed(Attempt attempt) {
        stopped.add(attempt);
    }

    /** A server sends the program this signal now. */
    void sent(Fate fate) {
        if (fate.forgotten) {
            return;
        }
        Attempt attempt = attempt(fate);
        Law.ONE_SIGNAL.require(!heard.contains(attempt), () -> fate + " has had its signal");
        Law.ONE_SIGNAL.require(!world.books.isSignalled(attempt), () -> fate + " has had its signal, say the books");
        Law.ONE_SIGNAL.require(!stopped.contains(attempt), () -> fate + " is to be stopped, and is sent a signal");
        Law.ONE_SIGNAL.require(!isEarly(fate), () -> fate + " is sent its signal too early");
        world.tally.count("signal sent");
    }

    /** The server hears that it was sent. */
    void answered(Fate fate) {
        heard.add(attempt(fate));
    }

    /** Of a job of which nobody was told nobody knows what it asked for. */
    private boolean isEarly(Fate fate) {
        JobSpec spec = world.clients.acknowledged().get(fate.array == 0 ? fate.job.value() : fate.array);
        if (spec == null || !fate.runs()) {
            return false;
        }
        LimitSignal signal = spec.limits().signal();
        Duration limit = spec.timeLimit();
        Duration ran = world.time.passed().minus(fate.start);
        return signal == null || limit == null || ran.compareTo(limit.minus(signal.before())) < 0;
    }

    private static Attempt attempt(Fate fate) {
        return new Attempt(fate.job, fate.attempt);
    }
}
