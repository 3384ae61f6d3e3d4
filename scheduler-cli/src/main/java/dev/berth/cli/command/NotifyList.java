package dev.berth.cli.command;

import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import java.io.IOException;

/** {@code berth notify list}: who is told of one's jobs, without their secrets. */
final class NotifyList implements Verb {
    @Override
    public Shape shape() {
        return Shape.of("notify list", "", "List who is told of your jobs, and what does not arrive.", "")
                .examples("berth notify list", "berth notify list -q");
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        arguments.noWords();
        session.output().receivers(session.client().receivers());
        return ExitCode.OK;
    }
}
