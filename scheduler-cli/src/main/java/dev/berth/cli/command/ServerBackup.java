package dev.berth.cli.command;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.client.WorkingDirectory;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** {@code berth server backup}: a copy of the database, made while the server runs. */
final class ServerBackup implements Verb {
    @Override
    public Shape shape() {
        return Shape.of(
                        "server backup",
                        "[FILE]",
                        "Copy the database to FILE, or to the backups in the data directory. The server goes on"
                                + " meanwhile.",
                        "")
                .examples("berth server backup", "berth server backup /backup/berth-tonight.db");
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        List<String> files = arguments.words();
        if (files.size() > 1) {
            throw Failure.usage("berth server backup takes one file, not " + files.size());
        }
        String file = files.isEmpty() ? null : file(files.getFirst(), session);
        BerthClient client = session.client();
        session.requireSame(client);
        session.output().backedUp(client.backUp(file));
        return ExitCode.OK;
    }

    /** The server has another current directory than the user, and may be on another machine. */
    private static String file(String word, Session session) {
        if (session.remote() != null && !Path.of(word).isAbsolute()) {
            throw Failure.usage("'" + word + "' is a place on the server's machine: name it from / on");
        }
        return WorkingDirectory.absolute("berth server backup", word)
                .normalize()
                .toString();
    }
}
