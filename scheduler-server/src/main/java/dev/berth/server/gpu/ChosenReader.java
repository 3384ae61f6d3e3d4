package dev.berth.server.gpu;

import java.util.List;

/**
 * Reader of the GPUs, and what the operator should know of it.
 *
 * @param warnings a sentence each
 */
public record ChosenReader(GpuReader reader, List<String> warnings) {
    public ChosenReader {
        warnings = List.copyOf(warnings);
    }
}
