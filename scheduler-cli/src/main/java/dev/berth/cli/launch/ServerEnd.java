package dev.berth.cli.launch;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Sees a server's process go. */
public final class ServerEnd {
    private static final String OURS = "dev.berth.";

    private ServerEnd() {}

    /**
     * The server's process, where it is one of this machine's process table. A server in a container has a number that
     * means somebody else here.
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

    /** Whether the process is gone within the time. */
    public static boolean waitFor(ProcessHandle process, Duration limit) {
        try {
            boolean gone = !process.onExit()
                    .get(limit.toMillis(), TimeUnit.MILLISECONDS)
                    .isAlive();
            return gone;
        } catch (TimeoutException stillThere) {
            return false;
        } catch (ExecutionException | InterruptedException broken) {
            throw new IllegalStateException("waiting for a process failed", broken);
        }
    }
}
