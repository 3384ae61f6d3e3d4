package dev.berth.core.machine;

import java.time.Instant;

/**
 * That a GPU is out of service until somebody resumes it; a job that holds it goes on.
 *
 * @param by the login name of who wanted that, {@link #BERTH} for the server itself
 * @param reason for people
 */
public record Drain(String by, String reason, Instant since) {
    /** Who drains a GPU that is sick. */
    public static final String BERTH = "berth";

    /** "drained by ada: loud fan". */
    public String sentence() {
        return "drained by " + by + (reason.isEmpty() ? "" : ": " + reason);
    }
}
