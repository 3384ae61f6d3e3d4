package dev.berth.core.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.berth.core.job.Gpu;
import dev.berth.core.job.GpuId;
import dev.berth.core.job.GpuIndex;
import dev.berth.core.job.GpuRequest;
import dev.berth.core.job.GpuTraits;
import dev.berth.core.job.JobSpec;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CapacityTest {

    @ParameterizedTest
    @CsvSource({"0, 0", "-1, 0", "1, -1"})
    void aServerHasAtLeastOneWorkerAndNoNegativeNumberOfThem(int workers, int cpuWorkers) {
        assertThatIllegalArgumentException().isThrownBy(() -> Capacities.of(4, workers, cpuWorkers));
    }

    @Test
    void everyJobIsOfTheMainLaneWhereThereIsNoOther() {
        Capacity capacity = Capacities.of(2, 2, 0);
        assertThat(capacity.ownLanes()).containsExactly(Lane.MAIN);
        assertThat(capacity.lanes()).containsExactly(Lane.MAIN, Lane.TARGET);
        assertThat(capacity.laneOf(GpuRequest.NONE)).isEqualTo(Lane.MAIN);
        assertThat(capacity.laneOf(GpuRequest.whole(1))).isEqualTo(Lane.MAIN);
    }

    @Test
    void withCpuWorkersJobsWithoutGpusHaveALaneOfTheirOwn() {
        Capacity capacity = Capacities.of(2, 2, 3);
        assertThat(capacity.ownLanes()).containsExactly(Lane.MAIN, Lane.CPU);
        assertThat(capacity.lanes()).containsExactly(Lane.MAIN, Lane.CPU, Lane.TARGET);
        assertThat(capacity.laneOf(GpuRequest.NONE)).isEqualTo(Lane.CPU);
        assertThat(capacity.laneOf(GpuRequest.whole(1))).isEqualTo(Lane.MAIN);
        assertThat(capacity.workers(Lane.MAIN)).isEqualTo(2);
        assertThat(capacity.workers(Lane.CPU)).isEqualTo(3);
    }

    @Test
    void whatFitsTheMachineIsNotRefused() {
        assertThat(Capacities.gpus(4).refusal(GpuRequest.whole(4))).isEmpty();
        assertThat(Capacities.gpus(0).refusal(GpuRequest.NONE)).isEmpty();
    }

    @Test
    void aRefusalNamesTheNumbersAndTheWayOut() {
        assertThat(Capacities.gpus(1).refusal(GpuRequest.whole(2)))
                .contains("it asks for 2 GPUs, but this server has 1; ask for at most 1");
        assertThat(Capacities.gpus(0).refusal(GpuRequest.whole(2)))
                .contains(
                        "it asks for 2 GPUs, but this server allocates none; start it with -g (berth server start -g)");
        assertThat(Capacities.gpus(4).refusal(new GpuRequest(500)))
                .contains("it asks for 0.5 of a GPU, but this server allocates whole ones only; ask for a whole number,"
                        + " or have its operator share them (berth server start -g --gpu-shares 2)");
    }

    @Test
    void aRefusalNamesWhatLimitsTheServer() {
        Capacity two = Capacities.limited(2, new GpuLimit("CUDA_VISIBLE_DEVICES=0,2", 4));
        assertThat(two.refusal(GpuRequest.whole(3)))
                .contains("it asks for 3 GPUs, but this server has 2 of the machine's 4, as it was started with"
                        + " CUDA_VISIBLE_DEVICES=0,2; ask for at most 2, or have its operator name more GPUs there, or"
                        + " unset it, and restart the server");
        assertThat(two.refusal(GpuRequest.whole(5)))
                .as("which nothing gives it")
                .contains("it asks for 5 GPUs, but this server has 2 of the machine's 4, as it was started with"
                        + " CUDA_VISIBLE_DEVICES=0,2; ask for at most 2");
        assertThat(two.refusal(TestJobs.share(1_000, new GpuTraits(null, "h200", List.of()))))
                .contains("it asks for 1 GPU of type h200, but of the 2 here none is such; berth gpus shows what there"
                        + " is, which is 2 of the machine's 4, as it was started with CUDA_VISIBLE_DEVICES=0,2");
        assertThat(two.refusal(GpuRequest.whole(2))).isEmpty();
    }

    /** A GPU, one that is divided into two, and a GPU. */
    private static Capacity divided() {
        List<Gpu> gpus = IntStream.range(0, 4)
                .mapToObj(at -> at == 0 || at == 3
                        ? new Gpu(TestJobs.gpu(at), at == 0 ? 0 : 2, "NVIDIA A100", 40_960)
                        : new Gpu(TestJobs.gpu(at), new GpuIndex(1, at - 1), "NVIDIA A100 MIG " + at + "g.5gb", 4_864))
                .toList();
        return new Capacity(gpus, 4, 0);
    }

    @ParameterizedTest
    @CsvSource({
        "1, '', 0 1:0 1:1 2",
        "2, '', 0 2",
        "2, a100, 0 2",
        "2, mig, 1:0 1:1",
        "2, a100 mig, 1:0 1:1",
        "2, 1g.5gb, 1:0",
        "2, mig-2g.5gb, 1:1",
        "1, 2g, 1:1"
    })
    void severalGpusAreMigDevicesOnlyWhereTheJobNamesThem(int count, String type, String suiting) {
        Capacity capacity = divided();
        GpuTraits traits = new GpuTraits(null, type.isEmpty() ? null : type, List.of());
        assertThat(capacity.gpus().stream()
                        .filter(gpu -> capacity.suits(gpu, TestJobs.share(count * GpuRequest.WHOLE, traits)))
                        .map(gpu -> gpu.index().toString()))
                .containsExactly(suiting.split(" "));
    }

    @Test
    void whoAsksForMoreThanTheWholeGpusIsToldHowToHaveMigDevices() {
        assertThat(divided().refusal(TestJobs.spec(2))).isEmpty();
        assertThat(divided().refusal(TestJobs.spec(3)))
                .contains("it asks for 3 GPUs, but of the 4 here only 2 are no MIG device, and a CUDA process uses one"
                        + " MIG device and no GPU beside it; where each process of the program uses its own, ask"
                        + " for MIG devices with --gpu-type mig");
        assertThat(divided().refusal(TestJobs.share(2_000, new GpuTraits(null, "mig", List.of()))))
                .isEmpty();
        assertThat(divided().refusal(TestJobs.share(3_000, new GpuTraits(null, "mig", List.of()))))
                .contains("it asks for 3 GPUs of type mig, but of the 4 here only 2 are such; berth gpus shows what"
                        + " there is");
        assertThat(divided().refusal(TestJobs.share(3_000, new GpuTraits(1L << 20, null, List.of()))))
                .contains("it asks for 3 GPUs with 1 MiB, but of the 4 here only 2 are such and no MIG device, and a"
                        + " CUDA process uses one MIG device and no GPU beside it; where each process of the"
                        + " program uses its own, ask for MIG devices with --gpu-type mig");
    }

    @Test
    void aJobForATargetIsHeldAgainstNothingOfTheMachine() {
        Capacity capacity = Capacities.targets(Capacities.of(1, 1, 1), Map.of("cluster", 2));
        JobSpec large = TestJobs.at("cluster", TestJobs.booking(TestJobs.spec(8), 64_000, 1L << 50));
        assertThat(capacity.refusal(large)).isEmpty();
        assertThat(capacity.laneOf(large)).isEqualTo(Lane.TARGET);
        assertThat(capacity.laneOf(TestJobs.at("cluster", TestJobs.spec(0)))).isEqualTo(Lane.TARGET);
        assertThat(capacity.cores(large)).isZero();
        assertThat(capacity.memory(large)).isZero();
    }

    @Test
    void aJobForATargetThatIsNotSetUpIsRefused() {
        Capacity capacity = Capacities.targets(Capacities.gpus(4), Map.of("cluster", 2));
        assertThat(capacity.refusal(TestJobs.at("clutser", TestJobs.spec(0))))
                .contains("it is for target clutser, which is not set up here; berth targets lists those that are");
    }

    @Test
    void aGpuIsFoundByItsId() {
        assertThat(Capacities.gpus(2).gpu(TestJobs.gpu(1)))
                .hasValueSatisfying(gpu -> assertThat(gpu.index()).isEqualTo(GpuIndex.ofPhysical(1)));
        assertThat(Capacities.gpus(2).gpu(new GpuId("GPU-9"))).isEmpty();
    }
}
