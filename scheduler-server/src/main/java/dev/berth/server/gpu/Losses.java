package dev.berth.server.gpu;

import dev.berth.core.job.GpuId;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Tells once that a card is lost, whoever found it so. */
final class Losses {
    private final Set<GpuId> lost = ConcurrentHashMap.newKeySet();
    private final List<GpuReader.GpuListener> listeners = new CopyOnWriteArrayList<>();

    AutoCloseable tell(GpuReader.GpuListener listener) {
        listeners.add(listener);
        return () -> {
            boolean _ = listeners.remove(listener);
        };
    }

    void lost(FoundCard card) {
        if (lost.add(card.id())) {
            card.given().forEach(gpu -> listeners.forEach(listener -> listener.lost(gpu)));
        }
    }

    /** The card answers. */
    void well(FoundCard card) {
        boolean _ = lost.remove(card.id());
    }
}
