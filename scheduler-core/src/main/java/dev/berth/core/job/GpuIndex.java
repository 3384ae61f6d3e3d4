package dev.berth.core.job;

/**
 * The index that people call a GPU by: {@code 1} for a GPU, {@code 1:0} for a MIG device of GPU 1, as NVIDIA's
 * container toolkit writes it.
 *
 * @param physical NVML's index of the physical GPU, which {@code nvidia-smi} shows
 * @param device NVML's index of the MIG device on its GPU; -1 for the GPU as a whole
 */
public record GpuIndex(int physical, int device) {
    private static final int WHOLE = -1;

    public GpuIndex {
        if (physical < 0 || device < WHOLE) {
            throw new IllegalArgumentException("physical=" + physical + ", device=" + device);
        }
    }

    public static GpuIndex ofPhysical(int physical) {
        return new GpuIndex(physical, WHOLE);
    }

    public boolean isMigDevice() {
        return device > WHOLE;
    }

    @Override
    public String toString() {
        return isMigDevice() ? physical + ":" + device : Integer.toString(physical);
    }
}
