package dev.berth.cli.command;

import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import dev.berth.core.api.TestedReceiver;
import java.io.IOException;

/** {@code berth notify test}: sends a receiver something at once. */
final class NotifyTest implements Verb {
    @Override
    public Shape shape() {
        return Shape.of("notify test", "<id>", "Send a receiver something now, and say what it answered.", "")
                .examples("berth notify test 3");
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        long id = ReceiverIds.only(arguments);
        TestedReceiver tested = session.client().testReceiver(id);
        session.output().tested(tested);
        return tested.arrived() ? ExitCode.OK : ExitCode.REFUSED;
    }
}
