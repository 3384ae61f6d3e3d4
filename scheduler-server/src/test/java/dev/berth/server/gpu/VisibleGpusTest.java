package dev.berth.server.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.job.Gpu;
import dev.berth.core.job.GpuId;
import dev.berth.core.job.GpuIndex;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code CUDA_VISIBLE_DEVICES} in all its forms. */
class VisibleGpusTest {
    private static final GpuId DIVIDED = new GpuId("GPU-5e6f0000-aaaa-4106-c12f-20bd9faed9f6");

    private static final List<GpuDevice> MACHINE = List.of(
            gpu(0, "GPU-8932f937-d72c-4106-c12f-20bd9faed9f6"),
            gpu(1, "GPU-8932f937-ffff-4106-c12f-20bd9faed9f6"),
            gpu(2, "GPU-1a2b3c4d-d72c-4106-c12f-20bd9faed9f6"),
            mig(0, "MIG-5e6f0000-d72c-4106-c12f-20bd9faed9f6", "1/0"),
            mig(2, "MIG-77770000-d72c-4106-c12f-20bd9faed9f6", "2/1"),
            gpu(10, "GPU-1a2b3c4d-d72c-4106-c12f-20bd9faed9f6-b"),
            // As drivers before 470 call it.
            gpu(11, "MIG-GPU-99990000-d72c-4106-c12f-20bd9faed9f6/3/0"));

    private static GpuDevice gpu(int index, String uuid) {
        return gpu(new Gpu(new GpuId(uuid), index, "A GPU", 1024), null);
    }

    private static GpuDevice mig(int device, String uuid, String instances) {
        return gpu(
                new Gpu(new GpuId(uuid), new GpuIndex(3, device), "A GPU MIG 1g.5gb", 1024),
                new GpuDevice.Mig(DIVIDED, instances));
    }

    private static GpuDevice gpu(Gpu gpu, GpuDevice.@Nullable Mig mig) {
        return new GpuDevice(gpu, "", -1, mig, GpuDevice.ComputeMode.DEFAULT, false);
    }

    private static List<String> indices(@Nullable String value) {
        return indices(VisibleGpus.of(MACHINE, value));
    }

    private static List<String> indices(VisibleGpus visible) {
        return visible.gpus().stream().map(gpu -> gpu.index().toString()).toList();
    }

    private static List<String> words(String list) {
        return list.isEmpty() ? List.of() : List.of(list.split(" "));
    }

