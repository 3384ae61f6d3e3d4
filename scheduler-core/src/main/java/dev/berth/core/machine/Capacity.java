package dev.berth.core.machine;

import dev.berth.core.job.Gpu;
import dev.berth.core.job.GpuId;
import dev.berth.core.job.GpuRequest;
import dev.berth.core.job.GpuTraits;
import dev.berth.core.job.Guarantee;
import dev.berth.core.job.JobSpec;
import dev.berth.core.place.CpuTopology;
import dev.berth.core.place.GpuTopology;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The resources that a server can allocate. They do not change while the server runs.
 *
 * @param gpus the GPUs, in the order of their indices
 * @param workers how many jobs of the main lane run at once, at least 1
 * @param cpuWorkers how many jobs of the CPU lane run at once; 0 means that there is no such lane
 * @param rules how the GPUs are allocated
 * @param topology how they are joined
 * @param cpus the cores that are allocated; none where a job's wish for cores is not booked
 * @param memoryBytes the memory that is allocated; {@link Long#MAX_VALUE} where a job's wish for memory is not booked
 * @param order how strictly jobs follow each other
 * @param limit what leaves the server fewer GPUs than the machine has; null where nothing does
 * @param targets how jobs go to each target, by its name
 */
public record Capacity(
        List<Gpu> gpus,
        int workers,
        int cpuWorkers,
        GpuRules rules,
        GpuTopology topology,
        CpuTopology cpus,
        long memoryBytes,
        QueueRules order,
        @Nullable GpuLimit limit,
        SortedMap<String, TargetRules> targets) {
    private static final int MILLI = 1_000;
    private static final int MIB_BITS = 20;
    /** The word before the profile in a MIG device's name. */
    private static final String MIG = "mig";

    public Capacity {
        if (workers < 1 || cpuWorkers < 0 || memoryBytes < 0) {
            throw new IllegalArgumentException(
                    "workers=" + workers + ", cpuWorkers=" + cpuWorkers + ", memoryBytes=" + memoryBytes);
        }
        gpus = List.copyOf(gpus);
        targets = Collections.unmodifiableSortedMap(new TreeMap<>(targets));
    }

    /** Whole GPUs of which no more is known, and neither cores nor memory. */
    public Capacity(List<Gpu> gpus, int workers, int cpuWorkers) {
        this(
                gpus,
                workers,
                cpuWorkers,
                GpuRules.WHOLE,
                GpuTopology.UNKNOWN,
                CpuTopology.NONE,
                Long.MAX_VALUE,
                QueueRules.STRICT);
    }

    /** All that the machine has. */
    public Capacity(
            List<Gpu> gpus,
            int workers,
            int cpuWorkers,
            GpuRules rules,
            GpuTopology topology,
            CpuTopology cpus,
            long memoryBytes,
            QueueRules order) {
        this(gpus, workers, cpuWorkers, rules, topology, cpus, memoryBytes, order, null, new TreeMap<>());
    }

    /** The same resources, and targets beyond this machine. */
    public Capacity with(SortedMap<String, TargetRules> others) {
        return new Capacity(gpus, workers, cpuWorkers, rules, topology, cpus, memoryBytes, order, limit, others);
    }

    /** Whether the target of such a job has an engine that keeps dependencies. */
    public boolean keepsDependencies(JobSpec spec) {
        TargetRules rules = spec.target() == null ? null : targets.get(spec.target());
        return rules != null && rules.keepsDependencies();
    }

    public Lane laneOf(JobSpec spec) {
        return spec.isAtTarget() ? Lane.TARGET : laneOf(spec.gpus());
    }

    /** The lane of a job of this machine. */
    public Lane laneOf(GpuRequest request) {
        return request.isNone() && cpuWorkers > 0 ? Lane.CPU : Lane.MAIN;
    }

    /** The workers of a lane. A target has none: how many jobs it may have is a rule of each. */
    public int workers(Lane lane) {
        return switch (lane) {
            case MAIN -> workers;
            case CPU -> cpuWorkers;
            case TARGET -> Integer.MAX_VALUE;
        };
    }

    /** The lanes of this machine. */
    public List<Lane> ownLanes() {
        return cpuWorkers > 0 ? List.of(Lane.MAIN, Lane.CPU) : List.of(Lane.MAIN);
    }

    /** All lanes: a target that is not set up any more may have left jobs. */
    public List<Lane> lanes() {
        return cpuWorkers > 0 ? List.of(Lane.MAIN, Lane.CPU, Lane.TARGET) : List.of(Lane.MAIN, Lane.TARGET);
    }

    public Optional<Gpu> gpu(GpuId id) {
        return gpus.stream().filter(gpu -> gpu.id().equals(id)).findFirst();
    }

    /** Index of a GPU, which people call it by; empty for one that this server does not allocate. */
    public Optional<String> index(GpuId id) {
        return gpu(id).map(gpu -> gpu.index().toString());
    }

    /** Name of a GPU in a sentence: "GPU 0", or its UUID where this server does not allocate it. */
    public String name(GpuId id) {
        return index(id).map(index -> "GPU " + index).orElse(id.uuid());
    }

    /** Whether a GPU will do for a job. One whose memory nobody knows is believed to have enough. */
    public boolean suits(Gpu gpu, JobSpec spec) {
        return suits(gpu, spec.resources().traits(), spec.gpus().count() > 1);
    }

    private boolean suits(Gpu gpu, GpuTraits traits, boolean isOneOfSeveral) {
        Long memory = traits.memoryBytes();
        return (memory == null || gpu.memoryMiB() == 0 || memory <= gpu.memoryMiB() << MIB_BITS)
                && isOfType(gpu, isOneOfSeveral, traits.type())
                && rules.labels(gpu.id()).containsAll(traits.labels());
    }

    /**
     * "a100" is "NVIDIA A100-SXM4-80GB", and "a10" is not. A MIG device is one of several of a job only where the job asks
     * for MIG devices ("mig", "1g.10gb"): a CUDA process uses one of them, and no GPU beside it (NVIDIA's MIG User
     * Guide, "CUDA Device Enumeration").
     */
    private static boolean isOfType(Gpu gpu, boolean isOneOfSeveral, @Nullable String type) {
        boolean onlyIfNamed = isOneOfSeveral && gpu.index().isMigDevice();
        if (type == null) {
            return !onlyIfNamed;
        }
        List<String> words = words(gpu.name());
        List<String> wanted = words(type);
        int at = Collections.indexOfSubList(words, wanted);
        return at >= 0 && (!onlyIfNamed || at + wanted.size() > words.indexOf(MIG));
    }

    private static List<String> words(String name) {
        return List.of(name.toLowerCase(Locale.ROOT).split("[^a-z0-9]+", -1));
    }

    /**
     * The number of cores of its own that a job asks for: each that it uses in part is its own as a whole. Where it is
     * guaranteed fewer than it may use, it has those: on a further core it would run beside the job that has it.
     */
    public int cores(JobSpec spec) {
        Integer milli = spec.resources().bookedCpuMilli();
        return cpus.cpus().isEmpty() || milli == null || spec.isAtTarget() ? 0 : Math.ceilDiv(milli, MILLI);
    }

    /** The cores near these GPUs, those of each in turn, as far as that is known. */
    List<Integer> near(List<GpuId> some) {
        return some.stream()
                .flatMap(gpu -> topology.localCpus().getOrDefault(gpu, List.of()).stream())
                .toList();
    }

    /** The memory that is set aside for a job. */
    public long memory(JobSpec spec) {
        Long bytes = spec.resources().bookedMemoryBytes();
        return bytes == null || spec.isAtTarget() ? 0 : bytes;
    }

    /** The reason why a request can never be served here, with the numbers and the way out; empty where it can. */
    public Optional<String> refusal(JobSpec spec) {
        String target = spec.target();
        return target == null ? ownRefusal(spec) : targetRefusal(target);
    }

    private Optional<String> targetRefusal(String target) {
        return targets.containsKey(target)
                ? Optional.empty()
                : Optional.of("it is for target " + target
                        + ", which is not set up here; berth targets lists those that are");
    }

    private Optional<String> ownRefusal(JobSpec spec) {
        Guarantee guarantee = spec.resources().guarantee();
        return refusal(spec.gpus())
                .or(() -> traitsRefusal(spec))
                .or(() -> cores(spec) > cpus.cpus().size()
                        ? Optional.of("it asks for " + cores(spec) + " cores, but this server has "
                                + cpus.cpus().size() + " to allocate; ask for at most that with "
                                + (guarantee.cpuMilli() == null ? "--cpus" : "--cpu-guarantee"))
                        : Optional.empty())
                .or(() -> memory(spec) > memoryBytes
                        ? Optional.of("it asks for " + mib(memory(spec)) + " MiB of memory, but this server has "
                                + mib(memoryBytes) + " MiB to allocate; ask for at most that with "
                                + (guarantee.memoryBytes() == null ? "--memory" : "--memory-guarantee"))
                        : Optional.empty());
    }

    /** The refusal of what is asked of GPUs in number alone. */
    public Optional<String> refusal(GpuRequest request) {
        if (request.isNone()) {
            return Optional.empty();
        }
        if (gpus.isEmpty()) {
            return Optional.of("it asks for " + request.inWords()
                    + ", but this server allocates none; start it with -g (berth server start -g)");
        }
        if (request.isShare() && gpus.stream().noneMatch(gpu -> rules.shares(gpu.id()) > 1)) {
            return Optional.of("it asks for " + request.inWords() + ", but this server allocates whole ones only; ask"
                    + " for a whole number, or have its operator share them (berth server start -g --gpu-shares 2)");
        }
        if (request.count() > gpus.size()) {
            return Optional.of("it asks for " + request.inWords() + ", but this server has " + gpus.size() + ofAll()
                    + "; ask for at most " + gpus.size() + wayOut(request.count()));
        }
        return Optional.empty();
    }

    /** The number of GPUs that there are without the limit; empty where there is none. */
    private String ofAll() {
        return limit == null ? "" : " of the machine's " + limit.all() + ", as it was started with " + limit.setting();
    }

    /** The way to have so many GPUs; empty where no limit is in it. */
    private String wayOut(int count) {
        return limit == null || count > limit.all()
                ? ""
                : ", or have its operator name more GPUs there, or unset it, and restart the server";
    }

    private Optional<String> traitsRefusal(JobSpec spec) {
        GpuTraits traits = spec.resources().traits();
        long suiting = gpus.stream()
                .filter(gpu -> suits(gpu, spec))
                .filter(gpu -> !spec.gpus().isShare() || rules.shares(gpu.id()) > 1)
                .count();
        if (suiting >= spec.gpus().count()) {
            return Optional.empty();
        }
        String few = ", but of the " + gpus.size() + " here "
                + (suiting == 0 ? "none is" : suiting == 1 ? "only 1 is" : "only " + suiting + " are");
        boolean wouldDoAlone = gpus.stream()
                .anyMatch(gpu -> gpu.index().isMigDevice() && suits(gpu, traits, false) && !suits(gpu, spec));
        String asked = "it asks for " + spec.gpus().inWords() + (traits.areAny() ? "" : " " + inWords(traits)) + few;
        return Optional.of(
                wouldDoAlone
                        ? asked + (traits.areAny() ? "" : " such and")
                                + " no MIG device, and a CUDA process uses one MIG device and no GPU beside it; where"
                                + " each process of the program uses its own, ask for MIG devices with --gpu-type mig"
                        : asked + " such; berth gpus shows what there is" + hidden());
    }

    /** The words about GPUs that nobody looked at, as the server may not use them; empty where there are none. */
    private String hidden() {
        return limit == null ? "" : ", which is " + gpus.size() + ofAll();
    }

    private static String inWords(GpuTraits traits) {
        Long memory = traits.memoryBytes();
        List<String> words = new ArrayList<>();
        if (memory != null) {
            words.add("with " + mib(memory) + " MiB");
        }
        if (traits.type() != null) {
            words.add("of type " + traits.type());
        }
        if (!traits.labels().isEmpty()) {
            words.add("labelled " + String.join(", ", traits.labels()));
        }
        return String.join(" and ", words);
    }

    private static long mib(long bytes) {
        return bytes >> MIB_BITS;
    }
}
