package dev.berth.cli.command.project;

import dev.berth.cli.command.Session;
import dev.berth.cli.command.Verb;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import java.io.IOException;

/** {@code berth projects}: what there is. */
public final class Projects implements Verb {
    @Override
    public Shape shape() {
        return OfUser.addTo(Shape.of(
                        "projects",
                        "",
                        "List your projects: how many jobs each has, how many of them run or wait, how many ended otherwise"
                                + " than COMPLETED, and the first line of its notes.",
                        "A project is there as soon as a job is: berth submit --project NAME. An array is one job."))
                .examples("berth projects", "berth projects -q", "berth projects --json");
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        arguments.noWords();
        session.output().projects(session.client().projects(OfUser.user(arguments)));
        return ExitCode.OK;
    }
}
