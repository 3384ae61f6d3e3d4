package dev.berth.server.track;

import dev.berth.server.linux.FileHandle;
import dev.berth.server.store.track.Reading;
import dev.berth.server.store.track.Reading.Position;
import dev.berth.server.track.source.Problem;
import dev.berth.server.track.source.Problem.Kind;
import dev.berth.server.track.source.TrackLines;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The file that a program finds by {@code BERTH_TRACK}, as it is read. */
final class TrackFile {
    private static final Logger LOG = LoggerFactory.getLogger(TrackFile.class);

    /** What is read of one file at a time, so that no job keeps the others' points waiting, nor takes much memory. */
    private static final long MAX_BYTES = 1L << 20;

    /** More than the points take that a job may have; a file can be said to be longer than any disk. */
    private static final long MAX_FILE_BYTES = 4L << 30;

    private TrackFile() {}

    /**
     * Reads what is new, a piece at the most; {@code isOver} where nothing more will be written.
     *
     * @return whether there may be more; else the file is not to be read any further
     */
    static boolean read(Path file, Reading reading, boolean isOver) throws IOException {
        if (reading.position().bytes() > MAX_FILE_BYTES) {
            // Of which an earlier server told.
            return false;
        }
        try (FileHandle handle = FileHandle.of(file)) {
            if (!handle.status().isRegular()) {
                // Where the server is its submitter, who may put anything there.
                reading.omit("NO_FILE", "The file that BERTH_TRACK names was replaced by what is no file.");
                return false;
            }
            try (FileChannel channel = handle.openAtOnce()) {
                return read(channel, reading, isOver);
            }
        } catch (NoSuchFileException e) {
            LOG.debug("{} is gone", file);
        } catch (AccessDeniedException e) {
            // A server without root's power over files, whose user has closed the file to it.
            if (isOver) {
                reading.omit(
                        "UNREADABLE",
                        "The file that BERTH_TRACK names was closed to the server and not read to its end.");
                return false;
            }
        }
        return true;
    }

    private static boolean read(FileChannel channel, Reading reading, boolean isOver) throws IOException {
        Position from = reading.position();
        long size = channel.size();
        if (size == from.bytes()) {
            // As at most looks.
            return true;
        }
        if (size < from.bytes()) {
            reading.omit("FILE_CUT", "The file that BERTH_TRACK names was cut; it is read from its beginning again.");
            from = Position.START;
            reading.readTo(from);
        }
        GrowingLines lines = new GrowingLines(
                line -> TrackLines.parse(line, reading::add, problem -> OutputFiles.omit(reading, problem)),
                () -> OutputFiles.omit(reading, new Problem(Kind.LINE_TOO_LONG, "")));
        Position now = lines.read(channel, from, MAX_BYTES, isOver);
        reading.readTo(now);
        if (now.bytes() > MAX_FILE_BYTES) {
            reading.omit(
                    "FILE_TOO_LARGE", "The file that BERTH_TRACK names is larger than 4 GiB; it is read no further.");
            return false;
        }
        return true;
    }
}
