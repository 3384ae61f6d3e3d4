package dev.berth.server.track.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.server.store.track.Entry;
import dev.berth.server.track.source.Problem.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.commons.compress.utils.SeekableInMemoryByteChannel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Against files that pandas wrote as CW2's loggers have it do (resources/track/write.py), and others. */
class Cw2CsvTest {
    private final Told told = new Told();

    /** The file of each iteration, written anew each time, with a new column and other times: each row is given once. */
    @Test
    void eachRowOfAFileThatIsWrittenAnewIsGivenOnce() throws IOException {
        long rows = 0;
        for (int iteration = 1; iteration <= 5; iteration++) {
            SourceRead read = read(Resources.bytes("rep_0.after-%d.csv".formatted(iteration)), rows);
            assertThat(read).isEqualTo(new SourceRead(iteration, false, null));
            rows = read.position();
        }
        assertThat(values("loss")).containsExactly(1.0, 0.5, 1.0 / 3, 0.25, 0.2);
        assertThat(values("net.depth")).containsExactly(3.0, 3.0, 3.0, 3.0, 3.0);
        assertThat(values("done")).containsExactly(0.0, 0.0, 0.0, 0.0, 1.0);
        assertThat(values("late")).containsExactly(20.0, 30.0, 40.0);
        assertThat(values("worst")).isEmpty();
        assertThat(told.entries()).hasSize(5 + 5 + 5 + 3);
        assertThat(told.entries())
                .contains(new Entry.Point("loss", 3L, Instant.parse("2025-11-27T12:00:03.250Z"), 0.25));
        assertThat(told.problems()).containsOnly(new Problem(Kind.COLUMN, "note"));
    }

    @Test
    void theWholeFileGivesTheSame() throws IOException {
        read(Resources.bytes("rep_0.after-5.csv"), 0);
        assertThat(told.entries()).hasSize(18);
        assertThat(told.problems()).as("once a reading").containsExactly(new Problem(Kind.COLUMN, "note"));
    }

    @Test
    void theFilesOfTheFirstVersionsAreRead() throws IOException {
        SourceRead read = read(Resources.bytes("rep_1.csv"), 0);
        assertThat(read.position()).isEqualTo(3);
        assertThat(told.entries())
                .containsExactly(
                        new Entry.Point("loss", 0L, Instant.parse("2020-06-01T08:00:00Z"), 1),
                        new Entry.Point("loss", 1L, Instant.parse("2020-06-01T08:00:01Z"), 0.5),
                        new Entry.Point("loss", 2L, Instant.parse("2020-06-01T08:00:02Z"), 1.0 / 3));
    }

    @Test
    void timesAreThoseOfTheProgramsZone() throws IOException {
        Cw2Csv.read(
                channel(Resources.bytes("rep_1.csv")),
                2,
                "run",
                ZoneId.of("Europe/Berlin"),
                told.entries()::add,
                told.problems()::add);
        assertThat(told.entries())
                .containsExactly(new Entry.Point("run/loss", 2L, Instant.parse("2020-06-01T06:00:02Z"), 1.0 / 3));
    }

    /** Cut at each byte, as while it is being written: only whole rows count, and each is given once. */
    @Test
    void aRowThatIsBeingWrittenIsWaitedFor() throws IOException {
        byte[] file = Resources.bytes("rep_0.after-5.csv");
        read(file, 0);
        List<Entry> whole = List.copyOf(told.entries());
        for (int cut = 0; cut < file.length; cut++) {
            told.entries().clear();
            SourceRead first = read(Arrays.copyOf(file, cut), 0);
            assertThat(first.stop()).as("cut at %d", cut).isNull();
            SourceRead second = read(file, first.position());
            assertThat(second.position()).isEqualTo(5);
            assertThat(told.entries()).as("cut at %d", cut).isEqualTo(whole);
        }
    }

    @Test
    void aFileWithFewerRowsThanWereReadIsWaitedFor() throws IOException {
        assertThat(read(Resources.bytes("rep_0.after-2.csv"), 4)).isEqualTo(new SourceRead(4, false, null));
        assertThat(read(new byte[0], 4)).isEqualTo(new SourceRead(4, false, null));
        assertThat(told.entries()).isEmpty();
    }

    /** The file is written anew, with another column, between the reading of its header and that of its rows. */
    @Test
    void aHeaderThatChangesMeanwhileGivesNothing() throws IOException {
        byte[] before = Resources.bytes("rep_0.after-2.csv");
        byte[] after = Resources.bytes("rep_0.after-3.csv");
        SeekableInMemoryByteChannel changing = new SeekableInMemoryByteChannel(before) {
            @Override
            public int read(ByteBuffer to) throws IOException {
                int count = super.read(to);
                long place = position();
                truncate(0);
                position(0);
                write(ByteBuffer.wrap(after));
                position(place);
                return count;
            }
        };
        SourceRead read = Cw2Csv.read(changing, 0, "", ZoneOffset.UTC, told.entries()::add, told.problems()::add);
        assertThat(read).isEqualTo(new SourceRead(0, false, null));
        assertThat(told.entries()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "index,a,iter/0,1,7/|7|1",
                "index,a,iter^/0,1,7^/|7|1",
                "index,a,iter/0,1,7.0/|7|1", // pandas makes numbers of a column with gaps fractions
                "index,a,iter/0,1,/|0|1",
                "index,a/0,1/|0|1",
                "iteration,a,i/5,1,5/|5|1",
                "index,a,iter/0,inf,7/|7|Infinity",
                "index,a,iter/0,-inf,7/|7|-Infinity",
                "index,a,iter/0,nan,7/|7|NaN",
                "index,a,iter/0,1e-05,7/|7|0.00001",
                "index,a,iter/0,True,7/|7|1",
                "index,\"a\",iter/0,\"1\",7/|7|1",
            })
    void cellsAreRead(String file, long step, double value) throws IOException {
        read(bytes(file.replace('/', '\n').replace('^', '\r')), 0);
        assertThat(told.entries()).containsExactly(new Entry.Point("a", step, null, value));
        assertThat(told.problems()).isEmpty();
    }

