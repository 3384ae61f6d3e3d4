package dev.berth.violations.server.container;

import dev.berth.violations.server.container.docker.Engine;

/** The port looks at one of those behind it. */
final class KnowsTheAdapter {
    private KnowsTheAdapter() {}

    static String text() {
        return Engine.text();
    }
}
