package dev.berth.server.config;

import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How the machine's GPUs are looked at.
 *
 * @param library NVIDIA's library, null for the one that the loader finds
 */
public record GpuSettings(Reader reader, @Nullable Path library) {

    /** What reads the GPUs. */
    public enum Reader {
        AUTO,
        NVML,
        NVIDIA_SMI;

        String word() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    static GpuSettings of(Values values) {
        return new GpuSettings(values.get(Keys.GPU_READER), values.find(Keys.GPU_LIBRARY));
    }
}
