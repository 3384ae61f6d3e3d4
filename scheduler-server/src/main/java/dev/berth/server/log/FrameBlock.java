package dev.berth.server.log;

import dev.berth.server.log.Frames.Frame;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import org.jspecify.annotations.Nullable;

/**
 * A row of frames of a segment, read at once for one who reads on from one to the next. What they say stays true: a
 * frame that grew meanwhile holds at least what it did. For one thread.
 */
final class FrameBlock {
    private static final int FRAMES = 1 << 10;

    private final ByteBuffer block = ByteBuffer.allocate(FRAMES * Frames.BYTES).limit(0);
    private int start;
    private @Nullable Frame current;

    /** Reads the frames from this one on. */
    void load(FileChannel frames, int index) throws IOException {
        start = index == 0 ? 0 : Frames.at(frames, index - 1).end();
        current = null;
        Frames.read(frames, index, block);
    }

    /** The frame that holds this byte; null where it is not the one looked at last, or one behind it. */
    @Nullable
    Frame holding(long byteAt) {
        while (byteAt >= start) {
            Frame frame = current;
            if (frame != null && byteAt < frame.end()) {
                return frame;
            }
            if (block.remaining() < Frames.BYTES) {
                return null;
            }
            start = frame == null ? start : frame.end();
            current = Frames.frame(block);
        }
        return null;
    }
}
