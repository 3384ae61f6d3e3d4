package dev.berth.cli.command;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import dev.berth.core.api.ServerView;
import java.io.IOException;

/** {@code berth server pause} and {@code berth server resume}: whether jobs are started. */
record ServerPause(boolean paused) implements Verb {
    @Override
    public Shape shape() {
        return paused
                ? Shape.of(
                                "server pause",
                                "",
                                "Start no more jobs until berth server resume. Jobs that run go on, and new ones are"
                                        + " accepted; a restart of the server changes nothing.",
                                "")
                        .examples("berth server pause")
                : Shape.of("server resume", "", "Start jobs again after berth server pause.", "")
                        .examples("berth server resume");
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        arguments.noWords();
        BerthClient client = session.client();
        session.requireSame(client);
        ServerView server = client.pause(paused);
        session.tellServer();
        session.output().paused(server);
        return ExitCode.OK;
    }
}
