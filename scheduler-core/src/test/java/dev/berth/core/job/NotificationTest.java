package dev.berth.core.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NotificationTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "end:https://h/x            | end            | https://h/x",
                "fail,end,start:mail:a@h    | start,end,fail | mail:a@h",
                "https://h/x                | end            | https://h/x",
                "slack:https://h/x          | end            | slack:https://h/x",
                "start:slack:https://h/x    | start          | slack:https://h/x",
            })
    void momentsStandBeforeTheReceiver(String text, String moments, String receiver) {
        Notification wish = Notification.parse(text);
        assertThat(wish.words()).isEqualTo(moments);
        assertThat(wish.receiver()).isEqualTo(receiver);
        assertThat(Notification.parse(wish.text())).isEqualTo(wish);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "end", "end:", "end,ends:https://h", "end,end:https://h", "end,:https://h", "a,b:https://h"})
    void whatIsNoneIsRefused(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Notification.parse(text))
                .withMessageContaining("must be MOMENT[,MOMENT...]:RECEIVER");
    }

    @Test
    void aTextHasABound() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Notification.parse("end:https://h/" + "x".repeat(Notification.MAX_LENGTH)))
                .withMessage("must have at most 2048 characters");
    }

    @Test
    void itsSecretIsInNoOtherText() {
        Notification wish = Notification.parse("end:https://h/secret");
        assertThat(wish.toString()).isEqualTo("end:...");
        assertThat(List.of(wish).toString()).doesNotContain("secret");
    }
}
