package dev.berth.server.usage;

import dev.berth.core.job.GpuId;
import dev.berth.server.gpu.GpuException;
import dev.berth.server.gpu.GpuReading;
import java.time.Instant;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Readings of all GPUs at one look. Each GPU is in one of the two maps.
 *
 * @param at the date at which it began
 * @param passed what the steady clock said then
 * @param failures of the GPUs that could not be read, why
 */
public record GpuReadings(
        Instant at, Instant passed, SortedMap<GpuId, GpuReading> readings, SortedMap<GpuId, GpuException> failures) {
    public GpuReadings {
        readings = Collections.unmodifiableSortedMap(new TreeMap<>(readings));
        failures = Collections.unmodifiableSortedMap(new TreeMap<>(failures));
    }
}
