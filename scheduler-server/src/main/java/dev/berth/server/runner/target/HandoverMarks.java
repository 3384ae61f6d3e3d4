package dev.berth.server.runner.target;

import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The attempts of which something may be left at a target: an empty file each, from before it is handed over until it is
 * discarded there. A server that was killed in between finds by them what it owes.
 *
 * @param directory where they are, the server's own
 */
public record HandoverMarks(Path directory) {
    private static final Pattern NAME = Pattern.compile("([1-9]\\d{0,17})\\.([1-9]\\d{0,8})");

    void set(Attempt attempt) throws IOException {
        Files.createDirectories(directory);
        Path mark = of(attempt);
        if (!Files.exists(mark)) {
            Files.createFile(mark);
        }
    }

    boolean has(Attempt attempt) {
        return Files.exists(of(attempt));
    }

    void clear(Attempt attempt) throws IOException {
        Files.deleteIfExists(of(attempt));
    }

    List<Attempt> all() throws IOException {
        List<Attempt> attempts = new ArrayList<>();
        try (DirectoryStream<Path> marks = Files.newDirectoryStream(directory)) {
            for (Path mark : marks) {
                Matcher name = NAME.matcher(mark.getFileName().toString());
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

    private Path of(Attempt attempt) {
        return directory.resolve(attempt.job() + "." + attempt.number());
    }
}
