package dev.berth.cli.command.project;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.command.Session;
import dev.berth.cli.command.Terminal;
import dev.berth.cli.command.Verb;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import dev.berth.cli.output.text.PlainText;
import dev.berth.core.api.DeletedProject;
import dev.berth.core.api.ProjectRequest;
import dev.berth.core.api.ProjectView;
import java.io.IOException;
import java.util.Optional;

/** {@code berth projects delete}: all jobs of a project, and its notes. */
public final class DeleteProject implements Verb {
    private static final String YES = "--yes";

    @Override
    public Shape shape() {
        return OfUser.addTo(Shape.of(
                                "projects delete",
                                "<name>",
                                "Delete a project: its jobs, all of which must be over, with all that is kept of them, and its"
                                        + " notes.",
                                "")
                        .flag("Do not ask before.", "-y", YES))
                .examples("berth projects delete mnist", "berth projects delete mnist --yes");
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        String name = OfUser.words(arguments, 1, 1, "the name of a project").getFirst();
        BerthClient client = session.client();
        ProjectRequest request = new ProjectRequest(name, OfUser.user(arguments));
        if (!arguments.has(YES)) {
            project(client, request).ifPresent(project -> confirm(project, session));
        }
        long deleted = 0;
        DeletedProject step;
        do {
            step = client.delete(request);
            deleted += step.deleted();
        } while (!step.complete() && step.deleted() > 0);
        session.output()
                .projectDeleted(
                        new DeletedProject(step.project(), step.user(), deleted, step.complete(), step.remaining()));
        return step.complete() ? ExitCode.OK : ExitCode.BERTH_FAILED;
    }

    private static Optional<ProjectView> project(BerthClient client, ProjectRequest request) throws IOException {
        return client.projects(request.user()).projects().stream()
                .filter(project -> project.project().equals(request.project()))
                .findFirst();
    }

    private static void confirm(ProjectView project, Session session) {
        String sentence = "delete project '" + project.project() + "' of " + project.user() + " with "
                + (project.jobs() == 1 ? "1 job" : project.jobs() + " jobs") + " and its notes";
        Terminal.Question question = session.environment().terminal().question();
        if (question == null) {
            throw Failure.usage("nobody can be asked whether to " + sentence + "; add " + YES);
        }
        session.environment().screen().notice(PlainText.of(sentence) + "? [y/N]");
        String answer = question.answer();
        if (!answer.strip().equalsIgnoreCase("y") && !answer.strip().equalsIgnoreCase("yes")) {
            throw Failure.of(ExitCode.REFUSED, "NOT_CONFIRMED", "nothing was done, as you said");
        }
    }
}
