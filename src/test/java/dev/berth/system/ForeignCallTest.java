package dev.berth.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.system.fixture.Api;
import dev.berth.system.fixture.Await;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Command;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.Product;
import dev.berth.system.fixture.Ran;
import dev.berth.system.fixture.SystemTest;
import dev.berth.testclient.Answer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Over TCP, what a wrong token, another site's page or a name that is not the server's asks for is refused. */
@SystemTest
class ForeignCallTest {
    private static final Berth BERTH = Berth.on(Engine.ofMachine());

    private static String url = "";
    private static String token = "";

    @BeforeAll
    static void start() {
        BERTH.start();
        url = BERTH.run("server", "status", "--json").json().path("url").asText();
        token = BERTH.run("token", "create", "--name", "right", "-q").text();
    }

    @AfterAll
    static void stop() {
        BERTH.close();
    }

    private static Map<String, String> bearing(String secret) {
        return Map.of("Authorization", "Bearer " + secret);
    }

    private static void assertRefused(Answer answer, int status, String code, String fragment) {
        JsonNode error = answer.expect(status).json();
        assertThat(error.path("code").asText()).isEqualTo(code);
        assertThat(error.path("message").asText()).contains(fragment);
        assertThat(answer.text()).doesNotContain(token);
    }

    @Test
    void theRightTokenIsLetIn() {
        assertThat(Api.tcp(url, "GET", "/jobs", bearing(token)).expect(200).text())
                .contains("\"jobs\":[]");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "Bearer, must be: Bearer TOKEN",
        "Bearer x, this server knows no such token",
        "Bearer {TOKEN}x, this server knows no such token",
        "Bearer {ID}, this server knows no such token",
        "Basic {TOKEN}, must be: Bearer TOKEN",
        "{TOKEN}, must be: Bearer TOKEN"
    })
    void aWrongToken(String header, String fragment) {
        String id = BERTH.run("token", "list", "-q").lines().getLast();
        String sent = header.replace("{TOKEN}", token).replace("{ID}", id);

        assertRefused(Api.tcp(url, "GET", "/jobs", Map.of("Authorization", sent)), 401, "TOKEN_UNKNOWN", fragment);
    }

    @Test
    void aRevokedTokenAndAnExpiredOne() {
        JsonNode made = create("\"expiresInSeconds\":3600");
        String id = made.path("token").path("id").asText();
        Ran _ = BERTH.run("token", "revoke", id);
        assertRefused(
                Api.tcp(url, "GET", "/jobs", bearing(made.path("secret").asText())),
                401,
                "TOKEN_REVOKED",
                "token " + id + " was revoked at ");

        JsonNode brief = create("\"expiresInSeconds\":1");
        String ended = brief.path("secret").asText();
        Await.that(
                "the token expires",
                () -> Api.tcp(url, "GET", "/jobs", bearing(ended)).status() == 401);
        assertRefused(
                Api.tcp(url, "GET", "/jobs", bearing(ended)),
                401,
                "TOKEN_EXPIRED",
                "token " + brief.path("token").path("id").asText() + " expired at ");
        Command elsewhere = Command.of(Product.BERTH, "ps").with(Map.of("BERTH_URL", url, "BERTH_TOKEN", ended));
        assertThat(elsewhere.run().expect(1).complaint())
                .contains(" expired at ")
                .contains("berth token create");
    }

    private static JsonNode create(String life) {
        return BERTH.api()
                .post("/tokens", "{\"name\":\"brief\"," + life + "}")
                .expect(201)
                .json();
    }

    /** A read-only token may look and change nothing. */
    @Test
    void aTokenThatMayOnlyLook() {
        String reader = BERTH.run("token", "create", "--name", "look", "--scope", "read", "-q")
                .text();

        Api.tcp(url, "GET", "/jobs", bearing(reader)).expect(200);
        for (String path : List.of("/snapshots", "/contents?snapshot=x", "/jobs")) {
            assertRefused(Api.tcp(url, "POST", path, bearing(reader)), 403, "SCOPE", "may look and no more");
        }
        for (String path : List.of("/server/stop", "/server/pause")) {
            assertRefused(Api.tcp(url, "POST", path, bearing(reader)), 403, "NOT_OPERATOR", "not of scope admin");
        }
        assertThat(BERTH.server().isAlive()).isTrue();
    }

    @ParameterizedTest(name = "Host: {0}")
    @CsvSource({"evil.example", "127.0.0.1.evil.example", "localhost:1", "[::2]", "127.0.0.2"})
    void aForeignHost(String host) {
        Map<String, String> headers = Map.of("Authorization", "Bearer " + token, "Host", host);

        assertRefused(
                Api.tcp(url, "GET", "/jobs", headers), 403, "FOREIGN_HOST", "this server is not called '" + host + "'");
    }

    @ParameterizedTest(name = "Origin: {0}")
    @CsvSource({"http://evil.example", "null", "https://localhost", "http://127.0.0.1:1"})
    void aForeignOrigin(String origin) {
        Map<String, String> headers = Map.of("Authorization", "Bearer " + token, "Origin", origin);

        assertRefused(
                Api.tcp(url, "POST", "/server/stop", headers),
                403,
                "FOREIGN_ORIGIN",
                "pages of '" + origin + "' may not use this server");
        assertThat(BERTH.server().isAlive()).isTrue();
    }
}
