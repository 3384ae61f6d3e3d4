package dev.berth.server.usage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobState;
import dev.berth.core.machine.Attempt;
import dev.berth.server.linux.ProcessUse;
import dev.berth.server.store.StoredMachineUsage;
import java.nio.file.Path;
import java.util.Collections;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MachineUsagesTest {
    private static final int UNKNOWN = StoredMachineUsage.UNKNOWN;

    @TempDir
    private Path directory;

    @AutoClose
    private UsageStage stage;

    private Job job;

    @BeforeEach
    void open() {
        stage = new UsageStage(directory);
        job = stage.run(1, null, new JobState.Running(1, Allocation.NONE, stage.now()));
    }

    private void uses(long cpuSeconds, long memoryMiB) {
        stage.containers.put(Attempt.of(job), new ProcessUse(cpuSeconds * 1_000_000_000, memoryMiB << 20));
    }

    private StoredMachineUsage usage() {
        return stage.machineUsages().of(job.id()).orElseThrow();
    }

    @Test
    void coresAndMemoryAreKnownLookByLook() {
        uses(5, 100);
        stage.lookAtMachine(5);
        uses(20, 700);
        stage.lookAtMachine(5);
        uses(20, 300);
        stage.lookAtMachine(10);
        StoredMachineUsage usage = usage();
        assertThat(usage.cpuMillis()).isEqualTo(20_000);
        assertThat(usage.ranMillis()).isEqualTo(20_000);
        assertThat(usage.peakMemoryMiB()).isEqualTo(700);
        assertThat(usage.curveStep()).isEqualTo(1);
        assertThat(usage.cpuMilli()).hasSize(21).endsWith(3_000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
        assertThat(usage.cpuMilli().subList(0, 11))
                .containsExactly(UNKNOWN, 1_000, 1_000, 1_000, 1_000, 1_000, 3_000, 3_000, 3_000, 3_000, 3_000);
        assertThat(usage.memoryMiB()).endsWith(700, 300, 300, 300, 300, 300, 300, 300, 300, 300, 300);
    }

    @Test
    void aContainerThatCannotBeLookedAtIsNotKnown() {
        stage.lookAtMachine(5);
        assertThat(stage.machineUsages().of(job.id())).isEmpty();
        assertThat(stage.writes).isZero();
    }

    @Test
    void anotherServerGoesOnWithItAndDoesNotGuessWhatWasBetween() throws Exception {
        uses(5, 100);
        stage.lookAtMachine(5);
        stage.machineUsages().close();
        StoredMachineUsage before = usage();
        stage.restart();
        assertThat(usage()).isEqualTo(before);

        uses(500, 200);
        stage.lookAtMachine(100);
        assertThat(usage().cpuMillis()).isEqualTo(500_000);
        assertThat(usage().cpuMilli()).endsWith(UNKNOWN, UNKNOWN).hasSize(106);
        assertThat(usage().memoryMiB()).endsWith(UNKNOWN, 200).hasSize(106);
        uses(510, 200);
        stage.lookAtMachine(5);
        assertThat(usage().cpuMilli())
                .endsWith(UNKNOWN, 2_000, 2_000, 2_000, 2_000, 2_000)
                .hasSize(111);
    }

    @Test
    void itIsWrittenInBatchesAndOnceTheJobHasEnded() {
        uses(5, 100);
        stage.lookAtMachine(5);
        int first = stage.writes;
        stage.lookAtMachine(5);
        assertThat(stage.writes).isEqualTo(first);
        stage.lookAtMachine(5);
        assertThat(stage.writes).isEqualTo(first + 1);

        stage.end(job);
        stage.lookAtMachine(1);
        assertThat(stage.queries().machineUsage(job.id())).contains(usage());
        stage.store().delete(job.id());
        stage.store().commit();
        assertThat(stage.queries().machineUsage(job.id())).isEmpty();
    }

    @Test
    void whatTheLoopIsTooBusyForIsWrittenLater() {
        uses(5, 100);
        stage.isBusy = true;
        stage.lookAtMachine(5);
        stage.end(job);
        stage.lookAtMachine(5);
        assertThat(stage.queries().machineUsage(job.id())).isEmpty();
        stage.isBusy = false;
        stage.lookAtMachine(5);
        assertThat(stage.queries().machineUsage(job.id())).contains(usage());
    }

    @Test
    void aLongJobHasACurveOf120ValuesAtMost() {
        for (int look = 1; look <= 3_000; look++) {
            uses(10L * look, 64);
            stage.lookAtMachine(5);
        }
        assertThat(usage().cpuMilli()).hasSizeBetween(60, 120).hasSameSizeAs(usage().memoryMiB());
        assertThat(usage().memoryMiB())
                .isEqualTo(Collections.nCopies(usage().memoryMiB().size(), 64));
        assertThat(usage().cpuMilli()).containsOnly(2_000);
    }
}
