package dev.berth.cli.command;

import dev.berth.cli.launch.ServerJvm;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import java.util.ArrayList;
import java.util.List;

/** {@code berth config show}: every setting of the server that would be started, and where its value came from. */
final class ConfigShow implements Verb {
    @Override
    public Shape shape() {
        Shape shape = Shape.of(
                "config show",
                "",
                "Show every setting that a server would be started with, and where its value came from. Takes the"
                        + " options of berth server start.",
                "");
        return ServerOptions.on(shape)
                .examples("berth config show", "berth config show --json", "berth config show -g --port 0");
    }

    @Override
    public Reach reach() {
        return Reach.MACHINE;
    }

    @Override
    public int run(Arguments arguments, Session session) {
        arguments.noWords();
        List<String> words = new ArrayList<>(List.of("config-show"));
        words.addAll(ServerOptions.words(arguments, session));
        if (arguments.has(Shape.JSON)) {
            words.add("json=true");
        }
        return ServerJvm.runHere(words);
    }
}
