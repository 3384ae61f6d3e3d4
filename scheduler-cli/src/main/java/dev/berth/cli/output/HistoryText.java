package dev.berth.cli.output;

import dev.berth.core.api.JobView;
import java.util.List;

/** Jobs that are over, for people. */
final class HistoryText {
    private HistoryText() {}

    static Table table(List<JobView> jobs) {
        Table table =
                new Table("ID", "NAME", "USER", "STATE", "GPUS", "RAN", "ENDED", "WHY").painted(JobText.STATE_COLUMN);
        for (JobView job : jobs) {
            String started = job.startedAt();
            String ended = job.endedAt();
            table.row(
                    Long.toString(job.id()),
                    job.name(),
                    job.user(),
                    job.state(),
                    Amounts.thousandths(job.gpuMilli()),
                    started == null || ended == null ? JobText.NOTHING : Times.between(started, ended),
                    ended == null ? JobText.NOTHING : Times.utc(ended),
                    job.sentence());
        }
        return table;
    }
}
