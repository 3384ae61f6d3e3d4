package dev.berth.cli.command;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import dev.berth.core.api.PointList;
import dev.berth.core.api.TrackingView;
import dev.berth.core.api.TrackingView.MetricView;
import java.io.IOException;
import java.util.List;

/** {@code berth metrics}: what a job told of its metrics, or the course of one. */
final class Metrics implements Verb {
    /** More than a terminal has dots across. */
    private static final int STRETCHES = 400;

    @Override
    public Shape shape() {
        return Shape.of(
                        "metrics",
                        "<id> [<metric>]",
                        "List the metrics of a job: the last, the lowest and the highest value of each; with the name of one,"
                                + " draw its course.",
                        "A program tells them, while it runs, by lines of JSON in the file $BERTH_TRACK: {\"metric\": \"loss\","
                                + " \"value\": 0.3, \"step\": 10}.")
                .examples(
                        "berth metrics 17", "berth metrics 17 loss", "berth metrics 42_7 --json", "berth metrics last");
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        BerthClient client = session.client();
        List<String> words = arguments.words();
        if (words.isEmpty() || words.size() > 2) {
            throw Failure.usage("metrics needs a job, and at most one metric of it: berth metrics 17 loss");
        }
        long id = JobIds.only("metrics", new JobIds(client).of("metrics", words.subList(0, 1)));
        if (words.size() == 1) {
            TrackingView told = client.tracking(id);
            session.output().metrics(told);
            told.warnings().forEach(session.output()::warning);
        } else {
            curve(id, words.getLast(), client, session);
        }
        return ExitCode.OK;
    }

    private static void curve(long id, String name, BerthClient client, Session session) throws IOException {
        // Its refusal names those that there are.
        PointList points = client.curve(id, name, STRETCHES);
        for (MetricView metric : client.tracking(id).metrics()) {
            if (metric.name().equals(name)) {
                session.output().curve(points, metric);
            }
        }
    }
}
