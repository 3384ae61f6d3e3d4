package dev.berth.core.machine;

import static java.util.Map.entry;

import dev.berth.core.job.Job;
import dev.berth.core.job.Outcome;
import dev.berth.core.job.OutcomeReason;
import dev.berth.core.job.Place.OnHost;
import dev.berth.core.job.StateName;
import dev.berth.core.job.StopCause;
import dev.berth.core.machine.JobEvent.RunExited;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The sentences and codes for how programs end. */
final class Outcomes {
    private static final int SIGNAL_BASE = 128;

    /** Linux signal numbers that end programs in practice, signal(7). */
    private static final Map<Integer, String> SIGNALS = Map.ofEntries(
            entry(1, "SIGHUP"),
            entry(2, "SIGINT"),
            entry(3, "SIGQUIT"),
            entry(4, "SIGILL"),
            entry(6, "SIGABRT"),
            entry(7, "SIGBUS"),
            entry(8, "SIGFPE"),
            entry(9, "SIGKILL"),
            entry(10, "SIGUSR1"),
            entry(11, "SIGSEGV"),
            entry(12, "SIGUSR2"),
            entry(13, "SIGPIPE"),
            entry(14, "SIGALRM"),
            entry(15, "SIGTERM"));

    private Outcomes() {}

    static Outcome ofExit(Job job, RunExited exit) {
        int code = exit.exitCode();
        if (job.spec().place() instanceof OnHost host && host.shell()) {
            return new Outcome(
                    StateName.COMPLETED,
                    OutcomeReason.EXITED,
                    "what its GPUs were leased to has ended or given them back",
                    null);
        }
        if (exit.outOfMemory()) {
            return new Outcome(
                    StateName.OUT_OF_MEMORY,
                    OutcomeReason.OUT_OF_MEMORY,
                    "the kernel ended the program because it used more memory than it may",
                    code);
        }
        return code == 0
                ? new Outcome(StateName.COMPLETED, OutcomeReason.EXITED, "the program ended with exit code 0", code)
                : new Outcome(
                        StateName.FAILED,
                        OutcomeReason.EXITED_NONZERO,
                        "the program ended with exit code " + inWords(code),
                        code);
    }

    static Outcome ofStop(Job job, StopCause cause, @Nullable Integer exitCode) {
        return switch (cause) {
            case StopCause.Cancelled(String by) ->
                new Outcome(StateName.CANCELLED, OutcomeReason.CANCELLED_BY_USER, "cancelled by " + by, exitCode);
            case StopCause.TimeLimit() ->
                new Outcome(
                        StateName.TIMEOUT,
                        OutcomeReason.TIME_LIMIT,
                        "stopped at its time limit of " + inWords(job.spec().timeLimit()),
                        exitCode);
            case StopCause.Idle(String sentence) ->
                new Outcome(StateName.TIMEOUT, OutcomeReason.IDLE_TIMEOUT, "stopped: " + sentence, exitCode);
            case StopCause.DeviceLost(String sentence) ->
                new Outcome(StateName.LOST, OutcomeReason.DEVICE_LOST, sentence, exitCode);
        };
    }

    private static String inWords(int code) {
        String signal = SIGNALS.get(code - SIGNAL_BASE);
        return signal == null ? Integer.toString(code) : code + " (" + signal + ")";
    }

    private static String inWords(@Nullable Duration limit) {
        return limit == null ? "unknown length" : Durations.inWords(limit);
    }
}
