package dev.berth.server.runner.slurm;

import dev.berth.core.job.Outcome;
import dev.berth.core.job.OutcomeReason;
import dev.berth.core.job.StateName;
import dev.berth.server.runner.slurm.SharedFiles.ToldEnd;
import dev.berth.server.runner.slurm.SlurmText.ExitStatus;
import dev.berth.server.runner.target.Phase.End;
import dev.berth.server.runner.target.Phase.End.ByEngine;
import dev.berth.server.runner.target.Phase.End.Exited;
import dev.berth.server.runner.target.Phase.End.NoImage;
import java.util.Objects;
import java.util.Set;

/** Slurm's final states (squeue(1), "JOB STATE CODES") as ends. */
final class SlurmEnds {
    private static final Set<String> WAITING = Set.of(
            "PENDING", "CONFIGURING", "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "SPECIAL_EXIT", "RESV_DEL_HOLD");
    private static final Set<String> ALIVE =
            Set.of("RUNNING", "COMPLETING", "SUSPENDED", "STOPPED", "STAGE_OUT", "SIGNALING", "RESIZING");

    /** Slurm's sign, in place of a signal, for what it could not start (SIG_FAILURE...: "0:53"). */
    private static final int NO_START = 53;

    private static final int SIGNAL_BASE = 128;
    private static final int KILLED = 137;
    private static final ExitStatus LOWEST = new ExitStatus(SIGNAL_BASE, 0);

    private static final Set<String> OVER = Set.of(
            "COMPLETED",
            "FAILED",
            "OUT_OF_MEMORY",
            "TIMEOUT",
            "DEADLINE",
            "CANCELLED",
            "NODE_FAIL",
            "PREEMPTED",
            "REVOKED",
            "BOOT_FAIL");

    private SlurmEnds() {}

    /** Whether a job in this state has ended, whatever else there may be. */
    static boolean isOver(String state) {
        return OVER.contains(word(state));
    }

    static boolean isWaiting(String state) {
        return WAITING.contains(word(state));
    }

    static boolean isAlive(String state) {
        return ALIVE.contains(word(state));
    }

    /** {@code CANCELLED by 1001} is {@code CANCELLED}. */
    private static String word(String state) {
        int end = state.indexOf(' ');
        return end < 0 ? state : state.substring(0, end);
    }

    /**
     * The end of a job in a final state.
     *
     * @param hasRun whether it was on a node
     */
    static End of(String id, String state, ExitStatus exit, boolean hasRun) {
        return switch (word(state)) {
            // A code of 128 is told as 0 (Slurm, src/sacct/print.c).
            case "FAILED" -> ended(id, exit.code() == 0 && exit.signal() == 0 ? LOWEST : exit, hasRun);
            case "COMPLETED" -> ended(id, exit, hasRun);
            case "OUT_OF_MEMORY" -> new Exited(KILLED, true);
            case "TIMEOUT" ->
                by(
                        StateName.TIMEOUT,
                        OutcomeReason.TIME_LIMIT,
                        "Slurm ended it (job %s) at its time limit there".formatted(id));
            case "DEADLINE" ->
                by(
                        StateName.TIMEOUT,
                        OutcomeReason.TIME_LIMIT,
                        "Slurm ended it (job %s) at its deadline".formatted(id));
            case "CANCELLED" -> by(StateName.CANCELLED, OutcomeReason.CANCELLED_AT_TARGET, cancelled(id, state));
            case "NODE_FAIL" ->
                lost(OutcomeReason.NODE_LOST, "its node was lost to Slurm while it ran (job %s)".formatted(id));
            case "PREEMPTED" ->
                lost(OutcomeReason.PREEMPTED, "Slurm ended it (job %s) to start another in its place".formatted(id));
            case "REVOKED" ->
                lost(
                        OutcomeReason.TARGET_LOST,
                        "Slurm gave it (job %s) to another cluster of its federation".formatted(id));
            case "BOOT_FAIL" -> notStarted("its node did not come up for Slurm (job %s)".formatted(id));
            default ->
                lost(
                        OutcomeReason.TARGET_LOST,
                        "Slurm says %s of it (job %s), which Berth does not know".formatted(word(state), id));
        };
    }

    private static End ended(String id, ExitStatus exit, boolean hasRun) {
        if (exit.signal() == NO_START) {
            return notStarted(
                    "Slurm could not start it (job %s) on its node: scontrol show job %s, and slurmd's log there;"
                                    .formatted(id, id)
                            + " often the shared directory is not there on the node, or the user is not");
        }
        if (!hasRun && (exit.code() != 0 || exit.signal() != 0)) {
            return notStarted("Slurm refused it (job %s) when it was handed over: no node can have what it asks for"
                    .formatted(id));
        }
        return new Exited(exit.signal() == 0 ? exit.code() : SIGNAL_BASE + exit.signal(), false);
    }

    /**
     * The end that a script has told.
     *
     * @param id empty where nobody knows it any more
     */
    static End told(String id, ToldEnd end) {
        String job = id.isEmpty() ? "" : " (job " + id + ")";
        return switch (Objects.requireNonNullElse(end.why(), "")) {
            case "image" ->
                new NoImage("is not on its node and cannot be pulled" + job
                        + ": the job's log has Docker's own words; check the name, or pull or build it there first");
            case "file" ->
                new NoImage("is not on its node" + job + "; check the path, which nodes have to see as well");
            case "container" ->
                notStarted("Docker could not start a container on its node" + job
                        + ": the job's log has Docker's own words");
            default -> new Exited(end.code(), false);
        };
    }

    /** Whether Slurm has ended it as what it waits for cannot come any more; its accounts do not tell of that. */
    static boolean isNeverStarted(String state, String reason) {
        return word(state).equals("CANCELLED") && reason.equals("DependencyNeverSatisfied");
    }

    static End neverStarted(String id) {
        return by(
                StateName.FAILED,
                OutcomeReason.DEPENDENCY_FAILED,
                "Slurm ended it (job %s) before it started: what it waits for did not end as asked".formatted(id));
    }

    /** A task that is cancelled while it waits leaves no trace of its own, neither in the queue nor in the accounts. */
    static Outcome cancelledUnstarted(String array) {
        return new Outcome(
                StateName.CANCELLED,
                OutcomeReason.CANCELLED_AT_TARGET,
                "it was cancelled at Slurm before it started (a task of job %s)".formatted(array),
                null);
    }

    private static String cancelled(String id, String state) {
        String by = word(state).equals(state) ? "" : " by user " + state.substring(state.lastIndexOf(' ') + 1);
        return "it was cancelled at Slurm%s (job %s)".formatted(by, id);
    }

    private static End by(StateName state, OutcomeReason reason, String sentence) {
        return new ByEngine(new Outcome(state, reason, sentence, null));
    }

    private static End lost(OutcomeReason reason, String sentence) {
        return by(StateName.LOST, reason, sentence);
    }

    private static End notStarted(String sentence) {
        return by(StateName.FAILED, OutcomeReason.START_FAILED, sentence);
    }
}
