package dev.berth.core.job;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The traits of GPUs that will do for a job.
 *
 * @param memoryBytes how much memory each must have for the job, or null for any
 * @param type a word of the model's name, as in "a100", or null for any
 * @param labels the operator's words that each must bear
 */
public record GpuTraits(
        @Nullable Long memoryBytes, @Nullable String type, List<String> labels) {
    public static final GpuTraits ANY = new GpuTraits(null, null, List.of());

    public GpuTraits {
        labels = List.copyOf(labels);
    }

    public boolean areAny() {
        return memoryBytes == null && type == null && labels.isEmpty();
    }
}
