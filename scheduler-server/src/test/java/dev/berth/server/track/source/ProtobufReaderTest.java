package dev.berth.server.track.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.server.track.source.ProtobufReader.Wire;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.SplittableRandom;
import org.apache.commons.compress.utils.SeekableInMemoryByteChannel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProtobufReaderTest {

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 127, 128, 300, Integer.MAX_VALUE, Long.MAX_VALUE, Long.MIN_VALUE, -1})
    void numbersOfAllLengthsAreRead(long number) throws IOException {
        ProtobufReader reader = reader(EventFile.join(
                EventFile.varint(1, number), EventFile.fixed64(2, number), EventFile.fixed32(536_870_911, (int)
                        number)));
        assertThat(reader.next()).isEqualTo(1);
        assertThat(reader.is(Wire.VARINT)).isTrue();
        assertThat(reader.bits()).isEqualTo(number);
        assertThat(reader.next()).isEqualTo(2);
        assertThat(reader.is(Wire.FIXED64)).isTrue();
        assertThat(reader.bits()).isEqualTo(number);
        assertThat(reader.next()).isEqualTo(536_870_911);
        assertThat(reader.is(Wire.FIXED32)).isTrue();
        assertThat((int) reader.bits()).isEqualTo((int) number);
        assertThat(reader.next()).isZero();
        assertThat(reader.isBroken()).isFalse();
    }

    @Test
    void messagesInMessagesAreEnteredAndLeft() throws IOException {
        ProtobufReader reader = reader(EventFile.join(
                EventFile.message(
                        1, EventFile.message(2, "deep".getBytes(StandardCharsets.UTF_8)), EventFile.varint(3, 7)),
                EventFile.varint(4, 8)));
        assertThat(reader.next()).isEqualTo(1);
        reader.enter();
        assertThat(reader.next()).isEqualTo(2);
        assertThat(reader.text(4)).isEqualTo("deep");
        assertThat(reader.text(3)).as("more than may be").isNull();
        reader.leave();
        assertThat(reader.next())
                .as("what was not read of the inner one is passed over")
                .isEqualTo(4);
        assertThat(reader.bits()).isEqualTo(8);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "08", // no value
                "80", // half of a tag
                "08 ff ff ff ff ff ff ff ff ff ff 01", // more than 64 bits
                "09 01 02 03", // half of a number
                "0d 01 02 03",
                "0a 05 61", // more bytes than there are
                "0a ff ff ff ff ff ff ff ff 7f", // 2^63 - 1 bytes
                "0a ff ff ff ff ff ff ff ff ff 01", // -1 bytes
                "0b 0c", // a group
                "0e", // forms that are none
                "0f",
                "00 01", // field 0
                "80 80 80 80 80 80 80 80 80 01 01", // a field beyond 29 bits
            })
    void aBrokenMessageEndsWithoutMore(String hex) throws IOException {
        ProtobufReader reader = reader(bytes(hex));
        assertThat(reader.next()).isZero();
        assertThat(reader.isBroken()).isTrue();
        assertThat(reader.next()).isZero();
    }

    @Test
    void whatIsNoUtf8IsNoText() throws IOException {
        ProtobufReader reader = reader(bytes("0a 02 c3 28"));
        assertThat(reader.next()).isEqualTo(1);
        assertThat(reader.text(10)).isNull();
        assertThat(reader.length()).isEqualTo(2);
    }

    /** Whatever bytes there are, each field takes at least one, and nothing outside of the message is read. */
    @Test
    void anyBytesEnd() throws IOException {
        for (int seed = 0; seed < 20_000; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            byte[] bytes = new byte[random.nextInt(60)];
            random.nextBytes(bytes);
            ProtobufReader reader = reader(bytes);
            int fields = 0;
            while (reader.next() != 0) {
                fields++;
                if (reader.is(Wire.BYTES)) {
                    assertThat(reader.place() + reader.length())
                            .as("seed %d", seed)
                            .isLessThanOrEqualTo(3L + bytes.length);
                }
            }
            assertThat(fields).as("seed %d", seed).isLessThanOrEqualTo(bytes.length);
        }
    }

    static byte[] bytes(String hex) {
        return HexFormat.of().parseHex(hex.replace(" ", ""));
    }

    private static ProtobufReader reader(byte[] message) {
        // Zeros around it, which must not be read.
        byte[] file = EventFile.join(new byte[3], message, new byte[3]);
        ProtobufReader reader = new ProtobufReader(new FileWindow(new SeekableInMemoryByteChannel(file)));
        reader.open(3, 3 + message.length);
        return reader;
    }
}
