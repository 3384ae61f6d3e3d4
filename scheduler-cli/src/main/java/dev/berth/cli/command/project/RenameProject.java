package dev.berth.cli.command.project;

import dev.berth.cli.command.Session;
import dev.berth.cli.command.Verb;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import dev.berth.core.api.ProjectView;
import dev.berth.core.api.RenameRequest;
import java.io.IOException;
import java.util.List;

/** {@code berth projects rename}: another name for a project. */
public final class RenameProject implements Verb {
    private static final String MERGE = "--merge";

    @Override
    public Shape shape() {
        return OfUser.addTo(Shape.of(
                                "projects rename",
                                "<old> <new>",
                                "Give a project another name: all its jobs, those that run and wait too, and its notes.",
                                "A program that runs keeps the name that it began with in BERTH_PROJECT. What is submitted under"
                                        + " the old name later makes a project of that name again.")
                        .flag(
                                "Let it be the name of another project, which then has the jobs and notes of both. A"
                                        + " rename that broke off goes on by it, too.",
                                MERGE))
                .examples("berth projects rename mnist digits", "berth projects rename mnist-2 mnist --merge");
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        List<String> words = OfUser.words(arguments, 2, 2, "the name of a project and the one that it is to have");
        ProjectView renamed = session.client()
                .rename(new RenameRequest(
                        words.getFirst(), words.getLast(), arguments.has(MERGE), OfUser.user(arguments)));
        session.output().projectRenamed(words.getFirst(), renamed);
        return ExitCode.OK;
    }
}
