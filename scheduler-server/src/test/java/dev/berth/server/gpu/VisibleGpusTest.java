package dev.berth.server.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.job.Gpu;
import dev.berth.core.job.GpuId;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code CUDA_VISIBLE_DEVICES} in all its forms. */
class VisibleGpusTest {
    private static final List<Gpu> MACHINE = List.of(
            gpu(0, "GPU-8932f937-d72c-4106-c12f-20bd9faed9f6"),
            gpu(1, "GPU-8932f937-ffff-4106-c12f-20bd9faed9f6"),
            gpu(2, "GPU-1a2b3c4d-d72c-4106-c12f-20bd9faed9f6"),
            gpu(3, "MIG-5e6f0000-d72c-4106-c12f-20bd9faed9f6"),
            gpu(10, "GPU-1a2b3c4d-d72c-4106-c12f-20bd9faed9f6-b"));

    private static Gpu gpu(int index, String uuid) {
        return new Gpu(new GpuId(uuid), index, "A card", 1024);
    }

    private static List<Integer> indices(String value) {
        return VisibleGpus.of(MACHINE, value).gpus().stream().map(Gpu::index).toList();
    }

    private static List<Integer> numbers(String list) {
        return list.isEmpty()
                ? List.of()
                : List.of(list.split(" ")).stream().map(Integer::valueOf).toList();
    }

    @Test
    void unsetMeansAll() {
        assertThat(VisibleGpus.of(MACHINE, null)).isEqualTo(new VisibleGpus(MACHINE, List.of()));
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
                "10,3|10 3",
                "003|3",
                "GPU-8932f937-d72c-4106-c12f-20bd9faed9f6|0",
                "GPU-8932f937-d|0",
                "GPU-8932f937-f|1",
                "gpu-8932F937-F|1",
                "MIG-5e6f0000-d72c-4106-c12f-20bd9faed9f6|3",
                "MIG-|3",
                "mig-5|3",
                "GPU-1a2b3c4d-d72c-4106-c12f-20bd9faed9f6|2",
                "GPU-1A2B3C4D-D72C-4106-C12F-20BD9FAED9F6|2",
                "GPU-1a2b3c4d-d72c-4106-c12f-20bd9faed9f6-|10",
                "GPU-8932f937-f,0,MIG-5e6f|1 0 3"
            })
    void everyFormNamesItsGpusInTheOrderOfTheList(String value, String gpus) {
        VisibleGpus visible = VisibleGpus.of(MACHINE, value);
        assertThat(visible.gpus()).extracting(Gpu::index).isEqualTo(numbers(gpus));
        assertThat(visible.warnings()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-1|''|that entry is ignored",
                "0,2,-1,1|0 2|that entry and the 1 after it are ignored",
                "0,-1,1,2,3|0|that entry and the 3 after it are ignored",
                "4|''|'4' names no GPU of this machine",
                "0,99|0|'99' names no GPU of this machine",
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
                "MIG-GPU-8932f937/1/0|''|'MIG-GPU-8932f937/1/0' names no GPU"
            })
    void theFirstInvalidEntryCutsTheListOffAndIsReported(String value, String gpus, String warning) {
        VisibleGpus visible = VisibleGpus.of(MACHINE, value);
        assertThat(visible.gpus()).extracting(Gpu::index).isEqualTo(numbers(gpus));
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
        assertThat(indices("0,-1,0")).containsExactly(0);
    }

    @ParameterizedTest
    @CsvSource({"GPU-,4", "gpu-,4", "GPU-8932f937,2", "GPU-8932f937-,2", "GPU-1a2b,2"})
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
