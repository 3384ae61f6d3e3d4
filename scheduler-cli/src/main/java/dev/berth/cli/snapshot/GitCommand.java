package dev.berth.cli.snapshot;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Runs git in a directory that may hold another user's work tree: bounded in time and output, on nobody's terminal,
 * and such that nothing runs that the tree's configuration names. For one thread.
 */
final class GitCommand {
    private static final int MAX_TEXT_BYTES = 1 << 16;
    private static final long PATIENCE_SECONDS = 10;

    /** No monitors, no hooks, no pager. */
    private static final List<String> HARDENED = List.of(
            "--no-pager",
            "-c",
            "core.fsmonitor=false",
            "-c",
            "core.untrackedCache=false",
            "-c",
            "core.hooksPath=/dev/null");

    private final String program;
    private final Path directory;
    private final Map<String, String> settings = new HashMap<>();

    GitCommand(String program, Path directory) {
        this.program = program;
        this.directory = directory;
    }

    /** Git did not say what was asked. */
    static final class NoAnswer extends Exception {
        private static final long serialVersionUID = 1L;

        NoAnswer(String message) {
            super(message);
        }
    }

    /** Overrides the configuration from here on. Through the environment, as a name may hold anything. */
    void set(String name, String value) {
        int number = settings.size() / 2;
        settings.put("GIT_CONFIG_KEY_" + number, name);
        settings.put("GIT_CONFIG_VALUE_" + number, value);
    }

    /** A short answer. */
    String text(String... question) throws NoAnswer, IOException, InterruptedException {
        byte[] bytes = bytes(MAX_TEXT_BYTES, question);
        if (bytes.length > MAX_TEXT_BYTES) {
            throw new NoAnswer("git " + question[0] + " said more than " + MAX_TEXT_BYTES + " bytes");
        }
        return new String(bytes, StandardCharsets.UTF_8).strip();
    }

    /** An answer; it has one byte more than the limit where there is more. */
    byte[] bytes(int limit, String... question) throws NoAnswer, IOException, InterruptedException {
        Process git = start(question);
        Thread watch = Thread.ofPlatform().daemon().start(() -> endInTime(git));
        try (InputStream out = git.getInputStream()) {
            byte[] bytes = out.readNBytes(limit + 1);
            if (bytes.length > limit) {
                git.destroyForcibly();
                return bytes;
            }
            int code = git.waitFor();
            if (code != 0) {
                throw new NoAnswer("git " + question[0] + " ended with code " + code);
            }
            return bytes;
        } finally {
            watch.interrupt();
        }
    }

    private Process start(String... question) throws IOException {
        List<String> words = new ArrayList<>();
        words.add(program);
        words.addAll(HARDENED);
        words.addAll(List.of(question));
        ProcessBuilder builder = new ProcessBuilder(words)
                .directory(directory.toFile())
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        Map<String, String> environment = builder.environment();
        environment.keySet().removeIf(name -> name.startsWith("GIT_"));
        environment.put("GIT_OPTIONAL_LOCKS", "0");
        environment.put("GIT_NO_LAZY_FETCH", "1");
        environment.put("GIT_TERMINAL_PROMPT", "0");
        environment.put("LC_ALL", "C.UTF-8");
        environment.putAll(settings);
        environment.put("GIT_CONFIG_COUNT", Integer.toString(settings.size() / 2));
        return builder.start();
    }

    private static void endInTime(Process git) {
        try {
            if (!git.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                git.destroyForcibly();
            }
        } catch (InterruptedException answered) {
            return;
        }
    }
}
