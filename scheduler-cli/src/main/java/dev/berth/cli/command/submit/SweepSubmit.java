package dev.berth.cli.command.submit;

import dev.berth.cli.client.WorkingDirectory;
import dev.berth.cli.command.Session;
import dev.berth.cli.command.Verb;
import dev.berth.cli.command.submit.JobFiles.Said;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import dev.berth.cli.sweep.SweepReader;
import dev.berth.core.option.JobOption;
import dev.berth.core.parameter.Parameters;
import dev.berth.core.sweep.SweepPacks;
import dev.berth.core.sweep.SweepRun;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** {@code berth sweep submit}: queues a program once for each run of a sweep file. */
public final class SweepSubmit implements Verb {
    static final String NAME = "sweep submit";

    private static final String EXPERIMENT = "--experiment";
    private static final String VARIABLE = "-e";

    private static final String EXAMPLE = "berth sweep submit sweep.yml --num-gpus 1 -- train.py --lr {net.lr}";

    /** What the file says itself. */
    private static final Set<JobOption> OF_THE_FILE =
            EnumSet.of(JobOption.SWEEP, JobOption.ZIP, JobOption.SAMPLE, JobOption.SEED, JobOption.REPEAT);

    @Override
    public Shape shape() {
        Shape shape = Shape.of(
                NAME,
                "<file> [<dir>] -- <command> [<argument>...]",
                "Queue a command once for each run of a sweep file, as one array: berth sweep expand shows the runs.",
                "",
                "In the command, {net.lr} is the value of that parameter, and {sweep.experiment}, {sweep.name},"
                        + " {sweep.directory} and {sweep.repetition} tell of the run. All of them are in the JSON file"
                        + " $BERTH_PARAMS, and each in a variable, as in BERTH_PARAM_net_lr.",
                "<dir> is what the program sees a copy of; the current directory where it is left out.",
                "");
        return Submit.endings(JobWords.addTo(shape, option -> option.isOf(false) && !OF_THE_FILE.contains(option)))
                .values("NAME", "Only this experiment of the file; may be given more than once.", EXPERIMENT)
                .examples(
                        EXAMPLE,
                        "berth sweep submit sweep.yml --experiment large -- python3 main.py",
                        "berth sweep submit sweep.yml code --dry-run -- main.py {sweep.directory}");
    }

    /** To {@code berth sweep expand}, {@code -e} is an experiment. */
    private static void requireVariables(Arguments arguments, Session session) {
        for (String variable : arguments.values(VARIABLE)) {
            if (!variable.isEmpty()
                    && variable.indexOf('=') < 0
                    && !session.environment().variables().containsKey(variable)) {
                throw Failure.usage(arguments.typed(JobOption.ENVIRONMENT.names()) + ": " + variable
                        + " is not set here; a variable is given as " + VARIABLE + " " + variable
                        + "=VALUE, and an experiment of the file is chosen by " + EXPERIMENT + " " + variable);
            }
        }
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        List<String> words = arguments.words();
        List<String> command = arguments.behindDashes();
        List<String> own = words.subList(0, words.size() - command.size());
        if (own.isEmpty() || own.size() > 2 || command.isEmpty()) {
            throw Failure.usage(
                    "berth sweep submit takes a file, perhaps a directory, and a command behind --: " + EXAMPLE);
        }
        requireVariables(arguments, session);
        String file = own.getFirst();
        SweepReader reader = new SweepReader();
        List<SweepRun> runs =
                reader.runs(file, WorkingDirectory.absolute("berth sweep submit", file), arguments.values(EXPERIMENT));
        Parameters parameters = SweepReader.parameters(runs);
        if (!reader.remark().isEmpty()) {
            session.output().warning(reader.remark());
        }
        List<String> submitted = new ArrayList<>(List.of("scheduler", own.size() == 2 ? own.get(1) : "."));
        submitted.addAll(command);
        List<Said> said = JobFiles.of(arguments, submitted, this);
        if (said.size() > 1 || !said.getFirst().name().isEmpty()) {
            throw Failure.usage(said.getFirst().place() + ": the job file has several jobs, and a sweep is one; give "
                    + JobFiles.NO_FILE + ", or another directory");
        }
        return Submit.run(arguments, session, said.getFirst().ofSweepFile(file), parameters, SweepPacks.of(runs));
    }
}
