package dev.berth.server.track.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.berth.server.store.track.Entry;
import dev.berth.server.store.track.Numbers;
import dev.berth.server.track.source.Problem.Kind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;
import org.apache.commons.compress.utils.SeekableInMemoryByteChannel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Against files that TensorFlow, tensorboardX and TensorBoard wrote (resources/track/write.py), published bytes, and files
 * that were made to do harm.
 */
class TensorBoardEventsTest {
    private static final Instant TIME = Instant.parse("2025-11-26T23:33:20.250Z");
    private static final double SECONDS = 1764200000.25;
    private static final long ALL = Long.MAX_VALUE;

    private final Told told = new Told();

    /**
     * An event file of {@code tf.summary.scalar("accuracy", 0.99, step=77)}, as TensorBoard's own tests have it
     * (tensorflow/tensorboard, tensorboard/data/server/tf_record.rs, test_success).
     */
    private static final byte[] PUBLISHED = HexFormat.of()
            .parseHex("1800000000000000" + "a37f4b22" + "09000080" + "3899d6d741" + "1a0d" + hex("brain.Event:2")
                    + "124b36ab" + "3200000000000000" + "241956ec" + "09c405b73d99d6d741" + "104d2a25" + "0a230a08"
                    + hex("accuracy") + "420a080112002204a4707d3f4a" + "0b0a090a07" + hex("scalars") + "a55b6433");

    @Test
    void publishedBytesAreRead() throws IOException {
        SourceRead read = read(PUBLISHED, 0, ALL);
        assertThat(read).isEqualTo(new SourceRead(PUBLISHED.length, false, null));
        assertThat(told.problems()).isEmpty();
        Entry.Point point = (Entry.Point) told.entries().getFirst();
        assertThat(point.metric()).isEqualTo("accuracy");
        assertThat(point.step()).isEqualTo(77);
        assertThat(point.value()).isEqualTo(0.99f);
        assertThat(point.time())
                .isBetween(Instant.parse("2020-08-01T00:00:00Z"), Instant.parse("2020-12-31T00:00:00Z"));
    }

    /** RFC 3720, section B.4, and a record of TensorBoard's tests (masked_crc.rs). */
    @Test
    void checksumsAreThosePublished() {
        byte[] ones = new byte[32];
        Arrays.fill(ones, (byte) 0xFF);
        byte[] rising = new byte[32];
        for (int at = 0; at < rising.length; at++) {
            rising[at] = (byte) at;
        }
        assertThat(crc(new byte[32])).isEqualTo(0x8A9136AA).isEqualTo(EventFile.checksum(new byte[32]));
        assertThat(crc(ones)).isEqualTo(0x62A8AB43).isEqualTo(EventFile.checksum(ones));
        assertThat(crc(rising)).isEqualTo(0x46DD794E).isEqualTo(EventFile.checksum(rising));
        byte[] record = EventFile.message(3, "CRC test, one two".getBytes(StandardCharsets.UTF_8));
        assertThat(EventFile.masked(record)).isEqualTo(0x5794d08a);
    }

    @ParameterizedTest
    @ValueSource(strings = {"tensorboardx", "tensorboardx_parameters", "tensorflow1", "tensorflow2", "tensors"})
    void filesOfOthersGiveWhatTensorBoardReadsInThem(String name) throws IOException {
        byte[] file = Resources.bytes(name + ".tfevents");
        assertThat(read(file, 0, ALL)).isEqualTo(new SourceRead(file.length, false, null));
        assertThat(told.problems()).isEmpty();
        List<Entry.Point> points = points(told);
        List<String> expected = Resources.lines(name + ".expected");
        assertThat(points).hasSameSizeAs(expected).isNotEmpty();
        for (int at = 0; at < points.size(); at++) {
            String[] fields = expected.get(at).split("\t", -1);
            Entry.Point point = points.get(at);
            assertThat(point.metric()).isEqualTo(fields[0]);
            assertThat(point.step()).isEqualTo(Long.valueOf(fields[1]));
            Instant time = Objects.requireNonNull(point.time());
            assertThat(time.getEpochSecond() + time.getNano() / 1e9)
                    .isCloseTo(Double.parseDouble(fields[2]), within(1e-6));
            assertThat(point.value()).isEqualTo(Numbers.number(fields[3]));
        }
    }

