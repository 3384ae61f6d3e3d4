package dev.berth.server.simulation;

import dev.berth.core.job.Packing;
import dev.berth.core.job.TaskSet;
import dev.berth.core.job.TaskSet.Range;
import dev.berth.core.job.Tasks;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** The arrays that users submit; on most days none. */
final class ArrayRequests {
    /** Those of so many days have arrays that leave one of these. */
    private static final int DAYS = 11;

    private static final Set<Integer> WITH_ARRAYS = Set.of(2, 3, 8);

    /** Those of days with arrays have packs that leave one of these of so many. */
    private static final int PACK_DAYS = 7;

    private static final Set<Integer> WITH_PACKS = Set.of(0, 2, 5, 6);

    private static final int MAX_PACK = 6;

    /** The most tasks of one array, and of all arrays of a day: they run one after the other. */
    private static final int MAX_TASKS = 12;

    private static final int MAX_TASKS_A_DAY = 60;

    private final SplittableRandom random;
    private final Tally tally;
    private final boolean areWanted;
    private final boolean arePacksWanted;
    private int left = MAX_TASKS_A_DAY;

    /** Those of a day. One without them is the same as if this were not here. */
    ArrayRequests(long seed, Tally tally) {
        this.random = new SplittableRandom(seed ^ DAYS);
        this.tally = tally;
        this.areWanted = WITH_ARRAYS.contains(Math.floorMod(seed, DAYS));
        this.arePacksWanted = WITH_PACKS.contains(Math.floorMod(seed, PACK_DAYS));
    }

    /** The tasks of an array; null where a job is to be none. */
    @Nullable
    Tasks any() {
        if (!areWanted || left < MAX_TASKS || random.nextInt(3) == 0) {
            return null;
        }
        List<Range> ranges = new ArrayList<>();
        int count = 1 + random.nextInt(MAX_TASKS);
        int index = random.nextInt(3);
        for (int task = 0; task < count; task++) {
            boolean hasGap = random.nextInt(4) == 0;
            if (hasGap) {
                index += 1 + random.nextInt(9);
            }
            if (hasGap || ranges.isEmpty()) {
                ranges.add(new Range(index, index));
            } else {
                ranges.add(new Range(ranges.removeLast().first(), index));
            }
            index++;
        }
        left -= count;
        int atOnce = random.nextInt(arePacksWanted ? MAX_PACK : 4);
        tally.count(atOnce == 0 ? "array submitted" : "array submitted with a throttle");
        return new Tasks(new TaskSet(ranges), atOnce).with(packing(atOnce));
    }

    /** How its tasks share containers; on most days they do not. */
    private @Nullable Packing packing(int atOnce) {
        if (!arePacksWanted || random.nextInt(8) == 0) {
            return null;
        }
        tally.count("array submitted in packs");
        int size = 2 + random.nextInt(MAX_PACK - 1);
        int most = atOnce == 0 ? size : Math.min(size, atOnce);
        return new Packing(size, 1 + random.nextInt(most));
    }

    /** On days with arrays: true one time in so many. */
    boolean isOneIn(int times) {
        return areWanted && random.nextInt(times) == 0;
    }

    /** Any of so many. */
    int any(int bound) {
        return random.nextInt(bound);
    }
}
