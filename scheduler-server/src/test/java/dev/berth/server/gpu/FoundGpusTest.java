package dev.berth.server.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.job.Gpu;
import dev.berth.core.job.GpuId;
import dev.berth.core.machine.GpuLimit;
import dev.berth.server.gpu.nvidia.NvidiaReaders;
import dev.berth.server.gpu.nvidia.NvidiaSmiReader;
import dev.berth.server.gpu.nvidia.NvmlReader;
import dev.berth.server.gpu.nvidia.StandInNvml;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a server allocates of what its machine has. */
class FoundGpusTest {
    @TempDir
    private Path folder;

    private static FoundGpus found(StandInNvml machine, @Nullable String visible) {
        return FoundGpus.of(
                new ChosenReader(NvidiaReaders.nvml(machine.library().toString()), List.of("a word")), visible);
    }

    @Test
    void aProhibitedGpuIsLeftOut() {
        StandInNvml machine = new StandInNvml(folder, 3);
        machine.set(1, "compute_mode", "Prohibited");
        FoundGpus found = found(machine, "0,2");
        assertThat(found.gpus()).extracting(gpu -> gpu.index().toString()).containsExactly("0", "2");
        assertThat(found.inventory().devices()).hasSize(3);
        assertThat(found.warnings())
                .containsExactly(
                        "a word",
                        "GPU 1 (" + machine.id(1) + ") is not allocated: its compute mode is Prohibited, so that no"
                                + " program can use it; nvidia-smi -i 1 -c DEFAULT allows them");
        found.reader().close();
    }

    @Test
    void withNoneLeftItSaysWhy() {
        StandInNvml machine = new StandInNvml(folder, 1);
        assertThatThrownBy(() -> found(machine, "7"))
                .hasMessage(
                        "no GPU is left to allocate: this machine has GPU 0, and CUDA_VISIBLE_DEVICES=7: '7' names no"
                                + " GPU that can be allocated here, so that entry is ignored, as CUDA does; name some of"
                                + " these, or unset it, or start without -g");
        machine.lost(0);
        assertThatThrownBy(() -> found(machine, "0"))
                .hasMessage("no GPU is left to allocate: a word; GPU 0 is not allocated: GPU 0 has fallen off the bus:"
                        + " NVIDIA's driver has lost it; reboot the machine to have it back");
    }

    @Test
    void aDividedGpuLeavesTheIndicesOfTheOthersAsTheyAre() {
        StandInNvml machine = new StandInNvml(folder, 3);
        GpuId last = machine.mig(1, "1g.5gb", "1g.5gb").getLast();
        FoundGpus all = found(machine, null);
        assertThat(all.gpus()).extracting(gpu -> gpu.index().toString()).containsExactly("0", "1:0", "1:1", "2");
        all.reader().close();
        FoundGpus some = found(machine, "2,MIG-" + machine.id(1) + "/2/0");
        assertThat(some.gpus()).extracting(Gpu::id).containsExactly(machine.id(2), last);
        some.reader().close();
        FoundGpus divided = found(machine, machine.id(1).uuid());
        assertThat(divided.gpus()).extracting(gpu -> gpu.index().toString()).containsExactly("1:0", "1:1");
        divided.reader().close();
    }

    @Test
    void simulatedOnesAreLimitedTheSameWay() {
        assertThat(FoundGpus.simulated(4, "3,1").gpus())
                .extracting(gpu -> gpu.index().toString())
                .containsExactly("3", "1");
        assertThat(FoundGpus.simulated(2, null).gpus()).hasSize(2);
        assertThat(FoundGpus.simulated(2, "0,5").warnings()).hasSize(1);
        assertThatThrownBy(() -> FoundGpus.simulated(2, ""))
                .hasMessage(
                        "no GPU is left to allocate: this machine has GPUs 0, 1, and CUDA_VISIBLE_DEVICES= names none;"
                                + " name some of these, or unset it, or start without -g");
    }

    @Test
    void whatLimitsThemIsKept() {
        assertThat(FoundGpus.simulated(4, "3,1").limit()).isEqualTo(new GpuLimit("CUDA_VISIBLE_DEVICES=3,1", 4));
        assertThat(FoundGpus.simulated(4, "0,7,1").limit()).isEqualTo(new GpuLimit("CUDA_VISIBLE_DEVICES=0,7,1", 4));
        assertThat(FoundGpus.simulated(2, "1,0").limit()).isNull();
        assertThat(FoundGpus.simulated(2, null).limit()).isNull();
        assertThat(FoundGpus.none().limit()).isNull();
        assertThat(FoundGpus.simulated(2, "0," + "x".repeat(10_000)).limit())
                .extracting(GpuLimit::setting)
                .asString()
                .hasSizeLessThan(250);
    }

    @Test
    void aMachineWithoutGpus() {
        StandInNvml machine = new StandInNvml(folder, 0);
        assertThatThrownBy(() -> FoundGpus.of(
                        new ChosenReader(NvidiaReaders.nvml(machine.library().toString()), List.of()), null))
                .hasMessage("no GPU was found: NVIDIA's driver knows of none");
    }

    @Test
    void withoutTheLibraryItIsTheProgram() {
        ChosenReader chosen = NvidiaReaders.either(folder.resolve("nothing.so").toString());
        assertThat(chosen.reader()).isInstanceOf(NvidiaSmiReader.class);
        assertThat(chosen.warnings())
                .containsExactly("NVIDIA's library " + folder.resolve("nothing.so") + " cannot be loaded; NVIDIA's"
                        + " driver brings it along. The GPUs are read by nvidia-smi instead, which takes tenths of a"
                        + " second each time and tells neither of their errors (XID, ECC) nor how they are joined");
        chosen.reader().close();
        StandInNvml machine = new StandInNvml(folder, 1);
        ChosenReader library = NvidiaReaders.either(machine.library().toString());
        assertThat(library.reader()).isInstanceOf(NvmlReader.class);
        assertThat(library.warnings()).isEmpty();
        library.reader().close();
    }
}
