package dev.berth.core.api;

import java.util.List;

/**
 * The GPUs this server allocates.
 *
 * @param simulated whether they are simulated
 */
public record GpuList(List<GpuView> gpus, boolean simulated) {}
