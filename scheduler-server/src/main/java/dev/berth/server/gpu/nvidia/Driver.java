package dev.berth.server.gpu.nvidia;

import dev.berth.server.gpu.GpuInventory;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The properties of a driver that an image may ask for.
 *
 * @param version as in "535.54.03"; null where unknown, and then nothing is refused
 * @param cuda the newest CUDA that it runs, as in "12.2"; null where unknown
 * @param brand the GPUs' brand in the words of images ("geforce"), null where unknown or of several kinds
 */
public record Driver(
        @Nullable String version,
        @Nullable String cuda,
        @Nullable String brand) {
    public static final Driver UNKNOWN = new Driver(null, null, null);

    /** The driver of the machine's GPUs. */
    public static Driver of(GpuInventory inventory) {
        var brands = inventory.devices().stream()
                .map(device -> brand(device.gpu().name()))
                .distinct()
                .toList();
        return new Driver(
                inventory.driver(),
                inventory.cuda(),
                brands.size() == 1 ? brands.getFirst().orElse(null) : null);
    }

    /** By the model's name, for the families whose names leave no doubt. */
    private static Optional<String> brand(String name) {
        String model = name.startsWith("NVIDIA ") ? name.substring("NVIDIA ".length()) : name;
        return model.startsWith("GeForce RTX")
                ? Optional.of("geforcertx")
                : model.startsWith("GeForce")
                        ? Optional.of("geforce")
                        : model.startsWith("Tesla") ? Optional.of("tesla") : Optional.empty();
    }
}
