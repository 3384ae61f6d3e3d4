package dev.berth.server.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobState.Creating;
import dev.berth.core.job.JobState.Starting;
import dev.berth.server.example.Jobs;
import dev.berth.server.runner.host.HostRunner;
import dev.berth.server.store.HostProcess;
import dev.berth.server.store.JobStore;
import dev.berth.server.store.database.StoreException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** No server knows the process of a program whose job has not heard that it begins, or the other way round. */
class ProcessCommitTest {
    private static final Instant NOW = Instant.parse("2026-01-01T09:00:00Z");

    @TempDir
    private Path directory;

    private final Job creating = Jobs.queued(7, 1).with(new Creating(1, "", Jobs.allocation(0)));
    private final HostProcess process = new HostProcess(creating.id(), 1, 42, 1_000, null, null, NOW);

    @BeforeEach
    void haveATurn() {
        try (JobStore store = new JobStore(file())) {
            store.write(Jobs.upTo(creating));
            store.commit();
        }
    }

    private Path file() {
        return directory.resolve("berth.db");
    }

    private void begin(JobStore store) throws InterruptedException {
        Scheduling scheduling = Loops.onTwoGpus(store, 1);
        SchedulingLoop loop = Loops.loop(scheduling, store, _ -> {}, NOW);
        loop.recover(new FoundAtStart(List.of(), null));
        var _ = scheduling.request(creating.id(), HostRunner.news(process), known -> known.keepProcess(process));
        loop.turn(Duration.ofSeconds(30));
    }

    private void run(String statement) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file());
                Statement sql = connection.createStatement()) {
            sql.executeUpdate(statement);
        }
    }

    @Test
    void bothAreKept() throws InterruptedException {
        try (JobStore store = new JobStore(file())) {
            begin(store);
        }
        try (JobStore store = new JobStore(file())) {
            assertThat(store.processes()).containsExactly(process);
            assertThat(store.find(creating.id()).orElseThrow().state())
                    .isInstanceOfSatisfying(
                            Starting.class,
                            state -> assertThat(state.countedFrom()).isEqualTo(NOW));
        }
    }

    @Test
    void orNeither() throws SQLException {
        run(
                "CREATE TRIGGER full BEFORE INSERT ON job_event BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END");
        try (JobStore store = new JobStore(file())) {
            assertThatThrownBy(() -> begin(store)).isInstanceOf(StoreException.class);
        }
        try (JobStore store = new JobStore(file())) {
            assertThat(store.processes()).isEmpty();
            assertThat(store.find(creating.id()).orElseThrow().state()).isInstanceOf(Creating.class);
        }
    }
}
