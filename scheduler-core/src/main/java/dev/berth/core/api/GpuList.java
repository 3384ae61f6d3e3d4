package dev.berth.core.api;

import java.util.List;

/**
 * The GPUs this server gives out.
 *
 * @param simulated whether they are made up
 */
public record GpuList(List<GpuView> gpus, boolean simulated) {}
