package dev.berth.cli.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.cli.exit.Failure;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTextTest {
    private record Sample(
            String text, int count, long number, boolean flag, List<String> list, Map<String, String> map) {}

    private static Sample sample(String text) {
        return new Sample(text, -1, Long.MIN_VALUE, true, List.of(text, "x"), Map.of(text, text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a", "\"", "\\\\", "\n\r\t\b\f\u0000\u001f\u007f\u2028", "ü漢🚀", "</script>", "\u009b"})
    void whatIsWrittenReadsTheSame(String text) {
        JsonObject read = JsonObject.parse(JsonText.of(sample(text)).getBytes(StandardCharsets.UTF_8));
        assertThat(new Sample(
                        read.text("text"),
                        read.count("count"),
                        read.number("number"),
                        read.flag("flag"),
                        read.texts("list"),
                        read.textMap("map")))
                .isEqualTo(sample(text));
    }

    @Test
    void whatIsWrittenIsJson() {
        assertThat(JsonText.of(sample("\u001b\"\\\n\t\rü")))
                .isEqualTo(
                        "{'text':'x','count':-1,'number':-9223372036854775808,'flag':true,'list':['x','x'],'map':{'x':'x'}}"
                                .replace("'x'", "\"\\u001b\\\"\\\\\\n\\t\\rü\"")
                                .replace(",\"\\u001b\\\"\\\\\\n\\t\\rü\"]", ",\"x\"]")
                                .replace('\'', '"'));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "1 | 1",
                "-0 | 0",
                "0 | 0",
                "9223372036854775807 | 9223372036854775807",
                "9223372036854775808 | 9.223372036854776E18",
                "1.5 | 1.5",
                "-2e3 | -2000.0",
                "1E+2 | 100.0",
                "10e-1 | 1.0",
                "true | true",
                "false | false",
                "[] | []",
                "[[],[1]] | [[], [1]]",
                "~ [ 1 , null ,\t2\r\n] ~ | [1, null, 2]",
                "\"\" | ~~",
                "\"a b\" | a b",
                "\"\\u00fC\\ud83d\\ude80\\/\\\"\\\\\" | ü🚀/\"\\",
                "\"x\\b\\f\\n\\r\\ty\" | ~x\b\f\n\r\ty~"
            })
    void everyKindOfValueIsRead(String json, String meaning) {
        assertThat(JsonReader.read(json, null)).hasToString(meaning);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "{",
                "[",
                "[1",
                "[1,",
                "[1,]",
                "[,1]",
                "{\"a\"}",
                "{\"a\":}",
                "{\"a\":1,}",
                "{a:1}",
                "{\"a\" 1}",
                "{\"a\":1 \"b\":2}",
                "\"",
                "\"\\",
                "\"\\u12",
                "\"\\u12g4\"",
                "\"\\x\"",
                "\"\n\"",
                "tru",
                "nul",
                "1 2",
                "[] []",
                "--1",
                "1.2.3",
                "e",
                "'a'",
                "NaN",
                "}",
                "]",
                "+1",
                "01",
                "-01",
                "1.",
                ".5",
                "1.e5",
                "1e",
                "1e+",
                "-",
                "1d",
                "0x1"
            })
    void whatIsNoJsonIsRefused(String json) {
        assertThatThrownBy(() -> JsonReader.read(json, null))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("it is not JSON");
    }

    @Test
    void aFieldMayNotBeThereTwice() {
        assertThatThrownBy(() -> JsonReader.read("{\"a\":1,\"a\":2}", null))
                .hasMessageContaining("a field is there twice");
    }

    @Test
    void nestingHasABound() {
        char[] deep = new char[100];
        Arrays.fill(deep, '[');
        String open = new String(deep);
        assertThat(JsonReader.read(open + open.replace('[', ']'), null)).isNotNull();
        assertThatThrownBy(() -> JsonReader.read(open + "[]", null)).hasMessageContaining("nested too deeply");
        assertThat(JsonReader.read("[" + "[],".repeat(200) + "1]", null)).isNotNull();
    }

    @Test
    void halfACharacterIsEscaped() {
        assertThat(JsonText.of(sample("\ud83d"))).contains("\"text\":\"\\ud83d\"");
        assertThat(JsonText.of(sample("\ude80x"))).contains("\"text\":\"\\ude80x\"");
    }
}
