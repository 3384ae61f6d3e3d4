package dev.berth.core.parameter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.parameter.Parameters.Block;
import dev.berth.core.parameter.Parameters.Factor;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ParameterMatchesTest {
    private static List<Integer> matches(Parameters parameters, String name, String text) {
        ParameterMatches matches = new ParameterMatches(parameters, name, text);
        List<Integer> all = new ArrayList<>();
        OptionalInt next = matches.below(Math.toIntExact(parameters.count()));
        while (next.isPresent()) {
            all.addFirst(next.getAsInt());
            next = matches.below(next.getAsInt());
        }
        return all;
    }

    /** By making each set. */
    private static List<Integer> looked(Parameters parameters, String name, String text) {
        List<Integer> all = new ArrayList<>();
        for (int index = 0; index < parameters.count(); index++) {
            Parameters.Value value = parameters.of(index).get(name);
            if (value != null && value.text().equals(text)) {
                all.add(index);
            }
        }
        return all;
    }

    private static Factor factor(String name, SplittableRandom random) {
        if (random.nextInt(3) == 0) {
            return new Factor(List.of(name), new Range(BigDecimal.ZERO, BigDecimal.ONE, 1 + random.nextInt(4)));
        }
        List<List<Parameters.Value>> rows = new ArrayList<>();
        for (int row = random.nextInt(4); row >= 0; row--) {
            rows.add(List.of(ParameterText.typed(Integer.toString(random.nextInt(3)))));
        }
        return new Factor(List.of(name), rows);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void whatIsComputedIsWhatIsFoundByLooking(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Block> blocks = new ArrayList<>();
        for (int block = random.nextInt(5); block >= 0; block--) {
            List<Factor> factors = new ArrayList<>();
            factors.add(factor("x", random));
            for (String name : List.of("a", "b", "c")) {
                if (random.nextBoolean()) {
                    factors.add(random.nextInt(factors.size() + 1), factor(name, random));
                }
            }
            blocks.add(new Block(new LinkedHashMap<>(), factors));
        }
        Parameters parameters = new Parameters(blocks);
        for (String name : List.of("a", "b", "c", "x", "y")) {
            for (String text : List.of("0", "1", "2", "3", "9", "1.0", "a")) {
                assertThat(matches(parameters, name, text))
                        .as("%s=%s", name, text)
                        .isEqualTo(looked(parameters, name, text));
            }
        }
    }

    @Test
    void ofAMillionSetsNoneIsMade() {
        Parameters million = SweepOptions.of(List.of("a=1..1000", "b=0..99.9:0.1"), List.of(), null, null);
        assertThat(matches(million, "b", "0.7")).hasSize(1_000).startsWith(7, 1_007);
        assertThat(matches(million, "a", "1000")).hasSize(1_000).startsWith(999_000);
        assertThat(new ParameterMatches(million, "b", "99.9").below(1_000)).hasValue(999);
        assertThat(new ParameterMatches(million, "b", "99.9").below(999)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "one", "1e999999999", "1e-999999999", "0.75", "1.0", "0", "3", "-1"})
    void whatStandsInNoRangeIsNoValueOfIt(String text) {
        Range range = new Range(BigDecimal.ONE, new BigDecimal("0.5"), 3);
        assertThat(range.rowOf(text)).isEmpty();
        assertThat(range.rowOf("1.5")).hasValue(1);
    }
}
