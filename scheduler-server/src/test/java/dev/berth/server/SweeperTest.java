package dev.berth.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.Place.InContainer;
import dev.berth.server.Sweeper.Expiry;
import dev.berth.server.code.SnapshotStore;
import dev.berth.server.code.UploadLimits;
import dev.berth.server.example.Draft;
import dev.berth.server.example.Jobs;
import dev.berth.server.loop.BusyException;
import dev.berth.server.store.JobQueries;
import dev.berth.server.store.JobStore;
import dev.berth.server.store.database.StoreException;
import dev.berth.server.time.Clocks;
import dev.berth.server.upkeep.BackgroundWork;
import dev.berth.server.upkeep.FailingWork;
import dev.berth.server.upkeep.ManualTasks;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The store of snapshots and that of jobs together. */
class SweeperTest {
    private static final long ADA = Jobs.ADA.uid();

    @TempDir
    private Path directory;

    private Instant now = Jobs.SUBMITTED;
    private final ManualTasks tasks = new ManualTasks();
    private final BackgroundWork background = new BackgroundWork(tasks, () -> now);

    private static Job jobIn(String snapshot) {
        Job job = Jobs.queued(1, 1);
        JobSpec spec = job.spec();
        return new Job(
                job.id(),
                Jobs.with(spec, InContainer.of(snapshot, spec.image())),
                job.owner(),
                job.submittedAt(),
                job.state());
    }

    @Test
    void whatAJobNamesStaysAndTheRestGoes() throws Exception {
        SnapshotStore snapshots = new SnapshotStore(directory, UploadLimits.DEFAULT, () -> now);
        String named = new Draft().file("a", "named").uploadTo(snapshots, ADA);
        String unnamed = new Draft().file("a", "unnamed").uploadTo(snapshots, ADA);
        Path file = directory.resolve("berth.db");
        try (JobStore store = new JobStore(file)) {
            store.write(Jobs.upTo(jobIn(named)));
            store.commit();
            try (JobQueries queries = new JobQueries(file)) {
                now = now.plus(Duration.ofHours(2));
                new Sweeper(_ -> 0, _ -> {}, snapshots, queries, Clocks.neverSet(() -> now)).sweep();
            }
        }
        assertThat(snapshots.holds(ADA, named)).isTrue();
        assertThat(snapshots.holds(ADA, unnamed)).isFalse();
    }

    @Test
    void aDateThatIsSetAheadMakesNothingOld() throws Exception {
        Instant passed = now;
        SnapshotStore snapshots = new SnapshotStore(directory, UploadLimits.DEFAULT, () -> now);
        String unnamed = new Draft().file("a", "unnamed").uploadTo(snapshots, ADA);
        List<Instant> looks = new ArrayList<>();
        Path file = directory.resolve("berth.db");
        try (JobStore _ = new JobStore(file);
                JobQueries queries = new JobQueries(file)) {
            Expiry expiry = at -> {
                looks.add(at);
                return 0;
            };
            now = now.plus(Duration.ofDays(20_000));
            new Sweeper(expiry, _ -> {}, snapshots, queries, new Clocks(() -> now, () -> passed)).start(background);
            tasks.next();
            tasks.next();
        }
        assertThat(looks).containsExactly(passed);
        assertThat(snapshots.holds(ADA, unnamed)).isTrue();
    }

    /** A loop that is too busy, a database that fails and a mistake of the program's end no piece of it for good. */
    @Test
    void whateverFailsGoesOnAndIsNamedUntilItSucceeds() {
        SnapshotStore snapshots = new SnapshotStore(directory.resolve("gone"), UploadLimits.DEFAULT, () -> now);
        Deque<RuntimeException> failures = new ArrayDeque<>(List.of(
                BusyException.full(7), new StoreException("the disk is full"), new IllegalStateException("a mistake")));
        List<Instant> backups = new ArrayList<>();
        Expiry busy = _ -> {
            if (!failures.isEmpty()) {
                throw failures.removeFirst();
            }
            return 0;
        };
        Path file = directory.resolve("berth.db");
        try (JobStore _ = new JobStore(file);
                JobQueries queries = new JobQueries(file)) {
            new Sweeper(busy, backups::add, snapshots, queries, Clocks.neverSet(() -> now)).start(background);
            for (int piece = 0; piece < 3; piece++) {
                tasks.next();
            }
            assertThat(background.failing())
                    .satisfiesExactly(
                            deletion -> {
                                assertThat(deletion.name()).isEqualTo("deletion of ended jobs");
                                assertThat(deletion.sentence()).contains("7 requests wait already");
                            },
                            removal -> assertThat(removal.name()).isEqualTo("removal of snapshots"));
            assertThat(backups).hasSize(1);
            for (int piece = 0; piece < 9; piece++) {
                tasks.next();
            }
        }
        assertThat(failures).isEmpty();
        assertThat(background.failing()).extracting(FailingWork::name).containsExactly("removal of snapshots");
        assertThat(backups).as("hour by hour, whatever else fails").hasSize(4);
    }
}