    @Test
    void whatIsNoRowAndNoNameIsLeftOut() throws IOException {
        SourceRead read =
                read(bytes("index,a,\"b\nc\",iter,ts\n0,1,2,0,\n1,1,2\n1,1,2,1,,9\n2,5,2,2,yesterday\n3,6,2,3,-\n"), 0);
        assertThat(read.position()).isEqualTo(5);
        assertThat(told.entries())
                .containsExactly(
                        new Entry.Point("a", 0L, null, 1),
                        new Entry.Point("a", 2L, null, 5),
                        new Entry.Point("a", 3L, null, 6));
        assertThat(told.problems())
                .containsExactly(
                        new Problem(Kind.NAME, "b?c"),
                        new Problem(Kind.ROW, "1,1,2"),
                        new Problem(Kind.ROW, "1,1,2,1,,9"),
                        new Problem(Kind.TIME, "yesterday"));
    }

    @Test
    void aFileOfAnotherProgramIsNotRead() throws IOException {
        assertThat(read(bytes("epoch,loss\n0,1\n"), 0).stop()).isEqualTo(Problem.of(Kind.NO_ITERATION, ""));
        assertThat(Cw2Csv.isName("rep_12.csv")).isTrue();
        assertThat(Cw2Csv.isName("rep_.csv")).isFalse();
        assertThat(Cw2Csv.isName("my_rep_1.csv")).isFalse();
    }

    @Test
    void aRowWithoutAnEndStopsTheReading() throws IOException {
        byte[] quote = bytes("index,a\n0,1\n1,\"" + "x".repeat(2 << 20));
        SourceRead read = read(quote, 0);
        assertThat(read.position()).isEqualTo(1);
        assertThat(read.stop()).isEqualTo(Problem.of(Kind.ROW_TOO_LONG, ""));
        assertThat(read(bytes("x".repeat(2 << 20)), 0).stop()).isEqualTo(Problem.of(Kind.ROW_TOO_LONG, ""));
    }

    @Test
    void aFileOfMoreThan64MibIsNotRead() throws IOException {
        SeekableInMemoryByteChannel large = new SeekableInMemoryByteChannel() {
            @Override
            public long size() {
                return (64L << 20) + 1;
            }
        };
        assertThat(Cw2Csv.read(large, 0, "", ZoneOffset.UTC, told.entries()::add, told.problems()::add)
                        .stop())
                .isEqualTo(Problem.of(Kind.FILE_TOO_LARGE, ""));
    }

    @Test
    void manyPointsAreReadInSeveralReadings() throws IOException {
        StringBuilder file = new StringBuilder("index,a,b,iter\n");
        int rows = 60_000;
        for (int row = 0; row < rows; row++) {
            file.append(row).append(",1,2,").append(row).append('\n');
        }
        byte[] bytes = bytes(file.toString());
        SourceRead read = read(bytes, 0);
        assertThat(read.hasMore()).isTrue();
        assertThat(read.position()).isEqualTo(25_000);
        read = read(bytes, read.position());
        assertThat(read.position()).isEqualTo(50_000);
        read = read(bytes, read.position());
        assertThat(read).isEqualTo(new SourceRead(rows, false, null));
        assertThat(told.entries()).hasSize(2 * rows);
        assertThat(told.entries().getLast()).isEqualTo(new Entry.Point("b", rows - 1L, null, 2));
    }

    @Test
    void anyBytesAreSurvived() throws IOException {
        byte[] good = Resources.bytes("rep_0.after-5.csv");
        for (int seed = 0; seed < 20_000; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            byte[] file = good.clone();
            for (int change = random.nextInt(8); change >= 0; change--) {
                file[random.nextInt(file.length)] =
                        random.nextBoolean() ? (byte) random.nextInt() : (byte) ",\"\n\r".charAt(random.nextInt(4));
            }
            SourceRead read = read(file, random.nextInt(3));
            assertThat(read.position()).as("seed %d", seed).isBetween(0L, 20L);
        }
    }

    private List<Double> values(String metric) {
        return told.entries().stream()
                .map(Entry.Point.class::cast)
                .filter(point -> point.metric().equals(metric))
                .map(Entry.Point::value)
                .toList();
    }

    private SourceRead read(byte[] file, long rows) throws IOException {
        return Cw2Csv.read(channel(file), rows, "", ZoneOffset.UTC, told.entries()::add, told.problems()::add);
    }

    private static SeekableInMemoryByteChannel channel(byte[] file) {
        return new SeekableInMemoryByteChannel(file);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
