package dev.berth.cli.output.text;

import dev.berth.cli.output.text.JobText.Column;
import dev.berth.core.api.JobView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Jobs that are over, for people. */
public final class HistoryText {
    /** On a terminal narrower than that the usage is left out. */
    private static final int USAGE_COLUMNS = 120;

    private static final Column ENDED = new Column("ENDED (UTC)", HistoryText::ended);

    private HistoryText() {}

    /**
     * The table.
     *
     * @param width how wide it may be; 0 for as wide as it wants
     */
    public static Table table(List<JobView> jobs, Instant now, int width) {
        List<Column> columns = new ArrayList<>(List.of(
                new Column("ID", TasksText::id),
                new Column("NAME", JobView::name),
                new Column("USER", JobView::user),
                new Column("STATE", JobView::state),
                new Column("GPUS", job -> Amounts.thousandths(job.gpuMilli())),
                new Column("RAN", JobText::ran),
                ENDED));
        if (width == 0 || width >= USAGE_COLUMNS) {
            columns.add(new Column("USED", UsageText::brief));
        }
        columns.add(new Column("WHY", job -> UsageText.why(job, now)));
        JobText.addOfSome(columns, jobs);
        return JobText.table(jobs, columns).firm(columns.indexOf(ENDED));
    }

    private static String ended(JobView job) {
        String ended = job.endedAt();
        return ended == null ? JobText.NOTHING : Times.minute(ended);
    }
}
