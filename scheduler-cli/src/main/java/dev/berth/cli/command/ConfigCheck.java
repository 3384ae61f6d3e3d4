package dev.berth.cli.command;

import dev.berth.cli.client.WorkingDirectory;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.launch.ServerJvm;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import java.util.ArrayList;
import java.util.List;

/** {@code berth config check}: whether the configuration is good, and everything that is wrong with it. */
final class ConfigCheck implements Verb {
    @Override
    public Shape shape() {
        return Shape.of(
                        "config check",
                        "[FILE]",
                        "Check the configuration: that of FILE, or the one that a server started now would have.",
                        "")
                .examples("berth config check", "berth config check ./berth.yaml");
    }

    @Override
    public Reach reach() {
        return Reach.MACHINE;
    }

    @Override
    public int run(Arguments arguments, Session session) {
        List<String> files = arguments.words();
        if (files.size() > 1) {
            throw Failure.usage("berth config check takes one file, not " + files.size());
        }
        List<String> words = new ArrayList<>(List.of("config-check"));
        words.addAll(ServerOptions.words(arguments, session));
        if (!files.isEmpty()) {
            words.add("--config=" + WorkingDirectory.checked("berth config check", files.getFirst()));
        }
        if (arguments.has(Shape.JSON)) {
            words.add("json=true");
        }
        return ServerJvm.runHere(words);
    }
}
