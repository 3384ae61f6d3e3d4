package dev.berth.server.http.route;

import dev.berth.core.api.LeaseEnded;
import dev.berth.core.api.LeaseExit;
import dev.berth.core.api.LeaseStart;
import dev.berth.core.api.LeaseState;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.JobState.Stopping;
import dev.berth.core.job.StopCause;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Machine;
import dev.berth.core.machine.Step.Reply;
import dev.berth.server.http.access.Access;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.http.exchange.Exchange;
import dev.berth.server.http.exchange.Json;
import dev.berth.server.http.exchange.Parameters;
import dev.berth.server.http.exchange.Router;
import dev.berth.server.http.exchange.ServerSentEvents;
import dev.berth.server.http.view.JobViews;
import dev.berth.server.linux.ProcessKey;
import dev.berth.server.log.Signal;
import dev.berth.server.loop.BusyException;
import dev.berth.server.loop.Scheduling;
import dev.berth.server.runner.host.HostRunner;
import dev.berth.server.runner.host.LeaseException;
import dev.berth.server.runner.host.Started;
import dev.berth.server.store.HostProcess;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * {@code /jobs/{id}/lease}: GPUs for a process of the machine itself. A client waits for its turn, says which process
 * it is that the GPUs are for, and how that ended. At the Unix socket alone: over the network there is no such
 * process.
 */
record LeaseResource(Scheduling scheduling, HostRunner hosts, JobViews views, Access access) {
    private static final int MAX_EXIT_CODE = 255;

    /** The time for which the answer to an end waits at most. */
    private static final Duration UNTIL_FREE = Duration.ofSeconds(10);

    void addTo(Router router) {
        router.addStream("/api/v1/jobs/{id}/lease", this::await);
        router.add("POST", "/api/v1/jobs/{id}/lease", this::begin);
        router.add("POST", "/api/v1/jobs/{id}/lease/exit", this::exit);
    }

    /** The job of a path, for a caller who may start its program. */
    private Job job(Exchange exchange, Caller caller, Map<String, String> in) {
        requireLocal(exchange);
        Job job = access.steered(caller, in);
        if (!job.spec().isHost()) {
            throw ApiException.of(
                    409,
                    "NO_LEASE",
                    "job " + job.number()
                            + " runs in a container, which Berth starts by itself; there is no lease of it");
        }
        return job;
    }

    /** Refuses callers over TCP: a token says who they are, and their processes are on another machine. */
    static void requireLocal(Exchange exchange) {
        if (exchange.token().isPresent()) {
            throw ApiException.of(
                    403,
                    "LOCAL_ONLY",
                    "berth run and berth lease start programs on the server's own machine, and work at its Unix socket"
                            + " alone; over TCP use berth submit");
        }
    }

    private void await(Exchange exchange, Caller caller, Map<String, String> in)
            throws IOException, InterruptedException {
        Job job = job(exchange, caller, in);
        ProcessKey client = new ProcessKey(
                Parameters.number(exchange, "pid", 0, 1, Long.MAX_VALUE),
                Parameters.number(exchange, "startTicks", 0, 0, Long.MAX_VALUE));
        if (job.state() instanceof Finished) {
            try (OutputStream out = exchange.answer(200, "text/event-stream")) {
                ServerSentEvents.send(out, "ended", ended(job));
            }
            return;
        }
        try (HostRunner.Visit visit = hosts.visit(job, client, caller.uid())) {
            new LeaseStream(this, exchange, visit).run(job.id());
        } catch (LeaseException e) {
            throw ApiException.field(e.field(), Long.toString(client.pid()), e.sentence());
        }
    }

    /** The job as it stands on disk. */
    Optional<Job> find(JobId job) {
        return access.queries().find(job);
    }

    static LeaseEnded ended(Job job) {
        if (!(job.state() instanceof Finished end)) {
            throw new IllegalStateException("job " + job.number() + " is not over");
        }
        return new LeaseEnded(
                end.name().name(), end.outcome().sentence(), end.outcome().exitCode());
    }

    static @Nullable String cause(JobState state) {
        if (!(state instanceof Stopping stopping)) {
            return null;
        }
        return switch (stopping.cause()) {
            case StopCause.Cancelled _ -> "CANCELLED";
            case StopCause.TimeLimit _ -> "TIME_LIMIT";
            case StopCause.Idle _ -> "IDLE";
            case StopCause.DeviceLost _ -> "DEVICE_LOST";
        };
    }

