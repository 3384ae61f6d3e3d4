package dev.berth.server.http.route;

import dev.berth.core.api.JobView;
import dev.berth.core.api.SubmitRequest;
import dev.berth.core.job.Gpu;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState.Held;
import dev.berth.core.job.JobState.Packed;
import dev.berth.core.job.JobState.Waiting;
import dev.berth.core.job.Program;
import dev.berth.core.job.StateName;
import dev.berth.core.job.SubmitKey;
import dev.berth.core.job.Submitter;
import dev.berth.core.machine.Input.SubmitJob;
import dev.berth.core.machine.JobEvent;
import dev.berth.core.machine.JobEvent.CancelRequested;
import dev.berth.core.machine.JobEvent.HoldRequested;
import dev.berth.core.machine.JobEvent.ReleaseRequested;
import dev.berth.core.machine.Step.Reply;
import dev.berth.server.bounds.MemoryBudget;
import dev.berth.server.bounds.MemoryBudget.Share;
import dev.berth.server.code.Digests;
import dev.berth.server.http.access.Access;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.http.exchange.Exchange;
import dev.berth.server.http.exchange.Json;
import dev.berth.server.http.exchange.Parameters;
import dev.berth.server.http.exchange.Router;
import dev.berth.server.http.submit.DryRun;
import dev.berth.server.http.submit.PrerequisiteOptions;
import dev.berth.server.http.submit.ProfileChoice;
import dev.berth.server.http.submit.Profiled;
import dev.berth.server.http.submit.Submission;
import dev.berth.server.http.submit.Submission.Wanted;
import dev.berth.server.http.view.Explanations;
import dev.berth.server.http.view.JobViews;
import dev.berth.server.linux.Users;
import dev.berth.server.loop.Scheduling;
import dev.berth.server.store.database.StoreException;
import dev.berth.server.time.TimedWait;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** {@code /jobs}: submit, look, explain, and the verbs that steer. */
public final class JobsResource {
    /** The bytes that a program takes in memory for each byte on disk until it is answered: a careful guess. */
    private static final long MEMORY_A_BYTE = 4;

    private static final Pattern SUBMIT_KEY = Pattern.compile("[!-~]{1,128}");

    /** The pause before a start that is to be now or never is asked for again, while another one's is being decided. */
    private static final Duration BETWEEN_TRIES = Duration.ofMillis(10);

    private static final int MAX_TRIES = 200;

    private final Scheduling scheduling;
    private final JobViews views;
    private final Explanations explanations;
    private final Submission submission;
    private final DryRun dryRun;
    private final ProfileChoice profiles;
    private final Access access;
    private final Users users;
    private final MemoryBudget memory;

    JobsResource(
            Scheduling scheduling,
            JobViews views,
            Submission submission,
            DryRun dryRun,
            Access access,
            Users users,
            MemoryBudget memory) {
        this.scheduling = scheduling;
        this.views = views;
        this.explanations = new Explanations(views, access.queries());
        this.submission = submission;
        this.dryRun = dryRun;
        this.profiles = new ProfileChoice(dryRun.parts().profiles(), users);
        this.access = access;
        this.users = users;
        this.memory = memory;
    }

    private enum Verb {
        CANCEL,
        HOLD,
        RELEASE
    }

    void addTo(Router router) {
        router.add("POST", "/api/v1/jobs", (exchange, caller, _) -> submit(exchange, caller));
        router.add("GET", "/api/v1/jobs/{id}", (exchange, caller, in) -> {
            Job job = access.job(caller, in);
            views.awaitLastLine(job);
            show(exchange, caller, 200, job, shown -> views.whole(shown, caller));
        });
        router.add(
                "GET",
                "/api/v1/jobs/{id}/explanation",
                (exchange, caller, in) -> Json.answer(exchange, 200, explanations.of(access.job(caller, in), caller)));
        router.add(
                "POST", "/api/v1/jobs/{id}/cancel", (exchange, caller, in) -> steer(exchange, caller, in, Verb.CANCEL));
        router.add("POST", "/api/v1/jobs/{id}/hold", (exchange, caller, in) -> steer(exchange, caller, in, Verb.HOLD));
        router.add(
                "POST",
                "/api/v1/jobs/{id}/release",
                (exchange, caller, in) -> steer(exchange, caller, in, Verb.RELEASE));
        router.add("POST", "/api/v1/jobs/{id}/resubmit", this::resubmit);
    }

    private void submit(Exchange exchange, Caller caller) throws IOException, InterruptedException {
        access.requireSubmitter(caller);
        try (Share share = memory.share(caller.uid())) {
            submit(exchange, caller, Json.body(exchange.body(), share));
        }
    }

