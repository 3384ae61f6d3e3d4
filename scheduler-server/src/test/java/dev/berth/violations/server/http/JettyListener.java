package dev.berth.violations.server.http;

import org.eclipse.jetty.server.Server;

/** What may know Jetty, and a part of it that may too. */
final class JettyListener {
    private JettyListener() {}

    static String state(Server server) {
        return server.getState();
    }

    static final class Part {
        private Part() {}

        static String state(Server server) {
            return server.getState();
        }
    }
}
