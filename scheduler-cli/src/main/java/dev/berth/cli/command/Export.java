package dev.berth.cli.command;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.client.JobQuery;
import dev.berth.cli.client.JobQuery.Told;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.json.JsonText;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.JobFilters;
import dev.berth.cli.line.JobStates;
import dev.berth.cli.line.Shape;
import dev.berth.cli.output.Screen;
import dev.berth.cli.output.text.CsvText;
import dev.berth.cli.output.text.PlainText;
import dev.berth.cli.output.text.RunColumns;
import dev.berth.core.api.JobList;
import dev.berth.core.api.JobView;
import dev.berth.core.api.PointList;
import dev.berth.core.api.TrackingView;
import dev.berth.core.api.TrackingView.MetricView;
import dev.berth.core.api.TrackingView.PointView;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** {@code berth export}: what jobs told, for other programs, on standard output. */
final class Export implements Verb {
    private static final String FORMAT = "--format";
    private static final String POINTS = "--points";
    private static final String METRIC = "--metric";
    private static final String CSV = "csv";
    private static final String JSONL = "jsonl";
    private static final int PAGE = 1_000;

    /** A point with what it is of, as it is written in JSON. */
    record ExportedPoint(String id, String metric, long step, String time, double value) {}

    @Override
    public Shape shape() {
        Shape shape = Shape.of(
                        "export",
                        "[<id>...]",
                        "Write what jobs told to standard output: a line for each job, with its parameters, tags and metrics, or"
                                + " for each point of its metrics.",
                        "Without ids, all jobs that told something, the newest first. An array stands for its tasks.")
                .value("FORMAT", "csv or jsonl, JSON of a line each. Default: csv.", FORMAT)
                .flag("The points of metrics, and not a line for each job.", POINTS)
                .values("NAME", "With " + POINTS + ", those of these metrics alone.", METRIC);
        return ToldOptions.addWhere(JobFilters.addTo(shape, JobStates.ALL))
                .examples(
                        "berth export > runs.csv",
                        "berth export --project mnist --where 'acc>0.9' --format jsonl",
                        "berth export 17 --points --metric loss > loss.csv",
                        "berth export 42 > sweep.csv");
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        boolean isJson = isJson(arguments);
        if (arguments.has(METRIC) && !arguments.has(POINTS)) {
            throw Failure.usage(
                    METRIC + " goes with " + POINTS + ": berth export 17 " + POINTS + " " + METRIC + " loss");
        }
        BerthClient client = session.client().with(_ -> {}, null);
        Jobs jobs = jobs(arguments, session, client);
        Screen screen = session.environment().screen();
        if (arguments.has(POINTS)) {
            points(jobs, arguments.values(METRIC), isJson, client, screen);
        } else if (isJson) {
            jobs.each(job -> screen.line(JsonText.of(job)));
        } else {
            RunColumns columns = new RunColumns();
            jobs.each(columns::add);
            csv(columns.headings(), screen);
            jobs.each(job -> csv(columns.cells(job), screen));
        }
        return ExitCode.OK;
    }

    private static boolean isJson(Arguments arguments) {
        String format = arguments.value(FORMAT);
        if (arguments.has(Shape.QUIET)) {
            throw Failure.usage(Shape.QUIET + " goes with lists; berth ps -a -q prints ids");
        }
        if (format == null) {
            return arguments.has(Shape.JSON);
        }
        if (format.equals("parquet")) {
            throw Failure.usage(FORMAT + ": 'parquet' is not written; pandas makes it of the CSV:"
                    + " pandas.read_csv(\"runs.csv\").to_parquet(\"runs.parquet\")");
        }
        if (!format.equals(CSV) && !format.equals(JSONL)) {
            throw Failure.usage(FORMAT + ": '" + format + "' is neither csv nor jsonl");
        }
        if (format.equals(CSV) && arguments.has(Shape.JSON)) {
            throw Failure.usage(FORMAT + " csv and " + Shape.JSON + " exclude each other; give one of them");
        }
        return format.equals(JSONL);
    }

    /** Jobs that can be gone through more than once. */
    private interface Jobs {
        void each(BerthClient.Told taken) throws IOException;
    }

    private static Jobs jobs(Arguments arguments, Session session, BerthClient client) throws IOException {
        if (!arguments.words().isEmpty()) {
            if (JobFilters.areGiven(arguments) || arguments.has(ToldOptions.WHERE)) {
                throw Failure.usage("berth export takes job ids or a filter, not both; drop '"
                        + arguments.words().getFirst() + "' or the filter");
            }
            List<Long> ids = session.jobIds(arguments, client);
            return taken -> client.tracking(ids, false, taken);
        }
        JobQuery query = JobFilters.query(arguments, JobStates.ALL, JobQuery.ALL, PAGE)
                .with(new Told(List.of(), ToldOptions.where(arguments), null, true));
        return taken -> {
            Long next = null;
            do {
                JobList page = ToldOptions.jobs(client, next == null ? query : query.before(next));
                List<Long> ids = new ArrayList<>();
                for (JobView job : page.jobs()) {
                    ids.add(job.id());
                }
                client.tracking(ids, true, taken);
                next = page.next();
            } while (next != null);
        };
    }

    /** As it is, but on a terminal, which what jobs told must not steer. */
    private static void csv(List<String> cells, Screen screen) {
        String line = CsvText.line(cells);
        screen.line(screen.columns() > 0 ? PlainText.of(line) : line);
    }

    private static void points(Jobs jobs, List<String> metrics, boolean isJson, BerthClient client, Screen screen)
            throws IOException {
        if (!isJson) {
            csv(List.of("id", "metric", "step", "time", "value"), screen);
        }
        Set<String> found = new HashSet<>();
        jobs.each(job -> {
            for (MetricView metric : job.metrics()) {
                if (metrics.isEmpty() || metrics.contains(metric.name())) {
                    found.add(metric.name());
                    points(job, metric.name(), isJson, client, screen);
                }
            }
        });
        for (String metric : metrics) {
            if (!found.contains(metric)) {
                throw Failure.of(
                        ExitCode.REFUSED,
                        "NO_SUCH_METRIC",
                        METRIC + ": none of these jobs has told a metric '" + metric + "'");
            }
        }
    }

    private static void points(TrackingView job, String metric, boolean isJson, BerthClient client, Screen screen)
            throws IOException {
        for (Long after = 0L; after != null; ) {
            PointList page = client.points(job.id(), metric, after);
            for (PointView point : page.points()) {
                if (isJson) {
                    screen.line(JsonText.of(
                            new ExportedPoint(job.number(), metric, point.step(), point.time(), point.value())));
                } else {
                    csv(
                            List.of(
                                    job.number(),
                                    metric,
                                    Long.toString(point.step()),
                                    point.time(),
                                    Double.toString(point.value())),
                            screen);
                }
            }
            after = page.next();
        }
    }
}