    private void submit(Exchange exchange, Caller caller, byte[] body) throws IOException, InterruptedException {
        boolean dry = Parameters.flag(exchange, "dryRun");
        SubmitRequest request = Json.parse(body, SubmitRequest.class);
        if (request.host()) {
            LeaseResource.requireLocal(exchange);
            if (dry) {
                throw ApiException.field(
                        "dryRun", "true", "shows a container, and a process of the machine (host) is none");
            }
        }
        SubmitKey key = dry ? null : key(exchange, body);
        // What was accepted before is told of, whatever is known by now of its image and of the jobs that it waits for.
        boolean isRepeated = isRepeated(caller, key);
        Profiled profiled = submission.fitted(profiles.of(request, caller, isRepeated), caller);
        Wanted wanted = profiled.retelling(() -> submission.check(profiled, caller, isRepeated));
        if (!isRepeated) {
            requireImage(wanted);
        }
        if (dry) {
            submission.requireRoom(caller.user(), wanted);
            Json.answer(exchange, 200, dryRun.of(profiled, wanted, caller));
            return;
        }
        queue(exchange, caller, wanted, key);
    }

    private boolean isRepeated(Caller caller, @Nullable SubmitKey key) {
        return key != null && access.queries().isSubmitted(caller.uid(), key.key());
    }

    /** Requires an image that may run. */
    private void requireImage(Wanted wanted) {
        dryRun.parts().imageRefusal(wanted.spec(), wanted.program()).ifPresent(refusal -> {
            throw ApiException.neverFits(refusal);
        });
    }

    private void queue(Exchange exchange, Caller caller, Wanted wanted, @Nullable SubmitKey key)
            throws IOException, InterruptedException {
        Program program = wanted.program();
        switch (submitted(caller, wanted, key)) {
            case Reply.Accepted(Job job) -> Json.answer(exchange, 201, views.of(job, program));
            case Reply.Repeated(Job job) -> show(exchange, caller, 200, job, views::of);
            case Reply refused -> throw refusal(refused, caller, submission);
        }
    }

    /** The refusal of a submit that the loop has not accepted. */
    static ApiException refusal(Reply reply, Caller caller, Submission submission) {
        return switch (reply) {
            case Reply.KeyTaken(Job job) ->
                ApiException.of(
                        422,
                        "KEY_TAKEN",
                        "Idempotency-Key: job " + job.number()
                                + " was submitted under this key with another request; take a new key for a new job");
            case Reply.QueueFull(long waiting, int asked) -> submission.queueFull(caller.user(), waiting, asked);
            case Reply.NoRoom(long taken, long asked) -> submission.noRoom(caller.user(), taken, asked);
            case Reply.NotNow(String sentence, List<Gpu> free, boolean _) -> notNow(sentence, free);
            case Reply.NoSuchDependency(JobId gone) -> PrerequisiteOptions.gone(gone);
            case Reply.Refused(String sentence) -> ApiException.neverFits(sentence);
            case Reply.RefusedStage(int stage, Reply why) ->
                refusal(why, caller, submission).ofJob(stage + 1);
            case Reply other -> throw new IllegalStateException("a submit was answered with " + other);
        };
    }

    /** A job that is not to wait for GPUs is asked for again for a moment, until it is known whether there are any. */
    private Reply submitted(Caller caller, Wanted wanted, @Nullable SubmitKey key)
            throws IOException, InterruptedException {
        for (int tries = 0; ; tries++) {
            Reply reply = await(scheduling.submit(
                    now -> new SubmitJob(now, wanted.spec(), wanted.program(), caller.user(), key), submission.room()));
            boolean isPassing = reply instanceof Reply.NotNow now && now.isPassing();
            if (!isPassing || tries == MAX_TRIES) {
                return reply;
            }
            TimedWait.of(BETWEEN_TRIES);
        }
    }

    /** The refusal of a job that would not wait, which tells what there is. */
    private static ApiException notNow(String sentence, List<Gpu> free) {
        String names = free.isEmpty()
                ? "none"
                : free.stream()
                        .map(gpu -> gpu.index() + " (" + gpu.name() + ")")
                        .collect(Collectors.joining(", "));
        String indices = free.stream().map(gpu -> gpu.index().toString()).collect(Collectors.joining(","));
        return ApiException.of(
                409,
                "NOT_NOW",
                "not accepted, as it could not start at once: " + sentence + "; free GPUs: " + names,
                Map.of("free", indices));
    }

