package dev.berth.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.api.JobEventView;
import dev.berth.core.job.Allocation;
import dev.berth.core.job.GpuId;
import dev.berth.core.job.GpuShare;
import dev.berth.core.job.Job;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Change;
import dev.berth.core.machine.Drain;
import dev.berth.core.machine.GpuConditions;
import dev.berth.server.example.Jobs;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is kept of GPUs and of warnings, on a real database file. */
class GpuStoreTest {
    private static final Instant NOW = Instant.parse("2026-01-01T09:00:00Z");
    private static final GpuId ZERO = Jobs.gpu(0);

    @TempDir
    private Path directory;

    @AutoClose
    private JobStore store;

    @BeforeEach
    void open() {
        store = new JobStore(directory.resolve("berth.db"));
    }

    private void write(Change... changes) {
        store.write(List.of(changes));
        store.commit();
        store.close();
        store = new JobStore(directory.resolve("berth.db"));
    }

    @Test
    void aDrainOutlivesTheServerUntilTheGpuIsResumed() {
        Drain drain = new Drain("grace", "it's \"loud\"; -- fan", NOW);
        write(
                new Change.GpuDrained(NOW, ZERO, new Drain("berth", "XID 79", NOW)),
                new Change.GpuDrained(NOW, ZERO, drain));
        assertThat(store.gpus().drains()).containsOnlyKeys(ZERO).containsValue(drain);
        write(new Change.GpuResumed(NOW, ZERO, "grace"));
        assertThat(store.gpus()).isEqualTo(GpuConditions.GOOD);
    }

    @Test
    void whatAJobHasLeftOutlivesTheServerUntilItIsClean() {
        Attempt first = new Attempt(Jobs.running(1).id(), 1);
        Attempt second = new Attempt(Jobs.running(1).id(), 2);
        Allocation two = Allocation.whole(List.of(Jobs.gpu(3), Jobs.gpu(1)));
        Allocation part = new Allocation(List.of(new GpuShare(ZERO, 250)));
        write(new Change.CleaningBegun(NOW, first, two), new Change.CleaningBegun(NOW, second, part));
        assertThat(store.gpus().cleaning()).containsEntry(first, two).containsEntry(second, part);
        write(new Change.CleaningEnded(NOW, first));
        assertThat(store.gpus().cleaning()).containsOnlyKeys(second);
    }

    @Test
    void aWarningIsALineOfHistoryOnceAndCanEnd() {
        Job job = Jobs.running(1);
        store.write(Jobs.upTo(job));
        store.commit();
        JobWarning idle = new JobWarning(
                job.id(), job.state().attempt(), JobWarning.GPU_IDLE, "", "its GPUs are idle", NOW, null);
        assertThat(store.takeTold()).isFalse();
        store.warn(idle);
        assertThat(store.takeTold()).isTrue();
        store.warn(idle);
        assertThat(store.takeTold()).isFalse();
        Instant later = NOW.plusSeconds(60);
        store.warn(new JobWarning(
                job.id(), job.state().attempt(), JobWarning.GPU_IDLE, "", "its GPUs were idle", NOW, later));
        store.commit();
        try (JobQueries queries = new JobQueries(directory.resolve("berth.db"))) {
            List<JobEventView> events = queries.events(job.id(), 0, 100).items();
            assertThat(events)
                    .filteredOn(event -> event.event().equals(JobWrites.WARNED))
                    .singleElement()
                    .satisfies(event -> {
                        assertThat(event.sentence()).isEqualTo("its GPUs are idle");
                        assertThat(event.to()).isEqualTo("RUNNING").isEqualTo(event.from());
                    });
            assertThat(queries.warnings(job.id(), job.state().attempt()))
                    .singleElement()
                    .satisfies(warning -> {
                        assertThat(warning.endedAt()).isEqualTo(later);
                        assertThat(warning.sentence()).isEqualTo("its GPUs were idle");
                    });
        }
    }

    @Test
    void ofManyWarningsTheNewestAreShown() {
        Job job = Jobs.running(1);
        store.write(Jobs.upTo(job));
        for (int i = 0; i < 120; i++) {
            store.warn(new JobWarning(
                    job.id(),
                    job.state().attempt(),
                    JobWarning.GPU_CONFLICT,
                    Integer.toString(i),
                    "somebody came",
                    NOW.plusSeconds(i),
                    null));
        }
        store.commit();
        try (JobQueries queries = new JobQueries(directory.resolve("berth.db"))) {
            List<JobWarning> shown = queries.warnings(job.id(), job.state().attempt());
            assertThat(shown).hasSize(100);
            assertThat(shown.getFirst().subject()).isEqualTo("20");
            assertThat(shown.getLast().subject()).isEqualTo("119");
        }
    }

    @Test
    void ofAJobThatIsGoneNothingIsKept() {
        store.warn(
                new JobWarning(Jobs.running(9).id(), 1, JobWarning.GPU_CONFLICT, "4711", "somebody came", NOW, null));
        assertThat(store.takeTold()).isFalse();
    }
}
