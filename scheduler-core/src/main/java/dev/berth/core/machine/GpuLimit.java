package dev.berth.core.machine;

/**
 * The limit that a server was started with, where its machine has more GPUs.
 *
 * @param setting what limits it, as it was given
 * @param all how many GPUs there are without it
 */
public record GpuLimit(String setting, int all) {}
