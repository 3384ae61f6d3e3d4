package dev.berth.server.http.route;

import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.http.exchange.Exchange;
import dev.berth.server.http.exchange.Router;
import dev.berth.server.metrics.Metrics;
import java.io.IOException;
import java.io.OutputStream;

/** {@code /metrics}, for Prometheus. */
record MetricsResource(Metrics metrics) {
    void addTo(Router router) {
        router.add("GET", "/metrics", (exchange, caller, _) -> answer(exchange, caller));
    }

    private void answer(Exchange exchange, Caller caller) throws IOException {
        if (!caller.seesAll()) {
            throw ApiException.of(
                    403,
                    "NOT_READER",
                    "the metrics are of everybody's jobs: administrators and readers may read them; a token for"
                            + " Prometheus has scope admin and is of a user in access.readers");
        }
        byte[] text = metrics.text();
        exchange.answerHeader("Content-Length", Integer.toString(text.length));
        try (OutputStream out = exchange.answer(200, Metrics.TYPE)) {
            out.write(text);
        }
    }
}
