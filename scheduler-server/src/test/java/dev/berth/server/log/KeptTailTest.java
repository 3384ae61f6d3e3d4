package dev.berth.server.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import dev.berth.server.log.LogSink.Stream;
import dev.berth.server.time.Clocks;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeptTailTest {
    @TempDir
    private Path directory;

    @Test
    void theTailOfAStreamGoesOverFramesAndSegments() throws IOException {
        StringBuilder out = new StringBuilder();
        try (JobLog log = new JobLog(
                new Attempt(new JobId(1), 1),
                directory,
                LogBounds.of(1 << 16),
                Clocks.neverSet(() -> Instant.ofEpochSecond(1_000)),
                new LogProgress())) {
            for (int i = 0; i < 2_000; i++) {
                String line = "line " + i + "\n";
                out.append(line);
                log.write(Stream.OUT, ByteBuffer.wrap(line.getBytes(UTF_8)));
                log.write(Stream.ERR, ByteBuffer.wrap("x".getBytes(UTF_8)));
            }
        }
        String all = out.toString();
        assertThat(new String(KeptTail.read(directory, Stream.OUT, 3_000), UTF_8))
                .isEqualTo(all.substring(all.length() - 3_000));
        assertThat(KeptTail.read(directory, Stream.ERR, 17)).containsOnly('x').hasSize(17);
        assertThat(KeptTail.read(directory, Stream.ERR, 5_000)).hasSizeLessThanOrEqualTo(2_000);
        assertThat(KeptTail.read(directory, Stream.NOTICE, 10)).isEmpty();
        assertThat(KeptTail.read(directory.resolve("none"), Stream.OUT, 10)).isEmpty();
    }
}
