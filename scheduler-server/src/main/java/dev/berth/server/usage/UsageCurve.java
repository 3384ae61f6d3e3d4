package dev.berth.server.usage;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What a job uses of something from its program's start on, in at most 120 values: where they would be more, two become one.
 * Belongs to one thread.
 */
final class UsageCurve {
    static final int MAX = 120;
    private static final long MILLIS = 1_000;

    private final int unknown;
    private long step;
    private final long[] weighted = new long[MAX];
    private final long[] known = new long[MAX];
    private int length;

    /** An empty curve. */
    UsageCurve(int unknown) {
        this.unknown = unknown;
        step = 1;
    }

    /** Goes on with what another told; {@code unknown} stands where nobody knows. */
    UsageCurve(int unknown, long step, List<Integer> values) {
        this.unknown = unknown;
        this.step = step;
        for (int i = 0; i < Math.min(MAX, values.size()); i++) {
            int value = values.get(i);
            boolean isKnown = value != unknown;
            known[i] = isKnown ? step * MILLIS : 0;
            weighted[i] = isKnown ? value * step * MILLIS : 0;
            length = i + 1;
        }
    }

    /**
     * Takes a value in.
     *
     * @param second since the program's start, from 0
     * @param millis for how long it is to count
     */
    void add(long second, int value, long millis) {
        while (second / step >= MAX) {
            widen();
        }
        int at = (int) (second / step);
        weighted[at] += value * millis;
        known[at] += millis;
        length = Math.max(length, at + 1);
    }

    private void widen() {
        for (int i = 0; i < MAX / 2; i++) {
            weighted[i] = weighted[2 * i] + weighted[2 * i + 1];
            known[i] = known[2 * i] + known[2 * i + 1];
        }
        Arrays.fill(weighted, MAX / 2, MAX, 0);
        Arrays.fill(known, MAX / 2, MAX, 0);
        length = (length + 1) / 2;
        step *= 2;
    }

    /** The number of seconds that a value stands for. */
    long step() {
        return step;
    }

    List<Integer> values() {
        List<Integer> values = new ArrayList<>(length);
        for (int i = 0; i < length; i++) {
            values.add(known[i] == 0 ? unknown : (int) ((2 * weighted[i] + known[i]) / (2 * known[i])));
        }
        return values;
    }
}
