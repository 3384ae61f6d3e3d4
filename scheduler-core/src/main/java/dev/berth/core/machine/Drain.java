package dev.berth.core.machine;

import java.time.Instant;

/**
 * The withdrawal of a GPU from service until somebody resumes it; a job that holds it goes on.
 *
 * @param by the login name of who wanted that, {@link #BERTH} for the server itself
 * @param reason for people
 */
public record Drain(String by, String reason, Instant since) {
    /** The name of who drains a GPU that is sick. */
    public static final String BERTH = "berth";

    /** The most that is kept of what was said. */
    private static final int MAX_REASON = 1_000;

    private static final String FOUND = "Berth has found: ";

    /**
     * The drain where the GPU is drained once more. What the server has found of a GPU is not lost by what a person
     * says of it, nor the other way round: anyone who resumes it is to know both.
     */
    Drain and(String who, String why) {
        if (why.isEmpty() || reason.contains(why)) {
            return this;
        }
        if (who.equals(BERTH)) {
            String both = reason.isEmpty() ? FOUND + why : reason + "; " + (by.equals(BERTH) ? "" : FOUND) + why;
            return both.length() > MAX_REASON ? this : new Drain(by, both, since);
        }
        int found = reason.indexOf(FOUND);
        String kept = by.equals(BERTH) ? FOUND + reason : found < 0 ? "" : reason.substring(found);
        return new Drain(who, kept.isEmpty() ? why : why + "; " + kept, since);
    }

    /** "drained by ada: loud fan". */
    public String sentence() {
        return "drained by " + by + (reason.isEmpty() ? "" : ": " + reason);
    }
}
