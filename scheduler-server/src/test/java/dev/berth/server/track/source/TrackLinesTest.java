package dev.berth.server.track.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.server.store.track.Entry;
import dev.berth.server.store.track.Entry.Artifact;
import dev.berth.server.store.track.Entry.Parameter;
import dev.berth.server.store.track.Entry.Point;
import dev.berth.server.store.track.Entry.Progress;
import dev.berth.server.store.track.Entry.Tag;
import dev.berth.server.track.source.Problem.Kind;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class TrackLinesTest {
    private static final double INF = Double.POSITIVE_INFINITY;
    private static final Instant TIME = Instant.parse("2025-11-26T23:33:20.250Z");

    /** A line and what it gives: entries, then kinds of problems. */
    record Line(String text, List<Object> given) {
        Line(String text, Object... given) {
            this(text, List.of(given));
        }

        @Override
        public String toString() {
            return text.length() <= 100 ? text : text.substring(0, 100) + "...";
        }
    }

    static Stream<Line> lines() {
        return Stream.of(metrics(), values(), steps(), times(), parameters(), tags(), others(), none())
                .flatMap(List::stream);
    }

    private static List<Line> metrics() {
        return List.of(
                new Line(
                        "{\"metric\":\"loss\",\"value\":0.3,\"step\":10,\"time\":1764200000.25}",
                        new Point("loss", 10L, TIME, 0.3)),
                new Line("{\"metric\":\"loss\",\"value\":0.3}\r\n", point(0.3, null, "loss")),
                new Line("\uFEFF{\"metric\":\"loss\",\"value\":0.3}\n", point(0.3, null, "loss")),
                new Line(" { \"value\" : 0.3 , \"metric\" : \"loss\" } ", point(0.3, null, "loss")),
                new Line(
                        "{\"metric\":{\"loss\":0.3,\"acc\":0.9},\"step\":10}",
                        point(0.3, 10L, "loss"),
                        point(0.9, 10L, "acc")),
                new Line(
                        "{\"step\":10,\"metric\":{\"loss\":0.3,\"bad\":[1],\"acc\":0.9}}",
                        point(0.3, 10L, "loss"),
                        Kind.NO_NUMBER,
                        point(0.9, 10L, "acc")),
                new Line("{\"metric\":{\"a\":{\"b\":1}}}", Kind.NO_NUMBER),
                new Line("{\"metric\":{\"a\":null}}", Kind.NO_VALUE),
                new Line("{\"metric\":{}}"),
                new Line("{\"metric\":\"loss\"}", Kind.NO_VALUE),
                new Line("{\"metric\":[\"loss\"],\"value\":1}", Kind.TEXT),
                new Line("{\"metric\":null,\"value\":1}", Kind.NOTHING_TOLD),
                new Line("{\"metric\":\"\",\"value\":1}", Kind.NAME),
                new Line("{\"metric\":\"a\\nb\",\"value\":1}", Kind.NAME),
                new Line("{\"metric\":\"a\\u0000\",\"value\":1}", Kind.NAME),
                new Line("{\"metric\":\"a\\ud800\",\"value\":1}", Kind.NAME),
                new Line("{\"metric\":\"a\\udc00b\",\"value\":1}", Kind.NAME),
                new Line("{\"metric\":\"\\ud83d\\ude00\",\"value\":1}", point(1, null, "\uD83D\uDE00")),
                new Line("{\"metric\":\"" + "ä".repeat(125) + "\",\"value\":1}", point(1, null, "ä".repeat(125))),
                new Line("{\"metric\":\"" + "ä".repeat(125) + "x\",\"value\":1}", Kind.NAME),
                new Line("{\"metric\":\"a\",\"value\":1,\"value\":2}", Kind.KEY_TWICE, point(2, null, "a")),
                new Line("{\"metric\":{\"a\":1,\"a\":2}}", Kind.KEY_TWICE, point(2, null, "a")),
                new Line("{\"metric\":\"a\",\"value\":1,\"later\":{\"x\":[1,{}]}}", point(1, null, "a")));
    }

    private static List<Line> values() {
        return List.of(
                value("NaN", Double.NaN),
                value("Infinity", INF),
                value("-Infinity", -INF),
                value("\"NaN\"", Double.NaN),
                value("\"Infinity\"", INF),
                value("\"-Infinity\"", -INF),
                value("\"nan\"", Double.NaN),
                value("\"inf\"", INF),
                value("\"-inf\"", -INF),
                value("true", 1),
                value("false", 0),
                value("\"0.3\"", 0.3),
                value("\"1.\"", 1),
                value("\".5\"", 0.5),
                value("\"1e-05\"", 1e-5),
                value("-0.0", -0.0),
                value("1e400", INF),
                value("-1e999", -INF),
                value("1e-999", 0),
                value("9223372036854775808", 0x1p63),
                value("-9223372036854775809", -0x1p63),
                value("1" + "0".repeat(300), 1e300),
                value("1" + "0".repeat(900), INF),
                value("0." + "3".repeat(900), 1 / 3.0),
                noValue("1" + "0".repeat(60_000)),
                noValue("\"1d\""),
                noValue("\"0x1p3\""),
                noValue("\" 1\""),
                noValue("\"\""),
                noValue("\".\""),
                noValue("\"e5\""),
                noValue("\"1e\""),
                noValue("\"one\""),
                noValue("[1]"),
                noValue("{}"),
                noValue("\"1,5\""),
                noValue("\"\u0661\""),
                new Line("{\"metric\":\"a\",\"value\":null}", Kind.NO_VALUE));
    }

    private static List<Line> steps() {
        return List.of(
                step("10", 10L),
                step("10.0", 10L),
                step("1e3", 1000L),
                step("\"10\"", 10L),
                step("-5", -5L),
                step("-0", 0L),
                step("-0.0", 0L),
                step("9223372036854775807", Long.MAX_VALUE),
                step("9223372036854775807.0", Long.MAX_VALUE),
                step("-9223372036854775808", Long.MIN_VALUE),
                step("null", null),
                noStep("9223372036854775808"),
                noStep("-9223372036854775809"),
                noStep("0.5"),
                noStep("1e999999999"),
                noStep("1e-999999999"),
                noStep("1e99999999999"),
                noStep("1e19"),
                noStep("NaN"),
                noStep("\"x\""),
                noStep("[1]"),
                noStep("{}"),
                noStep("true"),
                noStep("1" + "0".repeat(60_000)));
    }

    private static List<Line> times() {
        return List.of(
                time("1764200000.25", TIME),
                time("\"1764200000.25\"", TIME),
                time("\"2025-11-26T23:33:20.25Z\"", TIME),
                time("\"2025-11-26T23:33:20.250000+00:00\"", TIME),
                time("\"2025-11-27T00:33:20.25+01:00\"", TIME),
                time("\"2025-11-27 00:33:20.250+0100\"", TIME),
                time("\"2025-11-26 23:33:20.25\"", TIME),
                time("1764200000.123456", Instant.parse("2025-11-26T23:33:20.123456Z")),
                time("0", Instant.EPOCH),
                time("null", null),
                noTime("-1"),
                noTime("NaN"),
                noTime("1e999"),
                noTime("1764200000250000"),
                noTime("253402300800"),
                noTime("\"yesterday\""),
                noTime("\"2025-13-01T00:00:00Z\""),
                noTime("[]"),
                noTime("true"),
                noTime("\"1969-12-31T23:59:59Z\""),
                noTime("\"2025-11-26\""));
    }

    private static List<Line> parameters() {
        return List.of(
                new Line("{\"param\":\"lr\",\"value\":0.1}", new Parameter("lr", "0.1")),
                new Line("{\"param\":\"lr\",\"value\":1e-3}", new Parameter("lr", "1e-3")),
                new Line("{\"param\":\"lr\",\"value\":NaN}", new Parameter("lr", "NaN")),
                new Line(
                        "{\"param\":{\"lr\":0.10,\"opt\":\"adam\",\"net\":{\"depth\":3,\"in\":{\"w\":true}}}}",
                        new Parameter("lr", "0.10"),
                        new Parameter("opt", "adam"),
                        new Parameter("net.depth", "3"),
                        new Parameter("net.in.w", "true")),
                new Line("{\"param\":\"net\",\"value\":{\"depth\":3}}", new Parameter("net.depth", "3")),
                new Line(
                        "{\"param\":{\"a\":null,\"b\":{},\"c\":[1, 2.50, {\"d\": \"e\"}, NaN],\"f\":\"\"}}",
                        new Parameter("a", "null"),
                        new Parameter("b", "{}"),
                        new Parameter("c", "[1,2.50,{\"d\":\"e\"},NaN]"),
                        new Parameter("f", "")),
                new Line("{\"param\":\"a\",\"value\":null}", new Parameter("a", "null")),
                new Line("{\"param\":\"a\"}", Kind.NO_VALUE),
                new Line("{\"param\":{\"a\\u007f\":1,\"b\":2}}", Kind.NAME, new Parameter("b", "2")),
                new Line("{\"param\":\"a\",\"value\":\"x\\ud800\"}", new Parameter("a", "x\uFFFD")),
                new Line("{\"param\":\"a\",\"value\":\"two\\nlines\"}", new Parameter("a", "two\nlines")),
                new Line(
                        "{\"param\":\"a\",\"value\":\"" + "x".repeat(4096) + "\"}",
                        new Parameter("a", "x".repeat(4096))),
                new Line("{\"param\":\"a\",\"value\":\"" + "x".repeat(4097) + "\"}", Kind.TEXT_TOO_LONG),
                new Line(
                        "{\"param\":" + "{\"a\":".repeat(15) + "{\"a\":1}" + "}".repeat(15) + "}",
                        new Parameter("a" + ".a".repeat(15), "1")),
                new Line(
                        "{\"param\":{\"b\":1,\"c\":" + "{\"a\":".repeat(100) + "1" + "}".repeat(101) + "}",
                        Kind.TOO_DEEP,
                        new Parameter("b", "1")),
                new Line("{\"param\":" + "{\"a\":".repeat(17) + "1" + "}".repeat(18), Kind.TOO_DEEP),
                new Line(
                        "{\"param\":{\"a\":" + "[".repeat(400) + "]".repeat(400) + "}}",
                        new Parameter("a", "[".repeat(400) + "]".repeat(400))));
    }

    private static List<Line> tags() {
        return List.of(
                new Line("{\"tag\":\"best\"}", new Tag("best", "")),
                new Line("{\"tag\":\"stage\",\"value\":\"1\"}", new Tag("stage", "1")),
                new Line("{\"tag\":\"stage\",\"value\":1}", new Tag("stage", "1")),
                new Line(
                        "{\"tag\":{\"stage\":\"1\",\"best\":null,\"old\":false,\"x\":[]}}",
                        new Tag("stage", "1"),
                        new Tag("best", ""),
                        new Tag("old", "false"),
                        Kind.TEXT),
                new Line("{\"tag\":[\"a\"]}", Kind.TEXT));
    }

    private static List<Line> others() {
        return List.of(
                new Line("{\"artifact\":\"model.pt\"}", new Artifact("model.pt", null, null)),
                new Line(
                        "{\"artifact\":\"a/b c\",\"key\":\"model\",\"time\":1764200000.25}",
                        new Artifact("a/b c", "model", TIME)),
                new Line("{\"artifact\":\"a\",\"key\":\"\"}", Kind.NAME, new Artifact("a", null, null)),
                new Line("{\"artifact\":\"\"}", Kind.ARTIFACT),
                new Line("{\"artifact\":\"a\\u0000\"}", Kind.ARTIFACT),
                new Line("{\"artifact\":\"" + "a".repeat(4097) + "\"}", Kind.ARTIFACT),
                new Line("{\"artifact\":{}}", Kind.TEXT),
                new Line("{\"progress\":0.4}", new Progress(0.4, 1, null, null)),
                new Line("{\"progress\":0.4,\"of\":1,\"unit\":\"epoch\"}", new Progress(0.4, 1, "epoch", null)),
                new Line("{\"progress\":\"3\",\"of\":10.0}", new Progress(3, 10, null, null)),
                new Line("{\"progress\":NaN}", Kind.PROGRESS),
                new Line("{\"progress\":-1}", Kind.PROGRESS),
                new Line("{\"progress\":1,\"of\":0}", Kind.PROGRESS),
                new Line("{\"progress\":1,\"of\":1e999}", Kind.PROGRESS),
                new Line("{\"progress\":1,\"of\":\"ten\"}", Kind.PROGRESS),
                new Line("{\"progress\":1,\"of\":2,\"unit\":\"\\t\"}", Kind.NAME, new Progress(1, 2, null, null)),
                new Line(
                        "{\"metric\":\"loss\",\"value\":0.3,\"param\":{\"lr\":1},\"tag\":\"best\",\"artifact\":\"m\",\"progress\":1}",
                        point(0.3, null, "loss"),
                        new Parameter("lr", "1"),
                        new Tag("best", ""),
                        new Artifact("m", null, null),
                        new Progress(1, 1, null, null)),
                new Line("{\"param\":\"lr\",\"metric\":\"loss\",\"value\":1}", point(1, null, "loss"), Kind.NO_VALUE),
                new Line(
                        "{\"param\":\"lr\",\"tag\":\"best\",\"value\":1}",
                        new Parameter("lr", "1"),
                        new Tag("best", "")),
                new Line(
                        "{\"tag\":{\"a\":\"b\"},\"param\":\"lr\",\"value\":1}",
                        new Parameter("lr", "1"),
                        new Tag("a", "b")));
    }

    private static List<Line> none() {
        return List.of(
                new Line(""),
                new Line("\n"),
                new Line("\r\n"),
                new Line(" \t"),
                new Line("{}", Kind.NOTHING_TOLD),
                new Line("{\"loss\":0.3}", Kind.NOTHING_TOLD),
                new Line("loss=0.3", Kind.NOT_JSON),
                new Line("[]", Kind.NOT_JSON),
                new Line("1", Kind.NOT_JSON),
                new Line("\"a\"", Kind.NOT_JSON),
                new Line("{", Kind.NOT_JSON),
                new Line("{\"metric\":", Kind.NOT_JSON),
                new Line("{\"metric\":\"a\",\"value\":1", Kind.NOT_JSON),
                new Line("{\"metric\":\"a\",\"value\":1}}", Kind.NOT_JSON),
                new Line("{\"metric\":\"a\",\"value\":1}{\"tag\":\"b\"}", Kind.NOT_JSON),
                new Line("{\"metric\":\"a\",\"value\":1,}", Kind.NOT_JSON),
                new Line("{'metric':'a'}", Kind.NOT_JSON),
                new Line("{\"metric\":\"a\",\"value\":01}", Kind.NOT_JSON),
                new Line("{\"metric\":\"a\",\"value\":nan}", Kind.NOT_JSON),
                new Line("{\"metric\":\"a\tb\",\"value\":1}", Kind.NOT_JSON),
                new Line("{\"x\":" + "[".repeat(30_000) + "]".repeat(30_000) + "}", Kind.NOT_JSON),
                new Line("{\"tag\":\"" + "a".repeat(66_000) + "\"}", Kind.LINE_TOO_LONG));
    }

    @ParameterizedTest
    @MethodSource("lines")
    void eachLineGives(Line line) {
        assertThat(given(line.text())).containsExactlyElementsOf(line.given());
    }

    /** Each name within would be as long as the line: hundreds of MiB. */
    @Test
    void aNameThatIsTooLongIsNotPutBeforeOthers() {
        StringBuilder line =
                new StringBuilder("{\"param\":{\"€").append("A".repeat(30_000)).append("\":{\"a\":1");
        for (int i = 0; i < 3_000; i++) {
            line.append(",\"b").append(i).append("\":1");
        }
        line.append("}}}");
        List<Problem> problems = new ArrayList<>();
        TrackLines.parse(
                line.toString().getBytes(StandardCharsets.UTF_8),
                entry -> {
                    throw new AssertionError(entry);
                },
                problems::add);
        assertThat(problems).extracting(Problem::kind).containsExactly(Problem.Kind.NAME);
    }

    @Test
    void lineOfTheMostBytesIsRead() {
        String begin = "{\"tag\":\"a\",\"more\":\"";
        assertThat(given(begin + "x".repeat(TrackLines.MAX_LINE - begin.length() - 2) + "\"}\n"))
                .containsExactly(new Tag("a", ""));
        assertThat(given(begin + "x".repeat(TrackLines.MAX_LINE - begin.length() - 1) + "\"}\n"))
                .containsExactly(Kind.LINE_TOO_LONG);
    }

    @Test
    void bytesThatAreNoUtf8AreReplaced() {
        byte[] line = "{\"tag\":\"a?b\"}".getBytes(StandardCharsets.US_ASCII);
        line[9] = (byte) 0xC3;
        Told told = new Told();
        TrackLines.parse(line, told.entries()::add, told.problems()::add);
        assertThat(told.entries()).containsExactly(new Tag("a\uFFFDb", ""));
    }

    @Test
    void aBufferIsReadWhereItStands() {
        ByteBuffer heap = ByteBuffer.wrap("xx{\"tag\":\"a\"}xx".getBytes(StandardCharsets.US_ASCII));
        ByteBuffer direct = ByteBuffer.allocateDirect(heap.capacity()).put(heap.duplicate());
        for (ByteBuffer buffer : List.of(heap.slice(1, 13), direct)) {
            boolean isSlice = buffer.capacity() == 13;
            buffer.position(isSlice ? 1 : 2).limit(isSlice ? 12 : 13);
            int position = buffer.position();
            Told told = new Told();
            TrackLines.parse(buffer, told.entries()::add, told.problems()::add);
            assertThat(told.entries()).containsExactly(new Tag("a", ""));
            assertThat(buffer.position()).isEqualTo(position);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"\u001b[31mred", "a\u202eb", "a\nb", "\ud800"})
    void samplesDoNoHarm(String text) {
        Told told = new Told();
        TrackLines.parse(
                (text + "x".repeat(200)).getBytes(StandardCharsets.UTF_16BE),
                told.entries()::add,
                told.problems()::add);
        TrackLines.parse(
                (text + "x".repeat(200)).getBytes(StandardCharsets.UTF_8), told.entries()::add, told.problems()::add);
        assertThat(told.problems()).hasSize(2).allSatisfy(problem -> {
            assertThat(problem.sample())
                    .hasSizeLessThanOrEqualTo(80)
                    .doesNotContainPattern("[\\p{Cntrl}\\u202e\\ud800]");
            assertThat(problem.sample()).endsWith("...");
        });
    }

    @Test
    void eachKindHasASentence() {
        for (Kind kind : Kind.values()) {
            assertThat(kind.sentence()).endsWith(".").doesNotContain("\n").hasSizeLessThan(120);
        }
    }

    /** Lines with any changes: nothing is thrown, and what is given keeps the rules. */
    @Test
    void anyLineIsSurvived() {
        List<byte[]> good = lines().map(line -> line.text().getBytes(StandardCharsets.UTF_8))
                .filter(line -> line.length > 0 && line.length < 1000)
                .toList();
        for (int seed = 0; seed < 50_000; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            byte[] line = good.get(random.nextInt(good.size())).clone();
            for (int change = random.nextInt(4); change >= 0; change--) {
                line[random.nextInt(line.length)] = random.nextBoolean()
                        ? (byte) random.nextInt()
                        : (byte) "{}[]\":,0\\ue-".charAt(random.nextInt(12));
            }
            Told told = new Told();
            TrackLines.parse(
                    Arrays.copyOf(line, random.nextInt(line.length + 1)), told.entries()::add, told.problems()::add);
            String at = "seed " + seed;
            assertThat(told.entries())
                    .as(at)
                    .allSatisfy(entry -> assertThat(isWithinRules(entry)).isTrue());
        }
    }

    private static boolean isWithinRules(Entry entry) {
        return switch (entry) {
            case Point point -> TrackText.isName(point.metric());
            case Parameter parameter -> TrackText.isName(parameter.name()) && TrackText.fits(parameter.value(), 4096);
            case Tag tag -> TrackText.isName(tag.name()) && TrackText.fits(tag.value(), 4096);
            case Artifact artifact -> TrackText.isPath(artifact.path());
            case Progress progress -> progress.value() >= 0 && progress.of() > 0;
        };
    }

    private static Point point(double value, @Nullable Long step, String metric) {
        return new Point(metric, step, null, value);
    }

    private static Line value(String json, double value) {
        return new Line("{\"metric\":\"a\",\"value\":" + json + "}", point(value, null, "a"));
    }

    private static Line noValue(String json) {
        return new Line("{\"metric\":\"a\",\"value\":" + json + "}", Kind.NO_NUMBER);
    }

    private static Line step(String json, @Nullable Long step) {
        return new Line("{\"metric\":\"a\",\"value\":1,\"step\":" + json + "}", point(1, step, "a"));
    }

    private static Line noStep(String json) {
        return new Line("{\"metric\":\"a\",\"value\":1,\"step\":" + json + "}", Kind.STEP, point(1, null, "a"));
    }

    private static Line time(String json, @Nullable Instant time) {
        return new Line("{\"metric\":\"a\",\"value\":1,\"time\":" + json + "}", new Point("a", null, time, 1));
    }

    private static Line noTime(String json) {
        return new Line("{\"metric\":\"a\",\"value\":1,\"time\":" + json + "}", Kind.TIME, point(1, null, "a"));
    }

    /** What a line gives, in order: entries, and kinds of problems. */
    private static List<Object> given(String line) {
        List<Object> given = new ArrayList<>();
        TrackLines.parse(line.getBytes(StandardCharsets.UTF_8), given::add, problem -> given.add(problem.kind()));
        return given;
    }
}
