package dev.berth.core.sweep;

import dev.berth.core.parameter.Parameters;
import dev.berth.core.sweep.SweepValue.Section;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Runs of a sweep file, in the order that CW2 gives them. */
public final class Sweep {
    static final int MAX_RUNS = 100_000;

    /** Of all experiments with what they inherit, so that many with large defaults take no endless memory. */
    static final int MAX_VALUES = 500_000;

    private Sweep() {}

    /**
     * The runs of some experiments of a file, or of all.
     *
     * @throws SweepRefusal where something is wrong with it
     */
    public static List<SweepRun> runs(SweepFile file, List<String> experiments, SweepFiles files) {
        List<Experiment> read = new ArrayList<>();
        int values = 0;
        for (String name : ExperimentSelection.of(file, experiments)) {
            Section content = new Inheritance(files).of(file, name);
            values += content.count();
            if (values > MAX_VALUES) {
                throw new SweepRefusal(
                        content.place(),
                        "the experiments up to " + Quoted.of(name) + " have more than " + MAX_VALUES
                                + " values with what they inherit; use -e for some of them, or two files");
            }
            read.add(ExperimentKeys.read(name, content));
        }
        requireBound(file, read);
        List<Combination> combinations = expanded(read);
        requireOwnDirectories(combinations);
        List<SweepRun> runs = new ArrayList<>();
        for (Combination combination : combinations) {
            for (int repetition = 0; repetition < combination.experiment().repetitions(); repetition++) {
                runs.add(new SweepRun(runs.size(), combination, repetition));
            }
        }
        return runs;
    }

    private static void requireBound(SweepFile file, List<Experiment> experiments) {
        long all = 0;
        for (Experiment experiment : experiments) {
            long count = experiment.repetitions();
            List<String> factors = new ArrayList<>();
            for (Expansion step : experiment.steps()) {
                count = Parameters.product(count, step.count());
                factors.add(counted(step.count()) + " (" + Quoted.cut(step.key()) + ")");
            }
            factors.add(experiment.repetitions() + " (repetitions)");
            if (count > MAX_RUNS) {
                throw new SweepRefusal(
                        experiment.place(),
                        "experiment " + Quoted.of(experiment.name()) + " has " + String.join(" x ", factors) + " = "
                                + counted(count) + " runs, and a sweep may have " + MAX_RUNS);
            }
            all += count;
            if (all > MAX_RUNS) {
                throw new SweepRefusal(
                        file.place(),
                        "the experiments up to " + Quoted.of(experiment.name()) + " have " + all
                                + " runs, and a sweep may have " + MAX_RUNS + "; use -e for some of them");
            }
        }
    }

    private static String counted(long count) {
        return count == Long.MAX_VALUE ? "more than 10^18" : Long.toString(count);
    }

    /** Breadth first over all experiments, as CW2 does it: what takes fewer steps comes earlier. */
    private static List<Combination> expanded(List<Experiment> experiments) {
        Deque<Combination> queue = new ArrayDeque<>();
        experiments.forEach(experiment -> queue.add(Combination.first(experiment)));
        List<Combination> complete = new ArrayList<>();
        while (!queue.isEmpty()) {
            Combination next = queue.remove();
            if (next.isComplete()) {
                // Found out here and not while they are printed: a value that is no map where one is needed.
                Section _ = next.params();
                complete.add(next);
                continue;
            }
            int count = (int) next.experiment().steps().get(next.depth()).count();
            for (int number = 0; number < count; number++) {
                queue.add(next.next(number));
            }
        }
        return complete;
    }

    private static void requireOwnDirectories(List<Combination> combinations) {
        Map<String, Combination> taken = new HashMap<>();
        for (Combination combination : combinations) {
            Combination other = taken.putIfAbsent(normal(combination.directory()), combination);
            if (other != null) {
                throw new SweepRefusal(
                        combination.experiment().place(),
                        "two runs would have one directory, " + Quoted.cut(combination.directory()) + ": "
                                + other.shown() + " and "
                                + combination.shown()
                                + "; change a value, or the name of a parameter, of which the first"
                                + " letters count");
            }
        }
    }

    /** The path without what leads nowhere. */
    private static String normal(String path) {
        if (!path.contains("//") && !path.contains("./")) {
            return path;
        }
        StringBuilder normal = new StringBuilder(path.startsWith("/") ? "/" : "");
        for (String part : path.split("/", -1)) {
            if (!part.isEmpty() && !part.equals(".")) {
                normal.append(part).append('/');
            }
        }
        return normal.substring(0, Math.max(0, normal.length() - 1));
    }
}
