package dev.berth.server.runner.docker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.server.gpu.nvidia.CdiSpecifications;
import dev.berth.server.gpu.nvidia.GpuMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which way to GPUs an engine has, by what it and the specifications on the machine say. */
class GpuWaysTest {
    private static final String KIND = GpuAccess.CDI_KIND;

    @TempDir
    private Path directory;

    private static EngineFacts engine(Set<String> runtimes, List<Path> cdi, Set<String> devices) {
        return new EngineFacts("Docker Engine 28.3.0", runtimes, 0, 0, Path.of("/e"), Path.of("/e.sock"))
                .with(new EngineSetup("runc", "systemd", 2, cdi, devices));
    }

    private void write(String file, String text) throws IOException {
        Files.writeString(directory.resolve(file), text);
    }

    private GpuWays ways(String... runtimes) {
        return GpuWays.of(engine(Set.of(runtimes), List.of(directory, directory.resolve("missing")), Set.of()));
    }

    @Test
    void theRuntimeIsTheFirstChoice() throws IOException {
        write("nvidia.yaml", "kind: nvidia.com/gpu\ndevices: [{name: '0'}]\n");
        assertThat(ways("runc", "nvidia").chosen(GpuMode.AUTO)).isEqualTo(GpuMode.RUNTIME);
        assertThat(ways("runc").chosen(GpuMode.AUTO)).isEqualTo(GpuMode.CDI);
    }

    @Test
    void withoutBothItIsDeviceRequests() {
        assertThat(ways("runc").chosen(GpuMode.AUTO)).isEqualTo(GpuMode.DEVICE_REQUEST);
        assertThat(ways("runc").obstacle(GpuMode.DEVICE_REQUEST)).isEmpty();
    }

    @Test
    void whatWasSaidIsDone() {
        assertThat(ways("nvidia").chosen(GpuMode.CDI)).isEqualTo(GpuMode.CDI);
        assertThat(ways("nvidia").chosen(GpuMode.DEVICE_REQUEST)).isEqualTo(GpuMode.DEVICE_REQUEST);
    }

    @Test
    void whatIsMissingIsNamedWithItsMend() {
        assertThat(ways("runc").obstacle(GpuMode.RUNTIME).orElseThrow().whole())
                .isEqualTo("Docker Engine 28.3.0 has no runtime 'nvidia'; install the NVIDIA Container Toolkit and"
                        + " register it; run: nvidia-ctk runtime configure --runtime=docker && systemctl restart"
                        + " docker");
        assertThat(ways("runc").obstacle(GpuMode.CDI).orElseThrow().whole())
                .isEqualTo("no CDI specification of nvidia.com/gpu is in " + directory + ", " + directory
                        + "/missing; run: nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml");
        assertThat(GpuWays.of(engine(Set.of(), List.of(), Set.of()))
                        .obstacle(GpuMode.CDI)
                        .orElseThrow()
                        .mend())
                .contains("--cdi.enabled");
    }

    /** A server in a container does not see the machine's specifications; its engine does. */
    @Test
    void whatTheEngineHasDiscoveredIsThere() {
        GpuWays ways = GpuWays.of(engine(Set.of("runc"), List.of(directory), Set.of("nvidia.com/gpu=0")));
        assertThat(ways.obstacle(GpuMode.CDI)).isEmpty();
        GpuWays other = GpuWays.of(engine(Set.of("runc"), List.of(directory), Set.of("example.com/gpu=0")));
        assertThat(other.obstacle(GpuMode.CDI)).isPresent();
    }

    @Test
    void specificationsAreReadInBothForms() throws IOException {
        write("nvidia.yaml", "cdiVersion: 0.5.0\nkind: nvidia.com/gpu\ndevices:\n- name: \"0\"\n- name: GPU-1\n");
        write("more.json", "{\"kind\": \"nvidia.com/gpu\", \"devices\": [{\"name\": \"all\"}]}");
        write("other.yaml", "kind: example.com/fpga\ndevices: [{name: '0'}]\n");
        write("notes.txt", "kind: nvidia.com/gpu\ndevices: [{name: wrong}]\n");
        CdiSpecifications read = CdiSpecifications.read(List.of(directory), KIND);
        assertThat(read.devices()).containsExactlyInAnyOrder(KIND + "=0", KIND + "=GPU-1", KIND + "=all");
        assertThat(read.files()).containsExactly(directory.resolve("more.json"), directory.resolve("nvidia.yaml"));
        assertThat(read.problems()).isEmpty();
    }

    @Test
    void aSpecificationThatCannotBeReadIsNamedAndNoOther() throws IOException {
        write("broken.yaml", "kind: [nvidia.com/gpu\n");
        write("strange.yaml", "- a list\n");
        write("large.json", " ".repeat((4 << 20) + 1));
        CdiSpecifications read = CdiSpecifications.read(List.of(directory), KIND);
        assertThat(read.devices()).isEmpty();
        assertThat(read.problems()).hasSize(2).allMatch(problem -> problem.contains(" cannot be read: "));
        assertThat(ways("runc").obstacle(GpuMode.CDI).orElseThrow().sentence()).contains("broken.yaml cannot be read");
    }
}
