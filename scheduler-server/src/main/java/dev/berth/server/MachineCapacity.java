package dev.berth.server;

import dev.berth.core.job.Gpu;
import dev.berth.core.job.GpuId;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.machine.Capacity;
import dev.berth.core.machine.GpuRules;
import dev.berth.core.machine.QueueRules;
import dev.berth.core.machine.Waiting;
import dev.berth.core.place.CpuTopology;
import dev.berth.server.config.ByteSize;
import dev.berth.server.config.GpuWord;
import dev.berth.server.config.Keys;
import dev.berth.server.config.Settings;
import dev.berth.server.cpu.CpuInventory;
import dev.berth.server.gpu.FoundGpus;
import dev.berth.server.store.JobStore;
import dev.berth.server.store.UnfitJobs;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** The resources of this machine that jobs can be allocated, as the configuration says. */
final class MachineCapacity {
    private MachineCapacity() {}

    /**
     * The capacity of a server.
     *
     * @throws StartException where the configuration speaks of a GPU that is not there
     */
    static Capacity of(Settings settings, FoundGpus found, CpuInventory cpus) {
        List<Gpu> gpus = found.gpus();
        Integer workers = settings.find(Keys.WORKERS);
        GpuRules rules = rules(settings, gpus, Occupancy.isWanted(settings, found));
        return new Capacity(
                gpus,
                workers == null ? workers(gpus, rules) : workers,
                settings.get(Keys.CPU_WORKERS),
                rules,
                found.inventory().topology(),
                settings.get(Keys.BOOKING_CORES) ? cpus.cpus() : CpuTopology.NONE,
                memory(settings, cpus),
                order(settings),
                found.limit(),
                new TreeMap<>());
    }

    /**
     * The rules for these GPUs.
     *
     * @param cleans whether a GPU that a job has left can be looked at
     * @throws StartException where the configuration speaks of a GPU that is not there
     */
    private static GpuRules rules(Settings settings, List<Gpu> gpus, boolean cleans) {
        SortedMap<GpuId, Integer> shares = new TreeMap<>();
        settings.get(Keys.GPU_SHARES_OF)
                .forEach(said -> shares.put(find(gpus, said, "gpus.shares-of"), Integer.parseInt(said.word())));
        SortedMap<GpuId, List<String>> labels = new TreeMap<>();
        settings.get(Keys.GPU_LABELS)
                .forEach(said -> labels.computeIfAbsent(find(gpus, said, "gpus.labels"), _ -> new ArrayList<>())
                        .add(said.word()));
        return new GpuRules(
                settings.get(Keys.GPU_SHARES), shares, labels, cleans, settings.get(Keys.MAX_FAILED_STARTS));
    }

    /** The jobs that wait and cannot run on this server, and what becomes of it, before anything is done with it. */
    static Optional<String> unfit(JobStore store, Capacity capacity) {
        UnfitJobs unfit = store.unfit(capacity::refusal);
        if (unfit.count() == 0) {
            return Optional.empty();
        }
        String why = Waiting.reason(unfit.why());
        List<String> numbers =
                unfit.first().stream().map(id -> number(store, id)).toList();
        String first = numbers.getFirst();
        String who = unfit.count() == 1
                ? "job " + first + ", which waits, cannot run here: " + why
                : unfit.count() + " jobs that wait cannot run here (" + named(numbers, unfit.count()) + "); job "
                        + first + ": " + why;
        return Optional.of(who
                + (capacity.order().dropsUnfit()
                        ? "; at the front of the queue such a job fails (--drop-unfit)"
                        : "; at the front of the queue such a job is held until a server is started that can run it"
                                + " (--drop-unfit fails it)"));
    }

    private static String number(JobStore store, JobId id) {
        return store.find(id).map(Job::number).orElse(id.toString());
    }

    private static String named(List<String> numbers, long count) {
        String first = String.join(", ", numbers);
        long more = count - numbers.size();
        return more == 0 ? first : first + ", and " + more + " more";
    }

    /** Each GPU takes as many jobs as may share it. */
    private static int workers(List<Gpu> gpus, GpuRules rules) {
        return Math.max(1, gpus.stream().mapToInt(gpu -> rules.shares(gpu.id())).sum());
    }

    /** The rules for which jobs of the queue have their turn. */
    private static QueueRules order(Settings settings) {
        return new QueueRules(
                settings.get(Keys.PASS_WHILE_PULLING),
                settings.get(Keys.START_ONE_BY_ONE),
                settings.get(Keys.DROP_UNFIT));
    }

    /** The memory that jobs can have of their own: what the operator says, else what was found. */
    private static long memory(Settings settings, CpuInventory found) {
        ByteSize said = settings.find(Keys.BOOKING_MEMORY);
        if (said != null) {
            return said.bytes();
        }
        return found.memoryBytes() == 0 ? Long.MAX_VALUE : found.memoryBytes();
    }

    private static GpuId find(List<Gpu> gpus, GpuWord said, String key) {
        return gpus.stream()
                .filter(gpu -> gpu.index().toString().equals(said.gpu())
                        || gpu.id().uuid().equalsIgnoreCase(said.gpu()))
                .map(Gpu::id)
                .findFirst()
                .orElseThrow(() -> StartException.usage(key + ": '" + said + "' speaks of GPU " + said.gpu()
                        + ", which this server does not allocate; name one by its index or its UUID (nvidia-smi -L)"));
    }
}
