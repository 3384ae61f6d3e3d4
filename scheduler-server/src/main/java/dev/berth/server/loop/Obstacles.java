package dev.berth.server.loop;

import dev.berth.core.job.GpuId;
import dev.berth.core.machine.Obstacle;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * All that is known to be in the way of giving GPUs out.
 *
 * @param gpus by GPU
 * @param lock who holds the lock under which GPUs are chosen, in a sentence; null where nobody else does
 */
public record Obstacles(
        SortedMap<GpuId, Obstacle> gpus, @Nullable String lock) {
    public static final Obstacles NONE = new Obstacles(new TreeMap<>(), null);

    public Obstacles {
        gpus = Collections.unmodifiableSortedMap(new TreeMap<>(gpus));
    }
}
