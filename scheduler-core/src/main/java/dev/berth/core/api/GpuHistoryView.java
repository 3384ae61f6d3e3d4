package dev.berth.core.api;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The readings of a GPU over a stretch of time: lists of equal length, the oldest first, null where nobody could tell.
 *
 * @param resolution seconds, minutes or hours
 * @param start when the first value begins
 * @param stepSeconds how much time a value stands for
 */
public record GpuHistoryView(
        String uuid,
        String resolution,
        String start,
        int stepSeconds,
        List<@Nullable Integer> utilisationPercent,
        List<@Nullable Integer> memoryUsedMiB,
        List<@Nullable Integer> temperatureCelsius,
        List<@Nullable Integer> powerWatts) {}
