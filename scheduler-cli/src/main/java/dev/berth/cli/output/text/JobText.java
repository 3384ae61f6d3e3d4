package dev.berth.cli.output.text;

import dev.berth.core.api.AttemptView;
import dev.berth.core.api.GitView;
import dev.berth.core.api.JobView;
import dev.berth.core.api.TasksView;
import dev.berth.core.api.TrackingView.ProgressView;
import dev.berth.core.option.JobOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Jobs for people: as rows of a table, as a page, as a sentence. */
public final class JobText {
    static final int STATE_COLUMN = 3;

    static final String NOTHING = "-";

    private static final String FIRST = "first in the queue";

    record Column(String heading, Function<JobView, String> cell) {}

    private JobText() {}

    public static Table table(List<JobView> jobs, Instant now) {
        return table(jobs, columns(jobs, now));
    }

    /** The table of jobs with what each job makes of its GPUs. */
    public static Table usageTable(List<JobView> jobs, Instant now, int curveWidth, boolean unicode) {
        List<Column> columns = new ArrayList<>(columns(jobs, now));
        columns.add(columns.size() - 1, new Column("USED", job -> UsageText.curve(job, curveWidth, unicode)));
        return table(jobs, columns);
    }

    private static List<Column> columns(List<JobView> jobs, Instant now) {
        List<Column> columns = new ArrayList<>(List.of(
                new Column("ID", TasksText::id),
                new Column("NAME", JobView::name),
                new Column("USER", JobView::user),
                new Column("STATE", JobView::state),
                new Column("PLACE", JobText::place),
                new Column("GPUS", JobText::gpus),
                new Column("TIME", job -> time(job, now)),
                new Column("WHY", job -> UsageText.why(job, now))));
        addOfSome(columns, jobs);
        return columns;
    }

    /** Adds the columns that are there where one of the jobs has something for them, behind the state. */
    static void addOfSome(List<Column> columns, List<JobView> jobs) {
        if (jobs.stream().anyMatch(job -> job.target() != null)) {
            columns.add(STATE_COLUMN + 1, new Column("TARGET", job -> job.target() == null ? NOTHING : job.target()));
        }
        if (jobs.stream().anyMatch(job -> job.parameters() != null)) {
            columns.add(STATE_COLUMN + 1, new Column("PARAMS", JobText::parameters));
        }
    }

    static Table table(List<JobView> jobs, List<Column> columns) {
        Table table = new Table(columns.stream().map(Column::heading).toArray(String[]::new)).painted(STATE_COLUMN);
        for (JobView job : jobs) {
            table.row(columns.stream().map(column -> column.cell().apply(job)).toArray(String[]::new));
        }
        return table;
    }

    /** The parameters of a sweep's task as {@code lr=0.1 seed=3}; empty for others. */
    static String parameters(JobView job) {
        return job.parameters() == null ? "" : parameters(job.parameters());
    }

    /** Parameters as {@code lr=0.1 seed=3}. */
    public static String parameters(Map<String, String> parameters) {
        return parameters.entrySet().stream()
                .map(parameter -> parameter.getKey() + "=" + parameter.getValue())
                .collect(Collectors.joining(" "));
    }

    /** "job 42_7", or "array 42". */
    private static String named(JobView job) {
        return (job.tasks() == null ? "job " : "array ") + job.number();
    }

    /** What becomes of a job that was cancelled. */
    public static String cancelled(JobView job) {
        TasksView tasks = job.tasks();
        if (job.state().equals("CANCELLED")) {
            return PlainText.of(named(job) + " is cancelled");
        }
        if (tasks != null && job.endedAt() == null) {
            long open = tasks.in("RUNNING") + tasks.in("STARTING") + tasks.in("STOPPING");
            return PlainText.of(named(job) + " is being cancelled: " + open + " of its " + tasks.count()
                    + (open == 1 ? " tasks is" : " tasks are") + " being stopped");
        }
        return job.state().equals("STOPPING") ? PlainText.of(named(job) + " is being stopped") : standing(job);
    }

