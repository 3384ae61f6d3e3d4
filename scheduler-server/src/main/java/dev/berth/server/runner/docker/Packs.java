package dev.berth.server.runner.docker;

import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import dev.berth.server.runner.Notices;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The packs whose tasks are followed. Safe for any thread. */
final class Packs {
    private static final Logger LOG = LoggerFactory.getLogger(Packs.class);

    /** How often it is looked what became of their tasks. */
    private static final Duration PAUSE = Duration.ofMillis(250);

    private final ConcurrentMap<JobId, PackWatch> watches = new ConcurrentHashMap<>();
    private final ContainerParts parts;
    private final Notices notices;
    private final BiConsumer<Duration, BooleanSupplier> later;

    Packs(ContainerParts parts, Notices notices, BiConsumer<Duration, BooleanSupplier> later) {
        this.parts = parts;
        this.notices = notices;
        this.later = later;
    }

    /** Follows the tasks of an attempt, where it is a pack's, from now on. */
    void follow(Attempt attempt) {
        if (isPack(attempt) && !watches.containsKey(attempt.job())) {
            PackWatch watch = new PackWatch(attempt, parts, notices);
            watches.put(attempt.job(), watch);
            lookLater(watch);
        }
    }

    private boolean isPack(Attempt attempt) {
        return Files.isDirectory(parts.workspaces().pack(attempt).directory(), LinkOption.NOFOLLOW_LINKS);
    }

    private void lookLater(PackWatch watch) {
        later.accept(PAUSE, () -> {
            watch.look();
            if (!watch.isOver()) {
                lookLater(watch);
            }
            return true;
        });
    }

    /** Asks that a task of a pack ends, or does not begin; its container has to be woken. */
    void stop(Attempt attempt, JobId task) {
        try {
            parts.workspaces().pack(attempt).stop(task);
        } catch (IOException e) {
            LOG.error("job={} its pack cannot be told to end it", task, e);
        }
    }

    /**
     * Tells the rest of what is known of the tasks of a pack that runs no more.
     *
     * @return whether anything is: its files are there
     */
    boolean close(Attempt attempt) {
        boolean isThere = isPack(attempt);
        PackWatch watch = watches.remove(attempt.job());
        if (watch == null && isThere) {
            watch = new PackWatch(attempt, parts, notices);
        }
        if (watch != null) {
            watch.close();
        }
        return isThere;
    }
}
