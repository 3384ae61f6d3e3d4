package dev.berth.server.log;

import dev.berth.core.api.LogFrame;
import dev.berth.server.log.LogSink.Stream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The files of a log: read as a reader reads them, cut off, damaged behind their back. */
public record LogFiles(Path directory) {
    LogReader reader() {
        return new LogReader(directory, () -> -1);
    }

    public String text() {
        StringBuilder text = new StringBuilder();
        pieces().values().forEach(text::append);
        return text.toString();
    }

    String text(Stream stream) {
        StringBuilder text = new StringBuilder();
        pieces().forEach((frame, piece) -> text.append(frame.stream() == stream.number() ? piece : ""));
        return text.toString();
    }

    List<LogFrame> frames() {
        return new ArrayList<>(pieces().keySet());
    }

    long start() {
        try (LogReader reader = reader()) {
            return reader.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** All that is kept, in ISO 8859-1 so that a byte is a character; fails where a plain reader reads something else. */
    Map<LogFrame, String> pieces() {
        Map<LogFrame, String> pieces = new LinkedHashMap<>();
        StringBuilder whole = new StringBuilder();
        try (LogReader reader = reader();
                LogReader plain = reader()) {
            reader.seek(0);
            plain.seek(0);
            ByteBuffer room = ByteBuffer.allocate(LogFrame.MAX_LENGTH);
            for (Optional<LogFrame> frame = reader.piece(room.clear());
                    frame.isPresent();
                    frame = reader.piece(room.clear())) {
                String piece = new String(room.array(), 0, frame.get().length(), StandardCharsets.ISO_8859_1);
                whole.append(piece);
                pieces.put(frame.get(), piece);
            }
            String bytes = rest(plain);
            if (!bytes.contentEquals(whole)) {
                throw new AssertionError("the pieces are '" + whole + "' and the bytes are '" + bytes + "'");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return pieces;
    }

    static String rest(LogReader reader) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ByteBuffer room = ByteBuffer.allocate(7);
        while (reader.read(room.clear()) > 0) {
            bytes.write(room.array(), 0, room.position());
        }
        return bytes.toString(StandardCharsets.ISO_8859_1);
    }

    /** Every file of the log, with what is in it. */
    Map<Path, byte[]> snapshot() throws IOException {
        Map<Path, byte[]> files = new LinkedHashMap<>();
        for (Path file : Segment.files(directory)) {
            files.put(file, Files.readAllBytes(file));
        }
        return files;
    }

    void restore(Map<Path, byte[]> files) throws IOException {
        for (Path file : Segment.files(directory)) {
            Files.delete(file);
        }
        for (Map.Entry<Path, byte[]> file : files.entrySet()) {
            Files.write(file.getKey(), file.getValue());
        }
    }

    static void cut(Path file, long length) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(length);
        }
    }

    static ByteBuffer piece(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }
}
