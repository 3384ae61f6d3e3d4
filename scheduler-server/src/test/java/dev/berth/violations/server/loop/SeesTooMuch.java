package dev.berth.violations.server.loop;

import dev.berth.violations.server.Main;
import dev.berth.violations.server.http.Page;
import dev.berth.violations.server.runner.docker.engine.DockerAdapter;
import java.time.Instant;

/** The loop looks at those who look at it, and at what stands outside. */
final class SeesTooMuch {
    private SeesTooMuch() {}

    static String http() {
        return Page.text();
    }

    static String docker() {
        return DockerAdapter.text();
    }

    static Instant root() {
        return Main.now();
    }
}
