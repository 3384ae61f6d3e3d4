package dev.berth.server.http.route;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import dev.berth.server.http.route.LogRequest.Which;
import dev.berth.server.log.JobLog;
import dev.berth.server.log.LogReader;
import dev.berth.server.log.LogSink.Stream;
import dev.berth.server.log.LogStore;
import dev.berth.server.time.Clocks;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a log of many short lines costs in each form: how often something is sent, and how much is held until then. */
class LogAnswerTest {
    private static final JobId JOB = new JobId(7);
    private static final int LINES = 20_000;
    private static final int PIECE_BYTES = 64 << 10;

    @TempDir
    private Path directory;

    private Instant now = Instant.parse("2026-03-01T09:00:00Z");

    /** Keeps what is sent, and how much at a time. */
    private static final class Sent extends OutputStream {
        private final ByteArrayOutputStream all = new ByteArrayOutputStream();
        private final List<Integer> pieces = new ArrayList<>();

        @Override
        public void write(int single) {
            throw new AssertionError("a byte at a time");
        }

        @Override
        public void write(byte[] bytes, int from, int length) {
            pieces.add(length);
            all.write(bytes, from, length);
        }
    }

    private static LogRequest request(boolean timestamps, boolean frames) {
        return new LogRequest(
                0, false, Optional.empty(), Optional.empty(), Optional.empty(), Which.BOTH, timestamps, frames);
    }

    private LogStore written() throws IOException {
        Files.createDirectories(directory.resolve("7"));
        LogStore logs = new LogStore(job -> directory.resolve(job.toString()), Clocks.neverSet(() -> now));
        try (JobLog log = logs.append(new Attempt(JOB, 1))) {
            for (int line = 0; line < LINES; line++) {
                now = now.plusMillis(line % 3 == 0 ? 1 : 0);
                Stream stream = line % 2 == 0 ? Stream.OUT : Stream.ERR;
                log.write(stream, ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.US_ASCII)));
            }
        }
        return logs;
    }

    private Sent sent(LogRequest request) throws IOException {
        LogStore logs = written();
        Sent sent = new Sent();
        try (LogReader reader = logs.reader(JOB)) {
            reader.seek(0);
            new LogAnswer(request, reader, sent).copy();
        }
        assertThat(sent.pieces)
                .allSatisfy(bytes -> assertThat(bytes).isBetween(1, PIECE_BYTES))
                .hasSizeLessThan(2 + 2 * sent.all.size() / PIECE_BYTES);
        return sent;
    }

    @Test
    void shortLinesWithTheirTimesAreSentTogether() throws IOException {
        List<String> lines = sent(request(true, false))
                .all
                .toString(StandardCharsets.US_ASCII)
                .lines()
                .toList();
        assertThat(lines).hasSize(LINES);
        for (int line = 0; line < LINES; line++) {
            Instant at = Instant.parse("2026-03-01T09:00:00Z").plusMillis(line / 3 + 1);
            assertThat(lines.get(line)).isEqualTo(at.toString().replaceFirst("(:\\d\\d)Z", "$1.000Z") + " " + line);
        }
    }

    @Test
    void shortPiecesInFramesAreSentTogether() throws IOException {
        assertThat(sent(request(false, true)).all.size()).isGreaterThan(LINES * 20);
    }
}
