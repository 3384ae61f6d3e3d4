package dev.berth.violations.server.runner;

import dev.berth.violations.server.runner.docker.engine.DockerAdapter;

/** The port looks at one of those behind it. */
final class KnowsTheAdapter {
    private KnowsTheAdapter() {}

    static String text() {
        return DockerAdapter.text();
    }
}
