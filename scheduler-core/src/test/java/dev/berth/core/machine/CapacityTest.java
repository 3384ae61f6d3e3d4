package dev.berth.core.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.berth.core.job.GpuId;
import dev.berth.core.job.GpuRequest;
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
        assertThat(capacity.lanes()).containsExactly(Lane.MAIN);
        assertThat(capacity.laneOf(GpuRequest.NONE)).isEqualTo(Lane.MAIN);
        assertThat(capacity.laneOf(GpuRequest.whole(1))).isEqualTo(Lane.MAIN);
    }

    @Test
    void withCpuWorkersJobsWithoutGpusHaveALaneOfTheirOwn() {
        Capacity capacity = Capacities.of(2, 2, 3);
        assertThat(capacity.lanes()).containsExactly(Lane.MAIN, Lane.CPU);
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
                        "it asks for 2 GPUs, but this server gives out none; start it with -g (berth server start -g)");
        assertThat(Capacities.gpus(4).refusal(new GpuRequest(500)))
                .contains(
                        "it asks for 0.5 of a GPU, but this server gives out whole ones only; ask for a whole number, or"
                                + " have its operator share them (berth server start -g --gpu-shares 2)");
    }

    @Test
    void aGpuIsFoundByItsId() {
        assertThat(Capacities.gpus(2).gpu(Jobs.gpu(1)))
                .hasValueSatisfying(gpu -> assertThat(gpu.index()).isEqualTo(1));
        assertThat(Capacities.gpus(2).gpu(new GpuId("GPU-9"))).isEmpty();
    }
}
