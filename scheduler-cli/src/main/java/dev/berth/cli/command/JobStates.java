package dev.berth.cli.command;

import java.util.List;

/** The names of the job states, as the API has them. */
final class JobStates {
    static final List<String> ACTIVE = List.of("QUEUED", "HELD", "STARTING", "RUNNING", "STOPPING");
    static final List<String> ENDED = List.of("COMPLETED", "FAILED", "TIMEOUT", "OUT_OF_MEMORY", "LOST", "CANCELLED");
    static final List<String> ALL = List.of(
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
