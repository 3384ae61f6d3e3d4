package dev.berth.server;

import dev.berth.server.store.database.Backup;
import dev.berth.server.store.database.Backup.Kind;
import dev.berth.server.store.database.BackupException;
import dev.berth.server.store.database.Backups;
import dev.berth.server.upkeep.UpkeepException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The backups that nobody has to ask for: one when the last is old enough, and no more than so many.
 *
 * @param keep how many there are at the most; 0 for none at all
 */
record DailyBackup(Backups backups, int keep, Duration every) {
    private static final Logger LOG = LoggerFactory.getLogger(DailyBackup.class);

    /**
     * Makes one if it is time.
     *
     * @throws UpkeepException where it cannot be made
     */
    void apply(Instant now) {
        if (keep == 0) {
            return;
        }
        Optional<Instant> last = backups.last(Kind.DAILY, now);
        if (last.isPresent() && last.get().plus(every).isAfter(now)) {
            return;
        }
        try {
            Backup made = backups.make(Kind.DAILY, now);
            LOG.info("the database is backed up to {}", made.file());
            backups.prune(Kind.DAILY, keep, now);
        } catch (BackupException e) {
            throw new UpkeepException("the database was not backed up: " + e.sentence(), e);
        }
    }
}
