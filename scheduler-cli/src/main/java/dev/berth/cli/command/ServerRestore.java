package dev.berth.cli.command;

import dev.berth.cli.client.WorkingDirectory;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.launch.ServerJvm;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import java.util.ArrayList;
import java.util.List;

/** {@code berth server restore}: brings a backup back. The work is the server's program's, which knows databases. */
final class ServerRestore implements Verb {
    @Override
    public Shape shape() {
        Shape shape = Shape.of(
                "server restore",
                "[FILE]",
                "Put the backup FILE, or the newest good one, in the place of the database. Only while the server is"
                        + " stopped; what was in its place is kept under another name.",
                "");
        return ServerOptions.onPlace(shape)
                .examples("berth server restore", "berth server restore /backup/berth-tonight.db");
    }

    @Override
    public Reach reach() {
        return Reach.MACHINE;
    }

    @Override
    public int run(Arguments arguments, Session session) {
        List<String> files = arguments.words();
        if (files.size() > 1) {
            throw Failure.usage("berth server restore takes one file, not " + files.size());
        }
        ServerOptions.requireFiles("berth server restore works on a server's files", arguments, session);
        List<String> words = new ArrayList<>(List.of("database-restore"));
        words.addAll(ServerOptions.words(arguments, session));
        if (!files.isEmpty()) {
            words.add("backup="
                    + WorkingDirectory.absolute("berth server restore", files.getFirst())
                            .normalize());
        }
        if (arguments.has(Shape.JSON)) {
            words.add("json=true");
        }
        return ServerJvm.runHere(words);
    }
}
