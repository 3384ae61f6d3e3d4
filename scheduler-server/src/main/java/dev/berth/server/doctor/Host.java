package dev.berth.server.doctor;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The machine's files and programs, each read and run within a bound.
 *
 * @param root where the machine's files begin
 * @param programs where its programs are looked for, in this order
 */
record Host(Path root, List<Path> programs) {
    /** A lost GPU can hang NVIDIA's tools. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private static final int MAX_BYTES = 1 << 20;

    private static final int PERMISSIONS = 0777;

    /** The result of a program that was run. */
    record Ran(int exit, String output) {}

    /** The host that is this machine. */
    static Host here(String path) {
        List<Path> places = new ArrayList<>();
        for (String place : (path + ":/usr/local/sbin:/usr/sbin:/sbin").split(":")) {
            if (place.startsWith("/")) {
                places.add(Path.of(place));
            }
        }
        return new Host(Path.of("/"), places);
    }

    Path at(String path) {
        return root.resolve(path.substring(1));
    }

    /** A file's beginning; empty where it is not there or may not be read. */
    Optional<String> read(String path) {
        try (InputStream in = Files.newInputStream(at(path))) {
            return Optional.of(new String(in.readNBytes(MAX_BYTES), StandardCharsets.UTF_8));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    boolean has(String path) {
        return Files.exists(at(path), LinkOption.NOFOLLOW_LINKS);
    }

    /** A file's permission bits, by stat(2) alone: it is not opened. Empty where it is not there. */
    Optional<Integer> permissions(Path file) {
        try {
            return Optional.of((Integer) Files.getAttribute(file, "unix:mode") & PERMISSIONS);
        } catch (IOException | UnsupportedOperationException e) {
            return Optional.empty();
        }
    }

    /** The file system of a place, or of the nearest place above that is there. */
    Optional<FileStore> fileStore(Path place) {
        for (Path above = place; above != null; above = above.getParent()) {
            if (Files.exists(above)) {
                try {
                    return Optional.of(Files.getFileStore(above));
                } catch (IOException | SecurityException e) {
                    return Optional.empty();
                }
            }
        }
        return Optional.empty();
    }

    boolean hasProgram(String name) {
        return program(name).isPresent();
    }

    private Optional<Path> program(String name) {
        return programs.stream()
                .map(place -> place.resolve(name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** The result of a program; empty where there is none of that name, or it did not end in time. */
    Optional<Ran> run(String name, String... arguments) {
        Optional<Path> program = program(name);
        if (program.isEmpty()) {
            return Optional.empty();
        }
        List<String> command = new ArrayList<>(List.of(program.get().toString()));
        command.addAll(List.of(arguments));
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectInput(
                            ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                    .start();
            return within(process);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static Optional<Ran> within(Process process) {
        StringBuilder output = new StringBuilder();
        Thread reader = Thread.ofVirtual().start(() -> {
            try (InputStream in = process.getInputStream()) {
                output.append(new String(in.readNBytes(MAX_BYTES), StandardCharsets.UTF_8));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        try {
            boolean ended = process.waitFor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS) && reader.join(PATIENCE);
            return ended ? Optional.of(new Ran(process.exitValue(), output.toString())) : Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        } finally {
            process.destroyForcibly();
        }
    }

    /** The distribution by its short name, {@code debian}; empty where it does not say (os-release(5)). */
    String distribution() {
        return read("/etc/os-release")
                .flatMap(text -> text.lines()
                        .filter(line -> line.startsWith("ID="))
                        .map(line -> line.substring("ID=".length()).replace("\"", ""))
                        .findFirst())
                .orElse("");
    }

    boolean isDebian() {
        return List.of("debian", "ubuntu").contains(distribution());
    }
}
