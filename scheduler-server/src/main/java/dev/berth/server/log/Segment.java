package dev.berth.server.log;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Piece of a log on disk, two files: {@code log.N} holds bytes as the program wrote them, {@code log.N.frames} says
 * which stream they are of and when they came. The frames are made first and removed first: a segment without them is
 * none.
 */
record Segment(Path directory, long number) {
    private static final String PREFIX = "log.";
    private static final String FRAMES = ".frames";

    Path bytes() {
        return directory.resolve(PREFIX + number);
    }

    Path frames() {
        return directory.resolve(PREFIX + number + FRAMES);
    }

    Segment next() {
        return new Segment(directory, number + 1);
    }

    /** The segments of a log, the oldest first; none where there is no such directory. */
    static List<Segment> list(Path directory) throws IOException {
        List<Segment> found = new ArrayList<>();
        for (Path file : files(directory)) {
            if (file.getFileName().toString().endsWith(FRAMES)) {
                found.add(new Segment(directory, number(file).orElseThrow()));
            }
        }
        found.sort(Comparator.comparingLong(Segment::number));
        return found;
    }

    /** Every file of a log's, also what a crash left of a segment. */
    static List<Path> files(Path directory) throws IOException {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> files =
                Files.newDirectoryStream(directory, file -> number(file).isPresent())) {
            files.forEach(found::add);
        } catch (NoSuchFileException | NotDirectoryException e) {
            return List.of();
        }
        return found;
    }

    private static Optional<Long> number(Path file) {
        String name = file.getFileName().toString();
        int end = name.endsWith(FRAMES) ? name.length() - FRAMES.length() : name.length();
        if (!name.startsWith(PREFIX) || end <= PREFIX.length()) {
            return Optional.empty();
        }
        String digits = name.substring(PREFIX.length(), end);
        try {
            return Optional.of(Long.parseLong(digits))
                    .filter(number -> Long.toString(number).equals(digits));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** The segment's header, where it is there and whole. */
    Optional<SegmentHeader> header() throws IOException {
        try (FileChannel channel = FileChannel.open(frames(), StandardOpenOption.READ)) {
            return SegmentHeader.read(channel);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    void delete() throws IOException {
        Files.deleteIfExists(frames());
        Files.deleteIfExists(bytes());
    }
}
