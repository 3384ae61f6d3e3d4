package dev.berth.chaos;

import java.util.Optional;

/** What can go wrong, and how often for each kill of the server. */
enum Fault {
    SERVER_KILLED("server killed (-9) and started again", 1.0),
    SERVER_KILLED_WHILE_STARTING("server killed (-9), and once more while it starts", 0.0),
    SERVER_STOPPED("server stopped (SIGTERM) and started again", 0.15),
    ENGINE_KILLED("dockerd killed (-9), its containers with it", 0.08),
    ENGINE_KILLED_KEEPING("dockerd killed (-9), with live-restore", 0.12),
    ENGINE_STOPPED("dockerd stopped (SIGTERM), its containers with it", 0.08),
    ENGINE_STOPPED_KEEPING("dockerd stopped (SIGTERM), with live-restore", 0.12),
    ENGINE_FROZEN("dockerd frozen (SIGSTOP) for seconds", 0.15),
    BOTH_KILLED("server and dockerd killed (-9) together, with live-restore", 0.0),
    ENGINE_CUT_OFF("connections between server and engine cut", 0.25),
    CLIENTS_CUT_OFF("connections between clients and server cut", 0.25),
    CONTAINER_REMOVED("container of a running job removed by hand", 0.15),
    PROGRAM_KILLED("program of a running job killed (-9) by hand", 0.15);

    private final String title;
    private final double share;

    Fault(String title, double share) {
        this.title = title;
        this.share = share;
    }

    String title() {
        return title;
    }

    /** How many of so many kills of the server. */
    int of(int kills) {
        int few = Math.max(1, kills / 8);
        return switch (this) {
            case SERVER_KILLED -> Math.max(0, kills - 3 * few);
            // Each of these kills the server, too, the first of them twice.
            case SERVER_KILLED_WHILE_STARTING, BOTH_KILLED -> few;
            default -> (int) Math.max(1, Math.round(kills * share));
        };
    }

    /** How many kills of the server are in it. */
    int serverKills() {
        return switch (this) {
            case SERVER_KILLED, BOTH_KILLED -> 1;
            case SERVER_KILLED_WHILE_STARTING -> 2;
            default -> 0;
        };
    }

    /** Whether jobs that run may be ended by it. */
    boolean endsJobs() {
        return switch (this) {
            case ENGINE_KILLED, ENGINE_STOPPED, PROGRAM_KILLED -> true;
            default -> false;
        };
    }

    /** Whether the engine's daemon ends at once by it. */
    boolean killsDaemon() {
        return this == ENGINE_KILLED || this == ENGINE_KILLED_KEEPING || this == BOTH_KILLED;
    }

    /** Whether containers outlive it; empty where no daemon ends. */
    Optional<Boolean> keepsContainers() {
        return endsDaemon() ? Optional.of(this != ENGINE_KILLED && this != ENGINE_STOPPED) : Optional.empty();
    }

    /** Whether the answer to a start may be lost by it; a dockerd whose client is gone also breaks the start off. */
    boolean losesStarts() {
        return endsDaemon() || this == ENGINE_CUT_OFF;
    }

    /** Whether it makes the engine's daemon end. */
    boolean endsDaemon() {
        return switch (this) {
            case ENGINE_KILLED, ENGINE_STOPPED, ENGINE_KILLED_KEEPING, ENGINE_STOPPED_KEEPING, BOTH_KILLED -> true;
            default -> false;
        };
    }
}
