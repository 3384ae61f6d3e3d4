package dev.berth.server.powerloss;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Runs {@link RecordedServer} in a process whose calls are recorded. Needs a C compiler. */
final class Recorder {
    private final Path library;

    /** Builds the recorder. */
    Recorder(Path directory) throws IOException, InterruptedException {
        Path source = directory.resolve("recorder.c");
        try (InputStream in = Recorder.class.getResourceAsStream("recorder.c")) {
            Files.copy(Objects.requireNonNull(in), source);
        }
        library = directory.resolve("recorder.so");
        run(Map.of(), List.of("gcc", "-shared", "-fPIC", "-O1", "-o", library.toString(), source.toString(), "-ldl"));
    }

    List<Happening> record(String what, Path directory, Path record) throws IOException, InterruptedException {
        run(
                Map.of(
                        "LD_PRELOAD", library.toString(),
                        "BERTH_RECORD", record.toString(),
                        "BERTH_RECORD_BELOW", directory.toString()),
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        RecordedServer.class.getName(),
                        what,
                        directory.toString()));
        return Happening.read(record);
    }

    private static void run(Map<String, String> environment, List<String> command)
            throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
        builder.environment().putAll(environment);
        assertThat(builder.start().waitFor()).as("%s", command.getFirst()).isZero();
    }
}
