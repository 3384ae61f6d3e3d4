package dev.berth.server.doctor;

import dev.berth.server.gpu.GpuDevice;
import dev.berth.server.gpu.GpuException;
import dev.berth.server.gpu.GpuInventory;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The driver, its CUDA, and the GPUs that it sees. */
final class DriverCheck {
    private static final String VERSION_FILE = "/proc/driver/nvidia/version";

    /** "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.54.03  Tue Jun ..." */
    private static final Pattern VERSION = Pattern.compile("Kernel Module[^\\n]*?\\s(\\d+\\.\\d+(\\.\\d+)?)\\s");

    private final Host host;
    private final Findings findings;

    DriverCheck(Host host, Findings findings) {
        this.host = host;
        this.findings = findings;
    }

    /** The GPUs that the machine has; empty where nothing can be said of any GPU. */
    Optional<GpuInventory> look(Supplier<GpuInventory> reader) {
        GpuInventory inventory;
        try {
            inventory = reader.get();
        } catch (GpuException e) {
            findings.failure("driver", "no driver: " + e.getMessage() + "; jobs without GPUs can run", driverMend());
            return Optional.empty();
        }
        driver(inventory);
        cuda(inventory);
        gpus(inventory);
        persistence();
        return Optional.of(inventory);
    }

    private String driverMend() {
        if (host.has(VERSION_FILE)) {
            // The module is there and its library is not, or is of another version: an update without a restart.
            return "reboot";
        }
        if (host.hasProgram("nvidia-smi")) {
            return "modprobe nvidia";
        }
        return switch (host.distribution()) {
            case "debian" -> "apt-get install nvidia-driver && reboot";
            case "ubuntu" -> "ubuntu-drivers install && reboot";
            default -> "see https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/";
        };
    }

    private void driver(GpuInventory inventory) {
        Optional<String> loaded = host.read(VERSION_FILE).flatMap(DriverCheck::version);
        String version = inventory.driver() == null ? loaded.orElse("of an unknown version") : inventory.driver();
        if (!host.has(VERSION_FILE)) {
            findings.warning(
                    "driver",
                    "driver " + version + " answers, but " + VERSION_FILE
                            + " is missing: its kernel module is not loaded here",
                    "modprobe nvidia");
        } else if (inventory.driver() != null
                && loaded.filter(it -> !it.equals(inventory.driver())).isPresent()) {
            findings.failure(
                    "driver",
                    "the kernel has driver " + loaded.get() + " loaded, and its library is of " + inventory.driver(),
                    "reboot");
        } else {
            findings.ok("driver", "driver " + version + " is loaded");
        }
    }

    private static Optional<String> version(String text) {
        Matcher version = VERSION.matcher(text);
        return version.find() ? Optional.of(version.group(1)) : Optional.empty();
    }

    private void cuda(GpuInventory inventory) {
        String cuda = inventory.cuda();
        if (cuda == null) {
            findings.warning("cuda", "the driver does not tell which CUDA it runs", "nvidia-smi");
        } else {
            findings.ok(
                    "cuda",
                    "runs CUDA up to " + cuda + "; for conda on a machine without a GPU: CONDA_OVERRIDE_CUDA=" + cuda);
        }
    }

    private void gpus(GpuInventory inventory) {
        int count = inventory.devices().size();
        if (count == 0) {
            findings.failure("gpus", "the driver sees no GPU", "lspci -nn | grep -i nvidia");
            return;
        }
        inventory.warnings().forEach(warning -> findings.warning("gpus", warning, "nvidia-smi -q"));
        for (GpuDevice device : inventory.devices()) {
            if (device.computeMode() == GpuDevice.ComputeMode.PROHIBITED) {
                findings.warning(
                        "gpus",
                        "GPU " + device.gpu().index() + " is in compute mode Prohibited: nobody can compute on it",
                        "nvidia-smi -i " + device.gpu().id() + " -c DEFAULT");
            }
        }
        findings.ok("gpus", count + (count == 1 ? " GPU" : " GPUs"));
    }

    /** Without it the driver forgets a GPU that nobody uses, and each start waits for it again. */
    private void persistence() {
        host.run("nvidia-smi", "--query-gpu=persistence_mode", "--format=csv,noheader")
                .filter(ran -> ran.exit() == 0)
                .ifPresent(ran -> {
                    if (ran.output().contains("Disabled")) {
                        findings.warning(
                                "persistence",
                                "persistence mode is off: each start on an idle GPU waits a second or more for the"
                                        + " driver",
                                host.hasProgram("nvidia-persistenced")
                                        ? "systemctl enable --now nvidia-persistenced"
                                        : "nvidia-smi -pm 1");
                    } else {
                        findings.ok("persistence", "persistence mode is on");
                    }
                });
    }
}
