package dev.berth.cli.command;

import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import java.io.IOException;

/** {@code berth notify remove}: tells receivers nothing more. */
final class NotifyRemove implements Verb {
    @Override
    public Shape shape() {
        return Shape.of(
                        "notify remove",
                        "<id>...",
                        "Tell receivers of nothing more, nor of what they have not been told yet.",
                        "")
                .examples("berth notify remove 3", "berth notify remove $(berth notify list -q)");
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        int code = ExitCode.OK;
        for (long id : ReceiverIds.of(arguments)) {
            try {
                session.output().receiver("is removed", session.client().removeReceiver(id));
            } catch (Failure refused) {
                session.output().failure(refused);
                code = code == ExitCode.OK ? refused.exitCode() : code;
            }
        }
        return code;
    }
}
