package dev.berth.cli.client;

import dev.berth.cli.exit.Failure;
import dev.berth.core.api.JobEventView;
import dev.berth.core.api.JobView;
import dev.berth.core.api.LogFrame;
import java.io.IOException;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Follows a job to its end, over restarts of the server, without gaps or repetition. It gives up when the server has
 * been away for a minute. One thread may follow the events while another copies the log.
 */
public final class JobFollower {
    /** The states after which nothing more happens to a job. */
    private static final Set<String> FINAL_STATES =
            Set.of("COMPLETED", "FAILED", "TIMEOUT", "OUT_OF_MEMORY", "LOST", "CANCELLED");

    private final BerthClient client;
    private final Pause pause;
    private final Consumer<String> notices;
    private volatile boolean stopped;
    private volatile @Nullable EventStream open;

    /** A follower that says to {@code notices} when the server goes and when it comes back. */
    public JobFollower(BerthClient client, Pause pause, Consumer<String> notices) {
        this.client = client;
        this.pause = pause;
        this.notices = notices;
    }

    public static boolean isFinal(String state) {
        return FINAL_STATES.contains(state);
    }

    /** Ends {@link #untilEnd} in another thread, with an {@link IOException}. */
    public void stop() throws IOException {
        stopped = true;
        EventStream events = open;
        if (events != null) {
            events.close();
        }
    }

    /**
     * Hands over each event from the first one on, and returns the job when it is over. A task that ends with its array
     * before its turn has no events: a stream without any counts as whole where the job was over before it was asked for.
     */
    public JobView untilEnd(long id, Consumer<JobEventView> listener) throws IOException {
        Backoff backoff = new Backoff(pause, notices);
        long last = 0;
        boolean over = false;
        boolean wasOver = false;
        while (true) {
            try {
                if (over) {
                    return client.job(id);
                }
                try (EventStream events = client.events(id, last)) {
                    backoff.connected();
                    open = events;
                    if (stopped) {
                        throw new IOException("stopped");
                    }
                    for (JobEventView event = events.next(); event != null; event = events.next()) {
                        backoff.reset();
                        last = event.sequence();
                        over = isFinal(event.to());
                        listener.accept(event);
                    }
                }
                if (last == 0) {
                    over = wasOver;
                    wasOver = isFinal(client.job(id).state());
                }
                if (!over && !(last == 0 && wasOver)) {
                    backoff.rest();
                }
            } catch (IOException broken) {
                if (stopped) {
                    throw broken;
                }
                backoff.away(broken);
            } catch (Failure refused) {
                backoff.refused(refused);
            }
        }
    }

    /**
     * Copies the log, or a part of it, to its end. With {@code follow} the end is the job's, or the attempt's: a server that
     * is being stopped ends its answers in good order too, so an answer's end counts only when it was asked for after that
     * was over.
     */
    public void copyLog(long id, boolean follow, LogPart part, LogSink sink) throws IOException {
        Backoff backoff = new Backoff(pause, notices);
        LogCopy copy = new LogCopy(client, id, part, sink, notices);
        boolean over = !follow;
        while (true) {
            try {
                copy.go(follow, backoff);
                if (over) {
                    return;
                }
                over = part.isOver(client.job(id));
                if (!over) {
                    backoff.rest();
                }
            } catch (IOException broken) {
                backoff.away(broken);
            } catch (Failure refused) {
                backoff.refused(refused);
            }
        }
    }

    /**
     * The destination of a log. What goes wrong there is a {@link Failure}, so that it is not taken for the server's
     * break.
     */
    public interface LogSink {
        /** The next piece; the bytes are good until this returns. */
        void take(LogFrame frame, byte[] bytes);
    }
}
