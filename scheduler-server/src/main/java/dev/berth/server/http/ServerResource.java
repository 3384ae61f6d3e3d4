package dev.berth.server.http;

import dev.berth.core.api.GpuList;
import dev.berth.core.api.HealthView;
import dev.berth.core.api.ServerView;
import dev.berth.core.api.SnapshotView;
import dev.berth.server.code.SnapshotException;
import dev.berth.server.code.SnapshotStore;
import dev.berth.server.store.JobQueries;
import java.io.IOException;

/** {@code /server}, {@code /gpus}, {@code /snapshots} and {@code /health}. */
final class ServerResource {
    /** The body of {@code POST /server/stop}. */
    record StopRequest(boolean stopJobs) {}

    private final ApiParts parts;
    private final JobViews views;
    private final Access access;

    ServerResource(ApiParts parts, JobViews views, Access access) {
        this.parts = parts;
        this.views = views;
        this.access = access;
    }

    void addTo(Router router) {
        router.addOpen("GET", "/api/v1/health", this::health);
        router.add("GET", "/api/v1/server", (exchange, caller, _) -> JobsResource.answer(exchange, 200, view(caller)));
        router.add("POST", "/api/v1/server/stop", (exchange, caller, _) -> stop(exchange, caller));
        router.add(
                "GET",
                "/api/v1/gpus",
                (exchange, _, _) -> JobsResource.answer(
                        exchange, 200, new GpuList(views.gpus(), parts.facts().simulated())));
        router.add("POST", "/api/v1/snapshots", (exchange, caller, _) -> keep(exchange, caller));
    }

    private void health(Exchange exchange) throws IOException {
        JobsResource.answer(exchange, 200, new HealthView("ok", parts.facts().version()));
    }

    private ServerView view(Caller caller) {
        ServerFacts facts = parts.facts();
        JobQueries queries = parts.queries();
        return new ServerView(
                facts.version(),
                facts.pid(),
                facts.socket().toString(),
                facts.url(),
                facts.dataDirectory().toString(),
                facts.since().toString(),
                parts.loop().machine().capacity().workers(),
                parts.loop().machine().capacity().cpuWorkers(),
                facts.image(),
                facts.engine(),
                facts.simulated(),
                views.gpus(),
                queries.counts(caller.seesAll() ? null : Long.valueOf(caller.uid())),
                facts.warnings());
    }

    private void stop(Exchange exchange, Caller caller) throws IOException, InterruptedException {
        access.requireOperator(caller);
        StopRequest request = Json.read(exchange.body(), StopRequest.class);
        if (request.stopJobs()) {
            JobsResource.await(parts.loop().stopAll(caller.name()));
        }
        JobsResource.answer(exchange, 202, view(caller));
        parts.stop().stop(request.stopJobs());
    }

    private void keep(Exchange exchange, Caller caller) throws IOException {
        access.requireSubmitter(caller);
        SnapshotStore snapshots = parts.snapshots();
        try {
            SnapshotView kept = snapshots.keep(exchange.upload());
            JobsResource.answer(exchange, 201, kept);
        } catch (SnapshotException e) {
            throw e.isTooLarge()
                    ? ApiException.tooLarge("the directory was not taken: " + e.sentence())
                    : ApiException.of(400, "BAD_SNAPSHOT", "the directory was not taken: " + e.sentence());
        }
    }
}
