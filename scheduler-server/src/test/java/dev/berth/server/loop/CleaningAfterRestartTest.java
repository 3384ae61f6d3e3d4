package dev.berth.server.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Allocation;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Capacity;
import dev.berth.core.machine.Change;
import dev.berth.core.machine.Effect;
import dev.berth.core.machine.GpuRules;
import dev.berth.server.example.Jobs;
import dev.berth.server.gpu.SimulatedGpus;
import dev.berth.server.store.JobStore;
import dev.berth.server.time.Clocks;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that ended before what a job had left was looked at. */
class CleaningAfterRestartTest {
    private static final Instant NOW = Instant.parse("2026-01-01T09:00:00Z");
    private static final Attempt ATTEMPT = new Attempt(Jobs.running(1).id(), 1);
    private static final Allocation LEFT = Allocation.whole(List.of(Jobs.gpu(0)));

    @TempDir
    private Path directory;

    private final List<Effect> effects = new ArrayList<>();

    @BeforeEach
    void anEarlierServerEnded() {
        try (JobStore store = new JobStore(directory.resolve("berth.db"))) {
            store.write(List.of(new Change.CleaningBegun(NOW, ATTEMPT, LEFT)));
            store.commit();
        }
    }

    private Scheduling recovered(JobStore store, boolean cleans) {
        GpuRules rules = new GpuRules(1, new TreeMap<>(), new TreeMap<>(), cleans, 3);
        Capacity plain = new Capacity(SimulatedGpus.of(2), 2, 0);
        Capacity capacity = new Capacity(
                plain.gpus(), 2, 0, rules, plain.topology(), plain.cpus(), plain.memoryBytes(), plain.order());
        Scheduling scheduling = Scheduling.of(capacity, store, Scheduling.MAX_REQUESTS);
        new SchedulingLoop(scheduling, store, effects::addAll, Clocks.neverSet(InstantSource.fixed(NOW)))
                .recover(new FoundAtStart(List.of(), null));
        return scheduling;
    }

    @Test
    void theNextLooksAtItOnce() {
        try (JobStore store = new JobStore(directory.resolve("berth.db"))) {
            Scheduling scheduling = recovered(store, true);
            assertThat(effects).containsExactly(new Effect.CleanGpus(ATTEMPT, LEFT));
            assertThat(scheduling.machine().gpus().cleaning()).containsOnlyKeys(ATTEMPT);
        }
    }

    @Test
    void oneThatCannotLookGivesItOn() {
        try (JobStore store = new JobStore(directory.resolve("berth.db"))) {
            Scheduling scheduling = recovered(store, false);
            assertThat(effects).isEmpty();
            assertThat(scheduling.machine().gpus().cleaning()).isEmpty();
            assertThat(store.gpus().cleaning()).isEmpty();
        }
    }
}
