package dev.berth.violations.core;

import dev.berth.violations.server.log.Writes;

/** The core looks at the shell around it. */
final class KnowsTheServer {
    private KnowsTheServer() {}

    static String writes() {
        return Writes.something();
    }
}