    /** By which a retry of this very request is known. */
    static @Nullable SubmitKey key(Exchange exchange, byte[] body) {
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
        if (verb != Verb.CANCEL) {
            submission.targets().requireHolds(job);
        }
        JobEvent wish = switch (verb) {
            case CANCEL -> new CancelRequested(caller.name());
            case HOLD -> new HoldRequested(caller.name());
            case RELEASE -> new ReleaseRequested(caller.name());
        };
        switch (await(scheduling.request(job.id(), wish))) {
            case Reply.Took(Job took) -> show(exchange, caller, 202, took, views::of);
            case Reply.Ignored(Job same, String reason) -> {
                requireNoFailure(verb, job, same, reason);
                requireNoPack(verb, same);
                show(exchange, caller, 202, same, views::of);
            }
            case Reply.Refused(String sentence) ->
                throw ApiException.of(
                        409, "TOO_MANY_TASKS", "this cannot be asked of job " + job.number() + " alone: " + sentence);
            case Reply.None _ -> throw ApiException.noSuchJob(job.number());
            case Reply other -> throw new IllegalStateException("job " + job.number() + " was answered with " + other);
        }
    }

    /**
     * Requires that a request has not failed. What is as wanted already is no failure; what can never be so again is.
     */
    private static void requireNoFailure(Verb verb, Job before, Job now, String reason) {
        StateName state = now.state().name();
        if (state.isFinal() && before.state().name().isFinal()) {
            throw ApiException.of(409, "JOB_ENDED", "job " + now.number() + " is over already: " + state);
        }
        if (verb == Verb.HOLD && state.isLive()) {
            throw ApiException.of(
                    409,
                    "JOB_STARTED",
                    "job " + now.number() + " is " + state + ": " + reason + "; only a job that waits can be held");
        }
        if (verb == Verb.RELEASE && state != StateName.QUEUED) {
            throw ApiException.of(409, "JOB_NOT_HELD", "job " + now.number() + " is " + state + ": it is not held");
        }
    }

    /** Requires that a job which waits does so for a turn of its own, and not for its pack. */
    private void requireNoPack(Verb verb, Job job) {
        if (verb == Verb.CANCEL || !(job.state() instanceof Packed)) {
            return;
        }
        Job pack = access.queries().find(job.pack()).orElseThrow(() -> ApiException.noSuchJob(job.number()));
        String isIn = "job " + job.number() + " is one of pack " + pack.number();
        if (pack.state() instanceof Waiting && (verb == Verb.HOLD || pack.state() instanceof Held)) {
            String word = verb.name().toLowerCase(Locale.ROOT);
            throw ApiException.of(
                    409, "TASK_OF_PACK", isIn + " and waits with that: berth " + word + " '" + pack.number() + "'");
        }
        if (verb == Verb.HOLD) {
            throw ApiException.of(
                    409,
                    "JOB_STARTED",
                    isIn + ", which has had its turn; only a job that waits can be held; berth cancel " + job.number()
                            + " keeps it from beginning");
        }
    }

    /** Answers with one job and what it runs, which may be large. */
    private void show(Exchange exchange, Caller caller, int status, Job job, Function<Job, JobView> view)
            throws IOException {
        try (Share share = memory.share(caller.uid())) {
            share.take(MEMORY_A_BYTE * access.queries().programBytes(job));
            Json.answer(exchange, status, view.apply(job));
        }
    }

    /** Submits the same job once more, as a new one at the end of the queue: nobody overtakes by it. */
    private void resubmit(Exchange exchange, Caller caller, Map<String, String> in)
            throws IOException, InterruptedException {
        boolean failed = Parameters.flag(exchange, "failed");
        Job job = access.ended(caller, in, Access.AGAIN);
        if (job.spec().isHost()) {
            throw ApiException.of(
                    409,
                    "HOST_JOB",
                    "job " + job.number()
                            + " was a process of the machine itself, which Berth cannot start; to run it again,"
                            + " give its berth run command again");
        }
        Caller owner = caller.inPlaceOf(ownerNow(job, caller));
        try (Share share = memory.share(caller.uid())) {
            share.take(MEMORY_A_BYTE * access.queries().programBytes(job));
            Wanted again = submission.repeated(job, owner, failed);
            access.requireSubmitter(owner);
            String asked = exchange.path() + (failed ? "?failed" : "");
            SubmitKey key = key(exchange, asked.getBytes(StandardCharsets.UTF_8));
            if (!isRepeated(owner, key)) {
                requireImage(again);
            }
            queue(exchange, owner, again, key);
        }
    }

    /** A job's owner with the groups of now: what they had at its first submit they may have lost. */
    private Submitter ownerNow(Job job, Caller caller) {
        Submitter then = job.owner();
        if (then.uid() == caller.uid()) {
            return caller.user();
        }
        return users.find(then.name())
                .filter(now -> now.uid() == then.uid())
                .orElseThrow(() -> ApiException.of(
                        409,
                        "NO_SUCH_USER",
                        "job " + job.number() + " is of user " + then.name() + " (" + then.uid()
                                + "), who is not in this machine's user database any more; it cannot run again"));
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
}
