package dev.berth.cli.launch;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.client.EventStream;
import dev.berth.cli.client.JobQuery;
import dev.berth.cli.client.Pause;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * Makes the distribution's cache of the classes that a server loads: starts its server on an engine without anything, asks
 * it the usual things, and ends it. Part of the build; it fails where the server does.
 */
public final class ServerRehearsal {
    static final Pause REAL_TIME = length -> LockSupport.parkNanos(length.toNanos());

    private static final Duration LIMIT = Duration.ofMinutes(2);

    private ServerRehearsal() {}

    /** Takes the distribution's directory. */
    public static void main(String[] arguments) throws IOException {
        Path distribution = Path.of(arguments[0]);
        Path javaHome = Path.of(System.getProperty("java.home"));
        ServerCache cache = new ServerCache(javaHome, distribution);
        Path directory = Files.createTempDirectory("berth");
        try (ScriptedEngine _ = new ScriptedEngine(directory.resolve("engine"))) {
            rehearse(new ServerJvm(javaHome, distribution, cache.making()), directory);
            cache.made();
        } finally {
            delete(directory);
        }
    }

    private static void rehearse(ServerJvm jvm, Path directory) throws IOException {
        Path data = directory.resolve("data");
        List<String> words = List.of(
                "detached=true",
                "directory=" + directory,
                "default-data-dir=" + data,
                "--gpus=true",
                "--simulate-gpus=2",
                "--port=0");
        ProcessBuilder builder = new ProcessBuilder(jvm.inFront(words))
                .redirectError(directory.resolve("errors").toFile());
        builder.environment().put("DOCKER_HOST", "unix://" + directory.resolve("engine"));
        builder.environment().keySet().removeIf(name -> name.startsWith("BERTH_") || name.startsWith("XDG_"));
        Process process = builder.start();
        try (BufferedReader said = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = said.readLine(); !"READY".equals(line); line = said.readLine()) {
                if (line == null || line.startsWith(ServerFailure.MARK)) {
                    throw new IllegalStateException(
                            "the server did not start: " + line + Files.readString(directory.resolve("errors")));
                }
            }
            ask(new BerthClient(data.resolve("berth.sock"), "rehearsal", _ -> {}, _ -> {}));
        } catch (IOException | RuntimeException failed) {
            process.destroyForcibly();
            throw failed;
        }
        if (!ServerEnd.waitFor(process.toHandle(), LIMIT, REAL_TIME)) {
            process.destroyForcibly();
            throw new IllegalStateException("the server did not end");
        }
    }

    private static void ask(BerthClient client) throws IOException {
        var _ = client.server();
        var _ = client.gpus();
        long job = client.submit(request(), "rehearsal").id();
        try (EventStream events = client.events(job, 0)) {
            // To the end: its image is nowhere.
            while (events.next() != null) {
                var _ = client.explain(job);
            }
        }
        var _ = client.jobs(JobQuery.of(JobQuery.ALL, 10));
        client.stop(false);
    }

    private static Map<String, Object> request() {
        return Map.of("command", List.of("true"), "gpus", 1);
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            all.sorted(Comparator.reverseOrder()).forEach(path -> {
                try {
                    Files.delete(path);
                } catch (IOException left) {
                    throw new UncheckedIOException(left);
                }
            });
        }
    }
}
