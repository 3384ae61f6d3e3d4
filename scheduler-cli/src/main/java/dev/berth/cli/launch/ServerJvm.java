package dev.berth.cli.launch;

import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The Java virtual machine a server runs in. The server itself is known by the name of its main class only: it is on
 * the distribution's path, never on the compiler's.
 *
 * @param javaHome the JDK
 * @param home the distribution's directory, null where the command does not run from one
 * @param options more flags for the virtual machine, separated by blanks
 */
public record ServerJvm(Path javaHome, @Nullable Path home, String options) {
    /** More flags for the server's virtual machine. */
    public static final String OPTIONS_VARIABLE = "BERTH_SERVER_JAVA_OPTS";

    private static final String MAIN_CLASS = "dev.berth.server.Main";

    /** Last words of a server that has no memory left; the same stand in bin/berth, for a server in the foreground. */
    static final String LAST_WORDS = "echo \"$(date -u +%FT%TZ) berth: the server ends: it has no memory left. What was"
            + " acknowledged is on disk and jobs that run go on: start it again (BERTH_SERVER_JAVA_OPTS=-Xmx512m gives it"
            + " more)\" >&2";

    private static final List<String> FLAGS = List.of(
            "-XX:+UseSerialGC",
            "-Xms16m",
            "-Xmx256m",
            "-XX:-UsePerfData",
            // A server short of memory is worth less than a fresh one, which takes everything over. The words of the
            // virtual
            // machine go to standard output, where nobody listens any more; these are a shell's, and need no memory of
            // it.
            "-XX:OnOutOfMemoryError=" + LAST_WORDS,
            "-XX:+ExitOnOutOfMemoryError",
            // Its memory holds secrets of many users.
            "-XX:-CreateCoredumpOnCrash",
            "--enable-native-access=ALL-UNNAMED",
            "-Djava.awt.headless=true");

    /** The one this command runs in. */
    public static ServerJvm current(@Nullable String options) {
        String home = System.getProperty("berth.home");
        return new ServerJvm(
                Path.of(System.getProperty("java.home")),
                home == null ? null : Path.of(home),
                options == null ? "" : options);
    }

    /** The command line of a server in a session of its own, which no signal of the user's terminal reaches. */
    List<String> command(List<String> settings) {
        List<String> command = new ArrayList<>();
        command.add("setsid");
        command.addAll(LeastRights.words());
        command.addAll(inFront(settings));
        return command;
    }

    /** The command line of the server's main class for as long as this command waits for it. */
    List<String> inFront(List<String> words) {
        List<String> command = new ArrayList<>();
        command.add(javaHome.resolve("bin/java").toString());
        command.addAll(FLAGS);
        List<String> added =
                options.isBlank() ? List.of() : List.of(options.strip().split(" +"));
        if (home != null && added.stream().noneMatch(ServerJvm::changesHeap)) {
            command.addAll(new ServerCache(javaHome, home).flags());
        }
        command.addAll(added);
        command.add("-cp");
        command.add(classPath());
        command.add(MAIN_CLASS);
        command.addAll(words);
        return command;
    }

    /** Whether a flag may leave no room for the cache's objects: a virtual machine that has none for them ends. */
    private static boolean changesHeap(String flag) {
        return flag.startsWith("-Xms")
                || flag.startsWith("-Xmn")
                || (flag.startsWith("-XX:") && !flag.startsWith("-XX:TieredStopAtLevel="));
    }

    private String classPath() {
        if (home == null) {
            return System.getProperty("java.class.path");
        }
        List<String> jars = new ArrayList<>();
        try (DirectoryStream<Path> lib = Files.newDirectoryStream(home.resolve("lib"), "*.jar")) {
            lib.forEach(jar -> jars.add(jar.toString()));
        } catch (IOException incomplete) {
            throw Failure.berth("NO_LIBRARIES", "Berth's libraries cannot be read: " + incomplete);
        }
        Collections.sort(jars);
        return String.join(":", jars);
    }

    /** Runs the server in this process; returns when its main method does. */
    public static int runHere(List<String> settings) {
        try {
            Class.forName(MAIN_CLASS).getMethod("main", String[].class).invoke(null, (Object)
                    settings.toArray(String[]::new));
            return ExitCode.OK;
        } catch (InvocationTargetException failed) {
            throw Failure.berth("SERVER_FAILED", "the server failed: " + failed.getCause());
        } catch (ReflectiveOperationException missing) {
            throw Failure.berth(
                    "NO_SERVER", "the server is not on the class path (" + missing + "); start it by bin/berth");
        }
    }
}
