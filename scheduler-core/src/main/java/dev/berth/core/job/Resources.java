package dev.berth.core.job;

import org.jspecify.annotations.Nullable;

/**
 * The resources of the machine that a job needs.
 *
 * @param gpus how much GPU it asks for
 * @param traits which GPUs will do
 * @param cpuMilli thousandths of a CPU that it may use, or null for all
 * @param memoryBytes memory that it may use, or null for all
 * @param nice how far it stands back where others want the CPUs, 0 to 19 (nice(1))
 */
public record Resources(
        GpuRequest gpus,
        GpuTraits traits,
        @Nullable Integer cpuMilli,
        @Nullable Long memoryBytes,
        int nice) {

    /** The most (setpriority(2)). */
    public static final int MAX_NICE = 19;

    /** GPUs of any kind, and no bound on anything else. */
    public static Resources of(GpuRequest gpus) {
        return new Resources(gpus, GpuTraits.ANY, null, null, 0);
    }

    long bytes() {
        String type = traits.type();
        return (type == null ? 0 : Utf8.length(type)) + Utf8.length(traits.labels());
    }
}
