package dev.berth.cli.command;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import dev.berth.cli.output.Canvas;
import java.io.IOException;

/** {@code berth gpus}: the GPUs that the server allocates, and who holds them. */
final class Gpus implements Verb {
    private static final String WATCH = "--watch";

    @Override
    public Shape shape() {
        return Shape.of(
                        "gpus",
                        "",
                        "List the GPUs that the server allocates: how they are, the jobs that hold them, and who else"
                                + " is on them.",
                        "")
                .flag("Draw the list again each second, until Ctrl-C.", WATCH)
                .examples("berth gpus", "berth gpus --watch", "berth gpus --json", "berth gpus -q");
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        arguments.noWords();
        if (arguments.has(WATCH)) {
            Watch watch = Watch.on(session, arguments, WATCH).each(Watch.SECOND);
            BerthClient client = session.client();
            return watch.run(client, () -> Canvas.gpus(client.gpus(), watch.look()));
        }
        session.output().gpus(session.client().gpus());
        return ExitCode.OK;
    }
}