    private void begin(Exchange exchange, Caller caller, Map<String, String> in)
            throws IOException, InterruptedException {
        Job job = job(exchange, caller, in);
        LeaseStart start = Json.read(exchange.body(), LeaseStart.class);
        Started started = started(start);
        Optional<HostProcess> row;
        try {
            row = hosts.begin(job.id(), started, start.gpus(), caller.uid());
        } catch (LeaseException e) {
            throw ApiException.field(e.field(), Long.toString(started.program().pid()), e.sentence());
        }
        if (row.isEmpty()) {
            throw notGranted(job);
        }
        // In the store before the program is let go: whatever dies then, the GPUs are not allocated twice.
        try {
            Reply _ = JobsResource.await(scheduling.request(job.id(), HostRunner.news(row.get()), store -> {
                store.keepProcess(row.get());
                hosts.warning(row.get()).ifPresent(store::warn);
            }));
        } catch (BusyException | ApiException e) {
            hosts.notBegun(job.id(), started);
            throw e;
        }
        if (!hosts.begun(job.id(), started)) {
            throw notGranted(job);
        }
        Json.answer(exchange, 200, state(job));
    }

    private ApiException notGranted(Job job) {
        return ApiException.of(
                409,
                "NOT_GRANTED",
                "job " + job.number() + " has no GPUs for a program to start: "
                        + views.brief(find(job.id()).orElse(job)).sentence());
    }

    private static Started started(LeaseStart start) {
        int attempt = required("attempt", start.attempt());
        ProcessKey program = new ProcessKey(required("pid", start.pid()), required("startTicks", start.startTicks()));
        boolean isShell = Boolean.TRUE.equals(start.shell());
        ProcessKey command = isShell
                ? null
                : new ProcessKey(required("cliPid", start.cliPid()), required("cliStartTicks", start.cliStartTicks()));
        return new Started(attempt, program, command);
    }

    private static <T> T required(String field, @Nullable T value) {
        if (value == null) {
            throw ApiException.field(field, "", "must be there");
        }
        return value;
    }

    private void exit(Exchange exchange, Caller caller, Map<String, String> in)
            throws IOException, InterruptedException {
        Job job = job(exchange, caller, in);
        LeaseExit exit = Json.read(exchange.body(), LeaseExit.class);
        int exitCode = required("exitCode", exit.exitCode());
        if (exitCode < 0 || exitCode > MAX_EXIT_CODE) {
            throw ApiException.field("exitCode", Integer.toString(exitCode), "must be from 0 to " + MAX_EXIT_CODE);
        }
        LeaseState state = state(find(job.id()).orElse(job));
        int attempt = required("attempt", exit.attempt());
        boolean counts = hosts.exited(job.id(), attempt, exitCode);
        if (!counts && !(job.state() instanceof Finished)) {
            throw ApiException.of(
                    409,
                    "NOT_GRANTED",
                    "job " + job.number() + " has no program of that attempt whose end was not told yet");
        }
        awaitFree(new Attempt(job.id(), attempt));
        Json.answer(exchange, 200, state);
    }

    /** Lets the client go on once another job could have its GPUs; what its program left there may take long to end. */
    private void awaitFree(Attempt attempt) throws InterruptedException {
        Signal changes = scheduling.changes();
        CompletableFuture<?> late =
                new CompletableFuture<>().completeOnTimeout(null, UNTIL_FREE.toMillis(), TimeUnit.MILLISECONDS);
        long seen = changes.count();
        while (holdsGpus(attempt) && !late.isDone()) {
            boolean _ = changes.awaitBeyond(seen, UNTIL_FREE);
            seen = changes.count();
        }
    }

    private boolean holdsGpus(Attempt attempt) {
        Machine now = scheduling.machine();
        Job job = now.live().get(attempt.job());
        return (job != null && Attempt.of(job).equals(attempt))
                || now.gpus().cleaning().containsKey(attempt);
    }

    private static LeaseState state(Job job) {
        return new LeaseState(job.state().name().name(), cause(job.state()));
    }
}
