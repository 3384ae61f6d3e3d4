package dev.berth.server.doctor;

import dev.berth.server.gpu.nvidia.GpuMode;

/** NVIDIA's container toolkit: is it there, and does it do what it is asked. */
final class ToolkitCheck {
    private static final String LEAST_SAFE = "1.17.8";
    private static final String SET = "nvidia-ctk config --in-place --set ";

    private final Host host;
    private final Findings findings;

    ToolkitCheck(Host host, Findings findings) {
        this.host = host;
        this.findings = findings;
    }

    /**
     * Looks at it.
     *
     * @param mode by which way jobs come to their GPUs
     */
    void look(Toolkit toolkit, GpuMode mode) {
        if (toolkit.version().isEmpty()) {
            findings.warning(
                    "toolkit",
                    "neither nvidia-ctk nor nvidia-container-cli says a version: the NVIDIA Container Toolkit is not"
                            + " installed, or not on the PATH",
                    install(host));
        } else {
            findings.ok(
                    "toolkit",
                    "NVIDIA Container Toolkit " + toolkit.version().get() + ", its runtime in mode " + toolkit.mode());
        }
        if (toolkit.version().isPresent() && !toolkit.isAtLeast(LEAST_SAFE)) {
            findings.warning(
                    "toolkit",
                    "a toolkit before " + LEAST_SAFE
                            + " lets an image run code as root on this machine (CVE-2025-23266)",
                    install(host));
        }
        if (mode != GpuMode.CDI && !toolkit.heedsVariable()) {
            findings.failure(
                    "toolkit",
                    Toolkit.CONFIG + " has it heed NVIDIA_VISIBLE_DEVICES of privileged containers only, and no job is"
                            + " privileged",
                    SET + "accept-nvidia-visible-devices-envvar-when-unprivileged=true");
        }
        if (mode != GpuMode.CDI && toolkit.leavesCgroupsAlone() && !toolkit.writesSpecification()) {
            findings.warning(
                    "toolkit",
                    Toolkit.CONFIG
                            + " says no-cgroups, which is for engines without root: containers may not open their"
                            + " GPUs",
                    SET + "nvidia-container-cli.no-cgroups=false");
        }
    }

    static String install(Host host) {
        return host.isDebian()
                ? "apt-get install nvidia-container-toolkit"
                : "see https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/install-guide.html";
    }
}