    @Test
    void parametersOfTensorboardXAreRead() throws IOException {
        read(Resources.bytes("tensorboardx_parameters.tfevents"), 0, ALL);
        assertThat(told.entries())
                .filteredOn(Entry.Parameter.class::isInstance)
                .containsExactlyInAnyOrder(
                        new Entry.Parameter("lr", "0.1"),
                        new Entry.Parameter("batch", "32"),
                        new Entry.Parameter("optimizer", "adam"),
                        new Entry.Parameter("nesterov", "true"));
    }

    @Test
    void parametersOfTensorFlowAreRead() throws IOException {
        read(Resources.bytes("tensorflow2.tfevents"), 0, ALL);
        assertThat(told.entries())
                .filteredOn(Entry.Parameter.class::isInstance)
                .containsExactlyInAnyOrder(
                        new Entry.Parameter("lr", "0.25"),
                        new Entry.Parameter("units", "16"),
                        new Entry.Parameter("optimizer", "sgd"),
                        new Entry.Parameter("dropout", "false"));
    }

    @Test
    void theDirectoryOfTheFileStandsBeforeTheTag() throws IOException {
        byte[] file = new EventFile()
                .record(EventFile.event(SECONDS, 3, EventFile.scalar("loss", 0.5f)))
                .bytes();
        TensorBoardEvents.read(channel(file), 0, "train", ALL, told.entries()::add, told.problems()::add);
        assertThat(told.entries()).containsExactly(new Entry.Point("train/loss", 3L, TIME, 0.5));
        assertThat(TensorBoardEvents.isName("events.out.tfevents.1764200000.host.1.0"))
                .isTrue();
        assertThat(TensorBoardEvents.isName("events.txt")).isFalse();
    }

    /** Cut at each byte: what is whole is read, the rest is waited for, and each point is given once. */
    @Test
    void aRecordThatIsBeingWrittenIsWaitedFor() throws IOException {
        byte[] file = Resources.bytes("tensorflow2.tfevents");
        read(file, 0, ALL);
        List<Entry> whole = List.copyOf(told.entries());
        for (int cut = 0; cut <= file.length; cut++) {
            Told each = new Told();
            byte[] begun = Arrays.copyOf(file, cut);
            SourceRead first =
                    TensorBoardEvents.read(channel(begun), 0, "", ALL, each.entries()::add, each.problems()::add);
            assertThat(first.stop()).as("cut at %d", cut).isNull();
            assertThat(first.hasMore()).isFalse();
            assertThat(first.position()).isLessThanOrEqualTo(cut);
            SourceRead second = TensorBoardEvents.read(
                    channel(file), first.position(), "", ALL, each.entries()::add, each.problems()::add);
            assertThat(second.position()).isEqualTo(file.length);
            assertThat(each.entries()).as("cut at %d", cut).isEqualTo(whole);
            assertThat(each.problems()).isEmpty();
        }
    }

    @Test
    void aReadingEndsAtItsBoundAndGoesOnThere() throws IOException {
        byte[] file = Resources.bytes("tensorflow2.tfevents");
        read(file, 0, ALL);
        Told pieces = new Told();
        SourceRead read = new SourceRead(0, true, null);
        int readings = 0;
        while (read.hasMore()) {
            read = TensorBoardEvents.read(
                    channel(file), read.position(), "", 100, pieces.entries()::add, pieces.problems()::add);
            readings++;
        }
        assertThat(readings).isGreaterThan(5);
        assertThat(read.position()).isEqualTo(file.length);
        assertThat(pieces.entries()).isEqualTo(told.entries());
    }

