package dev.berth.core.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.GpuId;
import dev.berth.core.job.Guarantee;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.StateName;
import dev.berth.core.place.CpuTopology;
import dev.berth.core.place.CpuTopology.Cpu;
import dev.berth.core.place.GpuTopology;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Cores and memory of a job's own: near its GPUs, and kept for the job that was first. */
class BookingTest {

    /** GPU 0 is near the last core, GPU 1 near the first. */
    private static Capacity capacity(int cpus) {
        Capacity plain = Capacities.of(2, 9, 9);
        CpuTopology cores = new CpuTopology(
                IntStream.range(0, cpus).mapToObj(id -> new Cpu(id, id, id)).toList());
        TreeMap<GpuId, List<Integer>> near = new TreeMap<>();
        near.put(TestJobs.gpu(0), List.of(cpus - 1));
        near.put(TestJobs.gpu(1), List.of(0));
        return new Capacity(
                plain.gpus(),
                9,
                9,
                GpuRules.WHOLE,
                new GpuTopology(new TreeMap<>(), near),
                cores,
                8L << 30,
                QueueRules.STRICT);
    }

    private static JobSpec spec(int gpus, @Nullable Integer cpuMilli, @Nullable Long memory) {
        return TestJobs.booking(TestJobs.spec(gpus), cpuMilli, memory);
    }

    private static void submit(TestScheduler driver, long id, JobSpec spec) {
        driver.submit(spec);
        driver.imageArrives(id);
    }

    @Test
    void aJobsCoresAreNearItsGpus() {
        TestScheduler driver = TestScheduler.on(capacity(3));
        submit(driver, 1, spec(1, 1_000, null));
        submit(driver, 2, spec(1, 400, null));
        assertThat(Machine.allocation(driver.job(1)).cpus()).containsExactly(2);
        assertThat(Machine.allocation(driver.job(2)).cpus()).containsExactly(0);
    }

    @Test
    void theCoresThatAnEarlierHeadWaitsForAreNotGivenOutInTheOtherQueue() {
        TestScheduler driver = TestScheduler.on(capacity(3));
        submit(driver, 1, spec(1, 2_000, null));
        submit(driver, 2, spec(1, 3_000, null));
        submit(driver, 3, spec(0, 1_000, null));
        assertThat(driver.live()).containsExactly(1L);
        assertThat(Waiting.of(driver.machine(), driver.job(3), 0, Optional.empty()))
                .isEqualTo(new Waiting(
                        QueueReason.WAITING_FOR_CPUS,
                        "first in the queue; waits for a core of its own: 1 of 3 free, job 1 has 2; what is free is kept"
                                + " for job 2, which was accepted earlier and is first in the other queue"));
        driver.exits(1);
        assertThat(driver.live()).containsExactly(2L);
        driver.exits(2);
        assertThat(driver.live()).containsExactly(3L);
    }

    @Test
    void theMemoryThatAnEarlierHeadWaitsForIsNotEither() {
        TestScheduler driver = TestScheduler.on(capacity(3));
        submit(driver, 1, spec(0, null, 6L << 30));
        submit(driver, 2, spec(0, null, 4L << 30));
        submit(driver, 3, spec(1, null, 1L << 30));
        assertThat(driver.live()).containsExactly(1L);
        driver.exits(1);
        assertThat(driver.live()).containsExactly(2L, 3L);
    }

    @Test
    void whatAJobIsGuaranteedIsBookedAndNotWhatItMayUse() {
        TestScheduler driver = TestScheduler.on(capacity(3));
        JobSpec memory = TestJobs.guaranteed(null, 6L << 30, new Guarantee(null, 4L << 30));
        submit(driver, 1, memory);
        submit(driver, 2, memory);
        submit(driver, 3, memory);
        assertThat(driver.live()).containsExactly(1L, 2L);
        driver.exits(1);
        assertThat(driver.live()).containsExactly(2L, 3L);
    }

    @Test
    void aJobHasTheCoresThatItIsGuaranteed() {
        TestScheduler driver = TestScheduler.on(capacity(3));
        submit(driver, 1, TestJobs.guaranteed(3_000, null, new Guarantee(1_250, null)));
        submit(driver, 2, TestJobs.guaranteed(null, null, new Guarantee(1_000, null)));
        assertThat(Machine.allocation(driver.job(1)).cpus()).hasSize(2);
        assertThat(Machine.allocation(driver.job(2)).cpus()).hasSize(1);
    }

    @Test
    void aGuaranteeThatNoMachineHasIsRefusedAndALimitAboveItIsNot() {
        Capacity machine = capacity(3);
        assertThat(machine.refusal(TestJobs.guaranteed(9_000, 9L << 30, new Guarantee(3_000, 8L << 30))))
                .isEmpty();
        assertThat(machine.refusal(TestJobs.guaranteed(9_000, null, new Guarantee(3_001, null))))
                .hasValueSatisfying(sentence -> assertThat(sentence)
                        .startsWith("it asks for 4 cores")
                        .endsWith("ask for at most that with --cpu-guarantee"));
        assertThat(machine.refusal(TestJobs.guaranteed(null, null, new Guarantee(null, (8L << 30) + (1L << 20)))))
                .hasValueSatisfying(sentence -> assertThat(sentence)
                        .startsWith("it asks for 8193 MiB of memory")
                        .endsWith("ask for at most that with --memory-guarantee"));
    }

    @Test
    void aJobThatAsksForNoneOfItIsNotHeldUp() {
        TestScheduler driver = TestScheduler.on(capacity(3));
        submit(driver, 1, spec(1, 2_000, null));
        submit(driver, 2, spec(1, 3_000, null));
        submit(driver, 3, spec(0, null, null));
        assertThat(driver.live()).containsExactly(1L, 3L);
    }

    @Test
    void aHeadThatWaitsForGpusKeepsNoCores() {
        TestScheduler driver = TestScheduler.on(capacity(3));
        submit(driver, 1, spec(1, 1_000, null));
        submit(driver, 2, spec(2, 2_000, null));
        submit(driver, 3, spec(0, 2_000, null));
        assertThat(driver.live()).containsExactly(1L, 3L);
        assertThat(driver.state(2)).isEqualTo(StateName.QUEUED);
    }
}
