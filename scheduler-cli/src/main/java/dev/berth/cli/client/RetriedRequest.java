package dev.berth.cli.client;

import dev.berth.cli.client.http.ServerUnreachable;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import dev.berth.core.api.JobView;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.HexFormat;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * A request that is done once, however often it has to be sent. Every try to hand a job in has the same key, by which the
 * server knows a job again whose answer was lost; what steers a job may be said twice. For one thread.
 */
public final class RetriedRequest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int KEY_BYTES = 16;

    private final Pause pause;
    private final LongSupplier nanos;
    private final Consumer<String> notices;

    /**
     * Makes a hand-in that says when the server goes and when it comes back.
     *
     * @param nanos of a clock that nobody sets
     */
    public RetriedRequest(Pause pause, LongSupplier nanos, Consumer<String> notices) {
        this.pause = pause;
        this.nanos = nanos;
        this.notices = notices;
    }

    /** A single try. */
    public interface Try<T> {
        T with(String key) throws IOException;
    }

    /**
     * Tries until there is an answer, for a minute from the first break on. A server that is away before anything was
     * sent is told at once; one that is away afterwards may have taken the job.
     */
    public <T> T once(Try<T> attempt) throws IOException {
        String key = freshKey();
        return repeat(_ -> attempt.with(key), "berth ps -n 5 shows whether the job was accepted");
    }

    /** Something is asked of a job. */
    public interface Ask {
        JobView of(long id) throws IOException;
    }

    /**
     * Cancels a job, holds it, or lets it go, in the same way. A try that comes behind a lost answer may be refused
     * because the one before was heard: then it counts how the job stands.
     *
     * @param look answers the job as it is
     * @param wanted whether that is what was asked for
     */
    public JobView steered(long id, Ask ask, Ask look, Predicate<JobView> wanted) throws IOException {
        return repeat(
                broken -> {
                    try {
                        return ask.of(id);
                    } catch (Failure refused) {
                        if (!broken || refused.exitCode() != ExitCode.REFUSED) {
                            throw refused;
                        }
                        JobView now = look.of(id);
                        if (wanted.test(now)) {
                            return now;
                        }
                        throw refused;
                    }
                },
                "berth status " + id + " shows whether it was heard");
    }

    private interface Attempt<T> {
        /** Tries once; {@code broken} where the answer to an earlier try was lost. */
        T made(boolean broken) throws IOException;
    }

    private <T> T repeat(Attempt<T> attempt, String lookAt) throws IOException {
        Backoff backoff = new Backoff(pause, notices);
        boolean broken = false;
        long firstBreak = 0;
        while (true) {
            try {
                T made = attempt.made(broken);
                backoff.reset();
                return made;
            } catch (IOException away) {
                if (away instanceof ServerUnreachable && !broken) {
                    throw away;
                }
                firstBreak = broken ? firstBreak : nanos.getAsLong();
                broken = true;
                goOn(backoff, firstBreak, String.valueOf(away.getMessage()), lookAt);
            } catch (Failure refused) {
                // A server that is ending or has too much to do says nothing about the try before.
                if (!broken || refused.exitCode() != ExitCode.BERTH_FAILED) {
                    throw refused;
                }
                goOn(backoff, firstBreak, refused.error().message(), lookAt);
            }
        }
    }

    private void goOn(Backoff backoff, long firstBreak, String why, String lookAt) {
        Failure unknown = Failure.berth(
                "UNKNOWN_IF_ACCEPTED",
                "the connection to the server broke (" + why + ") and trying again for " + PATIENCE.toSeconds()
                        + " s did not help; " + lookAt);
        if (nanos.getAsLong() - firstBreak >= PATIENCE.toNanos()) {
            throw unknown;
        }
        backoff.away(unknown);
    }

    /** Read from the kernel by hand: the JDK's source of random numbers takes longer to load than a request. */
    private static String freshKey() throws IOException {
        try (InputStream random = new FileInputStream("/dev/urandom")) {
            return HexFormat.of().formatHex(random.readNBytes(KEY_BYTES));
        }
    }
}
