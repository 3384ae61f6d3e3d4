package dev.berth.core.sweep;

import java.util.List;

/**
 * How the runs of a sweep file share containers, as {@code reps_per_job} and {@code reps_in_parallel} ask for it: CW2 runs
 * repetitions of one combination together.
 *
 * @param size how many runs that follow each other; 0 where each has a container of its own
 * @param parallel how many of those run at the same time
 * @param remark what people should know where the keys of the file count for nothing; empty for nothing
 */
public record SweepPacks(int size, int parallel, String remark) {
    /** As many as Berth runs in a container. */
    private static final int MAX_SIZE = 64;

    private static final SweepPacks NONE = new SweepPacks(0, 1, "");

    /** The packs of the runs of one sweep, at least one run. */
    public static SweepPacks of(List<SweepRun> runs) {
        SweepRun first = runs.getFirst();
        int size = first.together();
        if (runs.stream().allMatch(run -> run.together() == 1)) {
            return NONE;
        }
        for (SweepRun run : runs) {
            if (run.together() != size || run.inParallel() != first.inParallel()) {
                return unused(run, "the experiments differ in it, or in reps_in_parallel");
            }
            if (run.repetitions() % size != 0) {
                return unused(run, "its " + run.repetitions() + " repetitions are no multiple of " + size);
            }
        }
        return size > MAX_SIZE
                ? unused(first, "at most " + MAX_SIZE + " runs share a container")
                : new SweepPacks(size, first.inParallel(), "");
    }

    /** The same for an array of only some of the runs. */
    public SweepPacks ofSome() {
        return size == 0 ? this : new SweepPacks(0, 1, unused("--array names some of the runs alone"));
    }

    private static SweepPacks unused(SweepRun run, String reason) {
        return new SweepPacks(
                0, 1, run.place() + ": experiment " + Quoted.of(run.experiment()) + ": " + unused(reason));
    }

    private static String unused(String reason) {
        return "reps_per_job counts for nothing, as " + reason
                + "; each run has a container of its own, unless --pack says how many share one";
    }
}
