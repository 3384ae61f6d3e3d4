package dev.berth.core.job;

import dev.berth.core.text.Utf8;
import org.jspecify.annotations.Nullable;

/**
 * The resources of the machine that a job needs.
 *
 * @param gpus how much GPU it asks for
 * @param traits which GPUs will do
 * @param cpuMilli thousandths of a CPU that it may use, or null for all
 * @param memoryBytes memory that it may use, or null for all
 * @param nice how far it stands back where others want the CPUs, 0 to 19 (nice(1))
 * @param guarantee what of CPUs and memory is set aside for it
 */
public record Resources(
        GpuRequest gpus,
        GpuTraits traits,
        @Nullable Integer cpuMilli,
        @Nullable Long memoryBytes,
        int nice,
        Guarantee guarantee) {

    /** The most (setpriority(2)). */
    public static final int MAX_NICE = 19;

    /** Resources of which all that the job may use is set aside for it. */
    public Resources(
            GpuRequest gpus, GpuTraits traits, @Nullable Integer cpuMilli, @Nullable Long memoryBytes, int nice) {
        this(gpus, traits, cpuMilli, memoryBytes, nice, Guarantee.OF_LIMITS);
    }

    /** GPUs of any kind, and no bound on anything else. */
    public static Resources of(GpuRequest gpus) {
        return new Resources(gpus, GpuTraits.ANY, null, null, 0);
    }

    /** Thousandths of a CPU that are set aside for it; null for none. */
    public @Nullable Integer bookedCpuMilli() {
        return guarantee.cpuMilli() == null ? cpuMilli : guarantee.cpuMilli();
    }

    /** The memory that is set aside for it; null for none. */
    public @Nullable Long bookedMemoryBytes() {
        return guarantee.memoryBytes() == null ? memoryBytes : guarantee.memoryBytes();
    }

    long bytes() {
        String type = traits.type();
        return (type == null ? 0 : Utf8.length(type)) + Utf8.length(traits.labels());
    }
}
