package dev.berth.server.doctor;

import dev.berth.core.job.Gpu;
import dev.berth.server.gpu.nvidia.CdiSpecifications;
import dev.berth.server.gpu.nvidia.GpuMode;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.docker.ContainerEngine;
import dev.berth.server.runner.docker.EngineFacts;
import dev.berth.server.runner.docker.EngineSetup;
import dev.berth.server.runner.docker.GpuAccess;
import dev.berth.server.runner.docker.GpuWays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** The container engine: does it answer, and can it give GPUs away by the way that is configured. */
final class EngineCheck {
    private final Findings findings;

    EngineCheck(Findings findings) {
        this.findings = findings;
    }

    /** The engine, where it answers. */
    Optional<ContainerEngine> connect(Supplier<ContainerEngine> connection) {
        try {
            return Optional.of(connection.get());
        } catch (EngineException e) {
            findings.failure(
                    "engine",
                    e.sentence(),
                    e.sentence().contains("may not be used by you")
                            ? "sudo usermod -aG docker " + System.getProperty("user.name")
                            : "systemctl start docker");
            return Optional.empty();
        }
    }

    /** The facts that the engine says of itself, where it does. */
    Optional<EngineFacts> facts(ContainerEngine engine) {
        try {
            EngineFacts facts = engine.facts();
            EngineSetup setup = facts.setup();
            findings.ok(
                    "engine",
                    facts.version()
                            + (setup.cgroupDriver().isEmpty() ? "" : ", cgroup driver " + setup.cgroupDriver())
                            + (setup.cgroupVersion() == 0 ? "" : ", cgroup version " + setup.cgroupVersion()));
            return Optional.of(facts);
        } catch (EngineException e) {
            findings.failure("engine", e.sentence(), "systemctl restart docker");
            return Optional.empty();
        }
    }

    /** The way that jobs come to their GPUs by. */
    GpuMode way(EngineFacts engine, GpuMode wished, List<Gpu> gpus) {
        GpuWays ways = GpuWays.of(engine);
        GpuMode mode = ways.chosen(wished);
        String by = "gpus.mode " + mode.word() + (wished == GpuMode.AUTO ? " (by auto)" : "");
        ways.obstacle(mode)
                .ifPresentOrElse(
                        obstacle -> findings.failure("way", by + ": " + obstacle.sentence(), obstacle.mend()),
                        () -> findings.ok("way", by + ": " + words(mode)));
        if (mode == GpuMode.CDI) {
            specified(engine.setup(), gpus);
        }
        return mode;
    }

    private static String words(GpuMode mode) {
        return switch (mode) {
            case AUTO, RUNTIME -> "the engine has the runtime nvidia";
            case DEVICE_REQUEST -> "whether the engine serves device requests, the test containers show";
            case CDI -> "the engine reads CDI specifications";
        };
    }

    /** A specification is of the day it was written: a GPU that came later is not in it. */
    private void specified(EngineSetup setup, List<Gpu> gpus) {
        Set<String> devices = new HashSet<>(setup.cdiDevices());
        devices.addAll(CdiSpecifications.read(setup.cdiDirectories(), GpuAccess.CDI_KIND)
                .devices());
        if (devices.isEmpty()) {
            // That there is none at all is said already.
            return;
        }
        List<String> missing = gpus.stream()
                .map(gpu -> GpuAccess.CDI_KIND + "=" + gpu.id())
                .filter(device -> !devices.contains(device))
                .toList();
        if (missing.isEmpty()) {
            findings.ok("cdi", "each GPU is specified by its UUID");
        } else {
            findings.failure(
                    "cdi",
                    "the CDI specification is of an earlier day, or without UUIDs: it lacks "
                            + missing.stream().limit(4).collect(Collectors.joining(", "))
                            + (missing.size() > 4 ? " and " + (missing.size() - 4) + " more" : ""),
                    GpuWays.WRITE_CDI);
        }
    }
}
