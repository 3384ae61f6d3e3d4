package dev.berth.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Submitter;
import dev.berth.server.fuzz.Sender;
import dev.berth.server.http.access.TokenSecret;
import dev.berth.server.linux.Users;
import dev.berth.server.store.Token;
import java.net.UnixDomainSocketAddress;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Everybody who can send something to a server: those who may change nothing, and all. */
record Senders(List<Sender> powerless, List<Sender> all) {
    static Senders of(ServerFixture fixture) {
        List<Sender> powerless = List.of(
                overTcp(fixture, "nobody, without a token", "", true),
                overTcp(fixture, "root, by a token that may look", token(fixture, "root", "READ"), true),
                overTcp(fixture, "daemon, by a token that may look", token(fixture, "daemon", "READ"), true));
        List<Sender> all = new ArrayList<>(powerless);
        all.add(new Sender("root, at the socket", UnixDomainSocketAddress.of(fixture.socket()), "berth", "", false));
        all.add(overTcp(fixture, "root, by a token that may submit", token(fixture, "root", "SUBMIT"), false));
        all.add(overTcp(fixture, "root, by a token that may all", token(fixture, "root", "ADMIN"), false));
        all.add(overTcp(fixture, "daemon, by a token that may submit", token(fixture, "daemon", "SUBMIT"), false));
        return new Senders(powerless, all);
    }

    private static Sender overTcp(ServerFixture fixture, String name, String token, boolean isPowerless) {
        return new Sender(name, fixture.tcp(), "127.0.0.1:" + fixture.tcp().getPort(), token, isPowerless);
    }

    private static String token(ServerFixture fixture, String user, String scope) {
        TokenSecret secret = TokenSecret.fresh(new SecureRandom());
        Submitter owner = new Users().find(user).orElseThrow();
        Token token = new Token(
                secret.id(), "t", secret.hash(), owner.uid(), user, scope, Instant.EPOCH, null, null, null, null);
        var _ = fixture.scheduling()
                .write(store -> assertThat(store.keepToken(token, 10)).isTrue())
                .join();
        return secret.text();
    }
}
