package dev.berth.cli.command;

import dev.berth.cli.client.Pause;
import dev.berth.cli.output.Screen;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * The process a command runs in.
 *
 * @param variables the environment variables
 * @param home the user's home directory
 * @param user the login name
 * @param root whether the user is root
 * @param version of this command
 * @param time the date
 * @param nanos of a clock that nobody sets, for how long something takes
 */
public record Environment(
        Map<String, String> variables,
        Path home,
        String user,
        boolean root,
        String version,
        Screen screen,
        InstantSource time,
        LongSupplier nanos,
        Pause pause,
        Terminal terminal) {
    /** A process without a terminal. */
    public Environment(
            Map<String, String> variables,
            Path home,
            String user,
            boolean root,
            String version,
            Screen screen,
            InstantSource time,
            LongSupplier nanos,
            Pause pause) {
        this(variables, home, user, root, version, screen, time, nanos, pause, Terminal.NONE);
    }
}
