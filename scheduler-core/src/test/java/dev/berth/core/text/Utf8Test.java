package dev.berth.core.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class Utf8Test {
    @ParameterizedTest
    @ValueSource(strings = {"", "a", "\u007f\u0080", "\u07ff\u0800", "\uffff", "x💾y", "naïve €"})
    void countsAsManyBytesAsAreMade(String text) {
        assertThat(Utf8.length(text)).isEqualTo(text.getBytes(StandardCharsets.UTF_8).length);
    }

    @Test
    void halfAPairCountsAsACharacter() {
        assertThat(Utf8.length("\ud83d")).isEqualTo(3);
    }

    @Test
    void whatFitsStaysWhole() {
        assertThat(Utf8.cut("ab€", 5)).isEqualTo("ab€");
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void whatDoesNotFitIsCutBetweenCharacters(int most) {
        String cut = Utf8.cut("a€💾b€💾", most);
        assertThat(cut).endsWith("...");
        assertThat(Utf8.length(cut)).isLessThanOrEqualTo(most);
        assertThat("a€💾b€💾").startsWith(cut.substring(0, cut.length() - 3));
    }
}
