package dev.berth.core.machine;

import dev.berth.core.job.Gpu;
import dev.berth.core.job.GpuId;
import dev.berth.core.job.GpuRequest;
import dev.berth.core.job.GpuTraits;
import dev.berth.core.job.JobSpec;
import dev.berth.core.place.CpuTopology;
import dev.berth.core.place.GpuTopology;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What a server can give out. It does not change while the server runs.
 *
 * @param gpus the GPUs, in the order of their indices
 * @param workers how many jobs of the main lane run at once, at least 1
 * @param cpuWorkers how many jobs of the CPU lane run at once; 0 means that there is no such lane
 * @param rules how the GPUs are given out
 * @param topology how they are joined
 * @param cpus the cores that are given out; none where a job's wish for cores is not booked
 * @param memoryBytes the memory that is given out; {@link Long#MAX_VALUE} where a job's wish for memory is not booked
 * @param order how strictly jobs follow each other
 */
public record Capacity(
        List<Gpu> gpus,
        int workers,
        int cpuWorkers,
        GpuRules rules,
        GpuTopology topology,
        CpuTopology cpus,
        long memoryBytes,
        QueueRules order) {
    private static final int MILLI = 1_000;
    private static final int MIB_BITS = 20;

    public Capacity {
        if (workers < 1 || cpuWorkers < 0 || memoryBytes < 0) {
            throw new IllegalArgumentException(
                    "workers=" + workers + ", cpuWorkers=" + cpuWorkers + ", memoryBytes=" + memoryBytes);
        }
        gpus = List.copyOf(gpus);
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

    public Lane laneOf(GpuRequest request) {
        return request.isNone() && cpuWorkers > 0 ? Lane.CPU : Lane.MAIN;
    }

    public int workers(Lane lane) {
        return lane == Lane.CPU ? cpuWorkers : workers;
    }

    public List<Lane> lanes() {
        return cpuWorkers > 0 ? List.of(Lane.MAIN, Lane.CPU) : List.of(Lane.MAIN);
    }

    public Optional<Gpu> gpu(GpuId id) {
        return gpus.stream().filter(gpu -> gpu.id().equals(id)).findFirst();
    }

    /** Whether a GPU will do for a job that asks for such. One whose memory nobody knows is believed to have enough. */
    public boolean suits(Gpu gpu, GpuTraits traits) {
        Long memory = traits.memoryBytes();
        String type = traits.type();
        return (memory == null || gpu.memoryMiB() == 0 || memory <= gpu.memoryMiB() << MIB_BITS)
                && (type == null || isOfType(gpu, type))
                && rules.labels(gpu.id()).containsAll(traits.labels());
    }

    /** "a100" is "NVIDIA A100-SXM4-80GB", and "a10" is not. */
    private static boolean isOfType(Gpu gpu, String type) {
        List<String> words = List.of(gpu.name().toLowerCase(Locale.ROOT).split("[^a-z0-9]+", -1));
        List<String> wanted = List.of(type.toLowerCase(Locale.ROOT).split("[^a-z0-9]+", -1));
        return Collections.indexOfSubList(words, wanted) >= 0;
    }

    /** How many cores of its own a job asks for: each that it uses in part is its own as a whole. */
    public int cores(JobSpec spec) {
        Integer milli = spec.options().cpuMilli();
        return cpus.cpus().isEmpty() || milli == null ? 0 : Math.ceilDiv(milli, MILLI);
    }

    /** The cores near these GPUs, those of each in turn, as far as that is known. */
    List<Integer> near(List<GpuId> some) {
        return some.stream()
                .flatMap(gpu -> topology.localCpus().getOrDefault(gpu, List.of()).stream())
                .toList();
    }

    /** How much memory is set aside for a job. */
    public long memory(JobSpec spec) {
        Long bytes = spec.options().memoryBytes();
        return bytes == null ? 0 : bytes;
    }

    /** Why a request can never be served here, with the numbers and the way out; empty where it can. */
    public Optional<String> refusal(JobSpec spec) {
        return refusal(spec.gpus())
                .or(() -> traitsRefusal(spec))
                .or(() -> cores(spec) > cpus.cpus().size()
                        ? Optional.of("it asks for " + cores(spec) + " cores, but this server has "
                                + cpus.cpus().size() + " to give out; ask for at most that with --cpus")
                        : Optional.empty())
                .or(() -> memory(spec) > memoryBytes
                        ? Optional.of("it asks for " + mib(memory(spec)) + " MiB of memory, but this server has "
                                + mib(memoryBytes) + " MiB to give out; ask for at most that with --memory")
                        : Optional.empty());
    }

    /** The same for what is asked of GPUs in number alone. */
    public Optional<String> refusal(GpuRequest request) {
        if (request.isNone()) {
            return Optional.empty();
        }
        if (gpus.isEmpty()) {
            return Optional.of("it asks for " + request.inWords()
                    + ", but this server gives out none; start it with -g (berth server start -g)");
        }
        if (request.isShare() && gpus.stream().noneMatch(gpu -> rules.shares(gpu.id()) > 1)) {
            return Optional.of("it asks for " + request.inWords() + ", but this server gives out whole ones only; ask"
                    + " for a whole number, or have its operator share them (berth server start -g --gpu-shares 2)");
        }
        if (request.count() > gpus.size()) {
            return Optional.of("it asks for " + request.inWords() + ", but this server has " + gpus.size()
                    + "; ask for at most " + gpus.size());
        }
        return Optional.empty();
    }

    private Optional<String> traitsRefusal(JobSpec spec) {
        GpuTraits traits = spec.options().traits();
        if (traits.areAny() || spec.gpus().isNone()) {
            return Optional.empty();
        }
        long suiting = gpus.stream()
                .filter(gpu -> suits(gpu, traits))
                .filter(gpu -> !spec.gpus().isShare() || rules.shares(gpu.id()) > 1)
                .count();
        return suiting >= spec.gpus().count()
                ? Optional.empty()
                : Optional.of("it asks for " + spec.gpus().inWords() + " " + inWords(traits) + ", but of the "
                        + gpus.size() + " here " + (suiting == 0 ? "none is" : "only " + suiting + " are")
                        + " such; berth gpus shows what there is");
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
