package dev.berth.violations.server.gpu.nvidia.nvml;

/** Library of a vendor. */
public final class NvidiaLibrary {}
