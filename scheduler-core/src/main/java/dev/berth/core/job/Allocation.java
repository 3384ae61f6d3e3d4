package dev.berth.core.job;

import java.util.HashSet;
import java.util.List;
import java.util.stream.Collectors;

/** The GPUs that one attempt of a job holds, in the order in which the job sees them; empty for a job without any. */
public record Allocation(List<GpuShare> shares) {
    public static final Allocation NONE = new Allocation(List.of());

    public Allocation {
        shares = List.copyOf(shares);
        if (new HashSet<>(shares.stream().map(GpuShare::gpu).toList()).size() != shares.size()) {
            throw new IllegalArgumentException("a GPU stands twice in one allocation: " + shares);
        }
    }

    /** Whole GPUs. */
    public static Allocation whole(List<GpuId> gpus) {
        return new Allocation(
                gpus.stream().map(gpu -> new GpuShare(gpu, GpuRequest.WHOLE)).toList());
    }

    public boolean isNone() {
        return shares.isEmpty();
    }

    public List<GpuId> gpus() {
        return shares.stream().map(GpuShare::gpu).toList();
    }

    /** The UUIDs as {@code NVIDIA_VISIBLE_DEVICES} wants them: joined by commas. */
    public String uuids() {
        return shares.stream().map(share -> share.gpu().uuid()).collect(Collectors.joining(","));
    }
}
