package dev.berth.server.runner.target;

import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import dev.berth.server.runner.EngineException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The attempts of which something may be left at a target: a file each, from before it is handed over until it is discarded there.
 * A server that was killed in between finds by them what it owes. The file of a task that went with others of its array says what
 * it is called there; others are empty.
 *
 * @param directory where they are, the server's own
 * @param names what an attempt is called that is handed over alone
 */
public record HandoverMarks(Path directory, Function<Attempt, String> names) {
    private static final Pattern FILE = Pattern.compile("([1-9]\\d{0,17})\\.([1-9]\\d{0,8})");
    private static final Pattern TASK = Pattern.compile("([a-z0-9-]+) (\\d{1,9})\n");

    /**
     * What an attempt is called at its target.
     *
     * @param task its number in an array; null where it is alone
     */
    record Mark(String name, @Nullable Integer task) {}

    /** What an attempt is called that is handed over alone. */
    Mark alone(Attempt attempt) {
        return new Mark(names.apply(attempt), null);
    }

    /** What an attempt is called that is at its target, or goes there next. */
    Mark named(Attempt attempt) {
        return of(attempt).orElseGet(() -> alone(attempt));
    }

    /**
     * What an attempt is called of which something may be at its target; empty for another.
     *
     * @throws EngineException where that cannot be read now
     */
    Optional<Mark> of(Attempt attempt) {
        try {
            Matcher task = TASK.matcher(Files.readString(file(attempt)));
            return Optional.of(
                    task.matches() ? new Mark(task.group(1), Integer.valueOf(task.group(2))) : alone(attempt));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw new EngineException(
                    EngineException.Kind.FAILING, "its mark in " + directory + " cannot be read: " + e.getMessage(), e);
        }
    }

    /** Has all that was set outlive a loss of power. */
    void force() throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    void set(Attempt attempt, Mark mark) throws IOException {
        if (of(attempt).filter(mark::equals).isPresent()) {
            return;
        }
        Files.createDirectories(directory);
        Path file = file(attempt);
        Path whole = directory.resolve(file.getFileName() + ".new");
        String text = mark.task() == null ? "" : mark.name() + " " + mark.task() + "\n";
        try (FileChannel channel = FileChannel.open(
                whole, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
            // By an empty file the target is asked by the attempt's own name, which nobody need keep.
            if (mark.task() != null) {
                channel.force(true);
            }
        }
        Files.move(whole, file, StandardCopyOption.ATOMIC_MOVE);
    }

    boolean has(Attempt attempt) {
        return Files.exists(file(attempt));
    }

    void clear(Attempt attempt) throws IOException {
        Files.deleteIfExists(file(attempt));
    }

    List<Attempt> all() throws IOException {
        List<Attempt> attempts = new ArrayList<>();
        try (DirectoryStream<Path> marks = Files.newDirectoryStream(directory)) {
            for (Path mark : marks) {
                Matcher name = FILE.matcher(mark.getFileName().toString());
                if (name.matches()) {
                    attempts.add(
                            new Attempt(new JobId(Long.parseLong(name.group(1))), Integer.parseInt(name.group(2))));
                }
            }
        } catch (NoSuchFileException e) {
            // Nothing was ever handed over.
        }
        return attempts;
    }

    private Path file(Attempt attempt) {
        return directory.resolve(attempt.job() + "." + attempt.number());
    }
}
