package dev.berth.core.job;

import org.jspecify.annotations.Nullable;

/**
 * Amounts that are set aside for a job, where they are others than those that it may use. The job may use what is above
 * them as long as nobody else does.
 *
 * @param cpuMilli thousandths of a CPU, or null for as many as it may use
 * @param memoryBytes memory, or null for as much as it may use
 */
public record Guarantee(
        @Nullable Integer cpuMilli, @Nullable Long memoryBytes) {
    /** All that a job may use is set aside for it. */
    public static final Guarantee OF_LIMITS = new Guarantee(null, null);
}
