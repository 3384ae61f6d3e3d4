package dev.berth.server.simulation;

import org.jspecify.annotations.Nullable;

/** A law that does not hold. No handler of the server's may swallow it. */
final class Violation extends Error {
    private static final long serialVersionUID = 1L;

    private final Law law;

    Violation(Law law, String what, @Nullable Throwable cause) {
        super(law + " (" + law.sentence() + "): " + what, cause);
        this.law = law;
    }

    Law law() {
        return law;
    }
}