    /** Each bit of a file turned: either the reading stops at the record with it, or it waits; nothing false is read. */
    @Test
    void aBitThatIsWrongIsFound() throws IOException {
        byte[] whole = EventFile.join(PUBLISHED, PUBLISHED);
        for (int bit = 0; bit < PUBLISHED.length * 8; bit++) {
            byte[] file = whole.clone();
            file[bit / 8] ^= (byte) (1 << bit % 8);
            Told each = new Told();
            SourceRead read =
                    TensorBoardEvents.read(channel(file), 0, "", ALL, each.entries()::add, each.problems()::add);
            assertThat(each.entries()).as("bit %d", bit).isEmpty();
            assertThat(read.stop()).as("bit %d", bit).isNotNull();
            assertThat(read.position()).isLessThanOrEqualTo(bit / 8);
        }
    }

    @Test
    void aWrongChecksumStopsTheReading() throws IOException {
        byte[] file = new EventFile()
                .record(EventFile.event(SECONDS, 1, EventFile.scalar("a", 1)))
                .bytes();
        int first = file.length;
        byte[] both = EventFile.join(file, file);
        both[both.length - 1]++;
        SourceRead read = read(both, 0, ALL);
        assertThat(read.position()).isEqualTo(first);
        assertThat(read.stop()).isEqualTo(Problem.of(Kind.CHECKSUM, ""));
        assertThat(told.entries()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MIN_VALUE, -1, Long.MAX_VALUE, 1L << 31})
    void anAbsurdLengthStopsTheReading(long length) throws IOException {
        assertThat(read(new EventFile().record(new byte[100], length).bytes(), 0, ALL)
                        .stop())
                .isEqualTo(Problem.of(Kind.LENGTH, ""));
    }

    @Test
    void aLengthThatMayBeIsWaitedFor() throws IOException {
        assertThat(read(new EventFile().record(new byte[100], Integer.MAX_VALUE).bytes(), 0, ALL))
                .isEqualTo(new SourceRead(0, false, null));
    }

    @Test
    void zerosAreNoRecords() throws IOException {
        assertThat(read(new byte[1000], 0, ALL).stop()).isEqualTo(Problem.of(Kind.LENGTH, ""));
    }

    @Test
    void aFileThatShrankStopsTheReading() throws IOException {
        assertThat(read(PUBLISHED, PUBLISHED.length + 1, ALL).stop()).isEqualTo(Problem.of(Kind.FILE_SHORTER, ""));
    }

    /** TF1 puts pictures and scalars in one event; the picture is not held in memory, the scalar behind it counts. */
    @Test
    void aLargePictureIsPassedOver() throws IOException {
        byte[] picture = EventFile.message(
                1, EventFile.message(1, "p".getBytes(StandardCharsets.UTF_8)), EventFile.message(4, new byte[5 << 20]));
        byte[] file = new EventFile()
                .record(EventFile.event(SECONDS, 3, picture, EventFile.scalar("loss", 0.5f)))
                .record(EventFile.event(SECONDS, 4, EventFile.scalar("loss", 0.25f)))
                .bytes();
        assertThat(read(file, 0, ALL).position()).isEqualTo(file.length);
        assertThat(told.entries())
                .containsExactly(new Entry.Point("loss", 3L, TIME, 0.5), new Entry.Point("loss", 4L, TIME, 0.25));
    }

    @Test
    void aRecordOfMoreThan16MibIsLeftOut() throws IOException {
        byte[] file = new EventFile()
                .record(EventFile.event(SECONDS, 3, EventFile.message(1, new byte[16 << 20])))
                .record(EventFile.event(SECONDS, 4, EventFile.scalar("loss", 0.25f)))
                .bytes();
        assertThat(read(file, 0, ALL).position()).isEqualTo(file.length);
        assertThat(told.kinds()).containsExactly(Kind.RECORD_TOO_LARGE);
        assertThat(told.entries()).containsExactly(new Entry.Point("loss", 4L, TIME, 0.25));
    }

