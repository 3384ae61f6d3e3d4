package dev.berth.server.http;

import dev.berth.core.api.JobList;
import dev.berth.core.api.SubmitRequest;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.StateName;
import dev.berth.core.machine.Step.Reply;
import dev.berth.server.loop.SchedulingLoop;
import dev.berth.server.store.JobQueries;
import dev.berth.server.store.JobQueries.Filter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** {@code /jobs}: submit, list, look, explain, cancel. */
final class JobsResource {
    private static final String JSON = "application/json";
    private static final int DEFAULT_LIMIT = 100;
    private static final int MAX_LIMIT = 1_000;

    private final SchedulingLoop loop;
    private final JobQueries queries;
    private final JobViews views;
    private final Submission submission;
    private final Access access;

    JobsResource(SchedulingLoop loop, JobQueries queries, JobViews views, Submission submission, Access access) {
        this.loop = loop;
        this.queries = queries;
        this.views = views;
        this.submission = submission;
        this.access = access;
    }

    void addTo(Router router) {
        router.add("POST", "/api/v1/jobs", (exchange, caller, _) -> submit(exchange, caller));
        router.add("GET", "/api/v1/jobs", (exchange, caller, _) -> list(exchange, caller));
        router.add(
                "GET",
                "/api/v1/jobs/{id}",
                (exchange, caller, in) -> answer(exchange, 200, views.of(access.job(caller, in))));
        router.add(
                "GET",
                "/api/v1/jobs/{id}/explanation",
                (exchange, caller, in) -> answer(exchange, 200, views.explain(access.job(caller, in))));
        router.add("POST", "/api/v1/jobs/{id}/cancel", this::cancel);
    }

    private void submit(Exchange exchange, Caller caller) throws IOException, InterruptedException {
        access.requireSubmitter(caller);
        SubmitRequest request = Json.read(exchange.body(), SubmitRequest.class);
        switch (await(loop.submit(submission.check(request), caller.user()))) {
            case Reply.Accepted(Job job) -> answer(exchange, 201, views.of(job));
            case Reply.Refused(String sentence) ->
                throw ApiException.of(422, "NEVER_FITS", "not accepted: " + sentence);
            case Reply other -> throw new IllegalStateException("a submit was answered with " + other);
        }
    }

    private void cancel(Exchange exchange, Caller caller, Map<String, String> in)
            throws IOException, InterruptedException {
        Job job = access.steered(caller, in);
        Job after = switch (await(loop.cancel(job.id(), caller.name()))) {
            case Reply.Took(Job took) -> took;
            case Reply.Ignored(Job same, String _) -> same;
            case Reply other -> throw new IllegalStateException("a cancel was answered with " + other);
        };
        if (job.state().name().isFinal()) {
            throw ApiException.of(
                    409,
                    "JOB_ENDED",
                    "job " + job.id() + " is over already: " + job.state().name());
        }
        answer(exchange, 202, views.of(after));
    }

    private void list(Exchange exchange, Caller caller) throws IOException {
        int limit = (int) number(exchange, "limit", DEFAULT_LIMIT, 1, MAX_LIMIT);
        List<String> states = states(exchange.query("state").orElse(""));
        Long uid = caller.seesAll() ? null : Long.valueOf(caller.uid());
        String scope = exchange.query("scope").orElse(states.isEmpty() ? "active" : "all");
        if (scope.equals("active") && !states.isEmpty()) {
            throw ApiException.field("state", String.join(",", states), "goes with scope all");
        }
        JobList page = switch (scope) {
            case "active" -> active(uid, number(exchange, "cursor", 0, 0, Long.MAX_VALUE), limit);
            case "all" ->
                newest(new Filter(uid, states), number(exchange, "cursor", Long.MAX_VALUE, 1, Long.MAX_VALUE), limit);
            default -> throw ApiException.field("scope", scope, "must be active or all");
        };
        answer(exchange, 200, page);
    }

    /** The running ones first, then the queue in its order; the cursor is the last queued id shown. */
    private JobList active(@Nullable Long uid, long cursor, int limit) {
        List<Job> jobs = new ArrayList<>(cursor == 0 ? queries.live(uid) : List.of());
        List<Job> queued = queries.queued(uid, cursor, limit + 1);
        jobs.addAll(page(queued, limit));
        return new JobList(views.of(jobs), next(queued, limit));
    }

    private JobList newest(Filter filter, long cursor, int limit) {
        List<Job> jobs = queries.newest(filter, cursor, limit + 1);
        return new JobList(views.of(page(jobs, limit)), next(jobs, limit));
    }

    private static List<Job> page(List<Job> jobs, int limit) {
        return jobs.subList(0, Math.min(limit, jobs.size()));
    }

    /** One job more than a page holds was asked for, so that the last page knows that it is the last. */
    private static @Nullable Long next(List<Job> jobs, int limit) {
        return jobs.size() <= limit ? null : jobs.get(limit - 1).id().value();
    }

    private static List<String> states(String names) {
        if (names.isEmpty()) {
            return List.of();
        }
        List<String> known =
                Arrays.stream(StateName.values()).map(StateName::name).toList();
        List<String> wanted = List.of(names.split(",", -1));
        for (String name : wanted) {
            if (!known.contains(name)) {
                throw ApiException.field("state", name, "must be one of " + String.join(", ", known));
            }
        }
        return wanted;
    }

    static long number(Exchange exchange, String name, long otherwise, long min, long max) {
        String value = exchange.query(name).orElse(Long.toString(otherwise));
        try {
            long number = Long.parseLong(value);
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Said below, with the rule.
        }
        throw ApiException.field(name, value, "must be a whole number from " + min + " to " + max);
    }

    static void answer(Exchange exchange, int status, Object value) throws IOException {
        try (var out = exchange.answer(status, JSON)) {
            Json.write(out, value);
        }
    }

    static Reply await(CompletableFuture<Reply> answer) throws InterruptedException {
        try {
            return answer.get();
        } catch (ExecutionException e) {
            throw ApiException.of(
                    503,
                    "STOPPING",
                    e.getCause() == null
                            ? "the server is stopping"
                            : String.valueOf(e.getCause().getMessage()));
        }
    }

    /** The id of a path. */
    static JobId id(Map<String, String> in) {
        String text = in.getOrDefault("id", "");
        try {
            return new JobId(Long.parseLong(text));
        } catch (IllegalArgumentException e) {
            throw ApiException.field("id", text, "must be a job's number, from 1");
        }
    }
}