    /** The job's place in the queue. */
    static String place(JobView job) {
        Long position = job.position();
        return position == null ? NOTHING : position.toString();
    }

    /** The time that it has run, or ran, or has waited until now. */
    static String time(JobView job, Instant now) {
        boolean waits = job.ranSeconds() == null && job.endedAt() == null;
        return waits ? Times.between(job.submittedAt(), now) : ran(job);
    }

    static String ran(JobView job) {
        Long seconds = job.ranSeconds();
        return seconds == null ? NOTHING : Times.inWords(Duration.ofSeconds(seconds));
    }

    /** The words against what nobody should believe of a share. */
    private static final String SHARE = "shared by agreement; nothing keeps the jobs' memory apart";

    /** "2 (0,1)": how many it asked for, and which ones it holds, as far as the server gives them out. */
    static String gpus(JobView job) {
        if (job.gpuIndices().isEmpty()) {
            return Amounts.thousandths(job.gpuMilli());
        }
        return Amounts.thousandths(job.gpuMilli()) + " (" + String.join(",", job.gpuIndices()) + ")";
    }

    public static List<String> page(JobView job, Instant now, boolean unicode) {
        List<String> lines = new ArrayList<>();
        field(lines, "job", job.number() + ", " + job.name());
        field(lines, "state", job.state() + ": " + job.sentence());
        String details = job.details();
        if (details != null) {
            field(lines, "details", details);
        }
        TasksView tasks = job.tasks();
        if (tasks != null) {
            field(lines, "tasks", TasksText.counts(tasks));
        }
        String packs = TasksText.packs(job);
        if (!packs.isEmpty()) {
            field(lines, "packs", packs);
        }
        String pack = job.packNumber();
        if (pack != null) {
            field(lines, "pack", pack);
        }
        if (job.parameters() != null) {
            field(lines, "parameters", parameters(job));
        }
        List<String> sweep = job.sweep();
        if (sweep != null) {
            field(lines, "sweep", String.join(", ", sweep));
        }
        Long position = job.position();
        if (position != null) {
            field(lines, "place", position + " in the queue");
        }
        String start = ProgressText.start(job.expectedStart(), job.latestStart(), now);
        if (!start.isEmpty()) {
            field(lines, "starts", start);
        }
        ProgressView progress = job.progress();
        if (progress != null) {
            field(lines, "progress", ProgressText.of(progress, now));
        }
        if (job.target() != null) {
            field(lines, "target", job.target() + (job.targetKind() == null ? "" : " (" + job.targetKind() + ")"));
        }
        field(lines, "user", job.user());
        field(lines, "command", command(job));
        field(lines, "GPUs", gpus(job));
        for (String uuid : job.gpuUuids()) {
            field(lines, "", uuid);
        }
        options(lines, job);
        List<String> variables = job.environment();
        if (variables != null && !variables.isEmpty()) {
            field(lines, "variables", String.join(", ", variables));
        }
        attempts(lines, job);
        times(lines, job, now);
        UsageText.fields(lines, job, unicode);
        if (tasks == null && !job.outputDirectory().isEmpty()) {
            field(lines, "output", job.outputDirectory());
        }
        field(lines, "snapshot", job.snapshot());
        GitView git = job.git();
        if (git != null) {
            field(lines, "git", git(job.number(), git));
        }
        return lines;
    }

    /** As a shell would read it; empty of a job in a list, where it does not stand. */
    static String command(JobView job) {
        List<String> command = job.command();
        return command == null ? "" : ShellWords.join(command);
    }

    private static String git(String job, GitView git) {
        String branch = git.branch();
        return git.commit()
                + (branch == null ? "" : " on " + branch)
                + (git.dirty() ? ", with uncommitted changes" : "")
                + (git.diff() == null ? "" : " (berth get " + job + " --diff shows them)");
    }

    /** Every option that has a value, as the table of options calls it. */
    private static void options(List<String> lines, JobView job) {
        for (JobOption option : JobOption.values()) {
            String value = job.options().shown(option.field());
            if (!option.title().isEmpty() && option.isOf(job.host()) && !value.isEmpty()) {
                field(lines, option.title(), PlanText.amount(option.field(), value));
            }
        }
        Long repeated = job.resubmitOf();
        if (repeated != null) {
            field(lines, "repeats", repeated(job, repeated));
        }
    }

