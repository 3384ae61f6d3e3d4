package dev.berth.server;

import dev.berth.core.job.Gpu;
import dev.berth.server.config.Keys;
import dev.berth.server.config.Settings;
import dev.berth.server.gpu.nvidia.Driver;
import dev.berth.server.gpu.nvidia.GpuMode;
import dev.berth.server.runner.docker.EngineFacts;
import dev.berth.server.runner.docker.GpuHandover;
import dev.berth.server.runner.docker.GpuWays;
import dev.berth.server.runner.docker.Mps;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** The way in which a server will hand its GPUs over, chosen at its start. */
final class GpuHandoverChoice {
    private GpuHandoverChoice() {}

    /**
     * The way that the settings and the engine leave.
     *
     * @throws StartException where it cannot be gone
     */
    static GpuHandover of(Settings settings, EngineFacts engine, List<Gpu> gpus, Supplier<Driver> driver) {
        if (settings.simulatesGpus()) {
            return GpuHandover.SIMULATED;
        }
        GpuWays ways = GpuWays.of(engine);
        GpuMode mode = ways.chosen(settings.get(Keys.GPU_MODE));
        Optional<GpuWays.Obstacle> obstacle = settings.givesGpus() ? ways.obstacle(mode) : Optional.empty();
        if (obstacle.isPresent()) {
            throw StartException.failed(obstacle.get().whole());
        }
        return new GpuHandover(
                mode, settings.get(Keys.GPU_MPS) ? new Mps(settings.get(Keys.GPU_MPS_PIPE)) : null, gpus, driver);
    }

    /** The way of the handover, for people; empty where no GPU is allocated. */
    static String inWords(GpuHandover handover, GpuMode wished) {
        GpuMode mode = handover.mode();
        if (mode == null || handover.gpus().isEmpty()) {
            return "";
        }
        String way = switch (mode) {
            case AUTO, RUNTIME -> "by the runtime nvidia";
            case DEVICE_REQUEST -> "by device requests";
            case CDI -> "by CDI";
        };
        return way + (wished == GpuMode.AUTO ? " (found by gpus.mode auto)" : "");
    }

    /** The warnings that the operator should know, a sentence each. */
    static List<String> warnings(GpuHandover handover) {
        Mps mps = handover.mps();
        return mps == null || handover.gpus().isEmpty()
                ? List.of()
                : mps
                        .obstacle()
                        .map(why -> "gpus.mps is on, and nothing holds jobs that share a GPU to their part: " + why)
                        .stream()
                        .toList();
    }
}
