package dev.berth.cli.line;

import java.util.List;

/** The names of the job states, as the API has them. */
public final class JobStates {
    public static final List<String> WAITING = List.of("QUEUED", "HELD");
    public static final List<String> ACTIVE = List.of("QUEUED", "HELD", "STARTING", "RUNNING", "STOPPING");
    public static final List<String> ENDED =
            List.of("COMPLETED", "FAILED", "TIMEOUT", "OUT_OF_MEMORY", "LOST", "CANCELLED");
    public static final List<String> ALL = List.of(
            "QUEUED",
            "HELD",
            "STARTING",
            "RUNNING",
            "STOPPING",
            "COMPLETED",
            "FAILED",
            "TIMEOUT",
            "OUT_OF_MEMORY",
            "LOST",
            "CANCELLED");

    private JobStates() {}
}
