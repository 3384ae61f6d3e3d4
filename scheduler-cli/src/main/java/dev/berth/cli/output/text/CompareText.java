package dev.berth.cli.output.text;

import dev.berth.cli.output.Comparing;
import dev.berth.cli.output.Comparison;
import dev.berth.cli.output.Comparison.Difference;
import dev.berth.cli.output.Comparison.Run;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Jobs side by side, for people. */
public final class CompareText {
    private static final String NAME = "NAME";
    private static final String STATE = "STATE";

    private CompareText() {}

    /** The lines of a comparison; the longer of the two lists, of jobs and of what differs, goes down. */
    public static List<String> compared(Comparison comparison, int columns) {
        List<Difference> rows = new ArrayList<>();
        List<@Nullable String> names = new ArrayList<>();
        List<@Nullable String> states = new ArrayList<>();
        for (Run job : comparison.jobs()) {
            names.add(job.name());
            states.add(job.state());
        }
        addWhereDifferent(rows, NAME, names);
        addWhereDifferent(rows, STATE, states);
        comparison.differences().forEach(difference -> rows.add(shortened(difference)));
        boolean areJobsDown = comparison.jobs().size() > rows.size();
        List<String> lines = new ArrayList<>(
                (areJobsDown ? jobsDown(comparison.jobs(), rows) : namesDown(comparison.jobs(), rows)).lines(columns));
        if (comparison.differences().isEmpty()) {
            lines.add("they told the same");
        } else if (comparison.same() > 0) {
            lines.add(comparison.same() + (comparison.same() == 1 ? " value is" : " values are") + " the same in all");
        }
        return lines;
    }

    private static void addWhereDifferent(List<Difference> rows, String name, List<@Nullable String> values) {
        if (new HashSet<>(values).size() > 1) {
            rows.add(new Difference(name, values));
        }
    }

    /** In few digits, unless that would make two values look the same that are not. */
    private static Difference shortened(Difference difference) {
        List<@Nullable String> values = new ArrayList<>();
        for (String value : difference.values()) {
            values.add(value == null ? null : Figures.shortened(value));
        }
        Set<@Nullable String> whole = new HashSet<>(difference.values());
        return new HashSet<>(values).size() < whole.size() ? difference : new Difference(difference.name(), values);
    }

    private static Table namesDown(List<Run> jobs, List<Difference> rows) {
        List<String> headings = new ArrayList<>(List.of(""));
        for (Run job : jobs) {
            headings.add(job.id());
        }
        Table table = new Table(headings.toArray(String[]::new));
        for (Difference row : rows) {
            List<String> cells = new ArrayList<>(List.of(row.name()));
            for (String value : row.values()) {
                cells.add(shown(value));
            }
            table.row(cells.toArray(String[]::new));
        }
        return table;
    }

    private static Table jobsDown(List<Run> jobs, List<Difference> rows) {
        List<String> headings = new ArrayList<>(List.of("ID"));
        for (Difference row : rows) {
            headings.add(row.name());
        }
        Table table = new Table(headings.toArray(String[]::new));
        for (int at = 0; at < jobs.size(); at++) {
            List<String> cells = new ArrayList<>(List.of(jobs.get(at).id()));
            addValues(cells, rows, at);
            table.row(cells.toArray(String[]::new));
        }
        return table;
    }

    private static void addValues(List<String> cells, List<Difference> rows, int at) {
        for (Difference row : rows) {
            cells.add(shown(row.values().get(at)));
        }
    }

    /** The best jobs by a metric, in their order, with the parameters and tags in which they differ. */
    public static Table best(Comparison comparison, String metric) {
        List<Difference> rows = new ArrayList<>();
        comparison.differences().forEach(difference -> rows.add(shortened(difference)));
        List<@Nullable String> values = new ArrayList<>();
        for (Run job : comparison.jobs()) {
            values.add(job.value() == null ? null : Comparing.text(job.value()));
        }
        Difference ranking = shortened(new Difference(metric, values));
        List<String> headings = new ArrayList<>(List.of("ID", NAME, STATE, metric, "STEP"));
        for (Difference row : rows) {
            headings.add(row.name());
        }
        Table table = new Table(headings.toArray(String[]::new));
        for (int at = 0; at < comparison.jobs().size(); at++) {
            Run job = comparison.jobs().get(at);
            List<String> cells = new ArrayList<>(List.of(
                    job.id(),
                    job.name(),
                    job.state(),
                    shown(ranking.values().get(at)),
                    job.step() == null ? JobText.NOTHING : Long.toString(job.step())));
            addValues(cells, rows, at);
            table.row(cells.toArray(String[]::new));
        }
        return table;
    }

    private static String shown(@Nullable String value) {
        return value == null ? JobText.NOTHING : value;
    }
}
