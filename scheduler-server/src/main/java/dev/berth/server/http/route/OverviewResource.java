package dev.berth.server.http.route;

import dev.berth.core.api.GpuHistoryView;
import dev.berth.core.job.Gpu;
import dev.berth.server.bounds.MemoryBudget.Share;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.http.exchange.Exchange;
import dev.berth.server.http.exchange.Json;
import dev.berth.server.http.exchange.Parameters;
import dev.berth.server.http.exchange.Router;
import dev.berth.server.http.view.UsageViews;
import dev.berth.server.loop.Scheduling;
import dev.berth.server.usage.Resolution;
import java.io.IOException;
import java.util.List;

/** {@code /overview}: what a screen shows of the server, its GPUs and the jobs, in one answer. */
record OverviewResource(Scheduling scheduling, ServerResource server, UsageViews usages, JobLists jobs) {
    private static final int DEFAULT_SECONDS = 120;
    private static final int MAX_SECONDS = Resolution.SECONDS.shown();

    /** Four numbers of a GPU, as objects and as text. */
    private static final long BYTES_OF_A_SECOND = 160;

    void addTo(Router router) {
        router.add("GET", "/api/v1/overview", (exchange, caller, _) -> show(exchange, caller));
    }

    private void show(Exchange exchange, Caller caller) throws IOException {
        int seconds = (int) Parameters.number(exchange, "seconds", DEFAULT_SECONDS, 1, MAX_SECONDS);
        List<Gpu> gpus = scheduling.machine().capacity().gpus();
        try (Share share = jobs.memory().share(caller.uid())) {
            share.take((long) gpus.size() * seconds * BYTES_OF_A_SECOND);
            List<GpuHistoryView> history = gpus.stream()
                    .map(gpu -> usages.history(gpu, Resolution.SECONDS, seconds))
                    .toList();
            jobs.active(
                    exchange,
                    caller,
                    "{\"server\":" + Json.text(server.view(caller)) + ",\"history\":" + Json.text(history)
                            + ",\"jobs\":",
                    "}");
        }
    }
}