    /** How the attempts ended before the last one. */
    private static void attempts(List<String> lines, JobView job) {
        String name = "attempts";
        for (AttemptView attempt : job.earlierAttempts()) {
            field(lines, name, attempt.attempt() + ": " + ended(attempt));
            name = "";
        }
    }

    private static String ended(AttemptView attempt) {
        StringBuilder text = new StringBuilder(attempt.state());
        if (attempt.startedAt() != null) {
            text.append(", after ").append(Times.inWords(Duration.ofSeconds(attempt.ranSeconds())));
        }
        if (attempt.packNumber() != null) {
            text.append(" in the pack ").append(attempt.packNumber());
        }
        List<String> gpus = attempt.gpuIndices();
        if (!gpus.isEmpty()) {
            text.append(gpus.size() == 1 ? " on GPU " : " on GPUs ").append(String.join(", ", gpus));
        }
        text.append(": ").append(attempt.sentence());
        Integer code = attempt.exitCode();
        if (code != null && !attempt.reason().equals("EXITED_NONZERO")) {
            text.append(" (exit code ").append(code).append(')');
        }
        return text.append(attempt.retried() ? "" : "; queued again").toString();
    }

    private static void times(List<String> lines, JobView job, Instant now) {
        field(lines, "submitted", ago(job.submittedAt(), now));
        String started = job.startedAt();
        if (started != null) {
            field(lines, "started", ago(started, now) + (job.attempt() > 1 ? ", attempt " + job.attempt() : ""));
        }
        String ended = job.endedAt();
        if (ended != null) {
            String length = started == null ? "" : " after " + ran(job);
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

    /** What an earlier job, or of an array, ran once before. */
    private static String repeated(JobView job, long earlier) {
        return job.options().text("array").isEmpty()
                ? "job " + earlier
                : "tasks " + job.options().text("array").split("%", 2)[0] + " of array " + earlier;
    }

    /**
     * The sentence that a submitter wants to know: the id, what was asked, where it stands, when it starts as far as is
     * known.
     */
    public static String accepted(JobView job) {
        Long repeated = job.resubmitOf();
        Long position = job.position();
        String latest = job.latestStart();
        StringBuilder text = new StringBuilder(named(job));
        text.append(repeated == null ? "" : " (" + repeated(job, repeated) + " once more)");
        TasksView tasks = job.tasks();
        text.append(tasks == null ? "" : " of " + tasks.count() + (tasks.count() == 1 ? " task" : " tasks"));
        text.append(" asks for ")
                .append(gpusInWords(job.gpuMilli()))
                .append(tasks == null || tasks.count() == 1 ? "" : " each");
        text.append(job.gpuMilli() % 1000 == 0 ? " and " : " (" + SHARE + ") and ");
        if (position == null) {
            text.append("is ").append(job.state()).append(": ");
        } else if (job.sentence().startsWith(FIRST)) {
            text.append("is ");
        } else {
            text.append("has place ").append(position).append(" in the queue: ");
        }
        text.append(job.sentence());
        String expected = job.expectedStart();
        if (expected != null) {
            text.append("; starts about ").append(Times.clock(expected, job.submittedAt()));
        }
        if (latest != null && !Times.isSameMinute(latest, job.submittedAt())) {
            text.append(expected == null ? "; starts by " : ", by ")
                    .append(Times.clock(latest, job.submittedAt()))
                    .append(" at the latest");
        }
        return PlainText.of(text.toString());
    }

    /** Of thousandths of a GPU. */
    static String gpusInWords(int milli) {
        if (milli % 1000 != 0) {
            return Amounts.thousandths(milli) + " of a GPU";
        }
        int gpus = milli / 1000;
        return gpus == 0 ? "no GPU" : gpus == 1 ? "1 GPU" : gpus + " GPUs";
    }

    public static String standing(JobView job) {
        return PlainText.of(named(job) + " " + job.state() + ": " + job.sentence());
    }
}
