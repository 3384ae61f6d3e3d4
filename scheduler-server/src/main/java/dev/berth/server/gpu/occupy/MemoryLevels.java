package dev.berth.server.gpu.occupy;

import dev.berth.core.job.GpuId;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The amount of a GPU's memory that was in use when it was last allocated, so that what a job leaves behind can be told
 * from what the driver and a desktop hold. Not kept over a restart. Safe for any thread.
 */
public final class MemoryLevels {
    private final Map<GpuId, Long> levels = new ConcurrentHashMap<>();

    void note(GpuId gpu, @Nullable Long usedBytes) {
        if (usedBytes == null) {
            levels.remove(gpu);
        } else {
            levels.put(gpu, usedBytes);
        }
    }

    /** The level of a GPU, empty where nobody has seen it. */
    Optional<Long> of(GpuId gpu) {
        return Optional.ofNullable(levels.get(gpu));
    }
}
