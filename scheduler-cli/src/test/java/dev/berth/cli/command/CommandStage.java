package dev.berth.cli.command;

import dev.berth.cli.Captured;
import dev.berth.cli.Samples;
import dev.berth.cli.ScriptedServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;

/** What whole commands are tried on: a scripted server, a directory to submit, a kept output, a time that stands. */
record CommandStage(Path directory, ScriptedServer server, Captured captured) implements AutoCloseable {
    /** A stage in an empty directory. */
    static CommandStage in(Path directory) throws IOException {
        Files.createDirectories(directory.resolve("demo"));
        Files.writeString(directory.resolve("demo/main.py"), "print(1)");
        return new CommandStage(directory, ScriptedServer.at(directory.resolve("s")), new Captured());
    }

    int run(String... words) {
        return runAt(Terminal.NONE, 0, words);
    }

    /** On a terminal of so many columns. */
    int runAt(Terminal terminal, int columns, String... words) {
        Environment environment = new Environment(
                Map.of("BERTH_SOCKET", directory.resolve("s").toString(), "TOKEN", "secret"),
                directory,
                "alice",
                false,
                "9.9",
                captured.screen(columns),
                InstantSource.fixed(Samples.NOW),
                () -> 0,
                _ -> {},
                terminal);
        return new Dispatch(environment).run(List.of(words));
    }

    String out() {
        return captured.out();
    }

    String err() {
        return captured.err();
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
