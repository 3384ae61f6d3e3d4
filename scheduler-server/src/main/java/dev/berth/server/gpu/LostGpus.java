package dev.berth.server.gpu;

import dev.berth.core.job.GpuId;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** GPUs that have fallen off the bus; each is told once, no matter who finds it so. Safe for any thread. */
public final class LostGpus {
    private final Set<GpuId> lost = ConcurrentHashMap.newKeySet();
    private final List<GpuReader.GpuListener> listeners = new CopyOnWriteArrayList<>();

    public AutoCloseable tell(GpuReader.GpuListener listener) {
        listeners.add(listener);
        return () -> {
            boolean _ = listeners.remove(listener);
        };
    }

    /**
     * Takes note that a GPU does not answer.
     *
     * @param allocatable itself or its parts, of which the listeners are told
     */
    public void add(GpuId physical, List<GpuId> allocatable) {
        if (lost.add(physical)) {
            allocatable.forEach(gpu -> listeners.forEach(listener -> listener.lost(gpu)));
        }
    }

    /** Takes note that a GPU answers. */
    public void remove(GpuId physical) {
        boolean _ = lost.remove(physical);
    }
}
