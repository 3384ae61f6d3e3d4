package dev.berth.cli.client;

import dev.berth.cli.exit.Failure;
import dev.berth.core.api.JobEventView;
import java.io.IOException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Follows what happens to all jobs, over restarts of the server, without gaps or repetition. It gives up when the server
 * has been away for a minute.
 */
public final class EventFollower {
    private final BerthClient client;
    private final Pause pause;
    private final Consumer<String> notices;
    private volatile boolean stopped;
    private volatile @Nullable EventStream open;

    /** A follower that says to {@code notices} when the server goes and when it comes back. */
    public EventFollower(BerthClient client, Pause pause, Consumer<String> notices) {
        this.client = client;
        this.pause = pause;
        this.notices = notices;
    }

    /** Hands over each event from now on; returns only after {@link #stop}. */
    public void follow(Consumer<JobEventView> listener) throws IOException {
        Backoff backoff = new Backoff(pause, notices);
        long last = 0;
        while (!stopped) {
            try (EventStream events = client.events(last, true)) {
                open = events;
                backoff.reset();
                for (JobEventView event = next(events); event != null; event = next(events)) {
                    last = event.sequence();
                    listener.accept(event);
                }
                last = Math.max(last, events.lastId());
                backoff.rest();
            } catch (IOException broken) {
                last = lastOf(last);
                away(backoff, broken);
            } catch (Failure refused) {
                if (!refused.isServerSide()) {
                    throw refused;
                }
                backoff.away(refused);
            }
        }
    }

    private @Nullable JobEventView next(EventStream events) throws IOException {
        return stopped ? null : events.next();
    }

    /** Where a broken stream had come to, numbers that came without an event included. */
    private long lastOf(long last) {
        EventStream events = open;
        return events == null ? last : Math.max(last, events.lastId());
    }

    private void away(Backoff backoff, IOException broken) throws IOException {
        if (!stopped) {
            backoff.away(broken);
        }
    }

    /** Ends {@link #follow} in another thread. */
    public void stop() throws IOException {
        stopped = true;
        EventStream events = open;
        if (events != null) {
            events.close();
        }
    }
}
