package dev.berth.cli.client;

import dev.berth.cli.client.http.HttpHead;
import dev.berth.cli.exit.Failure;
import dev.berth.core.api.ApiError;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Asks again where a server has too much to do: after as long as it says, and a while more by chance, so that those who
 * were refused together do not come back together. What it refuses so was not taken on, so that any request may be
 * repeated. For one request, and one thread.
 */
final class BusyWait {
    /** Of the refusals that say when to ask again (RFC 9110, 10.2.3). */
    private static final int TOO_MANY_REQUESTS = 429;

    private static final int UNAVAILABLE = 503;

    /** In all. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** The longest wait; a client that is to come back later than this is told so, and not kept waiting. */
    private static final Duration LONGEST = Duration.ofSeconds(30);

    private static final Duration UNSAID = Duration.ofSeconds(1);

    /** A wait of which nothing is said. */
    private static final Duration SHORT = Duration.ofSeconds(3);

    private static final int MAX_SPREAD = 8;

    private final Pause pause;
    private final Consumer<String> notices;
    private Duration spent = Duration.ZERO;
    private int tries;
    private boolean told;

    BusyWait(Pause pause, Consumer<String> notices) {
        this.pause = pause;
        this.notices = notices;
    }

    /** Waits for the next try, or throws the refusal where there is to be none. */
    void orThrow(HttpHead head, ApiError error) throws IOException {
        Duration wanted = again(head);
        if (wanted == null || wanted.compareTo(LONGEST) > 0) {
            throw Failure.refused(head.status(), error);
        }
        tries++;
        Duration wait = wanted.plus(byChance(wanted.multipliedBy(Math.min(tries, MAX_SPREAD))));
        if (spent.plus(wait).compareTo(PATIENCE) > 0) {
            throw Failure.refused(head.status(), inVain(error));
        }
        if (!told && spent.plus(wait).compareTo(SHORT) > 0) {
            told = true;
            notices.accept("the server has too much to do (" + error.message() + "); asking again for "
                    + PATIENCE.toSeconds() + " s");
        }
        pause.pause(wait);
        spent = spent.plus(wait);
    }

    private ApiError inVain(ApiError error) {
        return new ApiError(
                error.code(),
                error.message() + "; asked " + tries + " times in " + spent.toSeconds() + " s, in vain",
                error.details());
    }

    /** The time to wait before asking again; null where that is not said, and would be of no use. */
    private static @Nullable Duration again(HttpHead head) throws IOException {
        String seconds = head.header("retry-after");
        if (seconds != null && (head.status() == TOO_MANY_REQUESTS || head.status() == UNAVAILABLE)) {
            return Duration.ofSeconds(HttpHead.number(seconds, 10));
        }
        return head.status() == TOO_MANY_REQUESTS ? UNSAID : null;
    }

    /** Up to as long. */
    static Duration byChance(Duration most) {
        return Duration.ofMillis(ThreadLocalRandom.current().nextLong(most.toMillis() + 1));
    }
}
