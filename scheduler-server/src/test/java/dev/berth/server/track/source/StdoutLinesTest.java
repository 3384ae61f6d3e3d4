package dev.berth.server.track.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.server.store.track.Entry.Artifact;
import dev.berth.server.store.track.Entry.Parameter;
import dev.berth.server.store.track.Entry.Point;
import dev.berth.server.store.track.Entry.Progress;
import dev.berth.server.store.track.Entry.Tag;
import dev.berth.server.track.source.Problem.Kind;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class StdoutLinesTest {
    private static final Instant TIME = Instant.parse("2025-11-26T23:33:20.250Z");

    /** What stands behind the prefix, and what it gives: entries, then kinds of problems. */
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
        return Stream.of(
                new Line(
                        "metric loss=0.3 acc=0.9 step=10",
                        new Point("loss", 10L, null, 0.3),
                        new Point("acc", 10L, null, 0.9)),
                new Line("metric loss=0.3\r\n", new Point("loss", null, null, 0.3)),
                new Line("  metric   loss=nan\ttime=1764200000.25 ", new Point("loss", null, TIME, Double.NaN)),
                new Line("metric a=1 time=2025-11-26T23:33:20.25Z", new Point("a", null, TIME, 1)),
                new Line("metric \"my loss\"=0.3", new Point("my loss", null, null, 0.3)),
                new Line("metric done=true", new Point("done", null, null, 1)),
                new Line("metric loss=a acc=1", Kind.NO_NUMBER, new Point("acc", null, null, 1)),
                new Line("metric loss acc=1", Kind.NO_VALUE, new Point("acc", null, null, 1)),
                new Line("metric =1", Kind.NAME),
                new Line("metric loss=1 step=x", Kind.STEP, new Point("loss", null, null, 1)),
                new Line("metric loss=1 time=x", Kind.TIME, new Point("loss", null, null, 1)),
                new Line("metric step=1", Kind.WORDS),
                new Line("metric", Kind.WORDS),
                new Line("", Kind.WORDS),
                new Line("loss=1", Kind.WORDS),
                new Line("metrics loss=1", Kind.WORDS),
                new Line("metric=1 loss=1", Kind.WORDS),
                new Line("param lr=0.1 opt=\"a b\"", new Parameter("lr", "0.1"), new Parameter("opt", "a b")),
                new Line(
                        "param a=\"say \\\"x\\\" \\\\ \\n\" b=\"\" c= d=x=y \"e=f\"=g",
                        new Parameter("a", "say \"x\" \\ \\n"),
                        new Parameter("b", ""),
                        new Parameter("c", ""),
                        new Parameter("d", "x=y"),
                        new Parameter("e=f", "g")),
                new Line("param a", Kind.NO_VALUE),
                new Line("param a=\"b", Kind.QUOTE),
                new Line("param a=\"b\\\"", Kind.QUOTE),
                new Line("tag best", new Tag("best", "")),
                new Line("tag stage=1 best", new Tag("stage", "1"), new Tag("best", "")),
                new Line("tag \"two words\"", new Tag("two words", "")),
                new Line("artifact model.pt key=model", new Artifact("model.pt", "model", null)),
                new Line("artifact \"a b.pt\"", new Artifact("a b.pt", null, null)),
                new Line("artifact lr=0.1.pt", new Artifact("lr=0.1.pt", null, null)),
                new Line("progress 0.4 of=1 unit=epoch", new Progress(0.4, 1, "epoch", null)),
                new Line("progress 0.4", new Progress(0.4, 1, null, null)),
                new Line("progress x", Kind.PROGRESS),
                new Line("progress 1 of=0", Kind.PROGRESS),
                new Line("tag " + "x".repeat(251), Kind.NAME),
                new Line("tag " + "x".repeat(70_000), Kind.LINE_TOO_LONG));
    }

    @ParameterizedTest
    @MethodSource("lines")
    void eachLineGives(Line line) {
        assertThat(given("::berth " + line.text())).containsExactlyElementsOf(line.given());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "loss=0.3",
                ":berth metric a=1",
                " ::berth metric a=1",
                "::berthmetric a=1",
                "::BERTH tag a",
                "#:berth tag a",
                "::berth"
            })
    void otherLinesGiveNothing(String line) {
        assertThat(given(line)).isEmpty();
        assertThat(StdoutLines.isMeant(line.getBytes(StandardCharsets.UTF_8))).isFalse();
    }

    @Test
    void anyLineIsSurvived() {
        List<Line> good = lines().filter(line -> line.text().length() < 100).toList();
        for (int seed = 0; seed < 50_000; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            StringBuilder line =
                    new StringBuilder(good.get(random.nextInt(good.size())).text()).append(' ');
            for (int change = random.nextInt(5); change >= 0; change--) {
                line.setCharAt(random.nextInt(line.length()), "\"\\= \u0000a\uD800\n".charAt(random.nextInt(8)));
            }
            assertThat(given("::berth " + line)).as("seed %d", seed).isNotEmpty();
        }
    }

    private static List<Object> given(String line) {
        List<Object> given = new ArrayList<>();
        StdoutLines.parse(line.getBytes(StandardCharsets.UTF_8), given::add, problem -> given.add(problem.kind()));
        return given;
    }
}
