package dev.berth.cli.launch;

import dev.berth.cli.client.Pause;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** Sees a server's process go. */
public final class ServerEnd {
    private static final String OURS = "dev.berth.";

    private static final Duration STEP = Duration.ofMillis(20);

    private ServerEnd() {}

    /**
     * The server's process, where it is one of this machine's process table. A server in a container has a number that
     * means another process here.
     */
    public static Optional<ProcessHandle> process(long pid) {
        return ProcessHandle.of(pid).filter(ServerEnd::isOurs);
    }

    /** By the whole command line: what {@link ProcessHandle} tells of it ends before a long class path does. */
    private static boolean isOurs(ProcessHandle process) {
        try {
            Path commandLine = Path.of("/proc", Long.toString(process.pid()), "cmdline");
            return Files.readString(commandLine, StandardCharsets.ISO_8859_1).contains(OURS);
        } catch (IOException gone) {
            return false;
        }
    }

    /**
     * Whether the process is gone within the time. {@link ProcessHandle#onExit} is of no use for a process that is no
     * child: it looks now and then whether anybody has its number, which may be another one by then.
     */
    public static boolean waitFor(ProcessHandle process, Duration limit, Pause pause) {
        for (Duration spent = Duration.ZERO; spent.compareTo(limit) < 0; spent = spent.plus(STEP)) {
            if (!process.isAlive()) {
                return true;
            }
            pause.pause(STEP);
        }
        return !process.isAlive();
    }
}
