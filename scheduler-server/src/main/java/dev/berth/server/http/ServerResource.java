package dev.berth.server.http;

import dev.berth.core.api.GpuList;
import dev.berth.core.api.HealthView;
import dev.berth.core.api.ServerView;
import dev.berth.core.api.SnapshotView;
import dev.berth.core.job.Submitter;
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
        router.add("GET", "/api/v1/server", (exchange, peer, _) -> JobsResource.answer(exchange, 200, view(peer)));
        router.add("POST", "/api/v1/server/stop", (exchange, peer, _) -> stop(exchange, peer));
        router.add(
                "GET",
                "/api/v1/gpus",
                (exchange, _, _) -> JobsResource.answer(
                        exchange, 200, new GpuList(views.gpus(), parts.facts().simulated())));
        router.add("POST", "/api/v1/snapshots", (exchange, peer, _) -> keep(exchange, peer));
    }

    private void health(Exchange exchange) throws IOException {
        JobsResource.answer(exchange, 200, new HealthView("ok", parts.facts().version()));
    }

    private ServerView view(Submitter peer) {
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
                queries.counts(access.seesAll(peer) ? null : Long.valueOf(peer.uid())),
                facts.warnings());
    }

    private void stop(Exchange exchange, Submitter peer) throws IOException, InterruptedException {
        access.requireOperator(peer);
        StopRequest request = Json.read(exchange.body(), StopRequest.class);
        if (request.stopJobs()) {
            JobsResource.await(parts.loop().stopAll(peer.name()));
        }
        JobsResource.answer(exchange, 202, view(peer));
        parts.stop().stop(request.stopJobs());
    }

    private void keep(Exchange exchange, Submitter peer) throws IOException {
        access.requireSubmitter(peer);
        SnapshotStore snapshots = parts.snapshots();
        try {
            SnapshotView kept = snapshots.keep(exchange.body());
            JobsResource.answer(exchange, 201, kept);
        } catch (SnapshotException e) {
            throw e.isTooLarge()
                    ? ApiException.tooLarge("the directory was not taken: " + e.sentence())
                    : ApiException.of(400, "BAD_SNAPSHOT", "the directory was not taken: " + e.sentence());
        }
    }
}
