package dev.berth.server.http.route;

import dev.berth.core.api.PointList;
import dev.berth.core.api.TagRequest;
import dev.berth.core.api.TrackingList;
import dev.berth.core.api.TrackingView;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.Part;
import dev.berth.core.job.TaskSet;
import dev.berth.server.bounds.MemoryBudget;
import dev.berth.server.bounds.MemoryBudget.Share;
import dev.berth.server.http.access.Access;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.http.exchange.Exchange;
import dev.berth.server.http.exchange.Json;
import dev.berth.server.http.exchange.Parameters;
import dev.berth.server.http.exchange.PrintableText;
import dev.berth.server.http.exchange.Router;
import dev.berth.server.http.view.TrackViews;
import dev.berth.server.store.Rows;
import dev.berth.server.store.track.Metric;
import dev.berth.server.store.track.StoredPoint;
import dev.berth.server.store.track.TrackQueries;
import dev.berth.server.track.Tracking;
import dev.berth.server.track.source.TrackText;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What programs told of their jobs: parameters, tags, metrics and their points, artifacts, progress. */
record TrackingResource(Tracking tracking, Access access, MemoryBudget memory) {
    /** The jobs of one question, and the tasks of an array. */
    private static final int MAX_JOBS = 1_000;

    /** With that many bytes a page ends, however few jobs it has. */
    private static final long MAX_PAGE_BYTES = 4L << 20;

    /** The points of one answer, some 60 bytes each. */
    private static final int MAX_POINTS = 10_000;

    /** More than a screen has columns. */
    private static final int MAX_WIDTH = 3_000;

    void addTo(Router router) {
        router.add("GET", "/api/v1/jobs/{id}/tracking", this::tracking);
        router.add("GET", "/api/v1/jobs/{id}/points", this::points);
        router.add("POST", "/api/v1/jobs/{id}/tags", this::tag);
        router.add("GET", "/api/v1/tracking", (exchange, caller, _) -> several(exchange, caller));
    }

    private void tracking(Exchange exchange, Caller caller, Map<String, String> in) throws IOException {
        Job job = one(caller, in);
        tracking.look(job.id());
        Json.answer(exchange, 200, TrackViews.of(job, tracking.queries().of(job.id())));
    }

    /** Several at once, as many as a page takes. */
    private void several(Exchange exchange, Caller caller) throws IOException {
        List<Job> jobs = several(exchange.query("jobs").orElse(""), caller);
        long after = Parameters.number(exchange, "after", 0, 0, MAX_JOBS);
        try (Share share = memory.share(caller.uid())) {
            share.take(2 * MAX_PAGE_BYTES);
            tracking.look();
            List<TrackingView> shown = new ArrayList<>();
            long bytes = 0;
            for (Job job : jobs.subList((int) Math.min(after, jobs.size()), jobs.size())) {
                if (bytes >= MAX_PAGE_BYTES) {
                    break;
                }
                TrackingView view = TrackViews.of(job, tracking.queries().of(job.id()));
                bytes += Json.bytes(view).length;
                shown.add(view);
            }
            long next = after + shown.size();
            Json.answer(exchange, 200, new TrackingList(shown, next < jobs.size() ? (Long) next : null));
        }
    }

    /** The jobs of a list of numbers; in the place of an array its tasks that had their turn. */
    private List<Job> several(String numbers, Caller caller) {
        List<Job> jobs = new ArrayList<>();
        for (String number : numbers.split(",", MAX_JOBS + 1)) {
            Job job = access.ownJob(caller, Map.of("id", number));
            if (job.isArray()) {
                for (Rows<Job> rows = null; rows == null || rows.more(); ) {
                    long first = rows == null
                            ? job.id().value()
                            : jobs.getLast().id().value();
                    rows = access.queries().tasksBehind(job.id(), first, MAX_JOBS);
                    jobs.addAll(rows.items());
                    requireFew(jobs);
                }
            } else {
                requireProgram(job);
                jobs.add(job);
                requireFew(jobs);
            }
        }
        return jobs;
    }

    private static void requireFew(List<Job> jobs) {
        if (jobs.size() > MAX_JOBS) {
            throw ApiException.field(
                    "jobs",
                    jobs.size() + " jobs",
                    "must be at most " + MAX_JOBS + " jobs, the tasks of arrays counted");
        }
    }

    private void tag(Exchange exchange, Caller caller, Map<String, String> in) throws IOException {
        Job job = access.steered(caller, in);
        requireProgram(job);
        TagRequest request = Json.read(exchange.body(), TagRequest.class);
        Map<String, String> set = request.set() == null ? Map.of() : request.set();
        List<String> removed = request.remove() == null ? List.of() : request.remove();
        set.forEach(TrackingResource::requireTag);
        removed.forEach(name -> requireTag(name, ""));
        if (!tracking.tag(job.id(), set, removed)) {
            throw ApiException.of(
                    409,
                    "TOO_MANY_TAGS",
                    "job " + job.number() + " would have more than 100 tags; remove some: berth tag " + job.number()
                            + " --remove NAME");
        }
        Json.answer(exchange, 200, TrackViews.of(job, tracking.queries().of(job.id())));
    }

    /** A list or an object of JSON may have null in it. */
    private static void requireTag(@Nullable String name, @Nullable String value) {
        if (name == null || !TrackText.isName(name)) {
            throw ApiException.field(
                    "tag",
                    PrintableText.of(String.valueOf(name)),
                    "must have 1 to 250 bytes and no control characters");
        }
        if (value == null || !TrackText.isValue(value)) {
            throw ApiException.field(
                    "set." + PrintableText.of(name),
                    PrintableText.of(String.valueOf(value)),
                    "must be a text of at most 4096 bytes");
        }
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
        requireProgram(job);
        return job;
    }

    private static void requireProgram(Job job) {
        if (job.isArray() || job.isPack()) {
            throw ApiException.of(
                    409,
                    "IN_TASKS",
                    "job " + job.number() + " is " + (job.isArray() ? "an array" : "a pack")
                            + ", whose tasks tell of themselves each; the first: berth metrics " + firstTask(job)
                            + (job.isArray() ? ", and all side by side: berth compare " + job.number() : ""));
        }
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
