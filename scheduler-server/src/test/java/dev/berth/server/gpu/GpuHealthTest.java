package dev.berth.server.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.GpuId;
import dev.berth.server.gpu.nvidia.Xid;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which errors take a GPU out of service. */
class GpuHealthTest {
    private static final GpuId GPU = new GpuId("GPU-1");
    private static final int MOST = 1_000;

    private final List<String> drained = new ArrayList<>();
    private final GpuHealth health = new GpuHealth((gpu, reason) -> drained.add(gpu + ": " + reason));

    @ParameterizedTest
    @ValueSource(ints = {46, 48, 62, 64, 74, 79, 95, 119, 120, 140, 143})
    void whatNvidiaAnswersWithAResetIsFatal(int number) {
        health.fault(GPU, Xid.of(number).fault());
        assertThat(drained).hasSize(1);
        assertThat(drained.getFirst()).startsWith("GPU-1: XID " + number + ": ");
    }

    @ParameterizedTest
    @ValueSource(ints = {13, 31, 43, 45, 63, 68, 69, 92, 94, 999, 0, -1})
    void whatIsAProgramsFaultOrUnknownIsNot(int number) {
        health.fault(GPU, Xid.of(number).fault());
        assertThat(drained).isEmpty();
    }

    @Test
    void lostGpusAndFatalErrorsTakeAGpuOutOfService() {
        health.fault(GPU, new GpuFault("an ECC error", true));
        health.lost(GPU);
        assertThat(drained)
                .containsExactly(
                        "GPU-1: an ECC error",
                        "GPU-1: it has fallen off the bus; reboot the machine, then berth gpus resume");
    }

    @Test
    void whatIsToBeDoneIsSaid() {
        assertThat(Xid.of(79).sentence())
                .isEqualTo("XID 79: the GPU has fallen off the bus; reboot the machine, then berth gpus resume");
        assertThat(Xid.of(94).sentence()).isEqualTo("XID 94: a memory error, contained in the program that met it");
        assertThat(Xid.of(555).sentence())
                .isEqualTo("XID 555: see docs.nvidia.com/deploy/xid-errors for what it means");
    }

    /** The lines of the page's table begin with the number and what happens to the GPU. */
    @Test
    void thePageHasTheSameTable() throws Exception {
        String page = Files.readString(Path.of("..", "docs", "gpus.md"));
        TreeSet<String> written = Pattern.compile("(?m)^\\| (\\d+) \\| (drained|in service) \\|")
                .matcher(page)
                .results()
                .map(line -> line.group(1) + " " + line.group(2))
                .collect(Collectors.toCollection(TreeSet::new));
        String unknown = Xid.of(MOST).words();
        TreeSet<String> known = IntStream.range(0, MOST)
                .mapToObj(Xid::of)
                .filter(xid -> !xid.words().equals(unknown))
                .map(xid -> xid.number() + (xid.isFatal() ? " drained" : " in service"))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(written).isEqualTo(known);
    }
}
