package dev.berth.cli.command.submit;

import dev.berth.cli.client.LeaseFollower;
import dev.berth.cli.client.WorkingDirectory;
import dev.berth.cli.command.Session;
import dev.berth.cli.command.Verb;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import dev.berth.cli.program.ProcessRecord;
import dev.berth.core.api.JobView;
import dev.berth.core.api.LeaseGranted;
import dev.berth.core.api.LeaseStart;
import dev.berth.core.api.LeaseState;
import dev.berth.core.option.JobOption;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** {@code berth lease}: GPUs for the shell that asks, until it ends. */
public final class Lease implements Verb {
    private static final String SH = "sh";
    private static final List<String> SYNTAXES = List.of(SH, "fish", "csh");
    private static final String SHELL = "--shell";
    private static final String SYNTAX = "--syntax";
    private static final String PID = "--pid";
    private static final List<String> COMMAND = List.of("berth", "lease", SHELL);

    @Override
    public Shape shape() {
        Shape shape = Shape.of(
                        "lease",
                        "",
                        "Wait for GPUs for the shell that asks, and print the variables that make its programs keep to"
                                + " them.",
                        "",
                        "The GPUs are the shell's until it ends, or until berth cancel ID, which ends the lease and"
                                + " leaves the shell and its programs alone. It waits in the same queue as every job."
                                + " Nothing keeps programs from GPUs that are not their own.",
                        "",
                        "Where there are none for it, what is printed hides all GPUs and ends with false, so that eval"
                                + " fails.",
                        "")
                .flag("For the shell that asks; print what it is to evaluate.", SHELL)
                .value("NAME", "That shell's language: sh, fish, csh. Default: sh.", SYNTAX)
                .value("PID", "That shell's process. Default: the one that started this command.", PID);
        return JobWords.addTo(shape, JobOption::isOfShell)
                .examples(
                        "eval \"$(berth lease --shell --num-gpus 1)\"",
                        "berth lease --shell --syntax fish --num-gpus 1 | source",
                        "eval \"$(berth lease --shell --num-gpus 1 --pid $$ | tee lease.sh)\"");
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        arguments.noWords();
        if (!arguments.has(SHELL)) {
            throw Failure.usage("berth lease gives GPUs to a shell: eval \"$(berth lease --shell --num-gpus 1)\"; for a"
                    + " single program there is berth run");
        }
        String syntax = syntax(arguments.value(SYNTAX));
        Integer pid = arguments.number(PID, 2, Integer.MAX_VALUE);
        LeasedTurn turn = new LeasedTurn(session, arguments);
        ProcessRecord shell = ProcessRecord.of(pid == null ? turn.own().parent() : pid);
        JobView job = turn.queued(JobWords.hostRequest(arguments, COMMAND, WorkingDirectory.path("berth lease"), true));
        LeaseFollower follower = turn.follower(job);
        LeaseGranted granted = turn.granted(job, follower);
        LeaseState _ = follower.begin(
                new LeaseStart(granted.attempt(), shell.pid(), shell.startTicks(), null, null, true, granted.uuids()));
        print(session, syntax, granted);
        String held = granted.gpus().stream().map(LeaseGranted.LeasedGpu::index).collect(Collectors.joining(", "));
        turn.notice("job " + job.id() + " leases "
                + (held.isEmpty() ? "no GPU" : (granted.gpus().size() == 1 ? "GPU " : "GPUs ") + held)
                + " to this shell until it ends; berth cancel " + job.id() + " gives "
                + (granted.gpus().size() == 1 ? "it" : "them") + " back before");
        return ExitCode.OK;
    }

    /** A shell without GPUs sees none, and what evaluates this fails. */
    @Override
    public List<String> refusal(List<String> line) {
        String syntax = SYNTAXES.stream()
                .filter(name -> line.contains(name) || line.contains(SYNTAX + "=" + name))
                .findFirst()
                .orElse(SH);
        return List.of(line(syntax, "CUDA_VISIBLE_DEVICES", ""), "false");
    }

    private static String syntax(@Nullable String name) {
        String syntax = name == null ? SH : name;
        if (!SYNTAXES.contains(syntax)) {
            throw Failure.usage(SYNTAX + ": '" + name + "' is none of sh, fish, csh; for example " + SYNTAX + " sh");
        }
        return syntax;
    }

    /** Threads are left alone: a shell runs many programs. What its user has set counts more there anyway. */
    private static void print(Session session, String syntax, LeaseGranted granted) {
        Map<String, String> variables = new LinkedHashMap<>(new TreeMap<>(granted.environment()));
        variables.forEach((name, value) -> session.environment().screen().line(line(syntax, name, value)));
    }

    private static String line(String syntax, String name, String value) {
        String quoted = "'" + value.replace("'", "'\\''") + "'";
        return switch (syntax) {
            case "fish" ->
                "set -gx " + name + " '" + value.replace("\\", "\\\\").replace("'", "\\'") + "';";
            case "csh" -> "setenv " + name + " " + quoted + ";";
            default -> "export " + name + "=" + quoted + ";";
        };
    }
}
