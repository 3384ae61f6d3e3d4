package dev.berth.core.place;

import dev.berth.core.job.GpuId;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** The strength of the bonds between free GPUs, by their places in the list of the free ones. */
final class GpuBonds {
    /** More than all the paths of the largest machine's pairs together, so that one NVLink outweighs them. */
    private static final long NVLINK = 1L << 32;

    private final long[][] strength;
    private final long[] toAll;

    GpuBonds(List<GpuId> free, GpuTopology topology) {
        strength = new long[free.size()][free.size()];
        toAll = new long[free.size()];
        for (int one = 0; one < free.size(); one++) {
            for (int other = 0; other < free.size(); other++) {
                if (one != other) {
                    strength[one][other] = strength(topology.between(free.get(one), free.get(other)));
                    toAll[one] += strength[one][other];
                }
            }
        }
    }

    /** NVLinks first, then the path. One pair a step closer is worth more than three that are not. */
    private static long strength(GpuLink link) {
        int path = switch (link.path()) {
            case SYSTEM -> 0;
            case NODE -> 1;
            case HOST_BRIDGE -> 4;
            case SWITCHES -> 16;
            case SWITCH -> 64;
            case INTERNAL -> 256;
        };
        return link.nvlinks() * NVLINK + path;
    }

    int size() {
        return toAll.length;
    }

    Bond of(int[] set) {
        long worst = Long.MAX_VALUE;
        long sum = 0;
        long outward = 0;
        for (int one = 0; one < set.length; one++) {
            outward += toAll[set[one]];
            for (int other = one + 1; other < set.length; other++) {
                long pair = strength[set[one]][set[other]];
                worst = Math.min(worst, pair);
                sum += pair;
            }
        }
        // What the others lose is all that leads out of the set, and each pair within it was counted from both ends.
        return new Bond(worst, sum, outward - 2 * sum);
    }

    /** A set with this GPU in it, each next one the one that the set is then the better for; in ascending order. */
    int[] grown(int start, int count) {
        long[] worstTo = strength[start].clone();
        long[] sumTo = strength[start].clone();
        boolean[] taken = new boolean[size()];
        taken[start] = true;
        int[] set = new int[count];
        set[0] = start;
        for (int place = 1; place < count; place++) {
            int next = best(worstTo, sumTo, taken);
            set[place] = next;
            taken[next] = true;
            for (int other = 0; other < size(); other++) {
                worstTo[other] = Math.min(worstTo[other], strength[next][other]);
                sumTo[other] += strength[next][other];
            }
        }
        Arrays.sort(set);
        return set;
    }

    private int best(long[] worstTo, long[] sumTo, boolean[] taken) {
        int best = -1;
        Bond bestBond = null;
        for (int gpu = 0; gpu < size(); gpu++) {
            Bond bond = new Bond(worstTo[gpu], sumTo[gpu], toAll[gpu]);
            if (!taken[gpu] && (bestBond == null || bond.compareTo(bestBond) > 0)) {
                best = gpu;
                bestBond = bond;
            }
        }
        return best;
    }

    /**
     * The quality of a set of GPUs; the greater the better.
     *
     * @param worst the strength of its weakest pair
     * @param sum of all its pairs
     * @param loss of the GPUs that stay free
     */
    record Bond(long worst, long sum, long loss) implements Comparable<Bond> {
        private static final Comparator<Bond> ORDER = Comparator.comparingLong(Bond::worst)
                .thenComparingLong(Bond::sum)
                .thenComparing(Comparator.comparingLong(Bond::loss).reversed());

        @Override
        public int compareTo(Bond other) {
            return ORDER.compare(this, other);
        }
    }
}
