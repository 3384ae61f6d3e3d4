package dev.berth.server.gpu.lock;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A real Python process that takes a lock as safe-gpu does, and tells what it does, a line each. */
public final class Python implements AutoCloseable {
    /** safe_gpu.py in short: takes the lock, says so, and keeps it until its standard input ends. */
    private static final String HOLDER = """
            import fcntl, os, sys
            fd = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY, 0o666)
            if sys.argv[2] == "try":
                try:
                    fcntl.lockf(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    print("free")
                except OSError:
                    print("busy")
            else:
                print("waits", flush=True)
                fcntl.lockf(fd, fcntl.LOCK_EX)
                print("has it", flush=True)
                sys.stdin.read()
            """;

    private final Process process;
    private final BufferedReader lines;

    private Python(Process process) {
        this.process = process;
        this.lines = process.inputReader(StandardCharsets.UTF_8);
    }

    /** A script of this text and name, with these words. */
    public static Python script(Path folder, String name, String text, String... words) {
        try {
            Path script = folder.resolve(name);
            if (!Files.exists(script)) {
                Files.writeString(script, text);
            }
            return program(script, Map.of(), words);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A script that is there, with these words and these variables beside the test's own. */
    public static Python program(Path script, Map<String, String> variables, String... words) {
        List<String> command = new ArrayList<>(List.of("/usr/bin/python3", script.toString()));
        command.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().putAll(variables);
        try {
            return new Python(builder.start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Asks for the lock of this file and waits for it. */
    static Python waiting(Path folder, Path file) {
        return script(folder, "train.py", HOLDER, file.toString(), "wait", "--token=secret")
                .says("waits");
    }

    /** Has the lock of this file. */
    public static Python holding(Path folder, Path file) {
        return waiting(folder, file).says("has it");
    }

    /** Whether somebody else than the asker has the lock of this file now. */
    public static boolean isBusy(Path folder, Path file) {
        try (Python probe = script(folder, "train.py", HOLDER, file.toString(), "try")) {
            return probe.line().equals("busy");
        }
    }

    /** Its next line. */
    public String line() {
        try {
            return String.valueOf(lines.readLine());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public Python says(String line) {
        assertThat(line()).isEqualTo(line);
        return this;
    }

    /** Sends it a line. */
    public void hears(String line) {
        try {
            Writer writer = process.outputWriter(StandardCharsets.UTF_8);
            writer.write(line + "\n");
            writer.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public long pid() {
        return process.pid();
    }

    /** Lets it go on behind its standard input. */
    public void letGo() {
        try {
            process.getOutputStream().close();
            assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
        letGo();
    }
}
