package dev.berth.server.http.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.job.Submitter;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.Caller;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LinksTest {
    private static final Caller ADA = caller(1_000);

    private Instant now = Instant.EPOCH;
    private final Links links = new Links(() -> now);

    private static Caller caller(long uid) {
        return Caller.local(new Submitter(uid, uid, List.of(), "user" + uid));
    }

    private String made(Caller caller) {
        return links.make(caller, Optional.empty());
    }

    @Test
    void aLinkIsTakenOnceAsItsMaker() {
        String secret = made(ADA);
        assertThat(links.take(secret).orElseThrow())
                .isEqualTo(new Links.Link(1_000, "user1000", Caller.Scope.ADMIN, null, now.plus(Links.LIFE)));
        assertThat(links.take(secret)).isEmpty();
        assertThat(links.take("")).isEmpty();
        assertThat(secret).hasSize(43).isNotEqualTo(made(ADA));
    }

    @Test
    void afterAMinuteItIsNone() {
        String first = made(ADA);
        String second = made(ADA);
        now = now.plus(Links.LIFE).minusNanos(1);
        assertThat(links.take(first)).isPresent();
        now = now.plusNanos(1);
        assertThat(links.take(second)).isEmpty();
    }

    @Test
    void aUserHasSoManyUnusedOnesAtATime() {
        for (int i = 0; i < Links.MAX_A_USER; i++) {
            made(ADA);
        }
        assertThatThrownBy(() -> made(ADA)).isInstanceOfSatisfying(ApiException.class, refusal -> {
            assertThat(refusal.status()).isEqualTo(429);
            assertThat(refusal.error().code()).isEqualTo("TOO_MANY_LINKS");
            assertThat(refusal.again()).contains(Duration.ofMinutes(1));
        });
        assertThat(made(caller(1_001))).isNotEmpty();
        now = now.plus(Links.LIFE);
        assertThat(made(ADA)).isNotEmpty();
    }

    @Test
    void thereAreSoManyInAll() {
        for (int i = 0; i < Links.MAX; i++) {
            made(caller(2_000 + i / Links.MAX_A_USER));
        }
        assertThatThrownBy(() -> made(ADA)).isInstanceOf(ApiException.class);
    }
}
