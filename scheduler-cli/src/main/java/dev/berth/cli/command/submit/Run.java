package dev.berth.cli.command.submit;

import dev.berth.cli.client.LeaseFollower;
import dev.berth.cli.client.WorkingDirectory;
import dev.berth.cli.command.Session;
import dev.berth.cli.command.Verb;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import dev.berth.cli.program.Descriptors;
import dev.berth.cli.program.GatedProgram;
import dev.berth.cli.program.GatedProgram.Cpus;
import dev.berth.cli.program.LocalFiles;
import dev.berth.cli.program.PassedSignals;
import dev.berth.cli.program.ProcessRecord;
import dev.berth.cli.program.ProgramPath;
import dev.berth.cli.program.ProgramVariables;
import dev.berth.core.api.JobView;
import dev.berth.core.api.LeaseExit;
import dev.berth.core.api.LeaseGranted;
import dev.berth.core.api.LeaseStart;
import dev.berth.core.api.LeaseState;
import dev.berth.core.api.LeaseStop;
import dev.berth.core.command.CommandCheck;
import dev.berth.core.option.JobOption;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** {@code berth run}: waits for its turn and runs a program here, on the GPUs it was given. */
public final class Run implements Verb {
    @Override
    public Shape shape() {
        return JobWords.addTo(
                        Shape.of(
                                "run",
                                "[--] <command> [<argument>...]",
                                "Run a program on this machine as it is, in no container, when the GPUs it asks for are free. It"
                                        + " waits in the same queue as every job.",
                                "",
                                "The program has this terminal, this directory and this environment, with CUDA_VISIBLE_DEVICES set"
                                        + " to its GPUs; signals are passed on, and its exit code is passed through. Its GPUs are"
                                        + " free when it has ended with all that it started; it is ended when this command is"
                                        + " killed. Nothing keeps it from GPUs that are not its own: for that there is berth"
                                        + " submit.",
                                ""),
                        option -> option.isOf(true))
                .examples(
                        "berth run --num-gpus 2 -- python train.py --lr 0.1",
                        "berth run --num-gpus 1 --cpus 4 --time 2h -- ./bench.sh",
                        "berth run --num-gpus 1 --no-wait -- nvidia-smi");
    }

    @Override
    public int ownWords() {
        return 0;
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        Descriptors open = Descriptors.now();
        List<String> words = arguments.words();
        if (words.isEmpty()) {
            throw Failure.usage("berth run needs a program: berth run --num-gpus 1 -- python train.py");
        }
        words.forEach(ProgramPath::checkText);
        Path directory = WorkingDirectory.path("berth run");
        ProgramPath.check(words.getFirst(), session.environment().variables().get("PATH"));
        CommandCheck.ofScript(words, new LocalFiles(directory))
                .ifPresent(fault -> CommandWords.tell("", fault, session));
        LeasedTurn turn = new LeasedTurn(session, arguments);
        JobView job = turn.queued(JobWords.hostRequest(arguments, words, directory, false));
        LeaseFollower follower = turn.follower(job);
        LeaseGranted granted = turn.granted(job, follower);
        ProgramVariables environment = ProgramVariables.own();
        environment.setIfAbsent(granted.defaults());
        environment.set(granted.environment());
        Number nice = job.options().get(JobOption.NICE, Number.class);
        GatedProgram program = GatedProgram.start(
                words, environment, new Cpus(granted.cpus(), nice == null ? 0 : nice.intValue()), open);
        begin(follower, turn, granted, program);
        return finished(follower, turn, granted, program, job);
    }

    /** The program is let go once the server has written down which process it is. */
    private static void begin(LeaseFollower follower, LeasedTurn turn, LeaseGranted granted, GatedProgram program)
            throws IOException {
        try {
            ProcessRecord facts = ProcessRecord.of(program.pid());
            LeaseState _ = follower.begin(new LeaseStart(
                    granted.attempt(),
                    facts.pid(),
                    facts.startTicks(),
                    turn.own().pid(),
                    turn.own().startTicks(),
                    false,
                    granted.uuids()));
            PassedSignals.to(program);
            program.open();
        } catch (IOException | RuntimeException refused) {
            program.abandon();
            throw refused;
        }
    }

    private static int finished(
            LeaseFollower follower, LeasedTurn turn, LeaseGranted granted, GatedProgram program, JobView job) {
        AtomicReference<@Nullable LeaseStop> heard = new AtomicReference<>();
        follower.listen(stop -> {
            if (heard.compareAndSet(null, stop)) {
                turn.notice("job " + job.id() + " " + stop.sentence());
            }
        });
        int code = program.await();
        try {
            LeaseState state = follower.exited(new LeaseExit(granted.attempt(), code));
            follower.stop();
            return code(state.stop(), code);
        } catch (IOException | Failure away) {
            follower.stop();
            turn.notice("job " + job.id() + " ended with exit code " + code + ", which the server does not know: "
                    + away.getMessage());
            LeaseStop stop = heard.get();
            return code(stop == null ? null : stop.cause(), code);
        }
    }

    /** The program's own, but where Berth has ended it. */
    private static int code(@Nullable String stop, int code) {
        return switch (stop) {
            case null -> code;
            case "TIME_LIMIT" -> ExitCode.TIME_LIMIT;
            case "CANCELLED" -> ExitCode.CANCELLED;
            default -> code;
        };
    }
}
