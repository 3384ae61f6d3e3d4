package dev.berth.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Gpu;
import dev.berth.core.job.GpuId;
import dev.berth.core.job.JobState.Running;
import dev.berth.core.machine.Capacity;
import dev.berth.core.machine.Machine;
import dev.berth.server.example.Jobs;
import dev.berth.server.gpu.GpuProcess;
import dev.berth.server.gpu.GpuProcess.Kind;
import dev.berth.server.gpu.GpuReading;
import dev.berth.server.gpu.SimulatedGpus;
import dev.berth.server.gpu.occupy.ForeignPolicy;
import dev.berth.server.gpu.occupy.GpuOccupants;
import dev.berth.server.gpu.process.RunningProcesses;
import dev.berth.server.store.JobWarning;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class GpuConflictsTest {
    private static final Instant NOW = Instant.parse("2026-01-01T08:00:00Z");
    private static final long SELF = ProcessHandle.current().pid();
    private static final GpuId GPU = Jobs.allocation(0).gpus().getFirst();

    private final List<JobWarning> told = new ArrayList<>();
    private Machine machine = Machine.idle(new Capacity(List.of(new Gpu(GPU, 0, "a GPU", 1)), 1, 0), 0)
            .restored(Jobs.running(17, 0));

    private final GpuConflicts conflicts = new GpuConflicts(
            new GpuOccupants(
                    new SimulatedGpus(0),
                    RunningProcesses.ofThisMachine(),
                    _ -> Optional.empty(),
                    List.of(),
                    () -> NOW),
            new ForeignPolicy.AnyProcess(),
            () -> machine,
            this::keep);

    private boolean isBusy;

    private boolean keep(JobWarning warning) {
        return !isBusy && told.add(warning);
    }

    private void look(Kind kind) {
        conflicts.take(NOW.plusSeconds(9), Map.of(GPU, reading(new GpuProcess(SELF, kind, 812L << 20))));
    }

    private static GpuReading reading(GpuProcess... processes) {
        return new GpuReading(null, null, null, null, null, List.of(processes));
    }

    @Test
    void aJobIsWarnedOnceOfWhoComesOntoItsGpuAndToldWhenThatIsOver() {
        look(Kind.COMPUTE);
        look(Kind.COMPUTE);
        assertThat(told).singleElement().satisfies(warning -> {
            assertThat(warning.job().value()).isEqualTo(17);
            assertThat(warning.code()).isEqualTo(JobWarning.GPU_CONFLICT);
            assertThat(warning.sentence())
                    .startsWith("GPU 0: process " + SELF + " of ")
                    .endsWith(" is on it with 812 MiB since 2026-01-01T08:00:00Z, and is none of Berth's");
            assertThat(warning.endedAt()).isNull();
        });
        conflicts.take(NOW.plusSeconds(9), Map.of(GPU, reading()));
        assertThat(told).hasSize(2).last().satisfies(warning -> {
            assertThat(warning.endedAt()).isEqualTo(NOW.plusSeconds(9));
            assertThat(warning.subject()).isEqualTo(told.getFirst().subject());
        });
    }

    @Test
    void whatThePolicyLetsThroughIsNoConflict() {
        look(Kind.GRAPHICS);
        assertThat(told).isEmpty();
    }

    @Test
    void onAGpuThatNobodyHoldsThereIsNoConflict() {
        machine = Machine.idle(machine.capacity(), 17);
        look(Kind.COMPUTE);
        assertThat(told).isEmpty();
    }

    /** The warning is the attempt's that the process came to: the next one may have another GPU. */
    @Test
    void theEndOfAConflictIsToldOfTheAttemptThatHadIt() {
        look(Kind.COMPUTE);
        machine = Machine.idle(machine.capacity(), 17)
                .restored(Jobs.job(17, Jobs.spec(1), Jobs.ADA, new Running(2, Jobs.allocation(1), NOW)));
        look(Kind.COMPUTE);
        assertThat(told).hasSize(2).last().satisfies(warning -> {
            assertThat(warning.attempt()).isEqualTo(told.getFirst().attempt());
            assertThat(warning.subject()).isEqualTo(told.getFirst().subject());
            assertThat(warning.endedAt()).isNotNull();
        });
    }

    @Test
    void aJobThatHasEndedKeepsNoOpenWarning() {
        look(Kind.COMPUTE);
        machine = Machine.idle(machine.capacity(), 17);
        look(Kind.COMPUTE);
        assertThat(told)
                .hasSize(2)
                .last()
                .satisfies(warning -> assertThat(warning.endedAt()).isNotNull());
    }

    @Test
    void whatIsTooBusyToKeepItIsToldAtTheNextLook() {
        look(Kind.COMPUTE);
        isBusy = true;
        conflicts.take(NOW.plusSeconds(9), Map.of(GPU, reading()));
        isBusy = false;
        conflicts.take(NOW.plusSeconds(10), Map.of(GPU, reading()));
        assertThat(told)
                .hasSize(2)
                .last()
                .satisfies(warning -> assertThat(warning.endedAt()).isEqualTo(NOW.plusSeconds(9)));
    }
}
