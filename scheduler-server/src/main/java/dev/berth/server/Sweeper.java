package dev.berth.server;

import dev.berth.server.code.SnapshotStore;
import dev.berth.server.code.Swept;
import dev.berth.server.store.JobQueries;
import dev.berth.server.store.database.StoreException;
import dev.berth.server.time.Clocks;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes, at the start and then hourly, the ended jobs that the configuration wants gone and the snapshots that no job
 * names; and makes the daily backup. On a thread of its own until it is closed; what fails is tried again at its next
 * time.
 */
final class Sweeper implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Sweeper.class);
    private static final Duration PERIOD = Duration.ofHours(1);

    /** Deletes the ended jobs whose time is up. */
    @FunctionalInterface
    interface Expiry {
        int apply(Instant now) throws InterruptedException;
    }

    private final Expiry expiry;
    private final Consumer<Instant> backup;
    private final SnapshotStore snapshots;
    private final JobQueries queries;
    private final Clocks clock;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread = Thread.ofPlatform().daemon().name("sweeper").unstarted(this::run);

    /**
     * Makes a sweeper that has not begun.
     *
     * @param backup makes one if it is time; asked from the first hour on, so that it is in no start's way
     */
    Sweeper(Expiry expiry, Consumer<Instant> backup, SnapshotStore snapshots, JobQueries queries, Clocks clock) {
        this.expiry = expiry;
        this.backup = backup;
        this.snapshots = snapshots;
        this.queries = queries;
        this.clock = clock;
    }

    void start() {
        thread.start();
    }

    private void run() {
        try {
            sweep();
            while (!closed.await(PERIOD.toMillis(), TimeUnit.MILLISECONDS)) {
                sweep();
                backUp();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** After the sweep: what is gone need not be kept twice. */
    void backUp() {
        try {
            backup.accept(clock.instant());
        } catch (StoreException e) {
            if (closed.getCount() > 0) {
                LOG.warn("the database was not backed up; trying again in an hour", e);
            }
        }
    }

    /** Ended jobs first: with the last of them goes what they alone named. */
    void sweep() throws InterruptedException {
        try {
            var _ = expiry.apply(clock.cautious());
            Swept swept = snapshots.sweep(queries::isReferenced, clock.cautious());
            if (!swept.isNothing()) {
                LOG.info("swept {}", swept);
            }
        } catch (IOException | StoreException e) {
            if (closed.getCount() > 0) {
                LOG.warn("not all was swept that is to go; trying again in an hour", e);
            }
        }
    }

    /** Begins no other sweep; one that is under way finds its files and its database closed, and ends. */
    @Override
    public void close() {
        closed.countDown();
    }
}
