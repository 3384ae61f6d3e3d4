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
    private long last = EventStream.UNKNOWN;
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
        while (!stopped) {
            try (EventStream events = client.events(reached(), true)) {
                open = events;
                backoff.reset();
                for (JobEventView event = next(events); event != null; event = next(events)) {
                    listener.accept(event);
                }
                backoff.rest();
            } catch (IOException broken) {
                away(backoff, broken);
            } catch (Failure refused) {
                backoff.refused(refused);
            }
        }
    }

    /** The number that the streams have come to; a number that came without an event counts. */
    private long reached() {
        EventStream events = open;
        last = events == null ? last : Math.max(last, events.lastId());
        return last;
    }

    private @Nullable JobEventView next(EventStream events) throws IOException {
        return stopped ? null : events.next();
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
