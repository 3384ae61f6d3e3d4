package dev.berth.cli.command;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.client.ServerUnreachable;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.snapshot.DirectoryScan;
import dev.berth.cli.snapshot.IgnoreRules;
import dev.berth.cli.snapshot.SnapshotLimits;
import dev.berth.cli.snapshot.SnapshotPlan;
import dev.berth.core.api.JobView;
import dev.berth.core.api.SubmitRequest;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** {@code berth submit}: sends a directory and queues a command that runs in a copy of it. */
final class Submit implements Verb {
    private static final String GPUS = "--num-gpus";
    private static final String NAME = "--name";
    private static final String PROJECT = "--project";
    private static final String IMAGE = "--image";
    private static final String VARIABLE = "--env";
    private static final String TIME = "--time";
    private static final String FOLLOW = "--follow";

    /** More than any machine holds; what this one holds is for the server to say. */
    private static final int MAX_GPUS = 1024;

    @Override
    public Shape shape() {
        return Shape.of(
                        "submit",
                        "<target> <dir> <command> [<argument>...]",
                        "Queue a command. It runs in a container with exactly the GPUs it asks for, in a copy of <dir> as"
                                + " it is now.",
                        "",
                        "<target> is scheduler, the queue of the server's machine. A <command> that ends in .py is a file"
                                + " in <dir> and is run by the image's Python; any other runs as it stands.",
                        "Options may stand anywhere before --; what stands behind -- is the program's.",
                        "Not sent: what a .berthignore in <dir> or below it leaves out, in the form of a .gitignore; and "
                                + IgnoreRules.IN_WORDS
                                + ". A .gitignore is not read: data that git should not keep is often what a job needs.",
                        "")
                .value("N", "How many GPUs the job needs. Default: 0.", GPUS)
                .value("NAME", "What to call the job. Default: the command's first word.", NAME)
                .value("PROJECT", "What it belongs to. Default: the directory's name.", PROJECT)
                .value("IMAGE", "The container image. Default: the server's.", IMAGE)
                .values("K=V", "A variable for the program; -e K passes the value it has here.", "-e", VARIABLE)
                .value("DURATION", "End the program after this time: " + TimeLimit.FORMS + ".", TIME)
                .flag("Show the job's log and end with its exit code.", "-f", FOLLOW)
                .examples(
                        Submission.EXAMPLE,
                        "berth submit scheduler . main.py --num-gpus 1 --follow -- --lr 0.1",
                        "berth submit scheduler ~/project python3 -e WANDB_API_KEY --time 1d12h -- -m train --epochs 3");
    }

    @Override
    public int ownWords() {
        return 2;
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        Submission submission = Submission.of(arguments.words());
        SubmitRequest request = request(submission, arguments, session, null);
        BerthClient client = session.client();
        SnapshotPlan plan = DirectoryScan.of(submission.directory(), SnapshotLimits.DEFAULT);
        String snapshot = new Upload(client, session).of(plan);
        String project = request.project() == null ? directoryName(plan.root()) : request.project();
        JobView job = accepted(
                client,
                new SubmitRequest(
                        request.name(),
                        project,
                        request.tags(),
                        request.command(),
                        request.entrypoint(),
                        request.workingDirectory(),
                        request.environment(),
                        snapshot,
                        request.image(),
                        request.pull(),
                        request.gpus(),
                        request.cpuMilli(),
                        request.memoryBytes(),
                        request.shmBytes(),
                        request.network(),
                        request.volumes(),
                        request.timeLimitSeconds(),
                        request.requeue()));
        if (arguments.has(FOLLOW)) {
            return new Follow(session, client).untilEnd(job, !arguments.has(Shape.QUIET));
        }
        session.output().submitted(job);
        return ExitCode.OK;
    }

    /** A break here leaves it open whether the job was accepted, and trying again could run it twice. */
    private static JobView accepted(BerthClient client, SubmitRequest request) throws IOException {
        try {
            return client.submit(request);
        } catch (ServerUnreachable notAsked) {
            throw notAsked;
        } catch (IOException broken) {
            throw Failure.berth(
                    "UNKNOWN_IF_ACCEPTED",
                    "the connection to the server broke (" + broken.getMessage()
                            + "); berth ps -n 5 shows whether the job was accepted");
        }
    }

    private static SubmitRequest request(
            Submission submission, Arguments arguments, Session session, @Nullable String snapshot) {
        return new SubmitRequest(
                arguments.value(NAME),
                arguments.value(PROJECT),
                null,
                submission.command(),
                null,
                null,
                Variables.of(arguments.values(VARIABLE), session.environment().variables()),
                snapshot,
                arguments.value(IMAGE),
                null,
                arguments.number(GPUS, 0, MAX_GPUS),
                null,
                null,
                null,
                null,
                null,
                TimeLimit.seconds(arguments.value(TIME)),
                null);
    }

    private static @Nullable String directoryName(Path root) {
        Path name = root.getFileName();
        return name == null ? null : name.toString();
    }
}
