package dev.berth.server.config;

import dev.berth.server.gpu.GpuMode;
import java.nio.file.Path;

/**
 * How jobs come to their GPUs.
 *
 * @param mps whether the Multi-Process Service holds those who share a GPU to their part
 * @param mpsPipe where that service's pipes are
 */
public record GpuAccessSettings(GpuMode mode, boolean mps, Path mpsPipe) {

    static GpuAccessSettings of(Values values) {
        return new GpuAccessSettings(
                values.get(Keys.GPU_MODE), values.get(Keys.GPU_MPS), values.get(Keys.GPU_MPS_PIPE));
    }
}
