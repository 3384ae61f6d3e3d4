package dev.berth.server.config;

import org.jspecify.annotations.Nullable;

/**
 * What jobs are promised that name a number of CPUs or an amount of memory.
 *
 * @param cores whether they get cores of their own
 * @param memory how much memory is promised together, null for what the machine has
 */
public record BookingSettings(boolean cores, @Nullable ByteSize memory) {
    static BookingSettings of(Values values) {
        return new BookingSettings(values.get(Keys.BOOKING_CORES), values.find(Keys.BOOKING_MEMORY));
    }
}
