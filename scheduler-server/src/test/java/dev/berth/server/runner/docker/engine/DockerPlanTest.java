package dev.berth.server.runner.docker.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.dockerjava.api.model.HostConfig;
import com.github.dockerjava.core.DefaultDockerClientConfig;
import com.github.dockerjava.core.DockerClientImpl;
import com.github.dockerjava.zerodep.ZerodepDockerHttpClient;
import dev.berth.core.job.GpuId;
import dev.berth.server.example.Jobs;
import dev.berth.server.runner.docker.ContainerPlan;
import dev.berth.server.runner.docker.ContainerPlan.Limits;
import dev.berth.server.runner.docker.GpuAccess;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The words in which an engine is asked for GPUs (Engine API, HostConfig.Runtime and HostConfig.DeviceRequests). */
class DockerPlanTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final List<GpuId> GPUS = List.of(new GpuId("GPU-b"), new GpuId("GPU-a"));

    private static JsonNode asked(GpuAccess access, boolean ipcOfHost) {
        return asked(access, ipcOfHost, new Limits(0, 0, List.of(), 0, 1L << 26, 256, 1L << 20));
    }

    private static JsonNode asked(GpuAccess access, boolean ipcOfHost, Limits limits) {
        ContainerPlan plan = new ContainerPlan(
                "name",
                "image",
                List.of("run"),
                Jobs.ADA,
                Map.of("NVIDIA_VISIBLE_DEVICES", access.visibleDevices()),
                List.of(),
                access,
                List.of(),
                "/",
                "none",
                ipcOfHost,
                limits,
                Map.of());
        URI nowhere = URI.create("tcp://127.0.0.1:1");
        HostConfig config = DockerPlan.toCommand(
                        DockerClientImpl.getInstance(
                                DefaultDockerClientConfig.createDefaultConfigBuilder()
                                        .withDockerHost(nowhere.toString())
                                        .build(),
                                new ZerodepDockerHttpClient.Builder()
                                        .dockerHost(nowhere)
                                        .build()),
                        plan)
                .getHostConfig();
        return JSON.valueToTree(Objects.requireNonNull(config));
    }

    private static String requests(GpuAccess access) {
        return asked(access, false).path("DeviceRequests").toString();
    }

    @Test
    void theRuntimeIsAlwaysNamed() {
        assertThat(asked(new GpuAccess.ByRuntime(GPUS), false).path("Runtime").asText())
                .isEqualTo("nvidia");
        for (GpuAccess access : List.of(
                new GpuAccess.None(),
                new GpuAccess.ByRequest(GPUS),
                new GpuAccess.ByCdi(List.of("nvidia.com/gpu=a")))) {
            assertThat(asked(access, false).path("Runtime").asText()).isEqualTo("runc");
        }
    }

    @Test
    void aDeviceRequestNamesTheGpusAndNoCount() {
        assertThat(requests(new GpuAccess.ByRequest(GPUS)))
                .isEqualTo(
                        "[{\"Driver\":\"\",\"Count\":null,\"DeviceIDs\":[\"GPU-b\",\"GPU-a\"],\"Capabilities\":[[\"gpu\"]],\"Options\":null}]");
    }

    @Test
    void cdiDevicesAreAskedForByTheirFullNames() {
        assertThat(requests(new GpuAccess.ByCdi(List.of("nvidia.com/gpu=GPU-b"))))
                .isEqualTo(
                        "[{\"Driver\":\"cdi\",\"Count\":null,\"DeviceIDs\":[\"nvidia.com/gpu=GPU-b\"],\"Capabilities\":null,\"Options\":null}]");
    }

    @Test
    void nobodyElseAsksForDevices() {
        assertThat(requests(new GpuAccess.None())).isIn("", "null");
        assertThat(requests(new GpuAccess.ByRuntime(GPUS))).isIn("", "null");
    }

    @Test
    void theMachinesSharedMemoryIsForTheMultiProcessServiceAlone() {
        assertThat(asked(new GpuAccess.None(), false).path("IpcMode").asText(""))
                .isIn("", "null");
        assertThat(asked(new GpuAccess.None(), true).path("IpcMode").asText()).isEqualTo("host");
    }

    @ParameterizedTest
    @CsvSource({"2000, 4 5, '4,5', 0", "1500, 4 5, '4,5', 1500000000", "1500, '', '', 1500000000", "0, '', '', 0"})
    void whoHasWholeCoresIsNotHeldToAShareOfTimeBesides(long milli, String cores, String cpuset, long nanos) {
        List<Integer> cpus = cores.isEmpty()
                ? List.of()
                : Stream.of(cores.split(" ")).map(Integer::valueOf).toList();
        JsonNode asked = asked(new GpuAccess.None(), false, new Limits(milli, 0, cpus, 0, 1L << 26, 256, 1L << 20));
        assertThat(asked.path("CpusetCpus").asText()).isEqualTo(cpuset);
        assertThat(asked.path("NanoCpus").asLong()).isEqualTo(nanos);
    }
}
