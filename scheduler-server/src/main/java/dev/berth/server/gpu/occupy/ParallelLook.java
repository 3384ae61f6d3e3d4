package dev.berth.server.gpu.occupy;

import dev.berth.core.job.GpuId;
import dev.berth.server.gpu.GpuException;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;

/** Looks at several GPUs at once, each on a thread of its own: those that hang or are slow take no longer than one does. */
final class ParallelLook {
    private ParallelLook() {}

    /** The answer for each of them, once all are there. */
    static <T> SortedMap<GpuId, T> of(List<GpuId> gpus, Function<GpuId, T> look) {
        SortedMap<GpuId, CompletableFuture<T>> looks = new TreeMap<>();
        gpus.forEach(gpu ->
                looks.put(gpu, CompletableFuture.supplyAsync(() -> look.apply(gpu), Thread::startVirtualThread)));
        SortedMap<GpuId, T> answers = new TreeMap<>();
        try {
            for (GpuId gpu : looks.keySet()) {
                answers.put(gpu, looks.get(gpu).get());
            }
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException failure ? failure : new CompletionException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new GpuException(GpuException.Kind.FAILED, "interrupted while " + gpus + " were looked at");
        }
        return answers;
    }
}
