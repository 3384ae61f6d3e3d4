package dev.berth.cli.launch;

import dev.berth.cli.client.http.IdleTimeout;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.exit.OnInterrupt;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Starts a server in the background and stays until it accepts or fails. */
public final class ServerProcess {
    private static final Duration SILENCE_LIMIT = Duration.ofSeconds(60);
    private static final String READY = "READY";
    private static final String WARNING = "WARNING ";
    private static final String WAITING = "WAITING";
    private static final String ERRORS = "server.err";
    private static final int MAX_KEPT_BYTES = 8 * 1024;

    /** The time for which the errors of a server that has ended are waited for; what it started may still hold them. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    /** Listeners to what the server says. */
    private record Heard(Consumer<String> lines, Consumer<String> warnings) {}

    private final ServerJvm jvm;
    private final Path dataDirectory;

    public ServerProcess(ServerJvm jvm, Path dataDirectory) {
        this.jvm = jvm;
        this.dataDirectory = dataDirectory;
    }

    /**
     * Starts it and returns when it accepts. It goes on when this process ends; until it accepts, it ends with it.
     *
     * @param lines takes what the server says meanwhile
     * @param warnings takes what it warns of before it does it
     */
    public void start(List<String> settings, Consumer<String> lines, Consumer<String> warnings) {
        try {
            long kept = keptErrors();
            Process process = new ProcessBuilder(jvm.command(settings))
                    .directory(new File("/"))
                    .redirectInput(new File("/dev/null"))
                    .start();
            LastLines errors = LastLines.of(process.errorReader(StandardCharsets.UTF_8));
            try (OnInterrupt _ = OnInterrupt.run(process::destroy);
                    IdleTimeout watch = IdleTimeout.start(process::destroy, SILENCE_LIMIT);
                    BufferedReader said = process.inputReader(StandardCharsets.UTF_8)) {
                untilReady(said, watch, new Heard(lines, warnings), () -> words(errors.await(PATIENCE), kept));
            }
        } catch (IOException broken) {
            throw Failure.berth("START_FAILED", "the server cannot be started: " + why(broken));
        }
    }

    private void untilReady(BufferedReader said, IdleTimeout watch, Heard heard, Supplier<String> words)
            throws IOException {
        for (String line = said.readLine(); line != null; line = said.readLine()) {
            watch.moved();
            if (line.equals(READY)) {
                return;
            }
            if (line.startsWith(ServerFailure.MARK)) {
                throw ServerFailure.read(line, said);
            }
            if (line.startsWith(WARNING)) {
                heard.warnings().accept(line.substring(WARNING.length()));
            } else if (!line.equals(WAITING)) {
                heard.lines().accept(line);
            }
        }
        String why = watch.isExpired()
                ? "said nothing for " + SILENCE_LIMIT.toSeconds() + " s and was ended"
                : "ended before it accepted";
        throw Failure.berth("SERVER_DIED", "the server " + why + "; " + words.get());
    }

    private static String why(IOException refused) {
        return (refused instanceof AccessDeniedException ? "permission denied at " : "") + refused.getMessage();
    }

    /** From the moment on at which the data directory is its own a server keeps its errors there. */
    private String words(List<String> errors, long keptBefore) {
        if (!errors.isEmpty()) {
            return "it said: " + String.join(" | ", errors);
        }
        String kept = lastKept(keptBefore);
        return kept.isEmpty()
                ? "server.log and server.err in " + dataDirectory + " may say why"
                : dataDirectory.resolve(ERRORS) + " says: " + kept;
    }

    private long keptErrors() {
        try {
            return Files.readAttributes(
                            dataDirectory.resolve(ERRORS), BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                    .size();
        } catch (IOException missing) {
            return 0;
        }
    }

    private String lastKept(long before) {
        Path errors = dataDirectory.resolve(ERRORS);
        if (!Files.isRegularFile(errors, LinkOption.NOFOLLOW_LINKS)) {
            return "";
        }
        try (InputStream in = Files.newInputStream(errors, LinkOption.NOFOLLOW_LINKS)) {
            in.skipNBytes(Math.max(before, Files.size(errors) - MAX_KEPT_BYTES));
            List<String> said = new String(in.readNBytes(MAX_KEPT_BYTES), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
            return String.join(" | ", said.subList(Math.max(0, said.size() - LastLines.MAX_LINES), said.size()));
        } catch (IOException gone) {
            return "";
        }
    }
}
