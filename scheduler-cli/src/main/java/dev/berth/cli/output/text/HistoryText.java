package dev.berth.cli.output.text;

import dev.berth.core.api.JobView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Jobs that are over, for people. */
public final class HistoryText {
    /** On a terminal narrower than that the usage is left out. */
    private static final int USAGE_COLUMNS = 120;

    private static final int ENDED_COLUMN = 6;

    private HistoryText() {}

    /**
     * The table.
     *
     * @param columns how wide it may be; 0 for as wide as it wants
     */
    public static Table table(List<JobView> jobs, Instant now, int columns) {
        boolean withUsage = columns == 0 || columns >= USAGE_COLUMNS;
        List<String> headings = new ArrayList<>(List.of("ID", "NAME", "USER", "STATE", "GPUS", "RAN", "ENDED (UTC)"));
        boolean withParameters = jobs.stream().anyMatch(job -> job.parameters() != null);
        if (withParameters) {
            headings.add(JobText.STATE_COLUMN + 1, "PARAMS");
        }
        headings.addAll(withUsage ? List.of("USED", "WHY") : List.of("WHY"));
        Table table = new Table(headings.toArray(String[]::new))
                .painted(JobText.STATE_COLUMN)
                .firm(withParameters ? ENDED_COLUMN + 1 : ENDED_COLUMN);
        for (JobView job : jobs) {
            String ended = job.endedAt();
            List<String> cells = new ArrayList<>(List.of(
                    TasksText.id(job),
                    job.name(),
                    job.user(),
                    job.state(),
                    Amounts.thousandths(job.gpuMilli()),
                    JobText.ran(job),
                    ended == null ? JobText.NOTHING : Times.minute(ended)));
            if (withParameters) {
                cells.add(JobText.STATE_COLUMN + 1, JobText.parameters(job));
            }
            if (withUsage) {
                cells.add(UsageText.brief(job));
            }
            cells.add(UsageText.why(job, now));
            table.row(cells.toArray(String[]::new));
        }
        return table;
    }
}
