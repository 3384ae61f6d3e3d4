package dev.berth.core.parameter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.berth.core.parameter.Parameters.Block;
import dev.berth.core.parameter.Parameters.Factor;
import dev.berth.core.parameter.Parameters.Value;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import org.junit.jupiter.api.Test;

class ParametersTest {
    private static final SequencedMap<String, Value> NONE = new LinkedHashMap<>();

    private static Value value(String text) {
        return ParameterText.typed(text);
    }

    private static SequencedMap<String, Value> constants(String name, String value) {
        SequencedMap<String, Value> constants = new LinkedHashMap<>();
        constants.put(name, value(value));
        return constants;
    }

    private static Factor factor(String name, String... values) {
        return new Factor(
                List.of(name),
                List.of(values).stream().map(value -> List.of(value(value))).toList());
    }

    private static final Parameters TWO_BLOCKS = new Parameters(List.of(
            new Block(constants("z", "1"), List.of(factor("net.lr", "0.5", "0.1"), factor("net.bs", "8", "16"))),
            new Block(constants("net.bs", "32"), List.of(factor("net.lr", "1e-3")))));

    @Test
    void blocksFollowOneAnother() {
        assertThat(TWO_BLOCKS.count()).isEqualTo(5);
        assertThat(TWO_BLOCKS.json(1)).isEqualTo("{\"z\":1,\"net\":{\"lr\":0.5,\"bs\":16}}");
        assertThat(TWO_BLOCKS.json(4)).isEqualTo("{\"net\":{\"bs\":32,\"lr\":1e-3}}");
        assertThat(TWO_BLOCKS.of(4)).containsOnlyKeys("net.lr");
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> TWO_BLOCKS.of(5));
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> TWO_BLOCKS.of(-1));
    }

    @Test
    void aCommandMayNameWhatEachTaskHas() {
        assertThat(TWO_BLOCKS.varied()).containsExactly("net.lr", "net.bs");
        assertThat(TWO_BLOCKS.common()).containsExactlyInAnyOrder("net.lr", "net.bs");
    }

    @Test
    void aBlockHasParametersAndNotTooMany() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Block(NONE, List.of()))
                .withMessage("must have 1 to 1024 parameters in each block, and one has 0");
        SequencedMap<String, Value> many = new LinkedHashMap<>();
        for (int number = 0; number <= 1_024; number++) {
            many.put("p" + number, value("1"));
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Block(many, List.of()))
                .withMessageEndingWith("one has 1025");
    }

    @Test
    void whatTakesNoTextTakesRoomAllTheSame() {
        Parameters many = new Parameters(List.of(new Block(NONE, List.of(factor("a", "".repeat(1), "", "")))));
        assertThat(many.bytes()).isGreaterThan(3 * 16);
    }

    @Test
    void moreSetsThanCanBeCountedAreManySets() {
        Factor many = factor("a", "1");
        assertThat(new Parameters(List.of(new Block(NONE, List.of(many)))).count())
                .isEqualTo(1);
        assertThat(Parameters.product(Long.MAX_VALUE, 2)).isEqualTo(Long.MAX_VALUE);
        assertThat(Parameters.product(1L << 32, 1L << 32)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void namesThatAProgramCannotTellApartAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Block(constants("a", "1"), List.of(factor("a", "2"))))
                .withMessageContaining("has values twice");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Block(constants("a-b", "1"), List.of(factor("a.b", "2"))))
                .withMessageContaining("has the same variable");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Factor(List.of("a", "b"), List.of(List.of(value("1")))));
        assertThatIllegalArgumentException().isThrownBy(() -> new Parameters(List.of()));
    }

    @Test
    void aCommandIsFilledWithTheTextsOfValues() {
        SequencedMap<String, Value> set = TWO_BLOCKS.all(0);
        assertThat(ParameterText.filled(
                        List.of(
                                "--lr={net.lr}",
                                "{net.bs}{z}",
                                "{{z}}",
                                "{\"a\":{\"b\":{z}}}",
                                "{}",
                                "{other}",
                                "$1 \\"),
                        set))
                .containsExactly("--lr=0.5", "81", "{z}", "{\"a\":{\"b\":1}}", "{}", "{other}", "$1 \\");
    }

    @Test
    void thePlacesOfACommandAreNamesInBraces() {
        assertThat(ParameterText.places(List.of("{z}", "{zz} {{y}} {\"a\": 1} {net.lr} {z}", "{x}")))
                .containsExactly("z", "zz", "net.lr", "z", "x");
    }

    @Test
    void theLongestTextOfEachIsKnown() {
        assertThat(TWO_BLOCKS.longest())
                .containsEntry("net.lr", 4L)
                .containsEntry("net.bs", 2L)
                .containsEntry("z", 1L);
    }

    @Test
    void aTextIsJsonWithItsQuotationMarks() {
        assertThat(ParameterText.text("a\"b\\c\n\u00e9").json()).isEqualTo("\"a\\\"b\\\\c\\u000a\u00e9\"");
        assertThat(ParameterText.text("5")).isEqualTo(new Value("\"5\"", "5"));
        assertThat(ParameterText.typed("1".repeat(40)).json()).isEqualTo("1".repeat(40));
        assertThat(ParameterText.typed("1".repeat(41)).json()).isEqualTo('"' + "1".repeat(41) + '"');
    }

    @Test
    void aLongTextIsNoNameAndNoPlaceTakesTheStack() {
        String path = "a" + ".a".repeat(50_000);
        assertThat(ParameterText.isName(path)).isFalse();
        assertThat(ParameterText.places(List.of('{' + path + '}'))).containsExactly(path);
    }
}
