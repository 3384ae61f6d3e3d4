package dev.berth.cli.command;

import dev.berth.cli.client.JobQuery;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.JobFilters;
import dev.berth.cli.line.JobStates;
import dev.berth.cli.line.Shape;
import dev.berth.cli.output.text.JobFormat;
import dev.berth.core.api.JobList;
import java.io.IOException;

/** {@code berth history}: the jobs that are over. */
final class History implements Verb {
    private static final String LAST = "--last";
    private static final int LIMIT = 100;
    private static final int MAX_LAST = 10_000;

    @Override
    public Shape shape() {
        Shape shape = Shape.of(
                        "history",
                        "[<array>]",
                        "List the jobs that are over, the newest first: how each ended, how long it ran.",
                        "")
                .value("N", "How many. Default: " + LIMIT + ".", "-n", LAST);
        shape = TaskOptions.addTo(shape, "The tasks of the array with this id that are over.");
        return ToldOptions.addTo(Ps.formatted(JobFilters.addTo(shape, JobStates.ENDED)))
                .examples(
                        "berth history",
                        "berth history -n 20 --state FAILED,TIMEOUT",
                        "berth history --project mnist",
                        "berth history --columns id,name,lr,acc:max --where 'acc:max>0.9 and lr=0.01'",
                        "berth history --tasks 42 --param lr=0.1");
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        String param = TaskOptions.param(arguments, "history");
        boolean isOfArray = arguments.has(TaskOptions.TASKS);
        if (!isOfArray) {
            arguments.noWords();
        } else if (arguments.words().isEmpty()) {
            throw Failure.usage(TaskOptions.TASKS + " lists the tasks of one array: berth history " + TaskOptions.TASKS
                    + " 42; without it berth history lists whole arrays");
        }
        Integer last = arguments.number(LAST, 1, MAX_LAST);
        int limit = last == null ? LIMIT : last;
        JobFormat format = ToldOptions.format(arguments);
        JobQuery query = ToldOptions.query(
                arguments,
                JobFilters.query(arguments, JobStates.ENDED, JobQuery.ENDED, limit)
                        .withParam(param));
        if (isOfArray) {
            query = query.ofArray(TaskOptions.array(arguments, session, param, false));
        }
        JobList jobs = ToldOptions.jobs(session.client(), query);
        String hint = "these are the " + (ToldOptions.isSorted(arguments) ? "first " : "newest ") + limit
                + (isOfArray ? "; add -n " : "; berth history -n ")
                + Math.min(MAX_LAST, 10 * limit) + (isOfArray ? " for more" : " shows more");
        if (format == null) {
            session.output().history(jobs, hint);
        } else {
            Ps.show(session, jobs, hint, format);
        }
        return ExitCode.OK;
    }
}
