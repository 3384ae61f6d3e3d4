package dev.berth.server.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How the machine's GPUs are looked at.
 *
 * @param library NVIDIA's library, null for the one that the loader finds
 * @param sampleEvery from one look at all of them to the next, null for no look that nobody asks for
 * @param idleWarning after how long a job that leaves its GPUs idle is warned, null for never
 */
public record GpuSettings(
        Reader reader,
        @Nullable Path library,
        @Nullable Duration sampleEvery,
        @Nullable Duration idleWarning) {

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
        return new GpuSettings(
                values.get(Keys.GPU_READER),
                values.find(Keys.GPU_LIBRARY),
                nullIfOff(values.get(Keys.GPU_SAMPLE_EVERY)),
                nullIfOff(values.get(Keys.GPU_IDLE_WARNING)));
    }

    private static @Nullable Duration nullIfOff(Duration time) {
        return time.isZero() ? null : time;
    }
}
