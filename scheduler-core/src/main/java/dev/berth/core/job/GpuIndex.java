package dev.berth.core.job;

/**
 * What people call a GPU by: {@code 1} for a card, {@code 1:0} for a MIG device of card 1, as NVIDIA's container toolkit
 * writes it.
 *
 * @param card NVML's index of the card, which {@code nvidia-smi} shows
 * @param device NVML's index of the MIG device on its card; -1 for the card as a whole
 */
public record GpuIndex(int card, int device) {
    private static final int WHOLE = -1;

    public GpuIndex {
        if (card < 0 || device < WHOLE) {
            throw new IllegalArgumentException("card=" + card + ", device=" + device);
        }
    }

    public static GpuIndex ofCard(int card) {
        return new GpuIndex(card, WHOLE);
    }

    public boolean isMigDevice() {
        return device > WHOLE;
    }

    @Override
    public String toString() {
        return isMigDevice() ? card + ":" + device : Integer.toString(card);
    }
}
