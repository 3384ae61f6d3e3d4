package dev.berth.cli.launch;

import dev.berth.cli.client.http.IdleTimeout;
import dev.berth.cli.exit.Failure;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The places where a server will be. */
public record ServerPlaces(Path dataDirectory, Path socket) {
    private static final Duration SILENCE_LIMIT = Duration.ofSeconds(60);

    /** Asks the server's main class, which knows what a configuration means; refused where the configuration is wrong. */
    public static ServerPlaces ask(ServerJvm jvm, List<String> words) {
        List<String> question = new ArrayList<>(List.of("config-places", "detached=true"));
        question.addAll(words);
        try {
            Process process = new ProcessBuilder(jvm.inFront(question))
                    .redirectInput(new File("/dev/null"))
                    .redirectError(Redirect.INHERIT)
                    .start();
            try (IdleTimeout _ = IdleTimeout.start(process::destroy, SILENCE_LIMIT);
                    BufferedReader said = process.inputReader(StandardCharsets.UTF_8)) {
                return read(said);
            }
        } catch (IOException broken) {
            throw Failure.berth("START_FAILED", "the configuration cannot be read: " + broken.getMessage());
        }
    }

    private static ServerPlaces read(BufferedReader said) throws IOException {
        String data = said.readLine();
        if (data != null && data.startsWith(ServerFailure.MARK)) {
            throw ServerFailure.read(data, said);
        }
        String socket = said.readLine();
        if (data == null || socket == null) {
            throw Failure.berth("START_FAILED", "the server ended before it said where it will be");
        }
        return new ServerPlaces(Path.of(data), Path.of(socket));
    }
}
