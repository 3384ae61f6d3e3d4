package dev.berth.cli.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What words without quotation marks are, as PyYAML 6 says; and those that are refused or told. */
class PlainScalarTest {
    private static String shown(@Nullable Object value) {
        return switch (value) {
            case Long number -> "whole " + number;
            case Double number -> "number " + number;
            case String text -> "text " + text;
            case null -> "null";
            default -> value.toString();
        };
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "~                       | null",
                "null                    | null",
                "Null                    | null",
                "NULL                    | null",
                "nUll                    | text nUll",
                "yes                     | true",
                "Yes                     | true",
                "yES                     | text yES",
                "no                      | false",
                "NO                      | false",
                "n                       | text n",
                "y                       | text y",
                "on                      | true",
                "Off                     | false",
                "true                    | true",
                "TRUE                    | true",
                "tRue                    | text tRue",
                "0                       | whole 0",
                "-0                      | whole 0",
                "+1                      | whole 1",
                "-17                     | whole -17",
                "007                     | whole 7",
                "08                      | text 08",
                "0o7                     | text 0o7",
                "010                     | whole 8",
                "-010                    | whole -8",
                "0_7                     | whole 7",
                "0x1F                    | whole 31",
                "0xg                     | text 0xg",
                "-0x10                   | whole -16",
                "0b101                   | whole 5",
                "0b2                     | text 0b2",
                "1_000                   | whole 1000",
                "_1                      | text _1",
                "1e3                     | text 1e3",
                "1e-3                    | text 1e-3",
                "1E5                     | text 1E5",
                "1.5                     | number 1.5",
                "-1.5                    | number -1.5",
                "+1.5                    | number 1.5",
                "1.                      | number 1.0",
                ".5                      | number 0.5",
                "-.5                     | text -.5",
                "+.5                     | text +.5",
                "._5                     | text ._5",
                "1.0e5                   | text 1.0e5",
                "1.5e10                  | text 1.5e10",
                "1.0e+5                  | number 100000.0",
                "1.0E-5                  | number 1e-05",
                ".5e+3                   | number 500.0",
                "1_0.5_0                 | number 10.5",
                "1.e+3                   | number 1000.0",
                "1.2.3                   | text 1.2.3",
                ".                       | text .",
                "+                       | text +",
                "--                      | text --",
                ".inf                    | number Infinity",
                "-.inf                   | number -Infinity",
                "+.Inf                   | number Infinity",
                ".INF                    | number Infinity",
                ".iNf                    | text .iNf",
                ".nan                    | number NaN",
                "-.nan                   | text -.nan",
                "2026-01-02              | text 2026-01-02",
                "1.5e+                   | text 1.5e+",
                "9223372036854775807     | whole 9223372036854775807",
                "-9223372036854775808    | whole -9223372036854775808",
                "12e                     | text 12e",
                "0.0                     | number 0.0",
                "00                      | whole 0",
                "0.                      | number 0.0",
                "1,5                     | text 1,5",
                "1/2                     | text 1/2",
                "a1                      | text a1",
                "0b                      | text 0b",
                "1__2                    | whole 12",
                "١                       | text ١"
            })
    void aWordIsWhatPyYamlTakesItFor(String word, String value) {
        Object expected = value.startsWith("number ") ? "number " + Double.valueOf(value.substring(7)) : value;
        assertThat(shown(PlainScalar.of(word))).isEqualTo(expected);
        assertThat(PlainScalar.refusal(word)).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "1:30, is a number to the base 60 in YAML 1.1",
        "-1:30:00, is a number to the base 60 in YAML 1.1",
        "1:30.5, is a number to the base 60 in YAML 1.1",
        "0:30.5, is a number to the base 60 in YAML 1.1",
        "2026-01-02T03:04:05Z, is a date with a time in YAML 1.1",
        "2026-1-2 3:04:05.5, is a date with a time in YAML 1.1",
        "9223372036854775808, is a number of more than 64 bits",
        "-12345678901234567890, is a number of more than 64 bits",
        "0xfffffffffffffffff, is a number of more than 64 bits",
        "0777777777777777777777777, is a number of more than 64 bits",
        "1_000_000_000_000_000_000_000, is a number of more than 64 bits"
    })
    void aWordThatNobodyMeansSoIsRefused(String word, String why) {
        assertThat(PlainScalar.refusal(word)).isEqualTo(why);
    }

    @ParameterizedTest
    @CsvSource({
        "a:b",
        "1:60",
        "1:",
        ":30",
        "0:30",
        "1:2:345",
        "2026-01-02",
        "2026-01-02x3:4",
        "http://x:80",
        "08",
        "1:x"
    })
    void aWordWithSignsIsAText(String word) {
        assertThat(PlainScalar.of(word)).isEqualTo(word);
        assertThat(PlainScalar.refusal(word)).isNull();
        assertThat(PlainScalar.isUnexpectedText(word)).isEqualTo(word.equals("08"));
    }

    @ParameterizedTest
    @CsvSource({
        "1e-3, true",
        "1E5, true",
        "1.0e5, true",
        "-.5, true",
        "+.5e3, true",
        "1e, false",
        "e5, false",
        "1.5, false",
        "1.0e-3, false",
        "1.2.3, false",
        "., false",
        "-, false",
        "2026-01-02, false",
        "7, false"
    })
    void aTextThatLooksLikeANumberIsUnexpected(String word, boolean isUnexpected) {
        assertThat(PlainScalar.isUnexpectedText(word)).isEqualTo(isUnexpected);
    }
}
