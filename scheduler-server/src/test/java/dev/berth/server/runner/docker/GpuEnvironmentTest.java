package dev.berth.server.runner.docker;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GpuEnvironmentTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "CUDA_VISIBLE_DEVICES",
                "NVIDIA_VISIBLE_DEVICES",
                "NVIDIA_MIG_CONFIG_DEVICES",
                "NVIDIA_MIG_MONITOR_DEVICES",
                "NVIDIA_IMEX_CHANNELS",
                "NVIDIA_SOMETHING_NEW",
                "NVIDIA_",
                "BERTH_JOB_ID",
                "BERTH_GPU_UUIDS",
                "BERTH_ANYTHING"
            })
    void whatDecidesOnGpusIsBerthsAlone(String name) {
        assertThat(GpuEnvironment.isReserved(name)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "NVIDIA_DRIVER_CAPABILITIES",
                "NVIDIA_DISABLE_REQUIRE",
                "NVIDIA_TF32_OVERRIDE",
                "NVIDIA_REQUIRE_CUDA",
                "CUDA_LAUNCH_BLOCKING",
                "CUDA_DEVICE_ORDER",
                "PATH",
                "HOME",
                "BERTH",
                "MY_NVIDIA_VISIBLE_DEVICES",
                "nvidia_visible_devices"
            })
    void theRestIsTheSubmitters(String name) {
        assertThat(GpuEnvironment.isReserved(name)).isFalse();
    }
}
