package dev.berth.core.parameter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.berth.core.parameter.Parameters.Value;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SweepOptionsTest {
    private static List<String> sets(Parameters parameters) {
        return IntStream.range(0, (int) parameters.count())
                .mapToObj(index -> shown(parameters.of(index)))
                .toList();
    }

    private static String shown(Map<String, Value> set) {
        return set.entrySet().stream()
                .map(entry -> entry.getKey() + "=" + entry.getValue().text())
                .collect(Collectors.joining(" "));
    }

    private static List<String> words(String text) {
        return text == null ? List.of() : List.of(text.split(" "));
    }

    private static Parameters sweep(String... texts) {
        return SweepOptions.of(List.of(texts), List.of(), null, null);
    }

    @Test
    void eachValueStandsWithEachAndTheLastChangesFastest() {
        assertThat(sets(sweep("lr=0.1,0.01", "seed=1..3")))
                .containsExactly(
                        "lr=0.1 seed=1",
                        "lr=0.1 seed=2",
                        "lr=0.1 seed=3",
                        "lr=0.01 seed=1",
                        "lr=0.01 seed=2",
                        "lr=0.01 seed=3");
    }

    @Test
    void whatIsZippedStandsSideBySideAndChangesFastest() {
        assertThat(sets(SweepOptions.of(List.of("s=x,y"), List.of("a=1,2", "b=3,4"), null, null)))
                .containsExactly("s=x a=1 b=3", "s=x a=2 b=4", "s=y a=1 b=3", "s=y a=2 b=4");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a=1e-3 | {\"a\":1e-3} | 1e-3",
                "a=0.10 | {\"a\":0.10} | 0.10",
                "a=true | {\"a\":true} | true",
                "a=True | {\"a\":\"True\"} | True",
                "a=007 | {\"a\":\"007\"} | 007",
                "a=adam | {\"a\":\"adam\"} | adam",
                "a=\"x\" | {\"a\":\"\\\"x\\\"\"} | \"x\"",
                "a=x\\,y | {\"a\":\"x,y\"} | x,y",
                "a=\\5 | {\"a\":\"5\"} | 5",
                "a=1\\..5 | {\"a\":\"1..5\"} | 1..5",
                "a=../data | {\"a\":\"../data\"} | ../data",
                "a=data/.. | {\"a\":\"data/..\"} | data/..",
                "a=.. | {\"a\":\"..\"} | ..",
                "a=a..b | {\"a\":\"a..b\"} | a..b",
                "a=a:b | {\"a\":\"a:b\"} | a:b",
                "a=host:80 | {\"a\":\"host:80\"} | host:80",
                "a=16:9,4:3 | {\"a\":\"16:9\"} | 16:9",
                "a=logistic | {\"a\":\"logistic\"} | logistic",
                "a=1.2.3 | {\"a\":\"1.2.3\"} | 1.2.3",
                "a=\\1..x | {\"a\":\"1..x\"} | 1..x",
                "a=\\LOG:x | {\"a\":\"LOG:x\"} | LOG:x",
                "a=\\0.1;0.01 | {\"a\":\"0.1;0.01\"} | 0.1;0.01",
                "a=b=c | {\"a\":\"b=c\"} | b=c",
                "net.lr=1 | {\"net\":{\"lr\":1}} | 1"
            })
    void aValueKeepsItsTextAndItsKind(String text, String json, String shown) {
        Parameters parameters = sweep(text);
        assertThat(parameters.json(0)).isEqualTo(json);
        assertThat(parameters.of(0).firstEntry().getValue().text()).isEqualTo(shown);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a=1..5 | 1 2 3 4 5",
                "a=1..9:4 | 1 5 9",
                "a=1..10:4 | 1 5 9",
                "a=-2..0 | -2 -1 0",
                "a=0..1:0.25 | 0 0.25 0.5 0.75 1",
                "a=0.1..0.3:0.1 | 0.1 0.2 0.3",
                "a=1..3,7,x | 1 2 3 7 x",
                "a=4..4 | 4"
            })
    void aRangeIsItsValues(String text, String values) {
        Parameters parameters = sweep(text);
        assertThat(sets(parameters).stream().map(set -> set.substring(2)).collect(Collectors.joining(" ")))
                .isEqualTo(values);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "lr | - | - | - | sweep: 'lr' must be a name and its values, as in lr=0.1,0.01 or seed=1..5",
                "1r=2 | - | - | - | sweep: '1r=2' must begin with a name of letters",
                "=2 | - | - | - | sweep: '=2' must begin with a name of letters",
                "a..b=2 | - | - | - | sweep: 'a..b=2' must begin with a name of letters",
                "lr= | - | - | - | sweep: 'lr=' has an empty value",
                "lr=1,,2 | - | - | - | sweep: 'lr=1,,2' has an empty value",
                "lr=1, | - | - | - | sweep: 'lr=1,' has an empty value",
                "lr=5..1 | - | - | - | sweep: 'lr=5..1' has the range 5..1, which ends before it begins",
                "lr=1..5:0 | - | - | - | sweep: 'lr=1..5:0' has the range 1..5:0, whose step must be above 0",
                "lr=1..5:-1 | - | - | - | sweep: 'lr=1..5:-1' has the range 1..5:-1, whose step must be above 0",
                "lr=1..1000001 | - | - | - | sweep: 'lr=1..1000001' has more than 1000000 values",
                "lr=1..99999999999999999999 | - | - | - | sweep: 'lr=1..99999999999999999999' has more than 1000000",
                "lr=0..1:1e-300 | - | - | - | sweep: 'lr=0..1:1e-300' has the range 0..1:1e-300, whose numbers have too many digits",
                "lr=0..1e999:1 | - | - | - | sweep: 'lr=0..1e999:1' has the range 0..1e999:1, whose numbers have too",
                "lr=0..99999999999999999999:1e-20 | - | - | - | sweep: 'lr=0..99999999999999999999:1e-20' has more than",
                "lr=0.1..0.5 | - | - | - | sweep: 'lr=0.1..0.5' is a range of numbers without end; draw some",
                "lr=0.1..0.5,7 | - | - | - | sweep: 'lr=0.1..0.5,7' has the range 0.1..0.5 beside other values",
                "lr=log:1..10 | - | - | - | sweep: 'lr=log:1..10' is a range of numbers without end",
                "lr=log:0..1 | - | 5 | - | sweep: 'lr=log:0..1' must have a range above 0 behind log:",
                "lr=log:1 | - | 5 | - | sweep: 'lr=log:1' must have a range behind log:",
                "lr=log:1e5..1e2 | - | 5 | - | sweep: 'lr=log:1e5..1e2' has the range 1e5..1e2, which ends before it",
                "lr=log:1e-5..1e999 | - | 5 | - | sweep: 'lr=log:1e-5..1e999' has a range beyond the numbers",
                "lr=1 lr=2 | - | - | - | sweep: 'lr=2' has values twice; give all of them at once",
                "a.b=1 a_b=2 | - | - | - | sweep: 'a_b=2' has the same variable as a.b, BERTH_PARAM_a_b; rename one",
                "a=1 a.b=2 | - | - | - | sweep: 'a.b=2' makes a both a value and the beginning of a.b; rename one",
                "a.b=1 a=2 | - | - | - | sweep: 'a=2' makes a both a value and the beginning of a.b; rename one",
                "a=1..1000 b=1..1001 | - | - | - | sweep: 'a b' has 1000 x 1001 sets of values; a sweep has at most",
                "- | a=1,2 b=3 | - | - | zip: 'b=3' has 1 value, and a has 2; side by side all have equally many",
                "- | a=0.1..0.5 | - | - | zip: 'a=0.1..0.5' is a range to draw from",
                "a=1,2 | a=1,2 | - | - | zip: 'a=1,2' has values twice",
                "lr=1..x | - | - | - | sweep: 'lr=1..x' has the value 1..x, which is no range; write one in numbers",
                "lr=1...5 | - | - | - | sweep: 'lr=1...5' has the value 1...5, which is no range",
                "lr=1..5..2 | - | - | - | sweep: 'lr=1..5..2' has the value 1..5..2, which is no range",
                "lr=1,2,...,9 | - | - | - | sweep: 'lr=1,2,...,9' has the value ..., which is no range",
                "lr=..5 | - | - | - | sweep: 'lr=..5' has the value ..5, which is no range",
                "lr=1..5:x | - | - | - | sweep: 'lr=1..5:x' has the value 1..5:x, which is no range",
                "lr=.5..1 | - | 3 | - | sweep: 'lr=.5..1' has the value .5..1, which is no range",
                "lr=1..123456789012345678901 | - | - | - | sweep: 'lr=1..123456789012345678901' has the value 1..1234567890",
                "lr=1:5 | - | - | - | sweep: 'lr=1:5' has the value 1:5, which is no range",
                "lr=LOG:1e-5..1 | - | 3 | - | sweep: 'lr=LOG:1e-5..1' has the value LOG:1e-5..1, which is no range",
                "lr=LOG:x | - | - | - | sweep: 'lr=LOG:x' has the value LOG:x, which is no range",
                "lr=5,log:1..2 | - | 3 | - | sweep: 'lr=5,log:1..2' has the value log:1..2, which is no range; write one in"
                        + " numbers of at most 20 digits as 1..5 or 0..1:0.25, or to draw from, alone",
                "lr=nan..1 | - | - | - | sweep: 'lr=nan..1' has the value nan..1, which is no range",
                "lr=1..inf | - | - | - | sweep: 'lr=1..inf' has the value 1..inf, which is no range",
                "lr=0.1;0.01 | - | - | - | sweep: 'lr=0.1;0.01' has the value 0.1;0.01, which is no number; between values",
                "- | a=1..x | - | - | zip: 'a=1..x' has the value 1..x, which is no range",
                "a=1,2 | - | 0 | - | sample: '0' must be a number of sets from 1 to 1000000",
                "a=1,2 | - | 3 | - | sample: '3' is more than the 2 sets of values that there are",
                "a=1,2 | - | - | 7 | seed: '7' is of no use without a number of sets to draw (--sample)",
                "- | - | 5 | - | sample: '5' needs parameters to draw",
                "a=1e40..1e40:1 | - | - | - | sweep: 'a=1e40..1e40:1' has the range 1e40..1e40:1, whose numbers have too",
                "p=-1e308..1e308 | - | 1 | - | sweep: 'p=-1e308..1e308' has a range beyond the numbers",
                "a=1..999998,x | - | - | - | sweep: 'a=1..999998,x' has more than 65536 single values; a range that stands",
                "- | a=1..1000000 b=1..1000000 | - | - | zip: '2000000 values' must be at most 65536 in all",
                "a=0.1..0.5 b=0.1..0.5 | - | 32769 | - | sample: '32769' makes 65538 values with 2 parameters, and at most",
                "- | - | - | - | sweep: '' must name a parameter and its values"
            })
    void whatIsNoSweepIsRefusedByItsRule(String sweep, String zip, Integer sample, Long seed, String refusal) {
        assertThatExceptionOfType(ParameterRefusal.class)
                .isThrownBy(() -> SweepOptions.of(words(sweep), words(zip), sample, seed))
                .satisfies(thrown -> assertThat(thrown.field() + ": '" + thrown.value() + "' " + thrown.rule())
                        .startsWith(refusal));
    }

    @Test
    void aSeedDrawsTheSameAlways() {
        Parameters drawn = SweepOptions.of(List.of("lr=log:1e-5..1e-1", "p=0.1..0.5", "o=adam,sgd"), List.of(), 3, 7L);
        assertThat(sets(drawn))
                .containsExactly(
                        "lr=0.00837136 p=0.399668 o=adam",
                        "lr=0.000917107 p=0.397035 o=sgd",
                        "lr=0.000255658 p=0.148294 o=sgd");
    }

    @Test
    void drawsFromAProductAreDistinctAndOfIt() {
        List<String> sweep = List.of("a=1..10", "b=1..10");
        List<String> all = sets(SweepOptions.of(sweep, List.of(), null, null));
        List<String> drawn = sets(SweepOptions.of(sweep, List.of(), 40, 7L));
        assertThat(drawn).hasSize(40).doesNotHaveDuplicates();
        assertThat(new HashSet<>(all)).containsAll(drawn);
        assertThat(drawn).isNotEqualTo(sets(SweepOptions.of(sweep, List.of(), 40, 8L)));
        assertThat(sets(SweepOptions.of(sweep, List.of(), 100, 7L))).containsExactlyInAnyOrderElementsOf(all);
    }

    @Test
    void drawsStayWithinTheirRange() {
        Parameters drawn = SweepOptions.of(List.of("lr=log:1e-5..1e-1", "p=0.1..0.5"), List.of(), 2_000, 1L);
        int below = 0;
        for (int index = 0; index < 2_000; index++) {
            List<Value> set = new ArrayList<>(drawn.of(index).values());
            double rate = Double.parseDouble(set.getFirst().text());
            assertThat(rate).isBetween(1e-5, 1e-1);
            assertThat(Double.parseDouble(set.getLast().text())).isBetween(0.1, 0.5);
            below += rate < 1e-3 ? 1 : 0;
        }
        assertThat(below)
                .as("half of them lie below the middle of the logarithms")
                .isBetween(900, 1_100);
    }

    @Test
    void drawsFromANarrowRangeLieInItAndDiffer() {
        List<String> drawn = sets(SweepOptions.of(List.of("x=1000000.1..1000000.9"), List.of(), 50, 1L));
        assertThat(drawn)
                .doesNotHaveDuplicates()
                .allSatisfy(
                        set -> assertThat(Double.parseDouble(set.substring(2))).isBetween(1000000.1, 1000000.9));
    }

    @Test
    void aProductTakesTheRoomOfItsFactors() {
        Parameters parameters = sweep("a=1..1000", "b=1..1000");
        assertThat(parameters.count()).isEqualTo(1_000_000);
        assertThat(parameters.bytes()).isLessThan(100);
        assertThat(ParametersJson.of(parameters)).hasSizeLessThan(200);
        assertThat(shown(parameters.of(999_999))).isEqualTo("a=1000 b=1000");
        assertThat(shown(parameters.of(1_000))).isEqualTo("a=2 b=1");
    }
}
