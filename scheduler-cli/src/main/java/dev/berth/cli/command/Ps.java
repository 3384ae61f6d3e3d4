package dev.berth.cli.command;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.client.JobQuery;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.JobFilters;
import dev.berth.cli.line.JobStates;
import dev.berth.cli.line.Shape;
import dev.berth.cli.output.Canvas;
import dev.berth.cli.output.text.JobFormat;
import dev.berth.core.api.JobList;
import dev.berth.core.api.JobView;
import dev.berth.core.command.ClosestWord;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code berth ps}: lists jobs. */
public final class Ps implements Verb {
    static final String FORMAT = "--format";

    private static final String ALL = "--all";
    private static final String TASKS = TaskOptions.TASKS;
    private static final String LAST = "--last";
    private static final String WATCH = "--watch";
    private static final int ACTIVE_LIMIT = 1000;
    private static final int ALL_LIMIT = 100;
    private static final int MAX_LAST = 10_000;

    @Override
    public Shape shape() {
        Shape shape = Shape.of(
                        "ps",
                        "[<array>]",
                        "List the jobs that run, then those that wait, in the order of the queue.",
                        "")
                .flag("Every job, newest first, those that are over too (the newest 100).", "-a", ALL);
        shape = TaskOptions.addTo(
                        shape,
                        "The tasks of arrays that had their turn, too; with an array's id these alone, newest first.")
                .value("N", "The N newest jobs, those that are over too.", "-n", LAST);
        return ToldOptions.addTo(formatted(JobFilters.addTo(shape, JobStates.ALL)))
                .flag("Draw the list again whenever something happens, until Ctrl-C.", WATCH)
                .examples(
                        "berth ps",
                        "berth ps -a",
                        "berth ps --state FAILED -n 20",
                        "berth ps --tasks 42",
                        "berth ps --tasks 42 --param lr=0.1",
                        "berth ps -a --columns id,name,state,lr,acc --where 'acc>0.9'",
                        "berth ps -a --sort duration:desc",
                        "berth ps --format '{{.ID}} {{.Name}} {{.State}}'",
                        "berth ps --watch",
                        "berth cancel $(berth ps -q)");
    }

    static Shape formatted(Shape shape) {
        return shape.value(
                "TEMPLATE",
                "Print each job so, for example '{{.ID}} {{.State}}' or 'table {{.Name}}\\t{{.Why}}'; the fields are "
                        + String.join(", ", JobFormat.FIELDS) + ".",
                FORMAT);
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        boolean tasks = arguments.has(TASKS);
        if (!tasks) {
            requireNoWords(arguments);
        }
        Integer last = arguments.number(LAST, 1, MAX_LAST);
        boolean ofArray = !arguments.words().isEmpty();
        boolean all = ofArray || arguments.has(ALL) || last != null || arguments.has(JobFilters.STATE);
        if (tasks && all && !ofArray) {
            throw Failure.usage(
                    TASKS + " lists the tasks of jobs that run and wait, or with an id those of an array: berth ps "
                            + TASKS + " 42");
        }
        int limit = last != null ? last : all ? ALL_LIMIT : ACTIVE_LIMIT;
        JobQuery folded = JobFilters.query(arguments, JobStates.ALL, all ? JobQuery.ALL : JobQuery.ACTIVE, limit);
        String param = TaskOptions.param(arguments, "ps");
        JobFormat format = ToldOptions.format(arguments);
        JobQuery asked = ToldOptions.query(arguments, folded.withParam(param));
        JobQuery query = ofArray
                ? asked.ofArray(TaskOptions.array(arguments, session, param, true))
                : tasks ? asked.unfolded() : asked;
        if (param != null && !ofArray) {
            session.output()
                    .notice(
                            "berth: only tasks that have had their turn are looked at; with an array's id its others are,"
                                    + " too: berth ps " + TASKS + " 42 " + TaskOptions.PARAM + " " + param);
        }
        if (arguments.has(WATCH) && ToldOptions.hasColumns(arguments)) {
            throw Failure.usage(WATCH + " and --columns exclude each other; give one of them");
        }
        if (arguments.has(WATCH)) {
            return watch(arguments, session, query, format);
        }
        show(
                session,
                ToldOptions.jobs(session.client(), query),
                hint(all, ofArray, limit, ToldOptions.isSorted(arguments)),
                format);
        return ExitCode.OK;
    }

    private static String hint(boolean all, boolean ofArray, int limit, boolean isSorted) {
        if (!all && isSorted) {
            return "these are the first " + limit + ", more follow";
        }
        if (!all) {
            return "these are the first " + limit + ", more wait behind them";
        }
        String more = (ofArray ? "; add -n " : "; berth ps -n ")
                + Math.min(MAX_LAST, 10 * limit)
                + (ofArray ? " for more" : " shows more");
        return "these are the " + (isSorted ? "first " : "newest ") + limit + (limit < MAX_LAST ? more : "");
    }

    private static void requireNoWords(Arguments arguments) {
        String first = arguments.words().isEmpty() ? "" : arguments.words().getFirst();
        if (!first.isEmpty() && first.chars().allMatch(c -> c >= '0' && c <= '9')) {
            throw Failure.usage("berth ps takes no '" + first + "'; berth status " + first + " shows a job, berth ps "
                    + TASKS + " " + first + " lists the tasks of an array");
        }
        arguments.noWords();
    }

    static void show(Session session, JobList jobs, String hint, @Nullable JobFormat format) throws IOException {
        if (format == null) {
            session.output().jobs(jobs, hint);
        } else {
            format.print(
                    format.isOfWholeJobs() ? whole(session.client(), jobs) : jobs.jobs(),
                    session.environment().screen(),
                    session.environment().time().instant());
        }
    }

    private static List<JobView> whole(BerthClient client, JobList jobs) throws IOException {
        List<JobView> whole = new ArrayList<>();
        for (JobView job : jobs.jobs()) {
            whole.add(client.job(job.id()));
        }
        return whole;
    }

    /** The template of the line, or null where there is none. */
    static @Nullable JobFormat format(Arguments arguments) {
        String template = arguments.value(FORMAT);
        if (template == null) {
            return null;
        }
        for (String other : List.of(Shape.JSON, Shape.QUIET)) {
            if (arguments.has(other)) {
                throw Failure.usage(FORMAT + " and " + other + " exclude each other; give one of them");
            }
        }
        for (String field : JobFormat.named(template)) {
            if (!JobFormat.FIELDS.contains(field)) {
                throw Failure.usage(FORMAT + ": '" + field + "' is not a field"
                        + ClosestWord.question(field, JobFormat.FIELDS) + " the fields are "
                        + String.join(", ", JobFormat.FIELDS));
            }
        }
        return JobFormat.of(template);
    }

    private static int watch(Arguments arguments, Session session, JobQuery query, @Nullable JobFormat format)
            throws IOException {
        if (format != null) {
            throw Failure.usage(WATCH + " and " + FORMAT + " exclude each other; give one of them");
        }
        Watch watch = Watch.on(session, arguments, WATCH);
        BerthClient client = session.client();
        return watch.run(client, () -> Canvas.jobs(ToldOptions.jobs(client, query), watch.look()));
    }
}
