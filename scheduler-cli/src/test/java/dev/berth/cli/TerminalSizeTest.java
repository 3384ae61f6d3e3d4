package dev.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.command.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TerminalSizeTest {
    private static final Size BEFORE = new Size(80, 24);

    @Test
    void rowsComeFirst() {
        assertThat(TerminalSize.parse("50 132\n", BEFORE)).isEqualTo(new Size(132, 50));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0 0", "24", "24 80 1", "-1 80", "99999999999 80"})
    void whatIsNoSizeChangesNothing(String text) {
        assertThat(TerminalSize.parse(text, BEFORE)).isEqualTo(BEFORE);
    }
}
