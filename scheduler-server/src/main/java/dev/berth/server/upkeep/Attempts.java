package dev.berth.server.upkeep;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The attempts at one piece of background work. The log gets a line at the first failure, at each of another kind, and
 * at the end. For one thread at a time.
 */
public final class Attempts {
    private static final Logger LOG = LoggerFactory.getLogger(Attempts.class);
    private static final String OWN = "dev.berth.";
    private static final int MAX_SENTENCE = 1_000;

    private final String name;
    private final Pauses pauses;
    private final BackgroundWork all;
    private volatile @Nullable FailingWork failing;

    Attempts(String name, Pauses pauses, BackgroundWork all) {
        this.name = name;
        this.pauses = pauses;
        this.all = all;
    }

    /** A piece of background work. Whatever it throws, it is done again. */
    @FunctionalInterface
    public interface Work {
        void run() throws Exception;
    }

    /** Does the work; false where it failed, which is kept and logged here. */
    public boolean succeeds(Work work) {
        try {
            work.run();
        } catch (Exception e) {
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            failed(e);
            return false;
        }
        succeeded();
        return true;
    }

    /** Its failure, null while it does not fail. */
    public @Nullable FailingWork failing() {
        return failing;
    }

    /** The time after which it is to be tried again; zero where it has not failed. */
    public Duration pause() {
        FailingWork now = failing;
        return now == null ? Duration.ZERO : pauses.after(now.failures());
    }

    private void failed(Exception failure) {
        FailingWork before = failing;
        String sentence = sentence(failure);
        int failures = before == null ? 1 : before.failures() + 1;
        Instant now = all.date();
        Duration pause = pauses.after(failures);
        failing = new FailingWork(name, before == null ? now : before.since(), failures, sentence, now.plus(pause));
        all.keep(this);
        if (all.isClosed()) {
            // Its files and its database are closed under it.
            LOG.debug("{}: failed as the server ends", name, failure);
        } else if (before == null || !before.sentence().equals(sentence)) {
            LOG.warn("{}: failed, and is tried again in {} ms: {}", name, pause.toMillis(), sentence, failure);
        } else {
            LOG.debug("{}: failed again, {} times by now: {}", name, failures, sentence);
        }
    }

    private void succeeded() {
        FailingWork before = failing;
        if (before != null) {
            failing = null;
            all.forget(this);
            LOG.info("{}: succeeds again, after {} failures since {}", name, before.failures(), before.since());
        }
    }

    /** The message of a failure that was foreseen; of any other its kind too, as its message alone says little. */
    private static String sentence(Exception failure) {
        String message = failure.getMessage();
        String words = message != null && failure.getClass().getName().startsWith(OWN) ? message : failure.toString();
        String text = words.replaceAll("\\s+", " ");
        return text.length() > MAX_SENTENCE ? text.substring(0, MAX_SENTENCE) : text;
    }
}