    @Test
    void unsetMeansAll() {
        assertThat(indices((String) null)).containsExactly("0", "1", "2", "3:0", "3:2", "10", "11");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\t"})
    void emptyMeansNoneAndIsNoMistake(String value) {
        assertThat(VisibleGpus.of(MACHINE, value)).isEqualTo(new VisibleGpus(List.of(), List.of()));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0|0",
                "0,2|0 2",
                "2,0|2 0",
                " 2 ,\t0 |2 0",
                "10,3|10 3:0 3:2",
                "002|2",
                "3:2,3:0|3:2 3:0",
                "GPU-5e6f0000-aaaa-4106-c12f-20bd9faed9f6|3:0 3:2",
                "GPU-5e,1|3:0 3:2 1",
                "MIG-GPU-5e6f0000-aaaa-4106-c12f-20bd9faed9f6/1/0|3:0",
                "mig-gpu-5E6F0000-aaaa-4106-c12f-20bd9faed9f6/2/1|3:2",
                "MIG-GPU-99990000-d72c-4106-c12f-20bd9faed9f6/3/0|11",
                "GPU-8932f937-d72c-4106-c12f-20bd9faed9f6|0",
                "GPU-8932f937-d|0",
                "GPU-8932f937-f|1",
                "gpu-8932F937-F|1",
                "MIG-5e6f0000-d72c-4106-c12f-20bd9faed9f6|3:0",
                "mig-7|3:2",
                "mig-5|3:0",
                "GPU-1a2b3c4d-d72c-4106-c12f-20bd9faed9f6|2",
                "GPU-1A2B3C4D-D72C-4106-C12F-20BD9FAED9F6|2",
                "GPU-1a2b3c4d-d72c-4106-c12f-20bd9faed9f6-|10",
                "GPU-8932f937-f,0,MIG-5e6f|1 0 3:0"
            })
    void everyFormNamesItsGpusInTheOrderOfTheList(String value, String gpus) {
        VisibleGpus visible = VisibleGpus.of(MACHINE, value);
        assertThat(indices(visible)).isEqualTo(words(gpus));
        assertThat(visible.warnings()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-1|''|that entry is ignored",
                "0,2,-1,1|0 2|that entry and the 1 after it are ignored",
                "0,-1,1,2,3|0|that entry and the 3 after it are ignored",
                "4|''|'4' names no GPU that can be allocated here",
                "0,99|0|'99' names no GPU that can be allocated here",
                "99999999999999999999|''|'99999999999999999999' names no GPU",
                "2147483648|''|'2147483648' names no GPU",
                "NoDevFiles|''|'NoDevFiles' names no GPU",
                "all|''|'all' names no GPU",
                "1gpu2|''|'1gpu2' names no GPU",
                "0;1|''|'0;1' names no GPU",
                "0 1|''|'0 1' names no GPU",
                "0,|0|'' names no GPU",
                ",0|''|that entry and the 1 after it are ignored",
                "0,,1|0|that entry and the 1 after it are ignored",
                "0x1|''|'0x1' names no GPU",
                "+1|''|'+1' names no GPU",
                "GPU-8932f937-d,GPU-nope,1|0|'GPU-nope' names no GPU",
                "8932f937|''|'8932f937' names no GPU",
                "GPU|''|'GPU' names no GPU",
                "3:1|''|'3:1' names no GPU",
                "0:0|''|'0:0' names no GPU",
                "3:|''|'3:' names no GPU",
                "MIG-GPU-5e6f0000-aaaa-4106-c12f-20bd9faed9f6/1/1|''|/1/1' names no GPU",
                "MIG-GPU-8932f937/1/0|''|'MIG-GPU-8932f937/1/0' names no GPU"
            })
    void theFirstInvalidEntryCutsTheListOffAndIsReported(String value, String gpus, String warning) {
        VisibleGpus visible = VisibleGpus.of(MACHINE, value);
        assertThat(indices(visible)).isEqualTo(words(gpus));
        assertThat(visible.warnings()).hasSize(1);
        assertThat(visible.warnings().getFirst())
                .startsWith("CUDA_VISIBLE_DEVICES=" + value + ": ")
                .contains(warning)
                .endsWith("ignored, as CUDA does");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0,0",
                "0,2,0",
                "0,00",
                "0,GPU-8932f937-d",
                "GPU-8932f937-d,gpu-8932f937-D72C",
                "3,MIG-5e6f",
                "3:0,3",
                "MIG-5e6f,GPU-5e6f",
                "MIG-GPU-5e6f0000-aaaa-4106-c12f-20bd9faed9f6/1/0,3:0",
                "0,1,0,nonsense"
            })
    void aGpuThatIsNamedTwiceIsAnError(String value) {
        assertThatThrownBy(() -> VisibleGpus.of(MACHINE, value))
                .isInstanceOf(GpuException.class)
                .hasMessageStartingWith("CUDA_VISIBLE_DEVICES=" + value + " names GPU ")
                .hasMessageEndingWith(" twice; name each GPU once");
    }

    @Test
    void aDuplicateBehindTheCutIsAsIfItWereNotThere() {
        assertThat(indices("0,-1,0")).containsExactly("0");
    }

    @ParameterizedTest
    @CsvSource({"GPU-,5", "gpu-,5", "MIG-,3", "GPU-8932f937,2", "GPU-8932f937-,2", "GPU-1a2b,2"})
    void aPrefixOfSeveralIsAnError(String prefix, int matches) {
        assertThatThrownBy(() -> VisibleGpus.of(MACHINE, prefix))
                .isInstanceOf(GpuException.class)
                .hasMessage("CUDA_VISIBLE_DEVICES: '" + prefix + "' begins the UUIDs of " + matches
                        + " GPUs; write more of it");
    }

    @Test
    void aMachineWithoutGpusHasNoneToShow() {
        assertThat(VisibleGpus.of(List.of(), null).gpus()).isEmpty();
        assertThat(VisibleGpus.of(List.of(), "0").warnings()).hasSize(1);
    }
}
