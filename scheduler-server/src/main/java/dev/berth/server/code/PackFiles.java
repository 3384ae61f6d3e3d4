package dev.berth.server.code;

import dev.berth.core.job.JobId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The files by which a pack's container and the server tell each other of its tasks: for each a directory named by its number,
 * which nobody but the server can add to or take from. What the container writes there is its submitter's, and may be anything.
 *
 * @param directory where they are
 */
public record PackFiles(Path directory) {
    /** The script that runs the tasks, in the directory. */
    public static final String SCRIPT = "pack.sh";

    /** Where the script notes which tasks it has taken. */
    static final String TURNS = "turns";

    static final String START = "start";
    static final String OUT = "stdout";
    static final String ERR = "stderr";
    private static final String BEGAN = "began";
    private static final String ENDED = "ended";
    private static final String STOP = "stop";

    /** The files of a task that the container writes. */
    static final List<String> WRITTEN = List.of(OUT, ERR, BEGAN, ENDED, "pid");

    private static final Set<OpenOption> READING = Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    private static final int MAX_WORDS = 32;
    private static final Pattern END = Pattern.compile("(exit|oom|timeout|cancelled|stopped) (\\d{1,3})\\s*");

    /** How a task's program ended. */
    public enum How {
        /** By itself. */
        EXIT,
        /** By the kernel, for want of memory. */
        OUT_OF_MEMORY,
        /** At its time limit. */
        TIMEOUT,
        /** As it was asked to alone. */
        CANCELLED,
        /** With the whole pack. */
        STOPPED,
        /** It was not begun, as it was asked not to. */
        SKIPPED
    }

    /**
     * The end of a task.
     *
     * @param exitCode 128 + n for signal n; 0 for one that was not begun
     */
    public record End(How how, int exitCode, Instant at) {}

    /** When a task's program was about to begin; empty where it was not. */
    public Optional<Instant> began(JobId task) throws IOException {
        Path file = of(task).resolve(BEGAN);
        return words(file).isEmpty() ? Optional.empty() : Optional.of(changed(file));
    }

    /** How a task's program ended; empty where that is not told. */
    public Optional<End> ended(JobId task) throws IOException {
        Path file = of(task).resolve(ENDED);
        String words = words(file);
        if (words.strip().equals("skipped")) {
            return Optional.of(new End(How.SKIPPED, 0, changed(file)));
        }
        Matcher end = END.matcher(words);
        return end.matches()
                ? Optional.of(new End(how(end.group(1)), Integer.parseInt(end.group(2)), changed(file)))
                : Optional.empty();
    }

    private static How how(String word) {
        return switch (word) {
            case "exit" -> How.EXIT;
            case "oom" -> How.OUT_OF_MEMORY;
            case "timeout" -> How.TIMEOUT;
            case "cancelled" -> How.CANCELLED;
            default -> How.STOPPED;
        };
    }

    /** Asks that a task ends, or does not begin. */
    public void stop(JobId task) throws IOException {
        Path file = of(task).resolve(STOP);
        if (Files.isDirectory(of(task), LinkOption.NOFOLLOW_LINKS) && !Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            Workspaces.write(file, "stop\n");
        }
    }

    /** Reads what a task's program wrote to standard output, or to standard error, from a place on. */
    public void read(JobId task, boolean error, long from, ByteBuffer into) throws IOException {
        try (SeekableByteChannel file = Files.newByteChannel(of(task).resolve(error ? ERR : OUT), READING)) {
            file.position(from);
            file.read(into);
        } catch (NoSuchFileException e) {
            // Of a pack that was not laid out to its end.
        }
    }

    Path of(JobId task) {
        return directory.resolve(task.toString());
    }

    private static String words(Path file) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(MAX_WORDS);
        try (SeekableByteChannel channel = Files.newByteChannel(file, READING)) {
            channel.read(bytes);
        } catch (NoSuchFileException e) {
            return "";
        }
        return StandardCharsets.US_ASCII.decode(bytes.flip()).toString();
    }

    private static Instant changed(Path file) throws IOException {
        return Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS).toInstant();
    }
}
