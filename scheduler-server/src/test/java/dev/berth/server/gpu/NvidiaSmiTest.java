package dev.berth.server.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.berth.core.job.Gpu;
import dev.berth.core.job.GpuId;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code nvidia-smi} prints, as its manual and real machines have it. */
class NvidiaSmiTest {
    private static final String TWO_CARDS = """
            0, GPU-8932f937-d72c-4106-c12f-20bd9faed9f6, NVIDIA RTX A6000, 49140, [N/A]
            1, GPU-1a2b3c4d-d72c-4106-c12f-20bd9faed9f6, NVIDIA A100-SXM4-40GB, 40960, Enabled
            """;

    private static final Gpu A6000 =
            new Gpu(new GpuId("GPU-8932f937-d72c-4106-c12f-20bd9faed9f6"), 0, "NVIDIA RTX A6000", 49_140);
    private static final Gpu A100 =
            new Gpu(new GpuId("GPU-1a2b3c4d-d72c-4106-c12f-20bd9faed9f6"), 1, "NVIDIA A100-SXM4-40GB", 40_960);

    @Test
    void aLineIsACard() {
        assertThat(NvidiaSmi.parse(TWO_CARDS)).containsExactly(A6000, A100);
    }

    @Test
    void blankLinesAndMissingSpacesDoNotMatter() {
        assertThat(NvidiaSmi.parse("\n" + TWO_CARDS.replace(", ", ",") + "\n\n"))
                .containsExactly(A6000, A100);
        assertThat(NvidiaSmi.parse("")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"[N/A]", "[Not Supported]", "[Unknown Error]"})
    void memoryThatIsNotToldIsZero(String word) {
        List<Gpu> gpus = NvidiaSmi.parse("0, GPU-8932f937, NVIDIA GB10, " + word + ", [N/A]");
        assertThat(gpus).containsExactly(new Gpu(new GpuId("GPU-8932f937"), 0, "NVIDIA GB10", 0));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "garbage",
                "0, GPU-1, name, 1024",
                "0, GPU-1, name, 1024, [N/A], more",
                "zero, GPU-1, name, 1024, [N/A]",
                "0, , name, 1024, [N/A]",
                "0, GPU-1, name, much, [N/A]",
                "Unable to determine the device handle for GPU0000:01:00.0: Unknown Error"
            })
    void aLineThatCannotBeReadIsShown(String line) {
        assertThatThrownBy(() -> NvidiaSmi.parse(TWO_CARDS + line))
                .isInstanceOf(GpuException.class)
                .hasMessage("nvidia-smi printed a line that cannot be read: '" + line + "'");
    }

    @Test
    void migDevicesStandInPlaceOfTheirCard() {
        String listing = """
                GPU 0: NVIDIA RTX A6000 (UUID: GPU-8932f937-d72c-4106-c12f-20bd9faed9f6)
                GPU 1: NVIDIA A100-SXM4-40GB (UUID: GPU-1a2b3c4d-d72c-4106-c12f-20bd9faed9f6)
                  MIG 3g.20gb     Device  0: (UUID: MIG-11111111-d72c-4106-c12f-20bd9faed9f6)
                  MIG 1c.3g.20gb  Device  1: (UUID: MIG-22222222-d72c-4106-c12f-20bd9faed9f6)
                """;
        assertThat(NvidiaSmi.withMigDevices(NvidiaSmi.parse(TWO_CARDS), listing))
                .containsExactly(
                        A6000,
                        new Gpu(
                                new GpuId("MIG-11111111-d72c-4106-c12f-20bd9faed9f6"),
                                1,
                                "NVIDIA A100-SXM4-40GB MIG 3g.20gb",
                                0),
                        new Gpu(
                                new GpuId("MIG-22222222-d72c-4106-c12f-20bd9faed9f6"),
                                2,
                                "NVIDIA A100-SXM4-40GB MIG 1c.3g.20gb",
                                0));
    }

    @Test
    void aCardBehindMigDevicesCountsOn() {
        String listing = """
                GPU 1: NVIDIA A100-SXM4-40GB (UUID: GPU-1a2b3c4d-d72c-4106-c12f-20bd9faed9f6)
                  MIG 7g.40gb     Device  0: (UUID: MIG-11111111-d72c-4106-c12f-20bd9faed9f6)
                GPU 0: NVIDIA RTX A6000 (UUID: GPU-8932f937-d72c-4106-c12f-20bd9faed9f6)
                """;
        assertThat(NvidiaSmi.withMigDevices(List.of(A6000, A100), listing))
                .extracting(gpu -> gpu.id().uuid(), Gpu::index)
                .containsExactly(
                        tuple("MIG-11111111-d72c-4106-c12f-20bd9faed9f6", 0),
                        tuple(A6000.id().uuid(), 1));
    }

    @Test
    void devicesOfACardThatWasNotQueriedAreLeftOut() {
        String listing = """
                GPU 0: NVIDIA H100 (UUID: GPU-ffffffff)
                  MIG 1g.10gb     Device  0: (UUID: MIG-11111111)
                Some words in between
                GPU 1: NVIDIA RTX A6000 (UUID: GPU-8932f937-d72c-4106-c12f-20bd9faed9f6)
                """;
        assertThat(NvidiaSmi.withMigDevices(List.of(A6000), listing)).containsExactly(A6000);
        assertThat(NvidiaSmi.withMigDevices(List.of(A6000), "")).isEmpty();
    }

    @Test
    void simulatedGpusAreTheSameEachTimeAndDifferFromEachOther() {
        List<Gpu> four = SimulatedGpus.of(4);
        assertThat(four).isEqualTo(SimulatedGpus.of(4)).extracting(Gpu::index).containsExactly(0, 1, 2, 3);
        assertThat(four).extracting(Gpu::id).doesNotHaveDuplicates();
        assertThat(SimulatedGpus.of(0)).isEmpty();
    }
}
