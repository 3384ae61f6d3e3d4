package dev.berth.server.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KernelListTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            0          | [0]
            0-3        | [0, 1, 2, 3]
            0-1,8,4-5  | [0, 1, 4, 5, 8]
            ' 7-7 '    | [7]
            """)
    void numbersAndRanges(String text, String numbers) {
        assertThat(KernelList.parse(text).orElseThrow()).hasToString(numbers);
    }

    @Test
    void anEmptyListHasNone() {
        assertThat(KernelList.parse(""))
                .hasValueSatisfying(numbers -> assertThat(numbers).isEmpty());
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "1,", "3-1", "-1", "0-99999", "1;2", "0x3", "1 2"})
    void anythingElseIsNoList(String text) {
        assertThat(KernelList.parse(text)).isEmpty();
    }
}
