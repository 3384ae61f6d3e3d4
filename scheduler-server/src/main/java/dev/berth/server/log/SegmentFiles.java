package dev.berth.server.log;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The two files of a segment, open for writing. */
record SegmentFiles(FileChannel frames, FileChannel bytes) implements AutoCloseable {
    static SegmentFiles open(Segment segment) throws IOException {
        FileChannel frames = open(segment.frames());
        try {
            return new SegmentFiles(frames, open(segment.bytes()));
        } catch (IOException e) {
            frames.close();
            throw e;
        }
    }

    private static FileChannel open(Path file) throws IOException {
        return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    @Override
    public void close() throws IOException {
        try (frames) {
            bytes.close();
        }
    }
}