    @Test
    void stepAndTimeMayStandBehindTheSummary() throws IOException {
        byte[] event = EventFile.join(
                EventFile.message(5, EventFile.scalar("loss", 0.5f)),
                EventFile.varint(2, -3),
                EventFile.fixed64(1, Double.doubleToLongBits(SECONDS)));
        read(new EventFile().record(event).bytes(), 0, ALL);
        assertThat(told.entries()).containsExactly(new Entry.Point("loss", -3L, TIME, 0.5));
    }

    /** Protocol buffers write no field of zero. */
    @Test
    void anEventWithoutStepAndTimeHasNotThoseOfTheOneBefore() throws IOException {
        read(
                new EventFile()
                        .record(EventFile.event(SECONDS, 3, EventFile.scalar("a", 1)))
                        .record(EventFile.message(5, EventFile.scalar("a", Float.NaN)))
                        .record(EventFile.message(5, EventFile.scalar("a", Float.NEGATIVE_INFINITY)))
                        .bytes(),
                0,
                ALL);
        assertThat(told.entries())
                .containsExactly(
                        new Entry.Point("a", 3L, TIME, 1),
                        new Entry.Point("a", 0L, null, Double.NaN),
                        new Entry.Point("a", 0L, null, Double.NEGATIVE_INFINITY));
        assertThat(told.problems()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(doubles = {Double.NaN, Double.POSITIVE_INFINITY, -1, 1e18, -1e300})
    void aTimeOutOfRangeIsLeftOut(double seconds) throws IOException {
        read(
                new EventFile()
                        .record(EventFile.event(seconds, 1, EventFile.scalar("a", 1)))
                        .bytes(),
                0,
                ALL);
        assertThat(told.entries()).containsExactly(new Entry.Point("a", 1L, null, 1));
        assertThat(told.kinds()).containsExactly(Kind.TIME);
    }

    @Test
    void namesKeepTheirBounds() throws IOException {
        read(
                new EventFile()
                        .record(EventFile.event(
                                SECONDS,
                                1,
                                EventFile.scalar("x".repeat(250), 1),
                                EventFile.scalar("x".repeat(251), 1),
                                EventFile.scalar("x".repeat(100_000), 1),
                                EventFile.scalar("", 1),
                                EventFile.scalar("a\nb", 1)))
                        .bytes(),
                0,
                ALL);
        assertThat(told.entries()).containsExactly(new Entry.Point("x".repeat(250), 1L, TIME, 1));
        assertThat(told.kinds()).hasSize(4).containsOnly(Kind.NAME);
    }

    @Test
    void theDirectoryCountsInTheBoundOfAName() throws IOException {
        byte[] file = new EventFile()
                .record(EventFile.event(
                        SECONDS, 1, EventFile.scalar("x".repeat(244), 1), EventFile.scalar("x".repeat(245), 1)))
                .bytes();
        TensorBoardEvents.read(channel(file), 0, "train", ALL, told.entries()::add, told.problems()::add);
        assertThat(told.entries()).containsExactly(new Entry.Point("train/" + "x".repeat(244), 1L, TIME, 1));
        assertThat(told.kinds()).containsExactly(Kind.NAME);
    }

    @Test
    void aHundredThousandNamesAreGivenAsTheyCome() throws IOException {
        EventFile file = new EventFile();
        for (int name = 0; name < 100_000; name++) {
            file.record(EventFile.event(SECONDS, name, EventFile.scalar("name" + name, name)));
        }
        read(file.bytes(), 0, ALL);
        assertThat(told.entries()).hasSize(100_000);
        assertThat(told.entries().getLast()).isEqualTo(new Entry.Point("name99999", 99_999L, TIME, 99_999));
    }

    @Test
    void tensorsOfMoreElementsAndOtherPluginsAreNoScalars() throws IOException {
        byte[] one = EventFile.varint(1, 1);
        byte[] two = EventFile.message(5, new byte[8]);
        byte[] shape = EventFile.message(2, EventFile.message(2, EventFile.varint(1, 2)));
        byte[] unknown = EventFile.message(2, EventFile.varint(3, 1));
        byte[] plugin = EventFile.message(
                9, EventFile.message(1, EventFile.message(1, "mesh".getBytes(StandardCharsets.UTF_8))));
        read(
                new EventFile()
                        .record(EventFile.event(
                                SECONDS,
                                1,
                                tensor("a", one, two),
                                tensor("b", one, shape),
                                tensor("c", one, unknown),
                                tensor("d", EventFile.varint(1, 7), EventFile.message(8, new byte[4])),
                                EventFile.message(
                                        1, EventFile.message(1, new byte[] {'e'}), EventFile.message(8, one), plugin),
                                tensor("zero", one),
                                tensor("last", EventFile.varint(1, 9), EventFile.varint(10, -7))))
                        .bytes(),
                0,
                ALL);
        assertThat(told.entries())
                .containsExactly(new Entry.Point("zero", 1L, TIME, 0), new Entry.Point("last", 1L, TIME, -7));
        assertThat(told.problems()).isEmpty();
    }

    /** Messages of any bytes, whole by their checksums: nothing is thrown, and the record behind them is read. */
    @Test
    void anyMessageIsSurvived() throws IOException {
        byte[] good = EventFile.event(
                SECONDS,
                1,
                EventFile.scalar("a", 1),
                tensor("b", EventFile.varint(1, 1), EventFile.message(5, new byte[4])));
        byte[] parameters = Resources.bytes("tensorboardx_parameters.tfevents");
        byte[] last = EventFile.event(SECONDS, 9, EventFile.scalar("last", 9));
        for (int seed = 0; seed < 20_000; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            byte[] message =
                    (random.nextBoolean() ? good : Arrays.copyOfRange(parameters, 52, parameters.length - 4)).clone();
            for (int change = random.nextInt(5); change >= 0; change--) {
                message[random.nextInt(message.length)] = (byte) random.nextInt();
            }
            message = Arrays.copyOf(message, random.nextInt(message.length + 1));
            byte[] file = new EventFile().record(message).record(last).bytes();
            List<Entry> entries = new ArrayList<>();
            SourceRead read = TensorBoardEvents.read(channel(file), 0, "", ALL, entries::add, problem -> {});
            assertThat(read).as("seed %d", seed).isEqualTo(new SourceRead(file.length, false, null));
            assertThat(entries).as("seed %d", seed).endsWith(new Entry.Point("last", 9L, TIME, 9));
        }
    }

    @Test
    void aBrokenMessageIsNamed() throws IOException {
        read(new EventFile().record(ProtobufReaderTest.bytes("0b 0c")).bytes(), 0, ALL);
        assertThat(told.kinds()).containsExactly(Kind.RECORD_BROKEN);
    }

    private static byte[] tensor(String tag, byte[]... fields) {
        return EventFile.message(
                1, EventFile.message(1, tag.getBytes(StandardCharsets.UTF_8)), EventFile.message(8, fields));
    }

    private SourceRead read(byte[] file, long offset, long maxBytes) throws IOException {
        return TensorBoardEvents.read(channel(file), offset, "", maxBytes, told.entries()::add, told.problems()::add);
    }

    private static List<Entry.Point> points(Told told) {
        return told.entries().stream()
                .filter(Entry.Point.class::isInstance)
                .map(Entry.Point.class::cast)
                .toList();
    }

    private static SeekableInMemoryByteChannel channel(byte[] bytes) {
        return new SeekableInMemoryByteChannel(bytes);
    }

    private static int crc(byte[] of) {
        CRC32C crc = new CRC32C();
        crc.update(of);
        return (int) crc.getValue();
    }

    private static String hex(String text) {
        return HexFormat.of().formatHex(text.getBytes(StandardCharsets.US_ASCII));
    }
}
