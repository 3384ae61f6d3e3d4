package dev.berth.core.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Values as Python's str and repr write them, and the names that CW2 makes of them. */
class PythonTextTest {
    @ParameterizedTest
    @CsvSource({
        "1.0, 1.0",
        "0.1, 0.1",
        "-0.0, -0.0",
        "0.0, 0.0",
        "0.0001, 0.0001",
        "0.00012345, 0.00012345",
        "0.00001, 1e-05",
        "1.5e-7, 1.5e-07",
        "123456.789, 123456.789",
        "1e15, 1000000000000000.0",
        "1234567890123456.0, 1234567890123456.0",
        "1e16, 1e+16",
        "1.25e22, 1.25e+22",
        "-2.5e300, -2.5e+300",
        "1e100, 1e+100",
        "1.7976931348623157e308, 1.7976931348623157e+308",
        "Infinity, inf",
        "-Infinity, -inf",
        "NaN, nan"
    })
    void aNumber(double number, String text) {
        assertThat(PythonText.of(number)).isEqualTo(text);
    }

    @Test
    void othersThanNumbers() {
        assertThat(PythonText.of(null)).isEqualTo("None");
        assertThat(PythonText.of(true)).isEqualTo("True");
        assertThat(PythonText.of(-7L)).isEqualTo("-7");
        assertThat(PythonText.of("it's \n")).isEqualTo("it's \n");
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put("k", List.of());
        map.put("l", null);
        assertThat(PythonText.of(Arrays.asList(1L, "a", false, null, map, Map.of())))
                .isEqualTo("[1, 'a', False, None, {'k': [], 'l': None}, {}]");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "a            | 'a'",
                "it's         | \"it's\"",
                "\"q\" it's   | '\"q\" it\\'s'",
                "\"q\"        | '\"q\"'",
                "a\\b         | 'a\\\\b'",
                "a\tb         | 'a\\tb'",
                "x\u001by     | 'x\\x1by'",
                "\u00e9       | '\u00e9'",
                "\u00a0x      | '\\xa0x'",
                "x\u200bx     | 'x\\u200bx'",
                "\ud83d\udea2 | '\ud83d\udea2'",
                "\udb40\udc01 | '\\U000e0001'"
            })
    void aTextInAnother(String text, String represented) {
        assertThat(PythonText.represented(text)).isEqualTo(represented);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "lr                   | 1       | l1",
                "learning_rate        | 1       | lr1",
                "net.lr               | 1       | net.l1",
                "network.hidden.n_out | 1       | net.hid.no1",
                "a__b_                | 1       | ab1",
                "_                    | 1       | 1",
                "\ud83d\udea2_x       | 1       | \ud83d\udea2x1",
                "a                    | it's    | aits",
                "a                    | (x, y]  | a_x_y",
                "a b                  | \"q\"   | aq"
            })
    void aShortName(String path, String value, String name) {
        assertThat(ShortName.of(List.of(path.split("\\.")), Values.of(value))).isEqualTo(name);
    }
}
