package dev.berth.server.http;

import dev.berth.core.api.SubmitRequest;
import dev.berth.core.job.Gpu;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.StateName;
import dev.berth.core.job.SubmitKey;
import dev.berth.core.machine.Step.Reply;
import dev.berth.server.code.Digests;
import dev.berth.server.loop.SchedulingLoop;
import dev.berth.server.store.StoreException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** {@code /jobs}: submit, look, explain, and the verbs that steer. */
final class JobsResource {
    private static final String JSON = "application/json";
    private static final Pattern SUBMIT_KEY = Pattern.compile("[!-~]{1,128}");

    private final SchedulingLoop loop;
    private final JobViews views;
    private final Explanations explanations;
    private final Submission submission;
    private final DryRun dryRun;
    private final Access access;

    JobsResource(SchedulingLoop loop, JobViews views, Submission submission, DryRun dryRun, Access access) {
        this.loop = loop;
        this.views = views;
        this.explanations = new Explanations(views, access.queries());
        this.submission = submission;
        this.dryRun = dryRun;
        this.access = access;
    }

    /** Asks the loop for something in somebody's name. */
    @FunctionalInterface
    private interface Verb {
        CompletableFuture<Reply> ask(JobId job, String by);
    }

    void addTo(Router router) {
        router.add("POST", "/api/v1/jobs", (exchange, caller, _) -> submit(exchange, caller));
        router.add(
                "GET",
                "/api/v1/jobs/{id}",
                (exchange, caller, in) -> answer(exchange, 200, views.whole(access.job(caller, in))));
        router.add(
                "GET",
                "/api/v1/jobs/{id}/explanation",
                (exchange, caller, in) -> answer(exchange, 200, explanations.of(access.job(caller, in))));
        router.add(
                "POST",
                "/api/v1/jobs/{id}/cancel",
                (exchange, caller, in) -> steer(exchange, caller, in, loop::cancel));
        router.add("POST", "/api/v1/jobs/{id}/hold", (exchange, caller, in) -> steer(exchange, caller, in, loop::hold));
        router.add(
                "POST",
                "/api/v1/jobs/{id}/release",
                (exchange, caller, in) -> steer(exchange, caller, in, loop::release));
        router.add("POST", "/api/v1/jobs/{id}/requeue", this::requeue);
    }

    private void submit(Exchange exchange, Caller caller) throws IOException, InterruptedException {
        access.requireSubmitter(caller);
        boolean dry = Parameters.flag(exchange, "dryRun");
        byte[] body = Json.body(exchange.body());
        SubmitRequest request = Json.parse(body, SubmitRequest.class);
        if (HostRequests.isHost(request)) {
            LeaseResource.requireLocal(exchange);
            if (dry) {
                throw ApiException.field(
                        "dryRun", "true", "shows a container, and a process of the machine (host) is none");
            }
        }
        JobSpec spec = submission.check(request, caller);
        if (dry) {
            submission.requireRoom(caller.user());
            answer(exchange, 200, dryRun.of(request, spec, caller));
            return;
        }
        queue(exchange, caller, spec, key(exchange, body));
    }

    private void queue(Exchange exchange, Caller caller, JobSpec spec, @Nullable SubmitKey key)
            throws IOException, InterruptedException {
        switch (await(loop.submit(spec, caller.user(), key, submission.mostWaiting()))) {
            case Reply.Accepted(Job job) -> answer(exchange, 201, views.of(job));
            case Reply.Repeated(Job job) -> answer(exchange, 200, views.of(job));
            case Reply.KeyTaken(Job job) ->
                throw ApiException.of(
                        422,
                        "KEY_TAKEN",
                        "Idempotency-Key: job " + job.id()
                                + " was submitted under this key with another request; take a new key for a new job");
            case Reply.QueueFull(long waiting) -> throw submission.queueFull(caller.user(), waiting);
            case Reply.NotNow(String sentence, List<Gpu> free) -> throw notNow(sentence, free);
            case Reply.Refused(String sentence) -> throw ApiException.neverFits(sentence);
            case Reply other -> throw new IllegalStateException("a submit was answered with " + other);
        }
    }

