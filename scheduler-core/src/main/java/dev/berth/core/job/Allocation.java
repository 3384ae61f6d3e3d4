package dev.berth.core.job;

import java.util.HashSet;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The resources that one attempt of a job holds; empty for a job that asked for none of them.
 *
 * @param shares the GPUs, in the order in which the job sees them
 * @param cpus the cores that are its own, by the kernel's numbers, ascending
 */
public record Allocation(List<GpuShare> shares, List<Integer> cpus) {
    public static final Allocation NONE = new Allocation(List.of());

    public Allocation {
        shares = List.copyOf(shares);
        cpus = cpus.stream().sorted().toList();
        if (new HashSet<>(shares.stream().map(GpuShare::gpu).toList()).size() != shares.size()) {
            throw new IllegalArgumentException("a GPU stands twice in one allocation: " + shares);
        }
        if (new HashSet<>(cpus).size() != cpus.size()) {
            throw new IllegalArgumentException("a core stands twice in one allocation: " + cpus);
        }
    }

    /** GPUs alone. */
    public Allocation(List<GpuShare> shares) {
        this(shares, List.of());
    }

    /** Whole GPUs. */
    public static Allocation whole(List<GpuId> gpus) {
        return new Allocation(
                gpus.stream().map(gpu -> new GpuShare(gpu, GpuRequest.WHOLE)).toList());
    }

    /** Whether it holds no GPU. */
    public boolean isNone() {
        return shares.isEmpty();
    }

    public List<GpuId> gpus() {
        return shares.stream().map(GpuShare::gpu).toList();
    }

    /** Whether it is a part of one GPU, which others may hold the rest of. */
    public boolean isShared() {
        return shares.size() == 1 && shares.getFirst().milli() < GpuRequest.WHOLE;
    }

    /** The UUIDs as {@code NVIDIA_VISIBLE_DEVICES} wants them: joined by commas. */
    public String uuids() {
        return shares.stream().map(share -> share.gpu().uuid()).collect(Collectors.joining(","));
    }
}
