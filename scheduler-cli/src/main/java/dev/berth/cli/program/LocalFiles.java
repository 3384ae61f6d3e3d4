package dev.berth.cli.program;

import dev.berth.core.command.SentFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The files of a directory of this machine, as a program that is started there finds them. */
public record LocalFiles(Path directory) implements SentFiles {
    /** Nobody waits for the near name of a file in a larger directory. */
    private static final int MOST = 10_000;

    @Override
    public @Nullable Kind kind(String path) {
        try {
            Path file = directory.resolve(path);
            if (Files.isDirectory(file)) {
                return Kind.DIRECTORY;
            }
            return !Files.exists(file) ? null : Files.isExecutable(file) ? Kind.PROGRAM : Kind.FILE;
        } catch (InvalidPathException nowhere) {
            return null;
        }
    }

    @Override
    public List<String> names() {
        try (Stream<Path> files = Files.list(directory)) {
            return files.limit(MOST)
                    .filter(Files::isRegularFile)
                    .map(file -> directory.relativize(file).toString())
                    .toList();
        } catch (IOException unreadable) {
            return List.of();
        }
    }
}
