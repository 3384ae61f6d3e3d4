package dev.berth.core.machine;

import dev.berth.core.job.Gpu;
import dev.berth.core.place.CpuTopology;
import dev.berth.core.place.GpuTopology;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Machines' sizes for tests. The GPUs are {@code TestJobs.gpu(0)}, {@code TestJobs.gpu(1)} and so on. */
final class Capacities {
    private Capacities() {}

    /** As with {@code -g}: a worker a GPU, no CPU lane. */
    static Capacity gpus(int count) {
        return of(count, Math.max(1, count), 0);
    }

    static Capacity of(int gpus, int workers, int cpuWorkers) {
        List<Gpu> all = IntStream.range(0, gpus)
                .mapToObj(index -> new Gpu(TestJobs.gpu(index), index, "GPU", 16_384))
                .toList();
        return new Capacity(all, workers, cpuWorkers);
    }

    /** So many GPUs of those that the machine has. */
    static Capacity limited(int gpus, GpuLimit limit) {
        Capacity plain = gpus(gpus);
        return with(plain, plain.order(), limit);
    }

    /** As many workers as jobs, so many cores to allocate, each a physical one, and so much memory. */
    static Capacity booked(int gpus, int cpus, long memoryBytes) {
        Capacity plain = of(gpus, 99, 0);
        CpuTopology cores = new CpuTopology(IntStream.range(0, cpus)
                .mapToObj(id -> new CpuTopology.Cpu(id, id, 0))
                .toList());
        return new Capacity(
                plain.gpus(), 99, 0, GpuRules.WHOLE, GpuTopology.UNKNOWN, cores, memoryBytes, QueueRules.STRICT);
    }

    /** GPUs that up to so many jobs share, and that are looked at when a job has left them. */
    static Capacity shared(int gpus, int shares) {
        Capacity plain = of(gpus, gpus * shares, 0);
        GpuRules rules = new GpuRules(shares, new TreeMap<>(), new TreeMap<>(), true, 3);
        return new Capacity(
                plain.gpus(),
                plain.workers(),
                0,
                rules,
                GpuTopology.UNKNOWN,
                CpuTopology.NONE,
                Long.MAX_VALUE,
                QueueRules.STRICT);
    }

    /** So many of each, where queued jobs fail that ask for more. */
    static Capacity dropping(int gpus, int workers, int cpuWorkers) {
        return ordered(of(gpus, workers, cpuWorkers), new QueueRules(false, false, true));
    }

    /** One worker a GPU, and this order. */
    static Capacity ordered(int gpus, QueueRules order) {
        return ordered(gpus(gpus), order);
    }

    static Capacity ordered(Capacity plain, QueueRules order) {
        return with(plain, order, plain.limit());
    }

    private static Capacity with(Capacity plain, QueueRules order, @Nullable GpuLimit limit) {
        return new Capacity(
                plain.gpus(),
                plain.workers(),
                plain.cpuWorkers(),
                plain.rules(),
                plain.topology(),
                plain.cpus(),
                plain.memoryBytes(),
                order,
                limit,
                plain.targets());
    }

    /** The same with these targets beside it. */
    static Capacity targets(Capacity plain, Map<String, Integer> atOnce) {
        return targets(plain, atOnce, false);
    }

    /** The same, with engines that keep dependencies or do not. */
    static Capacity targets(Capacity plain, Map<String, Integer> atOnce, boolean keepDependencies) {
        SortedMap<String, TargetRules> rules = new TreeMap<>();
        atOnce.forEach((name, most) -> rules.put(name, new TargetRules(most, keepDependencies)));
        return plain.with(rules);
    }
}
