package dev.berth.server.log;

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

/** The two files of a log, as bytes: read, cut off, damaged behind its back. */
record LogFiles(Path directory) {
    static final int FRAME_BYTES = 13;

    Path log() {
        return directory.resolve("log");
    }

    Path frames() {
        return directory.resolve("log.frames");
    }

    String text() {
        return new String(bytes(log()), StandardCharsets.UTF_8);
    }

    /** What one stream wrote, as the frames tell it from the other; fails where the two files contradict each other. */
    String text(Stream stream) {
        byte[] log = bytes(log());
        ByteBuffer frames = ByteBuffer.wrap(bytes(frames()));
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        int at = 0;
        while (frames.hasRemaining()) {
            int number = frames.get();
            frames.getLong();
            int length = frames.getInt();
            if (number == stream.number()) {
                text.write(log, at, length);
            }
            at += length;
        }
        if (at != log.length) {
            throw new AssertionError("the frames tell of " + at + " bytes and the log has " + log.length);
        }
        return text.toString(StandardCharsets.UTF_8);
    }

    private static byte[] bytes(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
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
