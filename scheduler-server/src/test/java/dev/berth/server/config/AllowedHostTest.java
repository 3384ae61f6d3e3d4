package dev.berth.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AllowedHostTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "10.0.0.1:0",
                "10.0.0.1:65536",
                "10.0.0.1:080",
                "10.0.0.1:",
                "10.0.0.0/33:80",
                "chat.example:http",
                "chat.example:80:90",
                ":80",
                "[10.0.0.1]:80",
                "[chat.example]:80",
                "[::1]:70000",
                "[::1:80",
            })
    void whatIsNoPortOrNoHostIsNone(String text) {
        assertThat(AllowedHost.parse(text)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"chat.example:80", "10.0.0.0/8:65535", "[::1]:1", "fd00::/8", "::1", "chat.example"})
    void whatIsOneIsShownAsItWasGiven(String text) {
        assertThat(AllowedHost.parse(text)).hasToString("Optional[" + text + "]");
    }
}