    /** Whoever would not wait is told what there is. */
    private static ApiException notNow(String sentence, List<Gpu> free) {
        String names = free.isEmpty()
                ? "none"
                : free.stream()
                        .map(gpu -> gpu.index() + " (" + gpu.name() + ")")
                        .collect(Collectors.joining(", "));
        String indices = free.stream().map(gpu -> Integer.toString(gpu.index())).collect(Collectors.joining(","));
        return ApiException.of(
                409,
                "NOT_NOW",
                "not accepted, as it could not start at once: " + sentence + "; free GPUs: " + names,
                Map.of("free", indices));
    }

    /** By which a retry of this very request is known. */
    private static @Nullable SubmitKey key(Exchange exchange, byte[] body) {
        Optional<String> key = exchange.header("Idempotency-Key");
        if (key.isPresent() && !SUBMIT_KEY.matcher(key.get()).matches()) {
            throw ApiException.field(
                    "Idempotency-Key", key.get(), "must have 1 to 128 visible ASCII characters; a random UUID is good");
        }
        return key.isEmpty() ? null : new SubmitKey(key.get(), Digests.of(body));
    }

    private void steer(Exchange exchange, Caller caller, Map<String, String> in, Verb verb)
            throws IOException, InterruptedException {
        Job job = access.steered(caller, in);
        switch (await(verb.ask(job.id(), caller.name()))) {
            case Reply.Took(Job took) -> answer(exchange, 202, views.of(took));
            case Reply.Ignored(Job same, String reason) -> unchanged(exchange, job, same, reason);
            case Reply.None _ -> throw ApiException.noSuchJob(job.id().toString());
            case Reply other -> throw new IllegalStateException("job " + job.id() + " was answered with " + other);
        }
    }

    /** What is as wanted already is no failure; what can never be so again is. */
    private void unchanged(Exchange exchange, Job before, Job now, String reason) throws IOException {
        StateName state = now.state().name();
        if (state.isFinal() && before.state().name().isFinal()) {
            throw ApiException.of(409, "JOB_ENDED", "job " + now.id() + " is over already: " + state);
        }
        if (exchange.path().endsWith("/hold") && state.isLive()) {
            throw ApiException.of(
                    409,
                    "JOB_STARTED",
                    "job " + now.id() + " is " + state + ": " + reason + "; only a job that waits can be held");
        }
        if (exchange.path().endsWith("/release") && state != StateName.QUEUED) {
            throw ApiException.of(409, "JOB_NOT_HELD", "job " + now.id() + " is " + state + ": it is not held");
        }
        answer(exchange, 202, views.of(now));
    }

    /** The same once more, as a new job at the end of the queue: nobody overtakes by it. */
    private void requeue(Exchange exchange, Caller caller, Map<String, String> in)
            throws IOException, InterruptedException {
        Job job = access.steered(caller, in);
        if (!job.state().name().isFinal()) {
            throw ApiException.of(
                    409,
                    "JOB_NOT_ENDED",
                    "job " + job.id() + " is " + job.state().name()
                            + "; only one that has ended can be queued again, so cancel it first");
        }
        if (job.spec().isHost()) {
            throw ApiException.of(
                    409,
                    "HOST_JOB",
                    "job " + job.id()
                            + " was a process of the machine itself, which Berth cannot start; to run it again,"
                            + " give its berth run command again");
        }
        submission.requireRepeatable(job);
        Caller owner = new Caller(job.owner(), caller.role(), caller.scope());
        access.requireSubmitter(owner);
        queue(
                exchange,
                owner,
                job.spec().repeating(job.id()),
                key(exchange, exchange.path().getBytes(StandardCharsets.UTF_8)));
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
            if (e.getCause() instanceof StoreException why) {
                throw ApiException.of(
                        503, "STORE_FAILED", "not acknowledged, and the server ends: " + why.getMessage());
            }
            Throwable cause = e.getCause();
            throw ApiException.stopping(cause == null ? "the server is stopping" : String.valueOf(cause.getMessage()));
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
