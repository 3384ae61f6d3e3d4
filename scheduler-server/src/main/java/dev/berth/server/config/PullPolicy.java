package dev.berth.server.config;

import java.util.Optional;

/** When the image of a job is fetched. */
public enum PullPolicy {
    MISSING,
    ALWAYS,
    NEVER;

    static Optional<PullPolicy> parse(String text) {
        return switch (text) {
            case "missing" -> Optional.of(MISSING);
            case "always" -> Optional.of(ALWAYS);
            case "never" -> Optional.of(NEVER);
            default -> Optional.empty();
        };
    }
}
