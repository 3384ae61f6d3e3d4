package dev.berth.cli;

import dev.berth.cli.command.Dispatch;
import dev.berth.cli.command.Environment;
import dev.berth.cli.command.Terminal;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.output.Screen;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The {@code berth} command. */
public final class Main {
    /** Debian's word for a directory that is never there. */
    private static final String NO_HOME = "/nonexistent";

    private Main() {}

    public static void main(String[] arguments) {
        int code = new Dispatch(environment()).run(List.of(arguments));
        // A server in the foreground lives on in its own threads when its main method has returned.
        if (code != ExitCode.OK) {
            System.exit(code);
        }
    }

    static Environment environment() {
        Map<String, String> variables = System.getenv();
        String user = System.getProperty("user.name");
        SystemTime time = new SystemTime();
        return new Environment(
                variables,
                home(variables),
                user,
                user.equals("root"),
                version(),
                screen(),
                time,
                time::nanos,
                time,
                Terminal.of(
                        Integer.getInteger("berth.columns", 0),
                        Integer.getInteger("berth.rows", 0),
                        variables,
                        Boolean.getBoolean("berth.asks") ? Main::answer : null,
                        TerminalSize::now));
    }

    /**
     * The home directory that a variable or the user database names; a relative one would be wherever the user happens
     * to be.
     */
    private static Path home(Map<String, String> variables) {
        String said = variables.getOrDefault("HOME", "");
        String home = said.startsWith("/") ? said : System.getProperty("user.home", "");
        return Path.of(home.startsWith("/") ? home : NO_HOME);
    }

    /** A line that the user types, where {@code bin/berth} has seen a terminal to type at. */
    private static String answer() {
        try {
            String line = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
            return line == null ? "" : line;
        } catch (IOException closed) {
            return "";
        }
    }

    /** The columns are there only where standard output is a terminal: {@code bin/berth} has looked. */
    private static Screen screen() {
        return new Screen(
                new FileOutputStream(FileDescriptor.out),
                new FileOutputStream(FileDescriptor.err),
                Integer.getInteger("berth.columns", 0),
                Boolean.getBoolean("berth.watched"));
    }

    /** From the jar's manifest, which the JVM has read already. */
    private static String version() {
        String version = Main.class.getPackage().getImplementationVersion();
        return version == null ? "unknown" : version;
    }
}
