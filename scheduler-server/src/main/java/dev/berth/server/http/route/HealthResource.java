package dev.berth.server.http.route;

import dev.berth.core.api.HealthView;
import dev.berth.core.api.ReadyView;
import dev.berth.core.api.ReadyView.Check;
import dev.berth.server.http.exchange.Exchange;
import dev.berth.server.http.exchange.Json;
import dev.berth.server.http.exchange.Router;
import dev.berth.server.loop.Scheduling;
import dev.berth.server.store.database.StoreException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** Whether the server answers, and whether it can do its work: for everybody, so that nothing private is in it. */
record HealthResource(ApiParts parts) {
    private static final int UNAVAILABLE = 503;

    /** The loop's turns take milliseconds; one that takes this long hangs at a disk. */
    private static final Duration LONGEST_TURN = Duration.ofSeconds(10);

    void addTo(Router router) {
        router.addOpen("GET", "/api/v1/health", this::live);
        router.addOpen("GET", "/health/live", this::live);
        router.addOpen("GET", "/health/ready", this::ready);
    }

    private void live(Exchange exchange) throws IOException {
        Json.answer(exchange, 200, new HealthView("ok", parts.facts().version()));
    }

    private void ready(Exchange exchange) throws IOException {
        List<Check> checks = List.of(store(), loop(), engine());
        boolean isReady = checks.stream().allMatch(Check::ok);
        Json.answer(exchange, isReady ? 200 : UNAVAILABLE, new ReadyView(isReady ? "ready" : "not ready", checks));
    }

    private Check store() {
        try {
            var _ = parts.queries().counts(null);
            return new Check("store", true, "the queue's database answers");
        } catch (StoreException _) {
            return new Check("store", false, "the queue's database cannot be read; the server's log says why");
        }
    }

    private Check loop() {
        Scheduling scheduling = parts.scheduling();
        Duration busy = scheduling.figures().busyFor(parts.clock().steady().instant());
        if (!scheduling.isOpen()) {
            return new Check("loop", false, "the server is ending");
        }
        return busy.compareTo(LONGEST_TURN) > 0
                ? new Check("loop", false, "the scheduling loop has been in one step for " + busy.toSeconds() + " s")
                : new Check("loop", true, "the scheduling loop runs");
    }

    private Check engine() {
        return parts.engine()
                .outage()
                .map(away -> new Check("engine", false, "the container engine has not answered since " + away.since()))
                .orElseGet(() -> new Check("engine", true, "the container engine answers"));
    }
}
