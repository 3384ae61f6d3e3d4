package dev.berth.core.place;

import dev.berth.core.job.GpuId;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The free GPUs that a job of whole ones gets: the set whose worst pair is joined best, then the set that is joined
 * best in all, then the one whose loss hurts the GPUs that stay free the least, then the first in their order. So a job
 * of one GPU does not break up a pair that a job of two would want.
 */
public final class GpuChoice {
    /** The most sets that are compared, 8 of 16 for one; where there are more, sets are grown instead. */
    static final int MAX_SETS = 13_000;

    /** From so many first GPUs a set is grown at most; each takes the best next one, count times. */
    static final int MAX_STARTS = 64;

    private GpuChoice() {}

    /**
     * The GPUs for a job, in the order of {@code free}.
     *
     * @param free what may be allocated, in index order
     * @param count how many are asked for
     * @return empty where there are fewer
     */
    public static Optional<List<GpuId>> of(List<GpuId> free, int count, GpuTopology topology) {
        if (count > free.size()) {
            return Optional.empty();
        }
        boolean nothingToChoose =
                count == 0 || count == free.size() || topology.links().isEmpty();
        if (nothingToChoose) {
            return Optional.of(List.copyOf(free.subList(0, count)));
        }
        GpuBonds bonds = new GpuBonds(free, topology);
        int[] best = isFewSets(free.size(), count) ? bestOfAll(bonds, count) : bestGrown(bonds, count);
        return Optional.of(Arrays.stream(best).mapToObj(free::get).toList());
    }

    private static boolean isFewSets(int gpus, int count) {
        long sets = 1;
        for (int taken = 1; taken <= Math.min(count, gpus - count); taken++) {
            sets = sets * (gpus - taken + 1) / taken;
            if (sets > MAX_SETS) {
                return false;
            }
        }
        return true;
    }

    /** Sets come in lexical order, and only a better one replaces the one before: so the first of equals wins. */
    private static int[] bestOfAll(GpuBonds bonds, int count) {
        int[] set = first(count);
        int[] best = set.clone();
        GpuBonds.Bond bestBond = bonds.of(best);
        while (next(set, bonds.size())) {
            GpuBonds.Bond bond = bonds.of(set);
            if (bond.compareTo(bestBond) > 0) {
                best = set.clone();
                bestBond = bond;
            }
        }
        return best;
    }

    private static int[] first(int count) {
        int[] set = new int[count];
        Arrays.setAll(set, place -> place);
        return set;
    }

    /** The next set in lexical order, in place; false after the last. */
    private static boolean next(int[] set, int gpus) {
        int place = set.length - 1;
        while (place >= 0 && set[place] == gpus - set.length + place) {
            place--;
        }
        if (place < 0) {
            return false;
        }
        set[place]++;
        for (int behind = place + 1; behind < set.length; behind++) {
            set[behind] = set[behind - 1] + 1;
        }
        return true;
    }

    private static int[] bestGrown(GpuBonds bonds, int count) {
        int[] best = bonds.grown(0, count);
        GpuBonds.Bond bestBond = bonds.of(best);
        for (int start = 1; start < Math.min(bonds.size(), MAX_STARTS); start++) {
            int[] set = bonds.grown(start, count);
            GpuBonds.Bond bond = bonds.of(set);
            if (bond.compareTo(bestBond) > 0) {
                best = set;
                bestBond = bond;
            }
        }
        return best;
    }
}
