package dev.berth.server.gpu;

/**
 * Error of a GPU, or of what runs on it, as its driver reports it.
 *
 * @param sentence what happened, and for a fatal one what is to be done
 * @param isFatal whether nothing further should be started on the GPU
 */
public record GpuFault(String sentence, boolean isFatal) {}
