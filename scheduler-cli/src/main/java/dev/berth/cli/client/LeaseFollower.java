package dev.berth.cli.client;

import dev.berth.cli.exit.Failure;
import dev.berth.core.api.LeaseEnded;
import dev.berth.core.api.LeaseExit;
import dev.berth.core.api.LeaseGranted;
import dev.berth.core.api.LeaseStart;
import dev.berth.core.api.LeaseState;
import dev.berth.core.api.LeaseStop;
import dev.berth.core.api.LeaseWaiting;
import java.io.IOException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The way of a lease from a client's side, over restarts of the server. Before its program runs it gives up when the
 * server has been away for a minute; while that runs it comes back for as long as it takes.
 */
public final class LeaseFollower {
    private final BerthClient client;
    private final Pause pause;
    private final Consumer<String> notices;
    private final long id;
    private final long pid;
    private final long startTicks;
    private volatile boolean over;
    private volatile @Nullable LeaseEvents open;

    /**
     * A follower of one job's lease.
     *
     * @param pid the process that waits, this one
     */
    public LeaseFollower(
            BerthClient client, Pause pause, Consumer<String> notices, long id, long pid, long startTicks) {
        this.client = client;
        this.pause = pause;
        this.notices = notices;
        this.id = id;
        this.pid = pid;
        this.startTicks = startTicks;
    }

    /** Waits for the turn: a {@code LeaseGranted}, or a {@code LeaseEnded} where it never comes. */
    public Record turn(Consumer<LeaseWaiting> listener) throws IOException {
        Backoff backoff = new Backoff(pause, notices);
        while (true) {
            try (LeaseEvents events = client.lease(id, pid, startTicks)) {
                backoff.connected();
                for (Record event = events.next(); event != null; event = events.next()) {
                    backoff.reset();
                    if (event instanceof LeaseWaiting waiting) {
                        listener.accept(waiting);
                    } else if (event instanceof LeaseGranted || event instanceof LeaseEnded) {
                        return event;
                    }
                }
                backoff.rest();
            } catch (IOException broken) {
                backoff.away(broken);
            } catch (Failure refused) {
                backoff.refused(refused);
            }
        }
    }

    /** A single try of what may be said more than once. */
    private interface Try {
        LeaseState made() throws IOException;
    }

    /** Says which process it is, until that is answered. */
    public LeaseState begin(LeaseStart start) throws IOException {
        return repeat(() -> client.begin(id, start));
    }

    /** Says how the program ended, for at most a minute. */
    public LeaseState exited(LeaseExit exit) throws IOException {
        return repeat(() -> client.exited(id, exit));
    }

    private LeaseState repeat(Try attempt) throws IOException {
        Backoff backoff = new Backoff(pause, notices);
        while (true) {
            try {
                return attempt.made();
            } catch (IOException broken) {
                backoff.away(broken);
            } catch (Failure refused) {
                backoff.refused(refused);
            }
        }
    }

    /** Listens in another thread for what ends the program; the server sees by it that the client is there. */
    public void listen(Consumer<LeaseStop> stop) {
        Thread thread = new Thread(
                () -> {
                    while (!over) {
                        listenOnce(stop);
                    }
                },
                "lease");
        thread.setDaemon(true);
        thread.start();
    }

    private void listenOnce(Consumer<LeaseStop> stop) {
        // The program does not need the server; a server that is away is not worth a word in the middle of its output.
        Backoff backoff = new Backoff(pause, _ -> {});
        try (LeaseEvents events = client.lease(id, pid, startTicks)) {
            open = events;
            for (Record event = events.next(); event != null && !over; event = events.next()) {
                over |= event instanceof LeaseEnded;
                if (event instanceof LeaseStop why) {
                    stop.accept(why);
                }
            }
        } catch (IOException | Failure away) {
            pauseFor(backoff);
        }
    }

    private void pauseFor(Backoff backoff) {
        if (!over) {
            backoff.rest();
            backoff.rest();
            backoff.rest();
        }
    }

    /** Listens no more. */
    public void stop() {
        over = true;
        LeaseEvents events = open;
        try {
            if (events != null) {
                events.close();
            }
        } catch (IOException closedAlready) {
            // Which is what was wanted.
            return;
        }
    }
}
