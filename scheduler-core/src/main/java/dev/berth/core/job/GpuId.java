package dev.berth.core.job;

/**
 * A GPU's identity: the UUID that NVML reports ({@code GPU-...} or {@code MIG-...}). Indices change over a reboot
 * (nvml.h, {@code nvmlDeviceGetHandleByIndex}), this does not.
 */
public record GpuId(String uuid) implements Comparable<GpuId> {
    public GpuId {
        if (uuid.isBlank() || uuid.indexOf(',') >= 0) {
            throw new IllegalArgumentException("not a GPU UUID: '" + uuid + "'");
        }
    }

    @Override
    public int compareTo(GpuId other) {
        return uuid.compareTo(other.uuid);
    }

    @Override
    public String toString() {
        return uuid;
    }
}
