package dev.berth.core.place;

/**
 * The link that joins two GPUs.
 *
 * @param nvlinks how many NVLinks join them directly or over a switch, 0 for none
 * @param path the closest that PCI Express and the processors join them
 */
public record GpuLink(int nvlinks, Path path) {
    /** Nothing is known; the farthest there is. */
    public static final GpuLink UNKNOWN = new GpuLink(0, Path.SYSTEM);

    public GpuLink {
        if (nvlinks < 0) {
            throw new IllegalArgumentException("not a number of NVLinks: " + nvlinks);
        }
    }

    /**
     * The path between two GPUs, the closest first (nvml.h, {@code nvmlGpuTopologyLevel_t}; {@code nvidia-smi topo
     * -m}).
     */
    public enum Path {
        /** A link on one board. */
        INTERNAL,
        /** A single PCIe switch (PIX). */
        SWITCH,
        /** Several PCIe switches (PXB). */
        SWITCHES,
        /** A host bridge (PHB). */
        HOST_BRIDGE,
        /** Several host bridges of one NUMA node (NODE). */
        NODE,
        /** The link between NUMA nodes (SYS). */
        SYSTEM
    }
}
