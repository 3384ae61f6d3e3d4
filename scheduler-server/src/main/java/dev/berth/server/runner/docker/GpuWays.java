package dev.berth.server.runner.docker;

import dev.berth.server.gpu.nvidia.CdiSpecifications;
import dev.berth.server.gpu.nvidia.GpuMode;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Collectors;

/** The ways to GPUs that an engine has. */
public final class GpuWays {
    /** The command that makes the engine know the runtime. */
    public static final String REGISTER_RUNTIME =
            "nvidia-ctk runtime configure --runtime=docker && systemctl restart docker";

    /** The command that writes a specification. */
    public static final String WRITE_CDI = "nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml";

    /** The command that makes an engine heed specifications. */
    public static final String SWITCH_CDI_ON =
            "nvidia-ctk runtime configure --runtime=docker --cdi.enabled && systemctl restart docker";

    /** The reason why a way cannot be gone, and the command that mends it. */
    public record Obstacle(String sentence, String mend) {
        /** The reason and the command in one. */
        public String whole() {
            return sentence + "; run: " + mend;
        }
    }

    private final EngineFacts engine;
    private final CdiSpecifications specifications;

    GpuWays(EngineFacts engine, CdiSpecifications specifications) {
        this.engine = engine;
        this.specifications = specifications;
    }

    /** The ways of this engine, on this machine. */
    public static GpuWays of(EngineFacts engine) {
        return new GpuWays(engine, CdiSpecifications.read(engine.setup().cdiDirectories(), GpuAccess.CDI_KIND));
    }

    /** The way that is gone where one is wished for: {@code auto} is the first that there is. */
    public GpuMode chosen(GpuMode wished) {
        if (wished != GpuMode.AUTO) {
            return wished;
        }
        return obstacle(GpuMode.RUNTIME).isEmpty()
                ? GpuMode.RUNTIME
                : obstacle(GpuMode.CDI).isEmpty() ? GpuMode.CDI : GpuMode.DEVICE_REQUEST;
    }

    /** The obstacle in the way, as far as the engine tells: of device requests only a container's start does. */
    public Optional<Obstacle> obstacle(GpuMode mode) {
        return switch (mode) {
            case RUNTIME ->
                engine.runtimes().contains(EngineFacts.NVIDIA_RUNTIME)
                        ? Optional.empty()
                        : Optional.of(new Obstacle(
                                engine.version() + " has no runtime 'nvidia'; install the NVIDIA Container Toolkit and"
                                        + " register it",
                                REGISTER_RUNTIME));
            case CDI -> cdiObstacle();
            case AUTO, DEVICE_REQUEST -> Optional.empty();
        };
    }

    private Optional<Obstacle> cdiObstacle() {
        if (engine.setup().cdiDirectories().isEmpty()) {
            return Optional.of(new Obstacle(
                    engine.version() + " does not do CDI: that takes Docker Engine 25 or later with its feature 'cdi',"
                            + " which is on by itself from 28.3 on",
                    SWITCH_CDI_ON));
        }
        return cdiDevices() ? Optional.empty() : Optional.of(new Obstacle(unspecified(), WRITE_CDI));
    }

    private boolean cdiDevices() {
        return !specifications.devices().isEmpty()
                || engine.setup().cdiDevices().stream().anyMatch(device -> device.startsWith(GpuAccess.CDI_KIND + "="));
    }

    private String unspecified() {
        String places =
                engine.setup().cdiDirectories().stream().map(Path::toString).collect(Collectors.joining(", "));
        return "no CDI specification of " + GpuAccess.CDI_KIND + " is in " + places
                + (specifications.problems().isEmpty()
                        ? ""
                        : " (" + String.join("; ", specifications.problems()) + ")");
    }
}
