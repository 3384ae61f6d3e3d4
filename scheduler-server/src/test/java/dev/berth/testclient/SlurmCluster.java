package dev.berth.testclient;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * A Slurm cluster of this machine alone, with a directory that everybody may make their own in. As root.
 *
 * @param directory all of it
 * @param shared what its nodes see
 */
public record SlurmCluster(Path directory, Path shared) implements AutoCloseable {
    private static final String SCRIPT = script(Path.of("").toAbsolutePath()).toString();

    private static final long PAUSE_NANOS = 100_000_000;

    /** In the source tree that a directory is in: each module's tests run in the module's own. */
    private static Path script(Path directory) {
        Path script = directory.resolve("src/test/slurm/cluster");
        Path parent = directory.getParent();
        if (!Files.exists(script) && parent != null) {
            return script(parent);
        }
        return script;
    }

    /** Starts one; jobs can run when this returns. */
    public static SlurmCluster start() {
        return start(Map.of());
    }

    /** The same with these variables for the script that starts it. */
    public static SlurmCluster start(Map<String, String> variables) {
        try {
            Path directory = Files.createTempDirectory("slurm");
            Path shared = Files.createTempDirectory("shared");
            Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxrwxrwx"));
            SlurmCluster cluster = new SlurmCluster(directory, shared);
            cluster.script(variables, "start");
            return cluster;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The value of {@code SLURM_CONF}. */
    public String configuration() {
        return directory.resolve("etc/slurm.conf").toString();
    }

    /** Calls the script with a verb, such as {@code controller kill}. */
    public void script(String... verb) {
        script(Map.of(), verb);
    }

    private void script(Map<String, String> variables, String... verb) {
        List<String> words = new ArrayList<>(List.of(SCRIPT));
        words.addAll(Arrays.asList(verb));
        words.add(directory.toString());
        run(words, variables);
    }

    /** Starts a node again where it does not see what is in a folder. */
    public void hide(String node, Path folder) {
        script("node", node, "kill");
        script("node", node, "hide", folder.toString());
    }

    /** What one of Slurm's programs writes, as root. */
    public String ask(String... words) {
        return run(List.of(words), Map.of("SLURM_CONF", configuration()));
    }

    /** Waits a little before something is looked at again; no longer than the test may take. */
    public static void pause() {
        if (Thread.currentThread().isInterrupted()) {
            throw new AssertionError("what is waited for does not come");
        }
        LockSupport.parkNanos(PAUSE_NANOS);
    }

    /** What a program writes, which ends well. */
    public static String run(List<String> words, Map<String, String> environment) {
        try {
            // Its daemons would hold a pipe open.
            Path said = Files.createTempFile("said", ".txt");
            ProcessBuilder builder = new ProcessBuilder(words)
                    .redirectErrorStream(true)
                    .redirectOutput(said.toFile())
                    .redirectInput(Path.of("/dev/null").toFile());
            builder.environment().putAll(environment);
            int code = builder.start().onExit().join().exitValue();
            String text = Files.readString(said, StandardCharsets.UTF_8);
            Files.delete(said);
            if (code != 0) {
                throw new AssertionError(words + " ended with code " + code + ": " + text);
            }
            return text;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        script("remove");
        run(List.of("rm", "-rf", shared.toString()), Map.of());
    }
}
