package dev.berth.server.http.route;

import dev.berth.core.api.PointList;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.Part;
import dev.berth.core.job.TaskSet;
import dev.berth.server.http.access.Access;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.http.exchange.Exchange;
import dev.berth.server.http.exchange.Json;
import dev.berth.server.http.exchange.Parameters;
import dev.berth.server.http.exchange.Router;
import dev.berth.server.http.view.TrackViews;
import dev.berth.server.store.track.Metric;
import dev.berth.server.store.track.StoredPoint;
import dev.berth.server.store.track.TrackQueries;
import dev.berth.server.track.Tracking;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** What programs told of their jobs: parameters, tags, metrics and their points, artifacts, progress. */
record TrackingResource(Tracking tracking, Access access) {
    /** The points of one answer, some 60 bytes each. */
    private static final int MAX_POINTS = 10_000;

    /** More than a screen has columns. */
    private static final int MAX_WIDTH = 3_000;

    void addTo(Router router) {
        router.add("GET", "/api/v1/jobs/{id}/tracking", this::tracking);
        router.add("GET", "/api/v1/jobs/{id}/points", this::points);
    }

    private void tracking(Exchange exchange, Caller caller, Map<String, String> in) throws IOException {
        Job job = one(caller, in);
        tracking.look(job.id());
        Json.answer(exchange, 200, TrackViews.of(job, tracking.queries().of(job.id())));
    }

    private void points(Exchange exchange, Caller caller, Map<String, String> in) throws IOException {
        Job job = one(caller, in);
        String name = exchange.query("metric").orElse("");
        tracking.look(job.id());
        TrackQueries queries = tracking.queries();
        Metric metric = queries.metric(job.id(), name).orElseThrow(() -> noSuchMetric(job, name));
        if (exchange.query("width").isPresent()) {
            int width = (int) Parameters.number(exchange, "width", 1, 1, MAX_WIDTH);
            List<StoredPoint> curve = queries.curve(job.id(), metric, width);
            Json.answer(exchange, 200, TrackViews.points(job, metric, curve, true, null));
            return;
        }
        long after = Parameters.number(exchange, "after", 0, 0, Long.MAX_VALUE);
        int limit = (int) Parameters.number(exchange, "limit", MAX_POINTS, 1, MAX_POINTS);
        List<StoredPoint> points = queries.points(job.id(), name, after, limit);
        long next = after + points.size();
        boolean isLast = points.isEmpty() || next >= metric.points();
        PointList list = TrackViews.points(job, metric, points, false, isLast ? null : next);
        Json.answer(exchange, 200, list);
    }

    /** A job with a program of its own. */
    private Job one(Caller caller, Map<String, String> in) {
        Job job = access.ownJob(caller, in);
        if (job.isArray() || job.isPack()) {
            throw ApiException.of(
                    409,
                    "IN_TASKS",
                    "job " + job.number() + " is " + (job.isArray() ? "an array" : "a pack")
                            + ", whose tasks tell of themselves each; the first: berth metrics " + firstTask(job));
        }
        return job;
    }

    private static String firstTask(Job job) {
        return job.part() instanceof Part.Pack(JobId array, TaskSet tasks)
                ? array + "_" + tasks.first()
                : job.firstTask();
    }

    private ApiException noSuchMetric(Job job, String name) {
        List<String> names = tracking.queries().of(job.id()).metrics().stream()
                .map(Metric::name)
                .toList();
        return ApiException.of(404, "NO_SUCH_METRIC", TrackViews.noSuchMetric(job, name, names));
    }
}
