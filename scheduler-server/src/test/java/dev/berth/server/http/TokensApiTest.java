package dev.berth.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.server.http.access.TokenSecret;
import dev.berth.server.http.access.WrongTokens;
import dev.berth.server.http.route.TokensResource;
import dev.berth.server.store.JobStore;
import dev.berth.server.store.Token;
import dev.berth.testclient.Answer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tokens over a real port: who they let in, and who not. */
@Timeout(60)
class TokensApiTest {
    private static final String TOKENS = "/api/v1/tokens";
    private static final String SERVER = "/api/v1/server";

    @TempDir
    private Path directory;

    @AutoClose
    private ServerFixture fixture;

    @BeforeEach
    void open() {
        fixture = new ServerFixture(directory);
    }

    private Answer ask(String token, String method, String path, String body) {
        return Wire.ask(
                fixture.tcp(),
                method,
                path,
                body.getBytes(StandardCharsets.UTF_8),
                "Host: localhost",
                "Authorization: Bearer " + token);
    }

    private Answer get(String token, String path) {
        return ask(token, "GET", path, "");
    }

    private JsonNode created(String request) {
        Answer answer = fixture.post(TOKENS, request);
        assertThat(answer.status()).as(answer.text()).isEqualTo(201);
        return answer.json();
    }

    private String secret(String request) {
        return created(request).path("secret").asText();
    }

    private void write(Consumer<JobStore> work) {
        var _ = fixture.scheduling().write(work).join();
    }

    /** A token of somebody, as it is kept. */
    private String kept(String user, long uid, String scope, @Nullable Instant end) {
        TokenSecret secret = TokenSecret.fresh(new SecureRandom());
        Instant made = Instant.EPOCH;
        write(store -> assertThat(store.keepToken(
                        new Token(secret.id(), "t", secret.hash(), uid, user, scope, made, end, null, null, null), 100))
                .isTrue());
        return secret.text();
    }

    @Test
    void aTokenOpensTheServerAsItsMaker() {
        JsonNode created = created("{\"name\": \"laptop\"}");
        String secret = created.path("secret").asText();
        assertThat(secret).matches("berth_[0-9a-f]{16}_[A-Za-z0-9_-]{43}");
        assertThat(created.path("token").path("user").asText()).isEqualTo("root");
        assertThat(created.path("token").path("scope").asText()).isEqualTo("submit");
        assertThat(Duration.between(
                        Instant.parse(created.path("token").path("createdAt").asText()),
                        Instant.parse(created.path("token").path("expiresAt").asText())))
                .isEqualTo(Duration.ofDays(30));
        assertThat(get(secret, SERVER).status()).isEqualTo(200);
        String body = "{\"command\": [\"main.py\"], \"snapshot\": \"%s\"}".formatted(fixture.snapshot());
        Answer submitted = ask(secret, "POST", "/api/v1/jobs", body);
        assertThat(submitted.status()).isEqualTo(201);
        assertThat(submitted.json().path("user").asText()).isEqualTo("root");
    }

    @Test
    void withATokenGoAllThatItMade() {
        JsonNode root = created("{}");
        String first = made(root.path("secret").asText(), 600);
        String second = made(first, 300);
        String sibling = secret("{}");
        String id = root.path("token").path("id").asText();

        assertThat(fixture.post(TOKENS + "/" + id + "/revoke", "{}").status()).isEqualTo(200);

        for (String dead : List.of(root.path("secret").asText(), first, second)) {
            assertThat(get(dead, SERVER).code()).isEqualTo("TOKEN_REVOKED");
        }
        assertThat(get(sibling, SERVER).status()).isEqualTo(200);
    }

    private String made(String maker, int seconds) {
        Answer answer = ask(maker, "POST", TOKENS, "{\"expiresInSeconds\": " + seconds + "}");
        assertThat(answer.status()).as(answer.text()).isEqualTo(201);
        return answer.json().path("secret").asText();
    }

    /** Between the look at a token and what it asks for, it may be revoked. */
    @Test
    void aTokenThatWasRevokedMeanwhileMakesNone() {
        String id = created("{}").path("token").path("id").asText();
        Token child = new Token("c".repeat(16), "t", "h", 0, "root", "READ", Instant.EPOCH, null, null, null, id);
        write(store -> {
            store.revokeToken(id, Instant.EPOCH);
            assertThat(store.keepToken(child, 100)).isFalse();
        });
        assertThat(fixture.queries().token(child.id())).isEmpty();
    }

