package dev.berth.server.usage;

import dev.berth.server.gpu.GpuReading;
import org.jspecify.annotations.Nullable;

/**
 * The state of a GPU in one period of time, as it is kept: 8 bytes. Null is what nobody told.
 *
 * @param utilisationPercent 0 to 100
 * @param temperatureCelsius 0 to 254; below zero is zero
 * @param powerWatts 0 to 65534
 * @param memoryMiB that is used
 */
public record Sample(
        @Nullable Integer utilisationPercent,
        @Nullable Integer temperatureCelsius,
        @Nullable Integer powerWatts,
        @Nullable Integer memoryMiB) {
    /** Nobody looked. */
    public static final Sample NONE = new Sample(null, null, null, null);

    private static final int BYTE = 0xff;
    private static final int SHORT = 0xffff;
    private static final long INT = 0xffff_ffffL;

    static Sample of(GpuReading reading) {
        Integer milliwatts = reading.powerMilliwatts();
        Long bytes = reading.memoryUsedBytes();
        return new Sample(
                reading.utilisationPercent(),
                reading.temperatureCelsius(),
                milliwatts == null ? null : Math.toIntExact(Math.round(milliwatts / 1_000.0)),
                bytes == null ? null : (int) Math.min(Integer.MAX_VALUE, bytes >> 20));
    }

    /** All ones is what is not known. */
    long packed() {
        return bits(utilisationPercent, BYTE) << 56
                | bits(temperatureCelsius, BYTE) << 48
                | bits(powerWatts, SHORT) << 32
                | bits(memoryMiB, INT);
    }

    private static long bits(@Nullable Integer value, long unknown) {
        return value == null ? unknown : Math.clamp((long) value, 0, unknown - 1);
    }

    static Sample unpacked(long packed) {
        return packed == -1L
                ? NONE
                : new Sample(
                        value(packed >>> 56, BYTE),
                        value(packed >>> 48 & BYTE, BYTE),
                        value(packed >>> 32 & SHORT, SHORT),
                        value(packed & INT, INT));
    }

    private static @Nullable Integer value(long bits, long unknown) {
        return bits == unknown ? null : (int) Math.min(Integer.MAX_VALUE, bits);
    }

    /** Something of a sample. */
    enum Figure {
        UTILISATION,
        TEMPERATURE,
        POWER,
        MEMORY;

        @Nullable
        Integer of(Sample sample) {
            return switch (this) {
                case UTILISATION -> sample.utilisationPercent;
                case TEMPERATURE -> sample.temperatureCelsius;
                case POWER -> sample.powerWatts;
                case MEMORY -> sample.memoryMiB;
            };
        }
    }
}
