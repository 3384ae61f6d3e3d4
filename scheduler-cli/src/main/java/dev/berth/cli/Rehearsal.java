package dev.berth.cli;

import dev.berth.cli.command.Dispatch;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Runs the commands that come on standard input, a line each, their words separated by blanks: so that the JVM sees the
 * classes that commands load, and keeps them in a cache. Made for the build; see {@code bin/berth}.
 */
public final class Rehearsal {
    private Rehearsal() {}

    public static void main(String[] arguments) throws IOException {
        try (BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = commands.readLine(); line != null; line = commands.readLine()) {
                int code = new Dispatch(Main.environment()).run(List.of(line.split(" ")));
                System.err.println(code + " " + line);
            }
        }
    }
}
