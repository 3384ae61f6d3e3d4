package dev.berth.cli.output;

import dev.berth.core.api.JobView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Jobs for people: as rows of a table, as a page, as a sentence. */
final class JobText {
    private static final String NOTHING = "-";

    private JobText() {}

    static Table table(List<JobView> jobs, Instant now) {
        Table table = new Table("ID", "NAME", "USER", "STATE", "GPUS", "TIME", "WHY");
        for (JobView job : jobs) {
            table.row(
                    Long.toString(job.id()),
                    job.name(),
                    job.user(),
                    job.state(),
                    gpus(job),
                    time(job, now),
                    job.sentence());
        }
        return table;
    }

    /** How long it has run, or ran, or has waited until now. */
    private static String time(JobView job, Instant now) {
        String started = job.startedAt();
        String ended = job.endedAt();
        if (ended != null) {
            return started == null ? NOTHING : Times.between(started, ended);
        }
        return Times.between(started == null ? job.submittedAt() : started, now);
    }

    /** "2 (0,1)": how many it asked for, and which ones it holds. */
    private static String gpus(JobView job) {
        if (job.gpuIndices().isEmpty()) {
            return Integer.toString(job.gpus());
        }
        StringBuilder text = new StringBuilder().append(job.gpus()).append(" (");
        for (int at = 0; at < job.gpuIndices().size(); at++) {
            int index = job.gpuIndices().get(at);
            text.append(at == 0 ? "" : ",").append(index < 0 ? "?" : Integer.toString(index));
        }
        return text.append(')').toString();
    }

    static List<String> page(JobView job, Instant now) {
        List<String> lines = new ArrayList<>();
        field(lines, "job", job.id() + ", " + job.name());
        field(lines, "state", job.state() + ": " + job.sentence());
        Long position = job.position();
        if (position != null) {
            field(lines, "place", position + " in the queue");
        }
        field(lines, "user", job.user());
        field(lines, "project", job.project());
        field(lines, "command", ShellWords.join(job.command()));
        field(lines, "image", job.image());
        field(lines, "GPUs", gpus(job));
        for (String uuid : job.gpuUuids()) {
            field(lines, "", uuid);
        }
        Long limit = job.timeLimitSeconds();
        if (limit != null) {
            field(lines, "time limit", Times.inWords(java.time.Duration.ofSeconds(limit)));
        }
        if (!job.environment().isEmpty()) {
            field(lines, "variables", String.join(", ", job.environment()));
        }
        times(lines, job, now);
        field(lines, "output", job.outputDirectory());
        field(lines, "snapshot", job.snapshot());
        return lines;
    }

    private static void times(List<String> lines, JobView job, Instant now) {
        field(lines, "submitted", ago(job.submittedAt(), now));
        String started = job.startedAt();
        if (started != null) {
            field(lines, "started", ago(started, now) + (job.attempt() > 1 ? ", start " + job.attempt() : ""));
        }
        String ended = job.endedAt();
        if (ended != null) {
            String length = started == null ? "" : " after " + Times.between(started, ended);
            field(lines, "ended", ago(ended, now) + length);
        }
        Integer code = job.exitCode();
        if (code != null) {
            field(lines, "exit code", code.toString());
        }
    }

    static String ago(String time, Instant now) {
        return Times.utc(time) + " (" + Times.between(time, now) + " ago)";
    }

    static void field(List<String> lines, String name, String value) {
        StringBuilder line = new StringBuilder(name);
        line.repeat(' ', Math.max(1, 12 - name.length()));
        lines.add(line.append(PlainText.of(value)).toString().stripTrailing());
    }

    /** What a submitter wants to know: the id, what was asked, where it stands. */
    static String accepted(JobView job) {
        Long position = job.position();
        String standing = position == null ? "is " + job.state() : "has place " + position + " in the queue";
        return PlainText.of("job " + job.id() + " asks for " + gpusInWords(job.gpus()) + " and " + standing + ": "
                + job.sentence());
    }

    static String gpusInWords(int gpus) {
        return gpus == 0 ? "no GPU" : gpus == 1 ? "1 GPU" : gpus + " GPUs";
    }

    static String standing(JobView job) {
        return PlainText.of("job " + job.id() + " " + job.state() + ": " + job.sentence());
    }
}
