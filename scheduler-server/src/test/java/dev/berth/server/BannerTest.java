package dev.berth.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Gpu;
import dev.berth.core.job.GpuId;
import dev.berth.core.machine.Capacity;
import dev.berth.server.http.view.ServerFacts;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class BannerTest {
    private static final List<Gpu> GPUS = List.of(
            new Gpu(new GpuId("GPU-8932f937-d72c-4106-c12f-20bd9faed9f6"), 0, "NVIDIA RTX A6000", 49_140),
            new Gpu(new GpuId("MIG-1a2b3c4d-d72c-4106-c12f-20bd9faed9f6"), 12, "NVIDIA A100 MIG 3g.20gb", 0));

    private static String banner(Capacity capacity, boolean simulated, String... warnings) {
        return banner(facts(simulated, warnings), capacity, List.of());
    }

    private static String banner(ServerFacts facts, Capacity capacity, List<Path> files) {
        return String.join("\n", Banner.lines(facts, capacity, files)) + "\n";
    }

    private static ServerFacts facts(boolean simulated, String... warnings) {
        return new ServerFacts(
                "1.2.3",
                4711,
                0,
                Path.of("/var/lib/berth/berth.sock"),
                "http://127.0.0.1:5555",
                Path.of("/var/lib/berth"),
                Instant.EPOCH,
                "berth-job:latest",
                "Docker Engine 20.10.24",
                simulated,
                simulated ? null : "570.00",
                simulated ? null : "12.8",
                simulated ? "" : "by CDI (found by gpus.mode auto)",
                List.of(warnings));
    }

    @Test
    void aServerWithGpusTellsWhichTheyAre() {
        assertThat(banner(new Capacity(GPUS, 2, 3), false, "one warning", "another"))
                .isEqualTo("""
                    berth 1.2.3 is ready, pid 4711
                      socket   /var/lib/berth/berth.sock
                      url      http://127.0.0.1:5555
                      data     /var/lib/berth
                      engine   Docker Engine 20.10.24
                      image    berth-job:latest
                      workers  2, and 3 for jobs without GPUs
                      gpus     2, driver 570.00, up to CUDA 12.8, given by CDI (found by gpus.mode auto)
                          0  GPU-8932f937-d72c-4106-c12f-20bd9faed9f6  NVIDIA RTX A6000  49140 MiB
                         12  MIG-1a2b3c4d-d72c-4106-c12f-20bd9faed9f6  NVIDIA A100 MIG 3g.20gb
                      warning  one warning
                      warning  another
                    """);
    }

    @Test
    void aServerWithoutGpusTellsTheWayToThem() {
        assertThat(banner(new Capacity(List.of(), 1, 0), false)).isEqualTo("""
            berth 1.2.3 is ready, pid 4711
              socket   /var/lib/berth/berth.sock
              url      http://127.0.0.1:5555
              data     /var/lib/berth
              engine   Docker Engine 20.10.24
              image    berth-job:latest
              workers  1
              gpus     none; start with -g to allocate this machine's
            """);
    }

    @Test
    void simulatedGpusAreCalledSimulated() {
        assertThat(banner(new Capacity(GPUS, 2, 0), true))
                .contains("  gpus     2, simulated (--simulate-gpus): no job sees a real one\n");
    }

    @Test
    void theFilesThatWereReadAreNamedFirst() {
        assertThat(banner(
                        facts(false),
                        new Capacity(List.of(), 1, 0),
                        List.of(Path.of("/etc/berth/berth.yaml"), Path.of("/home/ada/.config/berth/berth.yaml"))))
                .startsWith("""
                    berth 1.2.3 is ready, pid 4711
                      config   /etc/berth/berth.yaml, /home/ada/.config/berth/berth.yaml
                      socket\
                    """);
    }
}
