package dev.berth.server.linux;

/**
 * Process, told from all others for all time: numbers are assigned again, never together with the same start.
 *
 * @param startTicks when it began, in the kernel's clock ticks since the machine's start (proc(5), field 22 of stat)
 */
public record ProcessKey(long pid, long startTicks) {}
