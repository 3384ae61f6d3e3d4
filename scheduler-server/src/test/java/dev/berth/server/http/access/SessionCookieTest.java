package dev.berth.server.http.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.SecureRandom;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class SessionCookieTest {
    private final SessionSecret secret = SessionSecret.fresh(new SecureRandom());

    @Test
    void overTlsItIsBoundToThat() {
        assertThat(SessionCookie.of("abc123", true).begun(secret, Duration.ofHours(1)))
                .isEqualTo("__Host-berth_abc123=" + secret.cookieValue()
                        + "; Path=/; Max-Age=3600; HttpOnly; SameSite=Strict; Secure");
        assertThat(SessionCookie.of("abc123", true).ended())
                .isEqualTo("__Host-berth_abc123=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict; Secure");
    }

    @Test
    void twoServersOfAHostHaveTwo() {
        assertThat(SessionCookie.of("abc123", false).name())
                .isNotEqualTo(SessionCookie.of("abc124", false).name());
    }

    @Test
    void theHalvesAreOneSecretInThatOrder() {
        SessionSecret read =
                SessionSecret.parse(secret.cookieValue(), secret.key()).orElseThrow();
        assertThat(read).isEqualTo(secret);
        assertThat(read.matches(secret.hash())).isTrue();
        assertThat(new SessionSecret(secret.id(), secret.key(), secret.cookie()).matches(secret.hash()))
                .isFalse();
        assertThat(SessionSecret.parse(secret.cookieValue() + "x", secret.key()))
                .isEmpty();
        assertThat(SessionSecret.parse(secret.cookieValue(), "")).isEmpty();
        assertThat(secret.toString()).doesNotContain(secret.cookie()).doesNotContain(secret.key());
    }
}
