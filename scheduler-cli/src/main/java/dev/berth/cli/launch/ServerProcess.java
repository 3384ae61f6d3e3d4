package dev.berth.cli.launch;

import dev.berth.cli.client.IdleWatch;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.exit.OnInterrupt;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** Starts a server in the background and stays until it accepts or fails. */
public final class ServerProcess {
    private static final Duration SILENCE_LIMIT = Duration.ofSeconds(60);
    private static final String READY = "READY";
    private static final String ERRORS = "server.err";
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");
    private static final int MAX_ERROR_BYTES = 8 * 1024;
    private static final int MAX_ERROR_LINES = 20;

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
     */
    public void start(List<String> settings, Consumer<String> lines) {
        try {
            makeDataDirectory();
            File errors = errorsFile().toFile();
            long errorsBefore = errors.length();
            Process process = new ProcessBuilder(jvm.command(settings))
                    .directory(new File("/"))
                    .redirectInput(new File("/dev/null"))
                    .redirectError(Redirect.appendTo(errors))
                    .start();
            try (OnInterrupt _ = OnInterrupt.run(process::destroy);
                    IdleWatch watch = IdleWatch.start(process::destroy, SILENCE_LIMIT);
                    BufferedReader said = process.inputReader(StandardCharsets.UTF_8)) {
                untilReady(said, watch, lines, errorsBefore);
            }
        } catch (IOException broken) {
            throw Failure.berth("START_FAILED", "the server cannot be started: " + why(broken));
        }
    }

    private void untilReady(BufferedReader said, IdleWatch watch, Consumer<String> lines, long errorsBefore)
            throws IOException {
        for (String line = said.readLine(); line != null; line = said.readLine()) {
            watch.moved();
            if (line.equals(READY)) {
                return;
            }
            if (line.startsWith(ServerFailure.MARK)) {
                throw ServerFailure.read(line, said);
            }
            lines.accept(line);
        }
        String why = watch.isExpired()
                ? "said nothing for " + SILENCE_LIMIT.toSeconds() + " s and was ended"
                : "ended before it accepted";
        throw Failure.berth("SERVER_DIED", "the server " + why + lastErrors(errorsBefore));
    }

    private void makeDataDirectory() {
        if (Files.isDirectory(dataDirectory)) {
            return;
        }
        try {
            Files.createDirectories(dataDirectory);
            Files.setPosixFilePermissions(dataDirectory, PosixFilePermissions.fromString("rwx--x--x"));
        } catch (IOException refused) {
            throw Failure.berth(
                    "START_FAILED",
                    "the data directory " + dataDirectory + " cannot be made: " + why(refused)
                            + "; name another by --data-dir");
        }
    }

    private static String why(IOException refused) {
        return (refused instanceof AccessDeniedException ? "permission denied at " : "") + refused.getMessage();
    }

    /** Made here, so that it is the operator's alone, whatever this command's umask lets others do. */
    private Path errorsFile() throws IOException {
        Path errors = dataDirectory.resolve(ERRORS);
        Set<StandardOpenOption> append = Set.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        FileChannel.open(errors, append, PosixFilePermissions.asFileAttribute(OWNER_ONLY))
                .close();
        return errors;
    }

    private String lastErrors(long from) throws IOException {
        Path errors = dataDirectory.resolve(ERRORS);
        byte[] tail;
        try (InputStream in = Files.newInputStream(errors)) {
            in.skipNBytes(Math.max(from, Files.size(errors) - MAX_ERROR_BYTES));
            tail = in.readNBytes(MAX_ERROR_BYTES);
        }
        List<String> said = new String(tail, StandardCharsets.UTF_8).lines().toList();
        List<String> last = said.subList(Math.max(0, said.size() - MAX_ERROR_LINES), said.size());
        return last.isEmpty()
                ? "; " + errors + " says nothing about it"
                : "; " + errors + " says: " + String.join(" | ", last);
    }
}
