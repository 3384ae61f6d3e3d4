package dev.berth.cli.command;

import dev.berth.cli.client.WorkingDirectory;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import dev.berth.cli.sweep.SweepReader;
import dev.berth.core.sweep.SweepRun;
import java.nio.file.Path;
import java.util.List;

/** {@code berth sweep expand}: the runs that a sweep file stands for. */
final class SweepExpand implements Verb {
    private static final String EXPERIMENT = "--experiment";

    @Override
    public Shape shape() {
        return Shape.of(
                        "sweep expand",
                        "<file>",
                        "Print the runs of a sweep file in the language of ClusterWorks 2 (CW2): their order, names,"
                                + " directories and parameters. Submits nothing and asks no server.",
                        "",
                        "With -q the directories alone; with --json an object a run, with all its parameters.",
                        "")
                .values("NAME", "Only this experiment of the file; may be given more than once.", "-e", EXPERIMENT)
                .examples(
                        "berth sweep expand sweep.yml",
                        "berth sweep expand sweep.yml -e baseline -e large",
                        "berth sweep expand sweep.yml --json");
    }

    @Override
    public Reach reach() {
        return Reach.NONE;
    }

    @Override
    public int run(Arguments arguments, Session session) {
        if (arguments.words().size() != 1) {
            throw Failure.usage("berth sweep expand takes one file, and "
                    + arguments.words().size() + " are given; for example berth sweep expand sweep.yml");
        }
        String file = arguments.words().getFirst();
        Path path = WorkingDirectory.absolute("berth sweep expand", file);
        SweepReader reader = new SweepReader();
        List<SweepRun> runs = reader.runs(file, path, arguments.values(EXPERIMENT));
        if (!reader.remark().isEmpty()) {
            session.output().warning(reader.remark());
        }
        session.output().expanded(runs);
        return ExitCode.OK;
    }
}
