package dev.berth.server.doctor;

import dev.berth.server.gpu.GpuDevice;
import dev.berth.server.gpu.nvidia.GpuMode;
import dev.berth.server.runner.docker.EngineSetup;
import java.util.List;

/**
 * The set-ups in which a container loses its GPUs while it runs, and its programs say "Failed to initialize NVML: Unknown
 * Error" (NVIDIA Container Toolkit, "Troubleshooting"): systemd keeps the device rules, writes them anew at each reload,
 * and knows nothing of devices that a hook added behind its back.
 */
final class LossCheck {
    private static final String UPGRADE =
            "apt-get update && apt-get install --only-upgrade nvidia-container-toolkit && systemctl restart docker";
    private static final String LINKS = "nvidia-ctk system create-dev-char-symlinks --create-all";
    private static final int NVIDIA_MAJOR = 195;
    private static final String CHECK = "device loss";

    private final Host host;
    private final Findings findings;

    LossCheck(Host host, Findings findings) {
        this.host = host;
        this.findings = findings;
    }

    void look(EngineSetup engine, Toolkit toolkit, GpuMode mode, List<GpuDevice> devices) {
        if (!engine.cgroupDriver().equals("systemd")) {
            findings.ok(
                    CHECK,
                    engine.cgroupDriver().isEmpty()
                            ? "the engine does not say who keeps the device rules of containers"
                            : "GPUs stay with their containers: nobody but the engine writes their device rules ("
                                    + engine.cgroupDriver() + "); docker update of a job can still take them away");
            return;
        }
        boolean specified = mode == GpuMode.CDI || (mode == GpuMode.RUNTIME && toolkit.writesSpecification());
        if (!specified) {
            findings.warning(
                    CHECK,
                    "a job can lose its GPUs while it runs (Failed to initialize NVML: Unknown Error):"
                            + " systemd writes the device rules of containers anew at each daemon-reload, and "
                            + hidden(toolkit, mode),
                    mend(toolkit, mode));
        } else {
            findings.ok(CHECK, "GPUs stay with their containers: their devices are in the containers' specifications");
        }
        links(devices);
    }

    private static String hidden(Toolkit toolkit, GpuMode mode) {
        return mode == GpuMode.DEVICE_REQUEST
                ? "the hook of device requests adds GPUs behind its back"
                : toolkit.mode().equals("legacy")
                        ? "the toolkit's runtime, in mode legacy, adds GPUs behind its back"
                        : "a toolkit before 1.18 (" + toolkit.version().orElse("its version is not known")
                                + " here) adds GPUs behind its back";
    }

    private static String mend(Toolkit toolkit, GpuMode mode) {
        return mode == GpuMode.DEVICE_REQUEST
                ? "berth server start -g --gpu-mode runtime"
                : toolkit.mode().equals("legacy")
                        ? "nvidia-ctk config --in-place --set nvidia-container-runtime.mode=auto"
                        : UPGRADE;
    }

    /** Some versions of runc have systemd find devices by these links, and withhold what has none. */
    private void links(List<GpuDevice> devices) {
        List<String> missing = devices.stream()
                .filter(device -> device.minor() >= 0 && host.has("/dev/nvidia" + device.minor()))
                .map(device -> "/dev/char/" + NVIDIA_MAJOR + ":" + device.minor())
                .filter(link -> !host.has(link))
                .toList();
        if (!missing.isEmpty()) {
            findings.warning(
                    CHECK, "links by which systemd finds GPUs are missing: " + String.join(", ", missing), LINKS);
        }
    }
}
