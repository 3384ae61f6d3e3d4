package dev.berth.server.http.route;

import dev.berth.core.api.ServerView;
import dev.berth.core.machine.Input;
import dev.berth.core.machine.Starts;
import dev.berth.server.http.access.Access;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.http.exchange.Exchange;
import dev.berth.server.http.exchange.Json;
import dev.berth.server.http.exchange.Router;
import dev.berth.server.http.view.JobViews;
import dev.berth.server.http.view.ServerFacts;
import dev.berth.server.runner.EngineText;
import dev.berth.server.store.JobQueries;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code /server}. */
public final class ServerResource {
    /** The body of {@code POST /server/stop}. */
    public record StopRequest(boolean stopJobs) {}

    private static final String ONLY_FOR_OPERATORS = "operators see why, as in the server's log";

    private final ApiParts parts;
    private final JobViews views;
    private final Access access;

    ServerResource(ApiParts parts, JobViews views, Access access) {
        this.parts = parts;
        this.views = views;
        this.access = access;
    }

    void addTo(Router router) {
        router.add("GET", "/api/v1/server", (exchange, caller, _) -> Json.answer(exchange, 200, view(caller)));
        router.add("POST", "/api/v1/server/stop", (exchange, caller, _) -> stop(exchange, caller));
        router.add("POST", "/api/v1/server/pause", (exchange, caller, _) -> pause(exchange, caller, true));
        router.add("POST", "/api/v1/server/resume", (exchange, caller, _) -> pause(exchange, caller, false));
    }

    ServerView view(Caller caller) {
        ServerFacts facts = parts.facts();
        JobQueries queries = parts.queries();
        return new ServerView(
                facts.version(),
                facts.pid(),
                facts.socket().toString(),
                facts.url(),
                facts.dataDirectory().toString(),
                facts.since().toString(),
                parts.scheduling().machine().capacity().workers(),
                parts.scheduling().machine().capacity().cpuWorkers(),
                facts.image(),
                facts.engine(),
                facts.simulated(),
                facts.driver(),
                facts.cuda(),
                facts.gpuWay().isEmpty() ? null : facts.gpuWay(),
                views.gpus(caller),
                queries.counts(caller.seesAll() ? null : Long.valueOf(caller.uid())),
                engineOutage(),
                paused(),
                parts.snapshots().limits().entries(),
                parts.snapshots().limits().bytes(),
                facts.warnings(),
                failingTasks(caller));
    }

    /** The words of a failure may be about somebody's job, or places of files. */
    private List<ServerView.FailingTask> failingTasks(Caller caller) {
        return parts.background().failing().stream()
                .map(failing -> new ServerView.FailingTask(
                        failing.name(),
                        failing.since().toString(),
                        failing.failures(),
                        caller.seesAll() ? failing.sentence() : ONLY_FOR_OPERATORS,
                        failing.nextTry().toString()))
                .toList();
    }

    private void stop(Exchange exchange, Caller caller) throws IOException, InterruptedException {
        access.requireOperator(caller);
        StopRequest request = Json.read(exchange.body(), StopRequest.class);
        if (request.stopJobs()) {
            JobsResource.await(parts.scheduling().request(now -> new Input.StopEverything(now, caller.name())));
        }
        Json.answer(exchange, 202, view(caller));
        parts.stop().stop(request.stopJobs());
    }

    private void pause(Exchange exchange, Caller caller, boolean paused) throws IOException, InterruptedException {
        access.requireOperator(caller);
        String by = caller.name();
        JobsResource.await(parts.scheduling()
                .request(now -> paused ? new Input.PauseStarts(now, by) : new Input.ResumeStarts(now, by)));
        Json.answer(exchange, 202, view(caller));
    }

    private ServerView.@Nullable EngineOutage engineOutage() {
        return parts.engine()
                .outage()
                .map(outage -> new ServerView.EngineOutage(
                        outage.since().toString(),
                        EngineText.of(outage.sentence()).sentence()))
                .orElse(null);
    }

    private ServerView.@Nullable Pause paused() {
        return parts.scheduling().machine().starts() instanceof Starts.Paused(String by, Instant since)
                ? new ServerView.Pause(by, since.toString())
                : null;
    }
}