    @Test
    void theSecretIsNowhereOnDisk() throws IOException {
        String secret = secret("{}");
        TokenSecret parsed = TokenSecret.parse(secret).orElseThrow();
        boolean hashSeen = false;
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                String content = Files.readString(file, StandardCharsets.ISO_8859_1);
                assertThat(content).as(file.toString()).doesNotContain(parsed.secret());
                hashSeen |= content.contains(parsed.hash());
            }
        }
        assertThat(hashSeen).as("the hash is there, so that this test can fail").isTrue();
        assertThat(fixture.get(TOKENS).text()).contains(parsed.id()).doesNotContain(parsed.secret());
        assertThat(parsed.toString()).doesNotContain(parsed.secret());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Bearer nonsense",
                "Bearer ",
                "Basic cm9vdDpyb290",
                "Bearer berth_0123456789abcdef_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                "Bearer berth_' OR 1=1 --_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
            })
    void whatIsNoTokenIsRefused(String header) {
        Answer answer =
                Wire.ask(fixture.tcp(), "GET", SERVER, new byte[0], "Host: localhost", "Authorization: " + header);
        assertThat(answer.status()).isEqualTo(401);
        assertThat(answer.code()).isEqualTo("TOKEN_UNKNOWN");
        assertThat(answer.headers()).containsEntry("www-authenticate", "Bearer realm=\"berth\"");
    }

    @Test
    void theRightIdWithAWrongSecretIsRefused() {
        String secret = secret("{}");
        char last = secret.charAt(secret.length() - 2);
        String wrong = secret.substring(0, secret.length() - 2) + (last == 'A' ? 'B' : 'A') + "A";
        assertThat(get(wrong, SERVER).code()).isEqualTo("TOKEN_UNKNOWN");
        assertThat(get(secret, SERVER).status()).isEqualTo(200);
    }

    @Test
    void aRevokedTokenOpensNothing() {
        JsonNode created = created("{}");
        String secret = created.path("secret").asText();
        String id = created.path("token").path("id").asText();
        Answer revoked = fixture.post(TOKENS + "/" + id + "/revoke", "");
        assertThat(revoked.status()).isEqualTo(200);
        String at = revoked.json().path("revokedAt").asText();
        assertThat(at).isNotEqualTo("null");
        assertThat(get(secret, SERVER).code()).isEqualTo("TOKEN_REVOKED");
        assertThat(fixture.post(TOKENS + "/" + id + "/revoke", "")
                        .json()
                        .path("revokedAt")
                        .asText())
                .isEqualTo(at);
    }

    @Test
    void anExpiredTokenOpensNothing() {
        String token = kept("root", 0, "ADMIN", Instant.EPOCH.plusSeconds(1));
        Answer answer = get(token, SERVER);
        assertThat(answer.status()).isEqualTo(401);
        assertThat(answer.code()).isEqualTo("TOKEN_EXPIRED");
    }

    @Test
    void theTokenOfAUserWhoIsGoneOpensNothing() {
        assertThat(get(kept("no-such-user", 4_711, "SUBMIT", null), SERVER).code())
                .isEqualTo("TOKEN_USER_GONE");
        assertThat(get(kept("daemon", 4_711, "SUBMIT", null), SERVER).code())
                .as("somebody else has the name now")
                .isEqualTo("TOKEN_USER_GONE");
    }

    @Test
    void aTokenOfAnotherUserSeesAndStopsNothingOfOthers() {
        long job = fixture.running(1);
        String daemon = kept("daemon", 1, "SUBMIT", null);
        assertThat(get(daemon, "/api/v1/jobs/" + job).status()).isEqualTo(404);
        assertThat(ask(daemon, "POST", "/api/v1/jobs/" + job + "/cancel", "{}").status())
                .isEqualTo(404);
        assertThat(ask(daemon, "POST", "/api/v1/server/stop", "{}").code()).isEqualTo("NOT_OPERATOR");
        assertThat(get(daemon, TOKENS + "?user=root").code()).isEqualTo("NOT_OPERATOR");
        String id = created("{}").path("token").path("id").asText();
        assertThat(ask(daemon, "POST", TOKENS + "/" + id + "/revoke", "").code())
                .isEqualTo("TOKEN_NOT_FOUND");
        assertThat(fixture.get(TOKENS + "?user=daemon").json().path("tokens")).hasSize(1);
    }

    /** Root's tokens, by their scope. */
    @ParameterizedTest
    @CsvSource({
        "read, GET, /api/v1/jobs/1, 200",
        "read, GET, /api/v1/jobs/1/log, 200",
        "read, POST, /api/v1/jobs/1/cancel, 403",
        "read, POST, /api/v1/jobs, 403",
        "read, POST, /api/v1/snapshots, 403",
        "read, POST, /api/v1/server/stop, 403",
        "submit, POST, /api/v1/jobs/1/cancel, 202",
        "submit, POST, /api/v1/jobs, 400",
        "submit, POST, /api/v1/server/stop, 403",
        "admin, POST, /api/v1/jobs/1/cancel, 202",
        "admin, POST, /api/v1/server/stop, 202"
    })
    void aScopeLetsThroughWhatItSays(String scope, String method, String path, int status) {
        long job = fixture.running(1);
        fixture.end(job, 0);
        long live = fixture.running(1);
        String token = secret("{\"scope\": \"%s\"}".formatted(scope));
        String place = method.equals("POST") ? path.replace("/1/", "/" + live + "/") : path;
        assertThat(ask(token, method, place, "{}").status()).isEqualTo(status);
    }

    @Test
    void aTokenMakesNoTokenThatMayMore() {
        String read = secret("{\"scope\": \"read\"}");
        assertThat(ask(read, "POST", TOKENS, "{\"scope\": \"submit\"}").code()).isEqualTo("SCOPE");
        assertThat(ask(read, "POST", TOKENS, "{\"scope\": \"read\", \"expiresInSeconds\": 60}")
                        .code())
                .as("it looks, and no more")
                .isEqualTo("SCOPE");
        String submit = secret("{\"scope\": \"submit\", \"expiresInSeconds\": 3600}");
        assertThat(ask(submit, "POST", TOKENS, "{\"scope\": \"read\", \"expiresInSeconds\": 60}")
                        .status())
                .isEqualTo(201);
        assertThat(ask(submit, "POST", TOKENS, "{\"scope\": \"admin\", \"expiresInSeconds\": 60}")
                        .code())
                .isEqualTo("SCOPE");
        assertThat(ask(kept("daemon", 1, "ADMIN", null), "POST", TOKENS, "{\"scope\": \"admin\"}")
                        .code())
                .isEqualTo("SCOPE");
    }

    @Test
    void aTokenMakesNoTokenThatOutlivesIt() {
        String maker = secret("{\"expiresInSeconds\": 3600}");
        assertThat(ask(maker, "POST", TOKENS, "{}").code()).isEqualTo("TOKEN_OUTLIVES");
        assertThat(ask(maker, "POST", TOKENS, "{\"neverExpires\": true}").code())
                .isEqualTo("TOKEN_OUTLIVES");
        assertThat(ask(maker, "POST", TOKENS, "{\"expiresInSeconds\": 60}").status())
                .isEqualTo(201);
    }

    @Test
    void aReadingTokenRevokesItselfAlone() {
        JsonNode reader = created("{\"scope\": \"read\"}");
        String secret = reader.path("secret").asText();
        String other = created("{}").path("token").path("id").asText();
        assertThat(ask(secret, "POST", TOKENS + "/" + other + "/revoke", "").code())
                .isEqualTo("SCOPE");
        String own = reader.path("token").path("id").asText();
        assertThat(ask(secret, "POST", TOKENS + "/" + own + "/revoke", "").status())
                .isEqualTo(200);
        assertThat(get(secret, TOKENS).code()).isEqualTo("TOKEN_REVOKED");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"scope\": \"root\"}|scope",
                "{\"name\": \"\"}|name",
                "{\"name\": \"a\\u001bb\"}|name",
                "{\"expiresInSeconds\": 0}|expiresInSeconds",
                "{\"expiresInSeconds\": 31622401}|expiresInSeconds",
                "{\"expiresInSeconds\": 60, \"neverExpires\": true}|expiresInSeconds"
            })
    void aBadWishIsRefusedByItsField(String request, String field) {
        Answer answer = fixture.post(TOKENS, request);
        assertThat(answer.code()).isEqualTo("INVALID_FIELD");
        assertThat(answer.json().path("details").path("field").asText()).isEqualTo(field);
    }

    @Test
    void aUserHasSoManyTokensAndNoMore() {
        for (int i = 0; i < TokensResource.MAX_A_USER; i++) {
            String _ = secret("{\"neverExpires\": true}");
        }
        assertThat(fixture.post(TOKENS, "{}").code()).isEqualTo("TOO_MANY_TOKENS");
        String one =
                fixture.get(TOKENS).json().path("tokens").path(0).path("id").asText();
        assertThat(fixture.post(TOKENS + "/" + one + "/revoke", "").status()).isEqualTo(200);
        assertThat(fixture.post(TOKENS, "{}").status()).isEqualTo(201);
    }

    @Test
    void atTheUnixSocketNoTokenIsTaken() {
        String secret = secret("{\"scope\": \"read\"}");
        Answer answer = Wire.raw(
                java.net.UnixDomainSocketAddress.of(fixture.socket()),
                "GET %s HTTP/1.1\r\nHost: berth\r\nAuthorization: Bearer %s\r\nConnection: close\r\n\r\n"
                        .formatted(SERVER, secret),
                new byte[0]);
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.code()).isEqualTo("TOKEN_NOT_TAKEN");
    }

    @Test
    void whoGuessesIsSlowedDownAndOthersAreNot() {
        String secret = secret("{}");
        for (int i = 0; i < WrongTokens.FREE; i++) {
            assertThat(get("wrong", SERVER).status()).isEqualTo(401);
        }
        Answer answer = get("wrong", SERVER);
        assertThat(answer.status()).isEqualTo(429);
        assertThat(answer.headers()).containsEntry("retry-after", "60");
        assertThat(get(secret, SERVER).status()).isEqualTo(200);
    }
}
