package dev.berth.cli.output;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/** Cuts a log into lines for {@code --json}; a line longer than 64 KiB comes in pieces. For one thread. */
final class LogLines {
    /**
     * A line of a log.
     *
     * @param offset where in the log it begins, in bytes
     * @param text without the line's end; bytes that are not UTF-8 are replaced
     */
    record LogLine(long job, long offset, String text) {}

    private static final int MAX_BYTES = 64 * 1024;

    private final Consumer<LogLine> sink;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private long offset;

    LogLines(Consumer<LogLine> sink) {
        this.sink = sink;
    }

    void take(long job, byte[] bytes, int count) {
        for (int at = 0; at < count; at++) {
            if (bytes[at] == '\n') {
                emit(job, 1);
            } else {
                line.write(bytes[at]);
                if (line.size() == MAX_BYTES) {
                    emit(job, 0);
                }
            }
        }
    }

    void end(long job) {
        if (line.size() > 0) {
            emit(job, 0);
        }
    }

    private void emit(long job, int lineEnd) {
        sink.accept(new LogLine(job, offset, line.toString(StandardCharsets.UTF_8)));
        offset += line.size() + lineEnd;
        line.reset();
    }
}
