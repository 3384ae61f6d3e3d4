package dev.berth.server.usage;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;

/**
 * Samples of one resolution: so many and no more, the newest in the place of the oldest. Belongs to the one who guards it.
 */
final class Ring {
    private static final long UNKNOWN = -1L;

    /** A block as it is stored. */
    record Block(int place, long number, List<Long> samples) {}

    private final Resolution resolution;
    private final long[] slots;

    /** The newest sample since 1970. */
    private long newest = Long.MIN_VALUE;

    private final TreeSet<Long> unwritten = new TreeSet<>();

    Ring(Resolution resolution) {
        this.resolution = resolution;
        this.slots = new long[resolution.samplesPerBlock() * resolution.blocks()];
        Arrays.fill(slots, UNKNOWN);
    }

    /** Keeps a sample. One that is older than the ring is long tells that the clock was wrong before: all is begun anew. */
    void put(long slot, Sample sample) {
        if (newest != Long.MIN_VALUE && slot <= newest - slots.length) {
            Arrays.fill(slots, UNKNOWN);
            unwritten.clear();
            newest = Long.MIN_VALUE;
        }
        set(slot, sample.packed());
        unwritten.add(Math.floorDiv(slot, (long) resolution.samplesPerBlock()));
    }

    private void set(long slot, long packed) {
        if (newest != Long.MIN_VALUE && slot <= newest - slots.length) {
            return;
        }
        if (slot > newest) {
            long from = newest == Long.MIN_VALUE ? slot : Math.max(newest + 1, slot - slots.length + 1);
            for (long skipped = from; skipped < slot; skipped++) {
                slots[index(skipped)] = UNKNOWN;
            }
            newest = slot;
        }
        slots[index(slot)] = packed;
    }

    private int index(long slot) {
        return (int) Math.floorMod(slot, (long) slots.length);
    }

    Sample get(long slot) {
        return Sample.unpacked(packed(slot));
    }

    private long packed(long slot) {
        return newest != Long.MIN_VALUE && slot <= newest && slot > newest - slots.length
                ? slots[index(slot)]
                : UNKNOWN;
    }

    /** The newest sample's number since 1970; the least number there is where there is none. */
    long newest() {
        return newest;
    }

    /** The samples to see up to one, the oldest first. */
    List<Sample> upTo(long last) {
        List<Sample> samples = new ArrayList<>(resolution.shown());
        for (long slot = last - resolution.shown() + 1; slot <= last; slot++) {
            samples.add(get(slot));
        }
        return samples;
    }

    /** The blocks that have changed since they were asked for last. */
    List<Block> takeUnwritten() {
        List<Block> blocks = unwritten.stream().map(this::block).toList();
        unwritten.clear();
        return blocks;
    }

    private Block block(long number) {
        int length = resolution.samplesPerBlock();
        List<Long> samples = new ArrayList<>(length);
        for (long slot = number * length; slot < (number + 1) * length; slot++) {
            samples.add(packed(slot));
        }
        return new Block((int) Math.floorMod(number, (long) resolution.blocks()), number, samples);
    }

    /** Takes back what is stored; of a former round nothing is left over. */
    void restore(long block, List<Long> samples) {
        long first = block * resolution.samplesPerBlock();
        for (int i = 0; i < samples.size(); i++) {
            if (samples.get(i) != UNKNOWN) {
                set(first + i, samples.get(i));
            }
        }
    }
}
