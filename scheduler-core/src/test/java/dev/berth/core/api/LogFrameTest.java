package dev.berth.core.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class LogFrameTest {
    @Test
    void theEncodedFormIsBigEndianAndComesBackAsItWas() {
        LogFrame frame = new LogFrame(0x0102030405060708L, -2, LogFrame.STDERR, 65_535);
        byte[] bytes = new byte[LogFrame.BYTES];
        frame.put(bytes);
        assertThat(HexFormat.of().formatHex(bytes)).isEqualTo("0102030405060708fffffffffffffffe000000010000ffff");
        assertThat(LogFrame.get(bytes)).isEqualTo(frame);
        assertThat(frame.end()).isEqualTo(0x0102030405060708L + 65_535);
    }

    @Test
    void whatNoServerWritesIsImpossible() {
        assertThat(new LogFrame(0, 0, LogFrame.NOTICE, LogFrame.MAX_LENGTH).isPossible())
                .isTrue();
        assertThat(new LogFrame(-1, 0, 0, 1).isPossible()).isFalse();
        assertThat(new LogFrame(0, 0, 3, 1).isPossible()).isFalse();
        assertThat(new LogFrame(0, 0, -1, 1).isPossible()).isFalse();
        assertThat(new LogFrame(0, 0, 0, -1).isPossible()).isFalse();
        assertThat(new LogFrame(0, 0, 0, LogFrame.MAX_LENGTH + 1).isPossible()).isFalse();
    }
}
