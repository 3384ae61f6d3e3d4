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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UsageKeeperTest {
    @TempDir
    private Path directory;

    private Watchtower tower;

    @BeforeEach
    void open() {
        tower = new Watchtower(directory);
    }

    @AfterEach
    void close() {
        tower.close();
    }

    private StoredUsage usage(Job job) {
        return tower.keeper()
                .running(job.id())
                .or(() -> tower.queries().usage(job.id()))
                .orElseThrow();
    }

    @Test
    void aJobsUsageIsTheMeanOfItsCards() {
        Job job = tower.run(1, null, 0, 1);
        tower.cards.set(Jobs.gpu(0), 90, 4_000);
        tower.cards.set(Jobs.gpu(1), 30, 2_000);
        tower.pass(10);
        tower.cards.set(Jobs.gpu(0), 0, 1_000);
        tower.cards.set(Jobs.gpu(1), 0, 1_000);
        tower.pass(10);
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
        Job job = tower.run(1, null, 0);
        tower.cards.set(Jobs.gpu(0), 50, 100);
        tower.pass(9);
        assertThat(tower.writes).isZero();
        tower.pass(2);
        assertThat(tower.writes).isEqualTo(1);
        tower.pass(60);
        assertThat(tower.writes).isEqualTo(7);
        tower.end(job);
        tower.pass(1);
        assertThat(tower.writes).isEqualTo(8);
        assertThat(tower.queries().usage(job.id()).orElseThrow().knownMillis()).isEqualTo(71_000);
        tower.pass(1);
        assertThat(tower.writes).isEqualTo(8);
    }

    @Test
    void theNextServerGoesOnWithWhatWasWritten() {
        Job job = tower.run(1, null, 0);
        tower.cards.set(Jobs.gpu(0), 50, 100);
        tower.pass(11);
        tower.restart();
        assertThat(tower.keeper()
                        .history(Jobs.gpu(0))
                        .orElseThrow()
                        .upTo(tower.now().plusSeconds(1), Resolution.SECONDS)
                        .samples()
                        .subList(3_589, 3_600))
                .extracting(Sample::utilisationPercent)
                .containsOnly(50);
        tower.pass(4);
        assertThat(usage(job).knownMillis()).isEqualTo(15_000);
    }

    @Test
    void aBusyLoopLosesNothing() {
        Job job = tower.run(1, null, 0);
        tower.cards.set(Jobs.gpu(0), 50, 100);
        tower.isBusy = true;
        tower.pass(130);
        tower.isBusy = false;
        tower.pass(10);
        tower.restart();
        assertThat(usage(job).knownMillis()).isGreaterThanOrEqualTo(131_000);
        assertThat(tower.keeper()
                        .history(Jobs.gpu(0))
                        .orElseThrow()
                        .upTo(tower.now(), Resolution.SECONDS)
                        .samples()
                        .subList(3_600 - 130, 3_600 - 10))
                .extracting(Sample::utilisationPercent)
                .containsOnly(50);
    }

    @Test
    void whatWasNotSeenCountsForNothing() {
        Job job = tower.run(1, null, 0);
        tower.cards.fail(Jobs.gpu(0));
        tower.pass(5);
        tower.cards.set(Jobs.gpu(0), null, 100);
        tower.pass(5);
        tower.cards.set(Jobs.gpu(0), 80, 100);
        tower.pass(5);
        StoredUsage usage = usage(job);
        assertThat(usage.knownMillis()).isEqualTo(5_000);
        assertThat(usage.utilisationMillis()).isEqualTo(80 * 5_000);
        assertThat(usage.idleMillis()).isZero();
    }

    @Test
    void ofASharedCardOnlyItsOwnMemoryIsAJobs() {
        Allocation half = new Allocation(List.of(new GpuShare(Jobs.gpu(0), 500)));
        Job one = tower.run(1, null, new JobState.Running(1, half, tower.now()));
        Job other = tower.run(2, null, new JobState.Running(1, half, tower.now()));
        tower.cards.set(Jobs.gpu(0), 70, 9_000);
        tower.cards.process(Jobs.gpu(0), 4711, 3_000L);
        tower.owners.put(4711L, 1L);
        tower.pass(5);
        assertThat(usage(one).peakMemoryMiB()).isEqualTo(3_000);
        assertThat(usage(one).knownMillis()).isZero();
        assertThat(usage(other).peakMemoryMiB()).isNull();
        assertThat(usage(other).idleMillis()).as("no process of it is there").isEqualTo(5_000);
    }

    @Test
    void withTheJobGoesItsUsage() {
        Job job = tower.run(1, null, 0);
        tower.pass(11);
        tower.end(job);
        tower.pass(1);
        assertThat(tower.queries().usages(List.of(job.id()))).hasSize(1);
        tower.store().delete(job.id());
        tower.store().commit();
        assertThat(tower.queries().usage(job.id())).isEmpty();
    }

    @Test
    void processesAreOnTheBoardWithTheirJobs() {
        tower.run(1, null, 0);
        tower.cards.process(Jobs.gpu(0), 100, 700L);
        tower.cards.process(Jobs.gpu(0), 200, null);
        tower.owners.put(100L, 1L);
        tower.pass(1);
        CardNow card = tower.cardBoard().card(Jobs.gpu(0)).orElseThrow();
        assertThat(card.processes()).extracting(OnCard::job).containsExactly(new JobId(1), null);
        assertThat(card.memoryMiB(new JobId(1))).isEqualTo(700);
        assertThat(card.processes().getFirst().since()).isEqualTo(tower.now());
        tower.pass(30);
        assertThat(tower.cardBoard()
                        .card(Jobs.gpu(0))
                        .orElseThrow()
                        .processes()
                        .getLast()
                        .since())
                .isEqualTo(tower.now().minusSeconds(30));
    }

    @Test
    void theClosingWritesTheRest() throws InterruptedException {
        Job job = tower.run(1, null, 0);
        tower.pass(3);
        tower.keeper().close();
        assertThat(tower.queries().usage(job.id())).isPresent();
        assertThat(Duration.ofMillis(
                        tower.queries().usage(job.id()).orElseThrow().knownMillis()))
                .isEqualTo(Duration.ofSeconds(3));
    }
}
