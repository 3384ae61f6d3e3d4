package dev.berth.server.doctor;

import dev.berth.server.gpu.GpuDevice;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The device nodes of the GPUs on the machine itself. */
final class NodesCheck {
    private static final int READ_AND_WRITE_FOR_ALL = 0666;

    private final Host host;
    private final Findings findings;

    NodesCheck(Host host, Findings findings) {
        this.host = host;
        this.findings = findings;
    }

    void look(List<GpuDevice> devices) {
        List<String> nodes = new ArrayList<>();
        devices.stream()
                .map(GpuDevice::minor)
                .filter(minor -> minor >= 0)
                .distinct()
                .forEach(minor -> nodes.add("/dev/nvidia" + minor));
        nodes.add("/dev/nvidiactl");
        nodes.add("/dev/nvidia-uvm");
        List<String> missing = new ArrayList<>();
        List<String> closed = new ArrayList<>();
        for (String node : nodes) {
            Optional<Integer> permissions = host.permissions(host.at(node));
            if (permissions.isEmpty()) {
                missing.add(node);
            } else if ((permissions.get() & READ_AND_WRITE_FOR_ALL) != READ_AND_WRITE_FOR_ALL) {
                closed.add(node + " (" + Integer.toOctalString(permissions.get()) + ")");
            }
        }
        if (!missing.isEmpty()) {
            findings.warning(
                    "nodes",
                    "not there yet: " + String.join(", ", missing) + "; NVIDIA's tools make them when first needed, and"
                            + " a container may come before",
                    "nvidia-modprobe -u" + arguments(devices));
        }
        if (!closed.isEmpty()) {
            findings.warning(
                    "nodes",
                    "not open to every user, while jobs run as the users who submit them: " + String.join(", ", closed),
                    "chmod 666 "
                            + String.join(
                                    " ",
                                    closed.stream()
                                            .map(node -> node.replaceFirst(" .*", ""))
                                            .toList()));
        }
        if (missing.isEmpty() && closed.isEmpty()) {
            findings.ok("nodes", "the device nodes are there and open to jobs");
        }
    }

    private static String arguments(List<GpuDevice> devices) {
        StringBuilder arguments = new StringBuilder();
        devices.stream()
                .map(GpuDevice::minor)
                .filter(minor -> minor >= 0)
                .distinct()
                .forEach(minor -> arguments.append(" -c ").append(minor));
        return arguments.toString();
    }
}
