package dev.berth.cli.command;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.client.JobQuery;
import dev.berth.cli.client.JobQuery.Told;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.JobFilters;
import dev.berth.cli.line.JobStates;
import dev.berth.cli.line.Shape;
import dev.berth.cli.output.Comparing;
import dev.berth.core.api.JobView;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** {@code berth best}: the jobs with the best values of a metric. */
final class Best implements Verb {
    private static final String METRIC = "--metric";
    private static final String MAX = "--max";
    private static final String MIN = "--min";
    private static final String OF_LAST = "--by-last";
    private static final String LAST = "--last";
    private static final int LIMIT = 10;
    private static final int MAX_LIMIT = 1_000;

    @Override
    public Shape shape() {
        Shape shape = Shape.of(
                        "best",
                        "",
                        "List the jobs with the best values of a metric, tasks of sweeps among them, and the parameters in"
                                + " which they differ.",
                        "")
                .value("NAME", "The metric; needed.", METRIC)
                .flag("The highest value is the best.", MAX)
                .flag("The lowest value is the best.", MIN)
                .flag("The last value of each job counts, and not its best.", OF_LAST)
                .value("N", "How many. Default: " + LIMIT + ".", "-n", LAST);
        return ToldOptions.addWhere(JobFilters.addTo(shape, JobStates.ALL))
                .examples(
                        "berth best --metric acc --max",
                        "berth best --project mnist --metric loss --min -n 3",
                        "berth get $(berth best --metric acc --max -n 1 -q)");
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        arguments.noWords();
        String metric = arguments.value(METRIC);
        if (metric == null || metric.isEmpty()) {
            throw Failure.usage(METRIC + " is needed: berth best " + METRIC + " acc " + MAX);
        }
        if (arguments.has(MAX) == arguments.has(MIN)) {
            throw Failure.usage("give either " + MAX + " or " + MIN + ", the value that is the best: berth best "
                    + METRIC + " " + metric + " " + MAX);
        }
        boolean isHighest = arguments.has(MAX);
        boolean isOfLast = arguments.has(OF_LAST);
        Integer limit = arguments.number(LAST, 1, MAX_LIMIT);
        JobQuery.Best best = new JobQuery.Best(metric, isHighest, isOfLast);
        JobQuery query = JobFilters.query(arguments, JobStates.ALL, JobQuery.ALL, limit == null ? LIMIT : limit)
                .with(new Told(List.of(), ToldOptions.where(arguments), best, false));
        BerthClient client = session.client();
        List<Long> ids = new ArrayList<>();
        for (JobView job : ToldOptions.jobs(client, query).jobs()) {
            ids.add(job.id());
        }
        Comparing comparing =
                Comparing.ranked(metric, view -> isOfLast ? view.last() : isHighest ? view.max() : view.min());
        client.tracking(ids, true, comparing::add);
        session.output().best(comparing.end(), metric);
        return ExitCode.OK;
    }
}
