package dev.berth.cli.client;

import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import dev.berth.core.api.JobView;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.function.Consumer;

/**
 * Hands a job in once, however often it has to be sent: every try has the same key, by which the server knows a job
 * again whose answer was lost. For one thread.
 */
public final class HandIn {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int KEY_BYTES = 16;

    private final Pause pause;
    private final InstantSource time;
    private final Consumer<String> notices;

    /** One that says to {@code notices} when the server goes and when it comes back. */
    public HandIn(Pause pause, InstantSource time, Consumer<String> notices) {
        this.pause = pause;
        this.time = time;
        this.notices = notices;
    }

    /** One try. */
    public interface Try {
        JobView with(String key) throws IOException;
    }

    /**
     * Tries until there is an answer, for a minute from the first break on. A server that is away before anything was
     * sent is told at once; one that is away afterwards may have taken the job.
     */
    public JobView once(Try attempt) throws IOException {
        String key = freshKey();
        Backoff backoff = new Backoff(pause, notices);
        Instant firstBreak = Instant.MAX;
        while (true) {
            try {
                JobView job = attempt.with(key);
                backoff.reset();
                return job;
            } catch (IOException broken) {
                if (broken instanceof ServerUnreachable && firstBreak.equals(Instant.MAX)) {
                    throw broken;
                }
                firstBreak = earlier(firstBreak);
                goOn(backoff, firstBreak, String.valueOf(broken.getMessage()));
            } catch (Failure refused) {
                // A server that is ending or has too much to do says nothing about the try before.
                if (firstBreak.equals(Instant.MAX) || refused.exitCode() != ExitCode.BERTH_FAILED) {
                    throw refused;
                }
                goOn(backoff, firstBreak, refused.error().message());
            }
        }
    }

    private Instant earlier(Instant firstBreak) {
        Instant now = time.instant();
        return now.isBefore(firstBreak) ? now : firstBreak;
    }

    private void goOn(Backoff backoff, Instant firstBreak, String why) {
        Failure unknown = Failure.berth(
                "UNKNOWN_IF_ACCEPTED",
                "the connection to the server broke (" + why + ") and trying again for " + PATIENCE.toSeconds()
                        + " s did not help; berth ps -n 5 shows whether the job was accepted");
        if (!time.instant().isBefore(firstBreak.plus(PATIENCE))) {
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
