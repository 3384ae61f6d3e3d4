package dev.berth.server.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.server.log.EngineCopy.DateSet;
import dev.berth.server.log.EngineCopy.Unkept;
import dev.berth.server.log.LogSink.Stream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The file beside a log that says how the engine's copy stands to it. */
class EngineCopyFileTest {
    private static final DateSet DATE = new DateSet(5, true, 6);

    @TempDir
    private Path directory;

    private static EngineCopy copy() {
        return new EngineCopy(
                3,
                new WrittenBytes(10, 20, 30),
                1,
                2,
                3,
                DATE,
                new Unkept(new WrittenBytes(11, 21, 30), new WrittenBytes(1, 1, 0)),
                List.of(new Gap(Stream.OUT, 40, 2), new Gap(Stream.ERR, 50, 3)));
    }

    @Test
    void whatIsWrittenIsRead() throws IOException {
        assertThat(EngineCopyFile.read(directory)).isEqualTo(EngineCopy.FIRST);
        EngineCopyFile.write(directory, copy());
        assertThat(EngineCopyFile.read(directory)).isEqualTo(copy());
    }

    /** It had how much was lost, and up to where that was known. */
    @Test
    void theFormBeforeIsReadWithItsLossAsAGap() throws IOException {
        ByteBuffer old = ByteBuffer.allocate(17 * Long.BYTES);
        for (long number : new long[] {3, 10, 20, 30, 7, 2, 3, 4, 0, 0, 44, 60, 30, 5, 1, 6}) {
            old.putLong(number);
        }
        CRC32 checksum = new CRC32();
        checksum.update(old.slice(0, 16 * Long.BYTES));
        old.putLong(checksum.getValue());
        Files.write(directory.resolve("log-attempt"), old.array());
        assertThat(EngineCopyFile.read(directory))
                .isEqualTo(new EngineCopy(
                        3,
                        new WrittenBytes(10, 20, 30),
                        0,
                        2,
                        3,
                        DATE,
                        new Unkept(new WrittenBytes(10, 20, 30), WrittenBytes.NOTHING),
                        List.of(new Gap(Stream.OUT, 40, 4))));
    }

    @Test
    void aDamagedOneIsNone() throws IOException {
        EngineCopyFile.write(directory, copy());
        Path file = directory.resolve("log-attempt");
        byte[] bytes = Files.readAllBytes(file);
        bytes[9]++;
        Files.write(file, bytes);
        assertThatThrownBy(() -> EngineCopyFile.read(directory)).hasMessageContaining("is damaged");
    }

    /** No engine has begun at the time that it is said to have begun then: it is not compared any more. */
    @Test
    void gapsAreBounded() {
        EngineCopy copy = EngineCopy.FIRST.withBegin(Instant.ofEpochSecond(9));
        for (int gap = 0; gap < 1_000; gap++) {
            copy = copy.lacking(new Gap(Stream.OUT, 10L * gap, 5));
        }
        assertThat(copy.gaps()).hasSizeLessThan(300);
        assertThat(copy.begin()).hasValueSatisfying(begin -> assertThat(begin).isBefore(Instant.EPOCH));
    }
}
