package dev.berth.server.runner.docker.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.dockerjava.api.model.Frame;
import com.github.dockerjava.api.model.StreamType;
import dev.berth.server.log.LogSink;
import dev.berth.server.runner.docker.LogBegin;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class DockerLogBeginTest {
    private static final String DATE = "2026-11-26T21:37:57.758679291Z";

    @Test
    void theFirstMessageStaysWhenTheNextFrameIsReadIntoItsArray() throws Exception {
        byte[] buffer = (DATE + " first").getBytes(StandardCharsets.UTF_8);
        try (DockerLogBegin begin = new DockerLogBegin()) {
            begin.onNext(new Frame(StreamType.STDERR, buffer));
            Arrays.fill(buffer, (byte) 'x');
            begin.onNext(new Frame(StreamType.STDERR, buffer));
            begin.onComplete();
            assertThat(begin.await())
                    .contains(new LogBegin(
                            Instant.parse(DATE),
                            LogSink.Stream.ERR,
                            ByteBuffer.wrap("first".getBytes(StandardCharsets.UTF_8))));
        }
    }
}
