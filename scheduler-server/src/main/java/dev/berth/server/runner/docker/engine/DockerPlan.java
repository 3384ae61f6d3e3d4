package dev.berth.server.runner.docker.engine;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.command.CreateContainerCmd;
import com.github.dockerjava.api.model.Capability;
import com.github.dockerjava.api.model.DeviceRequest;
import com.github.dockerjava.api.model.HostConfig;
import com.github.dockerjava.api.model.LogConfig;
import com.github.dockerjava.api.model.Mount;
import com.github.dockerjava.api.model.MountType;
import dev.berth.core.job.GpuId;
import dev.berth.server.code.Digests;
import dev.berth.server.runner.docker.ContainerPlan;
import dev.berth.server.runner.docker.GpuAccess;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A plan in the words of the Docker Engine API. */
final class DockerPlan {
    /** The label with the digest of the plan that a container was made of: the same for the life of a server. */
    private static final String PLAN_LABEL = "dev.berth.plan";

    private static final long NANO_A_MILLI = 1_000_000;

    /**
     * The weight of a program of each niceness when CPU time is divided (Linux, kernel/sched/core.c,
     * sched_prio_to_weight); a container of the usual one has 1024 shares (docker run --cpu-shares).
     */
    private static final int[] CPU_SHARES = {
        1024, 820, 655, 526, 423, 335, 272, 215, 172, 137, 110, 87, 70, 56, 45, 36, 29, 23, 18, 15
    };

    private static final long MILLI = 1_000;

    private DockerPlan() {}

    static CreateContainerCmd toCommand(DockerClient docker, ContainerPlan plan) {
        return docker.createContainerCmd(plan.imageId())
                .withName(plan.name())
                .withEntrypoint(plan.command().getFirst())
                .withCmd(plan.command().subList(1, plan.command().size()))
                .withUser(plan.user().uid() + ":" + plan.user().gid())
                .withEnv(environment(plan))
                // An image's own STOPSIGNAL may be anything; the contract says TERM.
                .withStopSignal("SIGTERM")
                .withWorkingDir(plan.workingDirectory())
                .withLabels(labels(plan))
                .withAttachStdout(true)
                .withAttachStderr(true)
                .withHostConfig(hostConfig(plan));
    }

    private static Map<String, String> labels(ContainerPlan plan) {
        Map<String, String> labels = new HashMap<>(plan.labels());
        labels.put(PLAN_LABEL, digest(plan));
        return labels;
    }

    private static String digest(ContainerPlan plan) {
        return Digests.of(plan.toString().getBytes(StandardCharsets.UTF_8));
    }

    /** Whether a container with these labels was made of the plan. */
    static boolean isOf(ContainerPlan plan, Map<String, String> labels) {
        return digest(plan).equals(labels.get(PLAN_LABEL));
    }

    private static HostConfig hostConfig(ContainerPlan plan) {
        ContainerPlan.Limits limits = plan.limits();
        return withIpc(withGpus(HostConfig.newHostConfig(), plan.gpus()), plan)
                .withInit(true)
                .withRuntime(plan.gpus().runtime())
                .withCapDrop(Capability.ALL)
                .withSecurityOpts(List.of("no-new-privileges"))
                .withGroupAdd(plan.user().groups().stream().map(String::valueOf).toList())
                .withNetworkMode(plan.network())
                .withNanoCPUs(timeMilli(limits) * NANO_A_MILLI)
                .withCpuShares(CPU_SHARES[limits.nice()])
                // Which node's memory is left open: the kernel takes the nearest by itself, and another's where that is
                // full. Bound to one node, a job would be ended for want of memory that the machine has.
                .withCpusetCpus(cores(limits))
                .withMemory(limits.memoryBytes())
                // Memory and swap together: the same number leaves no swap.
                .withMemorySwap(limits.memoryBytes())
                .withPidsLimit(limits.pids())
                .withShmSize(limits.shmBytes())
                .withMounts(plan.mounts().stream().map(DockerPlan::mount).toList())
                .withLogConfig(new LogConfig(
                        LogConfig.LoggingType.JSON_FILE,
                        Map.of("max-size", Long.toString(limits.logBytes()), "max-file", "1")));
    }

    /** The share of time of a job without cores: one with whole cores of its own would only be held up by a share. */
    private static long timeMilli(ContainerPlan.Limits limits) {
        return limits.cpuMilli() == limits.cpus().size() * MILLI ? 0 : limits.cpuMilli();
    }

    /** Empty for all of them. */
    private static String cores(ContainerPlan.Limits limits) {
        return limits.cpus().stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    private static HostConfig withIpc(HostConfig config, ContainerPlan plan) {
        return plan.ipcOfHost() ? config.withIpcMode("host") : config;
    }

    /**
     * The GPUs by their ids: a count would be the first so many of the machine (moby, daemon/nvidia_linux.go,
     * countToDevices).
     */
    private static HostConfig withGpus(HostConfig config, GpuAccess access) {
        return switch (access) {
            case GpuAccess.None _, GpuAccess.ByRuntime _ -> config;
            case GpuAccess.ByRequest(List<GpuId> gpus) ->
                config.withDeviceRequests(List.of(new DeviceRequest()
                        .withDriver("")
                        .withDeviceIds(gpus.stream().map(GpuId::uuid).toList())
                        .withCapabilities(List.of(List.of("gpu")))));
            case GpuAccess.ByCdi(List<String> devices) ->
                config.withDeviceRequests(
                        List.of(new DeviceRequest().withDriver("cdi").withDeviceIds(devices)));
        };
    }

    /** A variable without "=" is taken out of the image's environment (Engine API, ContainerConfig.Env). */
    private static List<String> environment(ContainerPlan plan) {
        List<String> lines = new ArrayList<>(plan.withoutVariables());
        plan.environment().forEach((name, value) -> lines.add(name + "=" + value));
        return lines;
    }

    /** A mount, not a bind: the engine refuses a source that is missing, where a bind would make it, as root. */
    private static Mount mount(ContainerPlan.Mount mount) {
        return new Mount()
                .withType(MountType.BIND)
                .withSource(mount.source().toString())
                .withTarget(mount.target())
                .withReadOnly(mount.readOnly());
    }
}
