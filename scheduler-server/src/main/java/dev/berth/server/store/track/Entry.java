package dev.berth.server.store.track;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Entry that a program, or what it wrote, tells of its job. */
public sealed interface Entry {
    /**
     * One value of a metric.
     *
     * @param step null where the writer gave none
     * @param time null where it gave none
     */
    record Point(
            String metric, @Nullable Long step, @Nullable Instant time, double value) implements Entry {}

    record Parameter(String name, String value) implements Entry {}

    record Tag(String name, String value) implements Entry {}

    record Artifact(
            String path, @Nullable String key, @Nullable Instant time) implements Entry {}

    record Progress(
            double value,
            double of,
            @Nullable String unit,
            @Nullable Instant time) implements Entry {}
}
