package dev.berth.server.notify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.berth.server.notify.Receiver.Webhook;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReceiverTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "https://hooks.slack.com/services/T00/B00/sEcReT99     | SLACK   | https://hooks.slack.com/...eT99",
                "https://discord.com/api/webhooks/12/sEcReT99          | DISCORD | https://discord.com/...eT99",
                "https://x.webhook.office.com/webhookb2/sEcReT99       | TEAMS   | https://x.webhook.office.com/...eT99",
                "https://ntfy.sh/my-topic                              | NTFY    | https://ntfy.sh/...",
                "ntfy:https://push.example.org:8443/my-topic           | NTFY    | https://push.example.org:8443/...",
                "https://example.org                                   | JSON    | https://example.org/...",
                "json:https://hooks.slack.com/services/T00/B00/sEcReT99| JSON    | https://hooks.slack.com/...eT99",
                "HTTPS://example.org/in?token=sEcReT99                 | JSON    | https://example.org/...eT99",
                "http://192.0.2.7:8080/                                | JSON    | http://192.0.2.7:8080/...",
                "https://[2001:db8::7]/x                               | JSON    | https://[2001:db8::7]/...",
            })
    void anAddressOfTheWebHasAFormAndIsShownWithoutItsSecret(String text, Form form, String shown) {
        Receiver receiver = Receiver.parse(text);
        assertThat(((Webhook) receiver).form()).isEqualTo(form);
        assertThat(receiver.shown()).isEqualTo(shown);
        assertThat(receiver.toString()).isEqualTo(shown).doesNotContain("sEcR");
    }

    @Test
    void whatIsAskedForIsWhatWasWritten() {
        Webhook hook = (Webhook) Receiver.parse("https://h.example/a%20b/?x=%2F&y=é");
        assertThat(hook.target()).isEqualTo("/a%20b/?x=%2F&y=%C3%A9");
        assertThat(hook.port()).isEqualTo(443);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "example.org/x",
                "ftp://example.org/x",
                "file:///etc/passwd",
                "https:///x",
                "https://user:secret@example.org/x",
                "https://example.org/x#secret",
                "https://example.org:0/",
                "https://example.org:70000/",
                "https://exa mple.org/secret",
                "https://example.org/se\r\ncret: x",
                "slack:mail:secret@example.org",
                "https://2130706433/secret",
                "https://0x7f.1/secret",
                "https://0177.0.0.1/secret",
                "https://127.1/secret",
                "https://017700000001/secret",
                "mail:",
                "mail:secret",
                "mail:a@b\r\nBcc: secret@example.org",
                "mail:secret@example.org,b@example.org",
                "mail:<secret@example.org>",
                "mail:a b@secret",
                "cmd:",
                "cmd: \t",
                "cmd:told secret\nsecret",
                "cmd:told secret\u202e",
            })
    void whatIsNoneIsRefusedWithoutRepeatingIt(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Receiver.parse(text))
                .withMessageStartingWith("must ")
                .satisfies(refused -> assertThat(refused.getMessage()).doesNotContain("secret"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "cmd:/home/ada/bin/told              | cmd:/home/ada/bin/told",
                "cmd:~/told --key sEcReT             | cmd:~/told...",
                "cmd:KEY=sEcReT told                 | cmd:...",
                "cmd:'a sEcReT' x                    | cmd:...",
                "cmd:$(sEcReT)                       | cmd:...",
            })
    void ofACommandOnlyTheProgramIsShown(String text, String shown) {
        assertThat(Receiver.shown(text)).isEqualTo(shown);
        assertThat(Receiver.parse(text).toString()).isEqualTo(shown);
    }

    @Test
    void anAddressOfMailIsNoSecret() {
        assertThat(Receiver.parse("mail:ada@example.org").shown()).isEqualTo("mail:ada@example.org");
        assertThat(Receiver.shown("something of a later version")).isEqualTo("...");
    }
}
