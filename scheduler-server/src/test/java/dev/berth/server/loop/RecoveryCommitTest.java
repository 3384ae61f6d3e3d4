package dev.berth.server.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.StateName;
import dev.berth.core.machine.Effect;
import dev.berth.server.example.Jobs;
import dev.berth.server.store.JobStore;
import dev.berth.server.store.database.StoreException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A recovery that cannot write leaves nothing of itself: were the boot id kept without what follows from it, the next
 * server would not know that the machine had been down.
 */
class RecoveryCommitTest {
    private static final Instant NOW = Instant.parse("2026-01-01T09:00:00Z");

    @TempDir
    private Path directory;

    private final List<Effect> effects = new ArrayList<>();

    private void recover(JobStore store) {
        Loops.loop(Loops.onTwoGpus(store, 1), store, effects::addAll, NOW)
                .recover(new FoundAtStart(List.of(), new FoundAtStart.Boot("boot-b", NOW)));
    }

    private void run(String statement) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("berth.db"));
                Statement sql = connection.createStatement()) {
            sql.executeUpdate(statement);
        }
    }

    @Test
    void theNextServerFindsWhatThereWas() throws SQLException {
        Path file = directory.resolve("berth.db");
        try (JobStore store = new JobStore(file)) {
            store.write(Jobs.upTo(Jobs.running(1)));
            store.keepBoot("boot-a");
            store.commit();
        }
        run("CREATE TRIGGER full BEFORE UPDATE ON job BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END");
        try (JobStore store = new JobStore(file)) {
            assertThatThrownBy(() -> recover(store)).isInstanceOf(StoreException.class);
        }
        assertThat(effects).isEmpty();
        run("DROP TRIGGER full");
        try (JobStore store = new JobStore(file)) {
            assertThat(store.boot()).contains("boot-a");
            recover(store);
            assertThat(store.find(Jobs.running(1).id()).orElseThrow().state().name())
                    .isEqualTo(StateName.LOST);
            assertThat(store.boot()).contains("boot-b");
            assertThat(effects).isNotEmpty();
        }
    }

    /** The date was set back by two hours while the job ran, and the machine came up again 45 minutes after its start. */
    @Test
    void howLongAJobRanUntilARebootIsCountedAsBefore() {
        Path file = directory.resolve("berth.db");
        try (JobStore store = new JobStore(file)) {
            store.write(Jobs.upTo(Jobs.running(1)));
            store.keepBoot("boot-a");
            store.keepDateAhead(Duration.ofHours(-2));
            store.commit();
        }
        Instant up = Jobs.STARTED.minus(Duration.ofHours(2)).plus(Duration.ofMinutes(45));
        try (JobStore store = new JobStore(file)) {
            store.keepSteadyZero(up);
            Loops.loop(Loops.onTwoGpus(store, 1), store, effects::addAll, up)
                    .recover(new FoundAtStart(List.of(), new FoundAtStart.Boot("boot-b", up)));
            Job lost = store.find(Jobs.running(1).id()).orElseThrow();
            assertThat(((Finished) lost.state()).ran()).isEqualTo(Duration.ofMinutes(45));
        }
    }
}
