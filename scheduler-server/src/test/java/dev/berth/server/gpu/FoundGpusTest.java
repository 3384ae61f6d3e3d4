package dev.berth.server.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.job.Gpu;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a server gives out of what its machine has. */
class FoundGpusTest {
    @TempDir
    private Path folder;

    private static FoundGpus found(StandInNvml machine, String visible) {
        return FoundGpus.of(
                new GpuReaders.Chosen(GpuReaders.nvml(machine.library().toString()), List.of("a word")), visible);
    }

    @Test
    void aProhibitedCardIsLeftOut() {
        StandInNvml machine = new StandInNvml(folder, 3);
        machine.set(1, "compute_mode", "Prohibited");
        FoundGpus found = found(machine, "0,2");
        assertThat(found.gpus()).extracting(Gpu::index).containsExactly(0, 2);
        assertThat(found.inventory().cards()).hasSize(3);
        assertThat(found.warnings())
                .containsExactly(
                        "a word",
                        "GPU 1 (" + machine.id(1) + ") is not given out: its compute mode is Prohibited, so that no"
                                + " program can use it; nvidia-smi -i 1 -c DEFAULT allows them");
        found.reader().close();
    }

    @Test
    void withNoneLeftItSaysWhy() {
        StandInNvml machine = new StandInNvml(folder, 1);
        assertThatThrownBy(() -> found(machine, "7"))
                .hasMessage("no GPU is left to give out: this machine has 1, and CUDA_VISIBLE_DEVICES=7 leaves none;"
                        + " unset it, or start without -g");
        machine.lost(0);
        assertThatThrownBy(() -> found(machine, "0"))
                .hasMessage("no GPU is left to give out: a word; GPU 0 is not given out: GPU 0 has fallen off the bus:"
                        + " NVIDIA's driver has lost it; reboot the machine to have it back");
    }

    @Test
    void aMachineWithoutCards() {
        StandInNvml machine = new StandInNvml(folder, 0);
        assertThatThrownBy(() -> FoundGpus.of(
                        new GpuReaders.Chosen(GpuReaders.nvml(machine.library().toString()), List.of()), null))
                .hasMessage("no GPU was found: NVIDIA's driver knows of none");
    }

    @Test
    void withoutTheLibraryItIsTheProgram() {
        GpuReaders.Chosen chosen =
                GpuReaders.either(folder.resolve("nothing.so").toString());
        assertThat(chosen.reader()).isInstanceOf(NvidiaSmiReader.class);
        assertThat(chosen.warnings())
                .containsExactly("NVIDIA's library " + folder.resolve("nothing.so") + " cannot be loaded; NVIDIA's"
                        + " driver brings it along. The GPUs are read by nvidia-smi instead, which takes tenths of a"
                        + " second each time and tells neither of their errors (XID, ECC) nor how they are joined");
        chosen.reader().close();
        StandInNvml machine = new StandInNvml(folder, 1);
        GpuReaders.Chosen library = GpuReaders.either(machine.library().toString());
        assertThat(library.reader()).isInstanceOf(NvmlReader.class);
        assertThat(library.warnings()).isEmpty();
        library.reader().close();
    }
}
