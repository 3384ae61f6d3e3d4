package dev.berth.cli.command;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import java.io.IOException;

/** {@code berth explain}: why a job stands where it stands. */
final class Explain implements Verb {
    @Override
    public Shape shape() {
        return Shape.of(
                        "explain",
                        "<id>",
                        "Say in one sentence why a job, an array (42) or a task of it (42_7) waits, or how it ended.",
                        "")
                .examples("berth explain 17", "berth explain 42_7", "berth explain 17 --json");
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        BerthClient client = session.client();
        session.output().explanation(client.explain(session.jobId(arguments, client)));
        return ExitCode.OK;
    }
}
