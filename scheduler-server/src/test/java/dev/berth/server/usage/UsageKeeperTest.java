package dev.berth.server.usage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.GpuShare;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState;
import dev.berth.server.example.Jobs;
import dev.berth.server.store.StoredUsage;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UsageKeeperTest {
    @TempDir
    private Path directory;

    @AutoClose
    private UsageStage stage;

    @BeforeEach
    void open() {
        stage = new UsageStage(directory);
    }

    private StoredUsage usage(Job job) {
        return stage.keeper()
                .running(job.id())
                .or(() -> stage.queries().usage(job.id()))
                .orElseThrow();
    }

    @Test
    void aJobsUsageIsTheMeanOfItsGpus() {
        Job job = stage.run(1, null, 0, 1);
        stage.gpus.set(Jobs.gpu(0), 90, 4_000);
        stage.gpus.set(Jobs.gpu(1), 30, 2_000);
        stage.pass(10);
        stage.gpus.set(Jobs.gpu(0), 0, 1_000);
        stage.gpus.set(Jobs.gpu(1), 0, 1_000);
        stage.pass(10);
        StoredUsage usage = usage(job);
        assertThat(usage.knownMillis()).isEqualTo(20_000);
        assertThat(usage.utilisationMillis() / usage.knownMillis()).isEqualTo(30);
        assertThat(usage.peakMemoryMiB()).isEqualTo(6_000);
        assertThat(usage.idleMillis()).isEqualTo(10_000);
        assertThat(usage.energyMillijoules()).isEqualTo(2 * 200_000L * 20);
        assertThat(usage.curve().subList(1, 21))
                .startsWith(60, 60)
                .endsWith(0, 0)
                .hasSize(20);
    }

    @Test
    void itIsWrittenInBatchesAndOnceMoreAtTheEnd() {
        Job job = stage.run(1, null, 0);
        stage.gpus.set(Jobs.gpu(0), 50, 100);
        stage.pass(9);
        assertThat(stage.writes).isZero();
        stage.pass(2);
        assertThat(stage.writes).isEqualTo(1);
        stage.pass(60);
        assertThat(stage.writes).isEqualTo(7);
        stage.end(job);
        stage.pass(1);
        assertThat(stage.writes).isEqualTo(8);
        assertThat(stage.queries().usage(job.id()).orElseThrow().knownMillis()).isEqualTo(71_000);
        stage.pass(1);
        assertThat(stage.writes).isEqualTo(8);
    }

    @Test
    void theNextServerGoesOnWithWhatWasWritten() {
        Job job = stage.run(1, null, 0);
        stage.gpus.set(Jobs.gpu(0), 50, 100);
        stage.pass(11);
        stage.restart();
        assertThat(stage.keeper()
                        .history(Jobs.gpu(0))
                        .orElseThrow()
                        .upTo(stage.now().plusSeconds(1), Resolution.SECONDS)
                        .samples()
                        .subList(3_589, 3_600))
                .extracting(Sample::utilisationPercent)
                .containsOnly(50);
        stage.pass(4);
        assertThat(usage(job).knownMillis()).isEqualTo(15_000);
    }

    @Test
    void aBusyLoopLosesNothing() {
        Job job = stage.run(1, null, 0);
        stage.gpus.set(Jobs.gpu(0), 50, 100);
        stage.isBusy = true;
        stage.pass(130);
        stage.isBusy = false;
        stage.pass(10);
        stage.restart();
        assertThat(usage(job).knownMillis()).isGreaterThanOrEqualTo(131_000);
        assertThat(stage.keeper()
                        .history(Jobs.gpu(0))
                        .orElseThrow()
                        .upTo(stage.now(), Resolution.SECONDS)
                        .samples()
                        .subList(3_600 - 130, 3_600 - 10))
                .extracting(Sample::utilisationPercent)
                .containsOnly(50);
    }

    @Test
    void whatWasNotSeenCountsForNothing() {
        Job job = stage.run(1, null, 0);
        stage.gpus.fail(Jobs.gpu(0));
        stage.pass(5);
        stage.gpus.set(Jobs.gpu(0), null, 100);
        stage.pass(5);
        stage.gpus.set(Jobs.gpu(0), 80, 100);
        stage.pass(5);
        StoredUsage usage = usage(job);
        assertThat(usage.knownMillis()).isEqualTo(5_000);
        assertThat(usage.utilisationMillis()).isEqualTo(80 * 5_000);
        assertThat(usage.idleMillis()).isZero();
    }

    @Test
    void ofASharedGpuOnlyItsOwnMemoryIsAJobs() {
        Allocation half = new Allocation(List.of(new GpuShare(Jobs.gpu(0), 500)));
        Job one = stage.run(1, null, new JobState.Running(1, half, stage.now()));
        Job other = stage.run(2, null, new JobState.Running(1, half, stage.now()));
        stage.gpus.set(Jobs.gpu(0), 70, 9_000);
        stage.gpus.process(Jobs.gpu(0), 4711, 3_000L);
        stage.owners.put(4711L, 1L);
        stage.pass(5);
        assertThat(usage(one).peakMemoryMiB()).isEqualTo(3_000);
        assertThat(usage(one).knownMillis()).isZero();
        assertThat(usage(other).peakMemoryMiB()).isNull();
        assertThat(usage(other).idleMillis()).as("no process of it is there").isEqualTo(5_000);
    }

    @Test
    void withTheJobGoesItsUsage() {
        Job job = stage.run(1, null, 0);
        stage.pass(11);
        stage.end(job);
        stage.pass(1);
        assertThat(stage.queries().usages(List.of(job.id()))).hasSize(1);
        stage.store().delete(job.id());
        stage.store().commit();
        assertThat(stage.queries().usage(job.id())).isEmpty();
    }

    @Test
    void processesAreOnTheBoardWithTheirJobs() {
        stage.run(1, null, 0);
        stage.gpus.process(Jobs.gpu(0), 100, 700L);
        stage.gpus.process(Jobs.gpu(0), 200, null);
        stage.owners.put(100L, 1L);
        stage.pass(1);
        GpuStatus gpu = stage.statuses().of(Jobs.gpu(0)).orElseThrow();
        assertThat(gpu.processes()).extracting(ObservedProcess::job).containsExactly(new JobId(1), null);
        assertThat(gpu.memoryMiB(new JobId(1))).isEqualTo(700);
        assertThat(gpu.processes().getFirst().since()).isEqualTo(stage.now());
        stage.pass(30);
        assertThat(stage.statuses()
                        .of(Jobs.gpu(0))
                        .orElseThrow()
                        .processes()
                        .getLast()
                        .since())
                .isEqualTo(stage.now().minusSeconds(30));
    }

    @Test
    void theClosingWritesTheRest() throws InterruptedException {
        Job job = stage.run(1, null, 0);
        stage.pass(3);
        stage.keeper().close();
        assertThat(stage.queries().usage(job.id())).isPresent();
        assertThat(Duration.ofMillis(
                        stage.queries().usage(job.id()).orElseThrow().knownMillis()))
                .isEqualTo(Duration.ofSeconds(3));
    }
}
