package dev.berth.core.machine;

import dev.berth.core.job.Gpu;
import java.util.List;
import java.util.stream.IntStream;

/** Machines' sizes for tests. The GPUs are {@code Jobs.gpu(0)}, {@code Jobs.gpu(1)} and so on. */
final class Capacities {
    private Capacities() {}

    /** As with {@code -g}: a worker a GPU, no CPU lane. */
    static Capacity gpus(int count) {
        return of(count, Math.max(1, count), 0);
    }

    static Capacity of(int gpus, int workers, int cpuWorkers) {
        List<Gpu> cards = IntStream.range(0, gpus)
                .mapToObj(index -> new Gpu(Jobs.gpu(index), index, "Card", 16_384))
                .toList();
        return new Capacity(cards, workers, cpuWorkers);
    }
}
