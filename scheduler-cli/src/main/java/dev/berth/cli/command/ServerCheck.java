package dev.berth.cli.command;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.client.http.ServerUnreachable;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.launch.ServerJvm;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import dev.berth.core.api.CheckView;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** {@code berth server check}: whether the database is whole, asked of the server or, where none runs, of the file. */
final class ServerCheck implements Verb {
    @Override
    public Shape shape() {
        Shape shape = Shape.of(
                "server check",
                "",
                "Read all of the database and say whether it is whole, by the server where one runs, else from the"
                        + " file.",
                "");
        return ServerOptions.onPlace(shape).examples("berth server check", "berth server check --json");
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        arguments.noWords();
        try {
            BerthClient client = session.client();
            session.requireSame(client);
            CheckView check = client.check();
            if (!check.whole()) {
                throw Failure.berth("DATABASE_BROKEN", check.sentence());
            }
            session.output().checked(check);
            return ExitCode.OK;
        } catch (ServerUnreachable away) {
            if (session.remote() != null) {
                throw away;
            }
            ServerOptions.requireFiles(
                    "no server answers, so that berth server check would read a server's files", arguments, session);
        }
        List<String> words = new ArrayList<>(List.of("database-check"));
        words.addAll(ServerOptions.words(arguments, session));
        if (arguments.has(Shape.JSON)) {
            words.add("json=true");
        }
        return ServerJvm.runHere(words);
    }
}
