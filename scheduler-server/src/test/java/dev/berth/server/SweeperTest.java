package dev.berth.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.Place.InContainer;
import dev.berth.server.code.SnapshotStore;
import dev.berth.server.code.UploadLimits;
import dev.berth.server.example.Draft;
import dev.berth.server.example.Jobs;
import dev.berth.server.store.JobQueries;
import dev.berth.server.store.JobStore;
import dev.berth.server.time.Clocks;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The store of snapshots and that of jobs together. */
class SweeperTest {
    private static final long ADA = Jobs.ADA.uid();

    @TempDir
    private Path directory;

    private Instant now = Jobs.SUBMITTED;

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
            try (JobQueries queries = new JobQueries(file);
                    Sweeper sweeper = new Sweeper(_ -> 0, _ -> {}, snapshots, queries, Clocks.neverSet(() -> now))) {
                now = now.plus(Duration.ofHours(2));
                sweeper.sweep();
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
                JobQueries queries = new JobQueries(file);
                Sweeper sweeper = new Sweeper(
                        at -> {
                            looks.add(at);
                            return 0;
                        },
                        _ -> {},
                        snapshots,
                        queries,
                        new Clocks(() -> now, () -> passed))) {
            now = now.plus(Duration.ofDays(20_000));
            sweeper.sweep();
        }
        assertThat(looks).containsExactly(passed);
        assertThat(snapshots.holds(ADA, unnamed)).isTrue();
    }

    @Test
    void aSweepThatFailsEndsNothing() throws Exception {
        SnapshotStore snapshots = new SnapshotStore(directory.resolve("gone"), UploadLimits.DEFAULT, () -> now);
        Path file = directory.resolve("berth.db");
        try (JobStore _ = new JobStore(file);
                JobQueries queries = new JobQueries(file);
                Sweeper sweeper = new Sweeper(_ -> 0, _ -> {}, snapshots, queries, Clocks.neverSet(() -> now))) {
            sweeper.sweep();
        }
        assertThat(Files.exists(directory.resolve("gone"))).isFalse();
    }
}
