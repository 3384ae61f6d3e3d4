package dev.berth.core.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class LimitSignalTest {
    @ParameterizedTest
    @CsvSource({"USR1@300, USR1@300", "sigusr1@300, USR1@300", "10@1, USR1@1", "SIGTERM, TERM@60", "HUP, HUP@60"})
    void aSignalIsReadByNameOrNumber(String text, String written) {
        assertThat(LimitSignal.parse(text)).hasToString(written);
        assertThat(LimitSignal.parse(written)).isEqualTo(LimitSignal.parse(text));
    }

    @ParameterizedTest
    @CsvSource({
        "KILL@60, must name one of HUP",
        "SIGSTOP, must name one of HUP",
        "9@60, must name one of HUP",
        "'', must name one of HUP",
        "SIG, must name one of HUP",
        "USR1@, 'must be a signal, @ and a whole number of seconds'",
        "USR1@5m, 'must be a signal, @ and a whole number of seconds'",
        "USR1@-1, 'must be a signal, @ and a whole number of seconds'",
        "USR1@60@60, 'must be a signal, @ and a whole number of seconds'",
        "USR1@0, must come from 1 second to 315360000 (ten years)",
        "USR1@999999999, must come from 1 second to 315360000 (ten years)"
    })
    void whatIsNoSignalBeforeALimitIsRefused(String text, String rule) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LimitSignal.parse(text))
                .withMessageStartingWith(rule);
    }

    @ParameterizedTest
    @EnumSource
    void noSignalEndsAProgramUnheard(Signal signal) {
        assertThat(signal.number()).isNotIn(9, 19);
        assertThat(Signal.parse(signal.inFull())).isEqualTo(signal);
    }

    @Test
    void aSignalComesWithinItsLimit() {
        LimitSignal signal = new LimitSignal(Signal.USR1, Duration.ofMinutes(5));
        assertThat(new Limits(Duration.ofSeconds(301), null, signal, null).signal())
                .isEqualTo(signal);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Limits(Duration.ofMinutes(5), null, signal, null))
                .withMessageContaining("within the time limit");
        assertThatIllegalArgumentException().isThrownBy(() -> new Limits(null, null, signal, null));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Limits(null, null, null, Duration.ZERO))
                .withMessageContaining("grace");
    }
}
