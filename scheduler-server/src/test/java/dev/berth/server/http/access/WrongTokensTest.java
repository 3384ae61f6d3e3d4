package dev.berth.server.http.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** What counts as one address. */
class WrongTokensTest {
    private final WrongTokens guesses = new WrongTokens(() -> Instant.EPOCH, Duration.ZERO);

    private static InetAddress at(String address) {
        try {
            return InetAddress.getByName(address);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    private static String key(String address) {
        return WrongTokens.key(at(address));
    }

    @Test
    void allLoopbackAddressesAreOne() {
        assertThat(key("127.0.0.1")).isEqualTo(WrongTokens.LOCAL);
        assertThat(key("127.200.3.4")).isEqualTo(WrongTokens.LOCAL);
        assertThat(key("::1")).isEqualTo(WrongTokens.LOCAL);
        assertThat(key("::ffff:127.0.0.9")).isEqualTo(WrongTokens.LOCAL);
    }

    @Test
    void ofVersion6TheNetworkCountsAndOfVersion4TheAddress() {
        assertThat(key("2001:db8::1")).isEqualTo(key("2001:db8::ffff:1")).isNotEqualTo(key("2001:db8:0:1::1"));
        assertThat(key("192.0.2.1")).isEqualTo(key("::ffff:192.0.2.1")).isNotEqualTo(key("192.0.2.2"));
    }

    @Test
    void whoGuessesFromManyLoopbackAddressesIsSlowedDown() {
        for (int i = 0; i < WrongTokens.FREE; i++) {
            assertThat(guesses.isTooMany(at("127.0.0." + i))).isFalse();
        }
        assertThat(guesses.isTooMany(at("127.0.1.1"))).isTrue();
        assertThat(guesses.isTooMany(at("192.0.2.1"))).isFalse();
    }
}
