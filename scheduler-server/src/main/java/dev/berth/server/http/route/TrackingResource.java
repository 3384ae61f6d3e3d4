package dev.berth.server.http.route;

import dev.berth.core.api.PointList;
import dev.berth.core.api.TagRequest;
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
import dev.berth.server.http.exchange.JobNumber;
import dev.berth.server.http.exchange.Json;
import dev.berth.server.http.exchange.Parameters;
import dev.berth.server.http.exchange.PrintableText;
import dev.berth.server.http.exchange.Router;
import dev.berth.server.http.view.TrackViews;
import dev.berth.server.store.track.Metric;
import dev.berth.server.store.track.StoredPoint;
import dev.berth.server.store.track.TrackQueries;
import dev.berth.server.track.Tracking;
import dev.berth.server.track.source.TrackText;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What programs told of their jobs: parameters, tags, metrics and their points, artifacts, progress. */
record TrackingResource(Tracking tracking, Access access, MemoryBudget memory) {
    /** The numbers of one question. */
    private static final int MAX_NUMBERS = 1_000;

    private static final int JOBS_A_PAGE = 1_000;

    /** All that one job may tell but for its points, and the answer made of it. */
    private static final long MEMORY_OF_A_JOB = 12L << 20;

    private static final int NOT_FOUND = 404;

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
        try (Share share = memory.share(caller.uid())) {
            share.take(MEMORY_OF_A_JOB);
            Json.answer(exchange, 200, TrackViews.of(job, tracking.queries().of(job.id())));
        }
    }

    /** Several at once, as many as a page takes; in the place of an array its tasks that had their turn. */
    private void several(Exchange exchange, Caller caller) throws IOException {
        String[] numbers = exchange.query("jobs").orElse("").split(",", MAX_NUMBERS + 1);
        if (numbers.length > MAX_NUMBERS) {
            throw ApiException.field(
                    "jobs",
                    numbers[0] + ",...",
                    "must be at most " + MAX_NUMBERS + " numbers, that of an array for its tasks");
        }
        long after = Parameters.number(exchange, "after", 0, 0, Long.MAX_VALUE);
        boolean skipsMissing = Parameters.flag(exchange, "skipMissing");
        List<JobId> page = new ArrayList<>();
        long left = after;
        for (int at = 0; at < numbers.length && page.size() <= JOBS_A_PAGE; at++) {
            Job job = one(numbers[at], caller, skipsMissing);
            if (job == null) {
                continue;
            }
            long count = job.isArray() ? access.queries().taskCount(job.id()) : 1;
            if (left >= count) {
                left -= count;
            } else if (job.isArray()) {
                page.addAll(access.queries().taskIds(job.id(), left, JOBS_A_PAGE + 1));
                left = 0;
            } else {
                requireProgram(job, "metrics");
                page.add(job.id());
            }
        }
        answer(exchange, caller, page, after);
    }

    private @Nullable Job one(String number, Caller caller, boolean skipsMissing) {
        if (JobNumber.parse(number).isEmpty()) {
            throw ApiException.field(
                    "jobs",
                    PrintableText.of(number),
                    "must be jobs' numbers, from 1, or those of arrays' tasks, as in 42_7, with commas between them");
        }
        try {
            return access.ownJob(caller, Map.of("id", number));
        } catch (ApiException e) {
            if (skipsMissing && e.status() == NOT_FOUND) {
                return null;
            }
            throw e;
        }
    }

    /** Answers with the first of some jobs; the page ends where it has become large. */
    private void answer(Exchange exchange, Caller caller, List<JobId> jobs, long after) throws IOException {
        tracking.refresh(Set.copyOf(jobs));
        try (Share share = memory.share(caller.uid())) {
            share.take(MEMORY_OF_A_JOB);
            JobListAnswer answer = new JobListAnswer(exchange, "", "");
            long bytes = 0;
            int shown = 0;
            while (shown < Math.min(jobs.size(), JOBS_A_PAGE) && bytes < PageBounds.MAX_BYTES) {
                for (Job job : access.queries().all(List.of(jobs.get(shown)))) {
                    bytes += answer.show(TrackViews.of(job, tracking.queries().of(job.id())));
                }
                shown++;
            }
            answer.end(shown < jobs.size() ? (Long) (after + shown) : null);
        }
    }

    private void tag(Exchange exchange, Caller caller, Map<String, String> in) throws IOException {
        Job job = access.steered(caller, in);
        requireProgram(job, "tag");
        TagRequest request = Json.read(exchange.body(), TagRequest.class);
        Map<String, String> set = request.set() == null ? Map.of() : request.set();
        List<String> removed = request.remove() == null ? List.of() : request.remove();
        set.forEach((name, value) -> requireTag("set", name, value));
        removed.forEach(name -> requireTag("remove", name, ""));
        for (String name : removed) {
            if (set.containsKey(name)) {
                throw ApiException.field("remove", PrintableText.of(name), "is to be set too; give one of them");
            }
        }
        switch (tracking.tag(job.id(), set, removed)) {
            case DONE ->
                Json.answer(exchange, 200, TrackViews.of(job, tracking.queries().of(job.id())));
            case NO_JOB -> throw ApiException.noSuchJob(job.number());
            case NO_ROOM ->
                throw ApiException.of(
                        409,
                        "TOO_MANY_TAGS",
                        "job " + job.number() + " would have more than 100 tags; remove some: berth tag " + job.number()
                                + " --remove NAME");
        }
    }

    /** A list or an object of JSON may have null in it. */
    private static void requireTag(String field, @Nullable String name, @Nullable String value) {
        if (name == null || !TrackText.isName(name)) {
            throw ApiException.field(
                    field,
                    PrintableText.of(String.valueOf(name)),
                    "must be names of 1 to 250 bytes without control characters");
        }
        if (value == null || !TrackText.isTagValue(value)) {
            throw ApiException.field(
                    field + "." + PrintableText.of(name),
                    PrintableText.of(String.valueOf(value)),
                    "must be a text of at most 4096 bytes without control characters");
        }
    }

    private void points(Exchange exchange, Caller caller, Map<String, String> in) throws IOException {
        Job job = one(caller, in);
        String name = exchange.query("metric").orElse("");
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

    /** A job with a program of its own, of which what it told by now is read. */
    private Job one(Caller caller, Map<String, String> in) {
        Job job = access.ownJob(caller, in);
        requireProgram(job, "metrics");
        tracking.refresh(Set.of(job.id()));
        return job;
    }

    /** Requires a job with a program of its own; {@code verb} is the command for one. */
    private static void requireProgram(Job job, String verb) {
        if (job.isArray() || job.isPack()) {
            throw ApiException.of(
                    409,
                    "IN_TASKS",
                    "job " + job.number() + " is " + (job.isArray() ? "an array" : "a pack")
                            + ", whose tasks tell of themselves each; the first: berth " + verb + " " + firstTask(job)
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
