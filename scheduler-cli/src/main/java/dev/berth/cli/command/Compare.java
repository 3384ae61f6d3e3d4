package dev.berth.cli.command;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import dev.berth.cli.output.Comparing;
import java.io.IOException;

/** {@code berth compare}: what differs between jobs. */
final class Compare implements Verb {
    @Override
    public Shape shape() {
        return Shape.of(
                        "compare",
                        "<id>...",
                        "Show in what jobs differ: parameters, tags, and the last values of their metrics.",
                        "An array stands for its tasks.")
                .examples("berth compare 17 18", "berth compare 42_0 42_7", "berth compare 42", "berth compare 17-20");
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        BerthClient client = session.client();
        Comparing comparing = Comparing.all();
        client.tracking(session.jobIds(arguments, client), false, comparing::add);
        if (comparing.size() < 2) {
            throw Failure.usage("berth compare needs two jobs at least, or an array of which two tasks had their turn:"
                    + " berth compare 17 18");
        }
        session.output().compared(comparing.end());
        return ExitCode.OK;
    }
}
