package dev.berth.server.usage;

import dev.berth.core.job.GpuId;
import dev.berth.server.store.GpuSamples;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * History of a GPU: a ring of each resolution, the coarser ones filled with the means of the finer when a period is
 * finished. Safe for any thread.
 */
public final class GpuHistory {
    private final GpuId gpu;
    private final Map<Resolution, Ring> rings = new EnumMap<>(Resolution.class);
    private final Rollup minute = new Rollup();
    private final Rollup hour = new Rollup();

    /**
     * A stretch of history.
     *
     * @param start when the first sample begins
     * @param samples one after the other
     */
    public record Stretch(Instant start, Resolution resolution, List<Sample> samples) {
        public Stretch {
            samples = List.copyOf(samples);
        }
    }

    /** As far as it is stored, the blocks in their order; what was written under a clock that was ahead is left out. */
    GpuHistory(GpuId gpu, List<GpuSamples> stored, Instant now) {
        this.gpu = gpu;
        for (Resolution resolution : Resolution.values()) {
            rings.put(resolution, new Ring(resolution));
        }
        for (GpuSamples block : stored) {
            Resolution.ofStep(block.step())
                    .filter(resolution ->
                            block.block() * resolution.samplesPerBlock() <= resolution.slot(now.getEpochSecond()))
                    .ifPresent(resolution -> ring(resolution).restore(block.block(), block.samples()));
        }
        goOn();
    }

    private Ring ring(Resolution resolution) {
        return Objects.requireNonNull(rings.get(resolution));
    }

    /** The periods that were not over when the last server ended. */
    private void goOn() {
        long second = ring(Resolution.SECONDS).newest();
        if (second == Long.MIN_VALUE) {
            return;
        }
        goOn(minute, Resolution.MINUTES, second);
        goOn(hour, Resolution.HOURS, second);
    }

    /** The ring of seconds is longer than an hour. */
    private void goOn(Rollup rollup, Resolution resolution, long second) {
        rollup.begin(resolution.slot(second));
        for (long at = rollup.period() * resolution.step(); at <= second; at++) {
            rollup.add(ring(Resolution.SECONDS).get(at));
        }
    }

    synchronized void add(Instant at, Sample sample) {
        long second = at.getEpochSecond();
        roll(minute, Resolution.MINUTES, second, sample);
        roll(hour, Resolution.HOURS, second, sample);
        ring(Resolution.SECONDS).put(second, sample);
    }

    private void roll(Rollup rollup, Resolution resolution, long second, Sample sample) {
        long period = resolution.slot(second);
        if (!rollup.isIn(period)) {
            if (rollup.hasBegun()) {
                ring(resolution).put(rollup.period(), rollup.mean());
            }
            rollup.begin(period);
        }
        rollup.add(sample);
    }

    /** The history up to now; a minute or an hour that is not over is not in it. */
    public synchronized Stretch upTo(Instant now, Resolution resolution) {
        long last = resolution.slot(now.getEpochSecond()) - 1;
        List<Sample> samples = ring(resolution).upTo(last);
        Instant start = Instant.ofEpochSecond((last - resolution.shown() + 1) * resolution.step());
        return new Stretch(start, resolution, samples);
    }

    /** The samples that are to be stored, since this was asked last. */
    synchronized List<GpuSamples> takeUnwritten() {
        List<GpuSamples> blocks = new ArrayList<>();
        rings.forEach((resolution, ring) -> ring.takeUnwritten()
                .forEach(block -> blocks.add(
                        new GpuSamples(gpu, resolution.step(), block.place(), block.number(), block.samples()))));
        return blocks;
    }
}
