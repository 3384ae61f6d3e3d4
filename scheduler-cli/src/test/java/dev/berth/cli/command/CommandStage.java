package dev.berth.cli.command;

import dev.berth.cli.Captured;
import dev.berth.cli.Samples;
import dev.berth.cli.ScriptedServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The stage on which whole commands are tried: a scripted server, a directory to submit, a kept output, a time that
 * stands. An extension of JUnit's, fresh for each test, that ends with it.
 */
record CommandStage(Path directory, ScriptedServer server, Captured captured) implements AfterEachCallback {
    /** A stage in an empty directory. */
    static CommandStage open() {
        try {
            Path directory = Files.createTempDirectory("berth-stage");
            Files.writeString(Files.createDirectory(directory.resolve("demo")).resolve("main.py"), "print(1)");
            return new CommandStage(directory, ScriptedServer.at(directory.resolve("s")), new Captured());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The directory that is submitted. */
    Path demo() {
        return directory.resolve("demo");
    }

    /** Writes a file into it. */
    void write(String name, String text) throws IOException {
        Files.writeString(demo().resolve(name), text);
    }

    /** Submits it with more words. */
    int submit(String... more) {
        return run(Stream.concat(Stream.of("submit", "scheduler", demo().toString()), Stream.of(more))
                .toArray(String[]::new));
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
    public void afterEach(ExtensionContext test) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            server.close();
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
