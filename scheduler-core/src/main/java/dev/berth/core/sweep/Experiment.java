package dev.berth.core.sweep;

import dev.berth.core.sweep.SweepValue.Section;
import java.util.List;

/**
 * Experiment: what its runs have in common, and how they are made of it.
 *
 * @param together how many repetitions CW2 runs in one job
 * @param inParallel how many of those run at the same time
 * @param path the directory of its results, as the file has it
 * @param steps the expansions, one after the other
 * @param content all its keys, with what it inherits
 */
record Experiment(
        String name,
        String path,
        int repetitions,
        int together,
        int inParallel,
        Section params,
        List<Expansion> steps,
        Section content) {
    Experiment {
        steps = List.copyOf(steps);
    }

    /** The place to say what is wrong with several of its runs: that of what makes several of it. */
    SourceLine place() {
        return steps.isEmpty() ? content.place() : steps.getLast().place();
    }

    /** The directory of a run, as CW2 joins it. */
    String directory(String run) {
        return joined(joined(path, steps.isEmpty() ? "" : name), run);
    }

    static String joined(String directory, String name) {
        return directory.isEmpty() || directory.endsWith("/") || name.isEmpty()
                ? directory + name
                : directory + "/" + name;
    }
}
