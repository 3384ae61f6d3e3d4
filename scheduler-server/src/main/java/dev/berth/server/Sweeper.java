package dev.berth.server;

import dev.berth.server.code.SnapshotStore;
import dev.berth.server.code.Swept;
import dev.berth.server.store.JobQueries;
import dev.berth.server.time.Clocks;
import dev.berth.server.upkeep.BackgroundWork;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The hourly removal of the ended jobs that the configuration wants gone, and of the snapshots that no job names; and the
 * daily backup.
 *
 * @param expiry deletes the ended jobs whose time is up
 * @param backup makes one if it is time
 */
record Sweeper(Expiry expiry, Consumer<Instant> backup, SnapshotStore snapshots, JobQueries queries, Clocks clock) {
    private static final Logger LOG = LoggerFactory.getLogger(Sweeper.class);
    private static final Duration PERIOD = Duration.ofHours(1);

    /** Deletes the ended jobs whose time is up. */
    @FunctionalInterface
    interface Expiry {
        int apply(Instant now) throws InterruptedException;
    }

    /** Begins. The first backup comes an hour later, so that it is in no start's way, and what is gone is not kept twice. */
    void start(BackgroundWork background) {
        background.every("deletion of ended jobs", Duration.ZERO, PERIOD, () -> expiry.apply(clock.cautious()));
        background.every("removal of snapshots", Duration.ZERO, PERIOD, this::sweep);
        background.every("daily backup", PERIOD, PERIOD, () -> backup.accept(clock.instant()));
    }

    /** What the jobs deleted meanwhile alone named goes with this, or the next time. */
    void sweep() throws IOException {
        Swept swept = snapshots.sweep(queries::isReferenced, clock.cautious());
        if (!swept.isNothing()) {
            LOG.info("swept {}", swept);
        }
    }
}
