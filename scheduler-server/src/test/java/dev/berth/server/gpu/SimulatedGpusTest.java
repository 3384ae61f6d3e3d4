package dev.berth.server.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.job.Gpu;
import dev.berth.core.job.GpuId;
import java.util.List;
import org.junit.jupiter.api.Test;

class SimulatedGpusTest {
    @Test
    void theyAreTheSameEachTimeAndDifferFromEachOther() {
        List<Gpu> four = SimulatedGpus.of(4);
        assertThat(four)
                .isEqualTo(SimulatedGpus.of(4))
                .extracting(gpu -> gpu.index().physical())
                .containsExactly(0, 1, 2, 3);
        assertThat(four).extracting(Gpu::id).doesNotHaveDuplicates();
        assertThat(SimulatedGpus.of(0)).isEmpty();
    }

    @Test
    void nobodyIsOnThemAndNothingIsTold() {
        try (SimulatedGpus gpus = new SimulatedGpus(2)) {
            assertThat(gpus.inventory().devices()).extracting(GpuDevice::gpu).isEqualTo(SimulatedGpus.of(2));
            GpuId first = SimulatedGpus.of(1).getFirst().id();
            assertThat(gpus.read(first)).isEqualTo(new GpuReading(null, null, null, null, null, List.of()));
            assertThat(gpus.processes(first)).isEmpty();
            assertThatThrownBy(() -> gpus.processes(new GpuId("GPU-1"))).hasMessage("there is no simulated GPU GPU-1");
        }
    }
}
