package dev.berth.cli.output.text;

import dev.berth.core.sweep.SweepRun;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Runs of a sweep, for people. */
public final class SweepText {
    /** Columns are set for so many runs at a time, as there may be more than memory holds the lines of. */
    private static final int AT_A_TIME = 1000;

    private SweepText() {}

    /**
     * Prints a line for each, under one heading.
     *
     * @param columns how wide a line may be; 0 for as wide as it wants
     */
    public static void print(List<SweepRun> runs, int columns, boolean colour, Consumer<String> line) {
        for (int from = 0; from < runs.size(); from += AT_A_TIME) {
            Table table = new Table("RUN", "EXPERIMENT", "NAME", "REPETITION", "DIRECTORY", "PARAMS");
            for (SweepRun run : runs.subList(from, Math.min(runs.size(), from + AT_A_TIME))) {
                table.row(
                        Integer.toString(run.number()),
                        run.experiment(),
                        run.name(),
                        Integer.toString(run.repetition()),
                        run.directory(),
                        String.join(" ", run.settings()));
            }
            List<String> lines = new ArrayList<>(table.lines(columns, colour));
            (from == 0 ? lines : lines.subList(1, lines.size())).forEach(line);
        }
    }

    /** The sentence behind them. */
    public static String total(List<SweepRun> runs) {
        long experiments = runs.stream().map(SweepRun::experiment).distinct().count();
        return runs.size() + (runs.size() == 1 ? " run" : " runs") + " of " + experiments
                + (experiments == 1 ? " experiment" : " experiments") + "; nothing is submitted";
    }
}
