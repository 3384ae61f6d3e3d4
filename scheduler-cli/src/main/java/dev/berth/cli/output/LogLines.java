package dev.berth.cli.output;

import dev.berth.core.api.LogFrame;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/**
 * Cuts a log into lines for {@code --json}, each stream's for itself; a line longer than 64 KiB comes in pieces. For one
 * thread.
 */
final class LogLines {
    /**
     * A line of a log.
     *
     * @param number what people call the job: its id, or {@code 42_7} for a task of an array
     * @param offset where in the log it begins, in bytes
     * @param stream {@code stdout}, {@code stderr}, or {@code berth} for what Berth has to say about the log
     * @param at when its first byte arrived
     * @param text without the line's end; bytes that are not UTF-8 are replaced
     */
    record LogLine(long job, String number, long offset, String stream, String at, String text) {}

    private static final int MAX_BYTES = 64 * 1024;
    private static final String[] STREAMS = {"stdout", "stderr", "berth"};

    private static final class Line {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private long offset;
        private long epochMillis;
        private boolean open;
    }

    private final Consumer<LogLine> sink;
    private final Line[] lines = {new Line(), new Line(), new Line()};

    LogLines(Consumer<LogLine> sink) {
        this.sink = sink;
    }

    void take(LogSource job, LogFrame frame, byte[] bytes) {
        Line line = lines[frame.stream()];
        for (int at = 0; at < frame.length(); at++) {
            if (!line.open) {
                line.open = true;
                line.offset = frame.offset() + at;
                line.epochMillis = frame.epochMillis();
            }
            if (bytes[at] != '\n') {
                line.bytes.write(bytes[at]);
            }
            if (bytes[at] == '\n' || line.bytes.size() == MAX_BYTES) {
                emit(job, frame.stream());
            }
        }
    }

    void end(LogSource job) {
        for (int stream = 0; stream < lines.length; stream++) {
            if (lines[stream].open) {
                emit(job, stream);
            }
        }
    }

    private void emit(LogSource job, int stream) {
        Line line = lines[stream];
        sink.accept(new LogLine(
                job.id(),
                job.number(),
                line.offset,
                STREAMS[stream],
                LogStamps.time(line.epochMillis),
                line.bytes.toString(StandardCharsets.UTF_8)));
        line.bytes.reset();
        line.open = false;
    }
}
