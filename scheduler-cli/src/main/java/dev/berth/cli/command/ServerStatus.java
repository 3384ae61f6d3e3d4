package dev.berth.cli.command;

import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import java.io.IOException;

/** {@code berth server status}: what the server is. */
final class ServerStatus implements Verb {
    @Override
    public Shape shape() {
        return Shape.of("server status", "", "Show the server: version, process, socket, GPUs, workers.", "")
                .examples("berth server status", "berth server status --json");
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        arguments.noWords();
        session.output().server(session.client().server());
        return ExitCode.OK;
    }
}
