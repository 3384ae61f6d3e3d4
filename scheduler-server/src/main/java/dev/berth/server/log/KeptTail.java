package dev.berth.server.log;

import dev.berth.server.log.Frames.Frame;
import dev.berth.server.log.LogSink.Stream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;

/** The last bytes of one stream of a log that nobody writes at the moment. */
final class KeptTail {
    private KeptTail() {}

    /** At most {@code most} bytes, fewer where fewer are kept. */
    static byte[] read(Path directory, Stream stream, int most) throws IOException {
        byte[] tail = new byte[most];
        int free = most;
        List<Segment> segments = Segment.list(directory).reversed();
        for (int i = 0; i < segments.size() && free > 0; i++) {
            free = read(segments.get(i), stream, tail, free);
        }
        return Arrays.copyOfRange(tail, free, most);
    }

    /** Fills the array from {@code free} downwards; answers what is still free. */
    private static int read(Segment segment, Stream stream, byte[] tail, int free) throws IOException {
        int left = free;
        try (FileChannel frames = FileChannel.open(segment.frames(), StandardOpenOption.READ);
                FileChannel bytes = FileChannel.open(segment.bytes(), StandardOpenOption.READ)) {
            for (int index = Frames.count(frames) - 1; index >= 0 && left > 0; index--) {
                Frame frame = Frames.at(frames, index);
                if (frame.stream() == stream.number()) {
                    int start = index == 0 ? 0 : Frames.at(frames, index - 1).end();
                    int length = Math.min(left, frame.end() - start);
                    left -= length;
                    fill(bytes, frame.end() - length, ByteBuffer.wrap(tail, left, length));
                }
            }
        } catch (NoSuchFileException e) {
            return left; // Its turn to go came meanwhile.
        }
        return left;
    }

    private static void fill(FileChannel bytes, long from, ByteBuffer into) throws IOException {
        long at = from;
        while (into.hasRemaining()) {
            int count = bytes.read(into, at);
            if (count < 0) {
                throw new IOException("the bytes of a log end before their frames do");
            }
            at += count;
        }
    }
}
