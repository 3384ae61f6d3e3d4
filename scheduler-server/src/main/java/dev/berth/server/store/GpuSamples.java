package dev.berth.server.store;

import dev.berth.core.job.GpuId;
import java.util.List;

/**
 * A block of a GPU's history. It takes the place of the block that stood in its place one round before.
 *
 * @param step how many seconds a sample stands for
 * @param place which block of the ring it is
 * @param block which block it is since 1970
 * @param samples 64 bits each, which nobody here reads
 */
public record GpuSamples(GpuId gpu, int step, int place, long block, List<Long> samples) {
    public GpuSamples {
        samples = List.copyOf(samples);
    }
}
