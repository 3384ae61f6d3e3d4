package dev.berth.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.server.http.access.RoleNames;
import dev.berth.server.http.access.SessionSecret;
import dev.berth.server.http.access.WrongTokens;
import dev.berth.server.store.JobStore;
import dev.berth.server.store.Token;
import dev.berth.testclient.Answer;
import java.net.UnixDomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Links and sessions of the page over a real port: whom they let in, and whom not. */
@Timeout(120)
class SessionsApiTest {
    private static final String LINKS = "/api/v1/links";
    private static final String SESSION = "/api/v1/session";
    private static final String END = "/api/v1/session/end";
    private static final String TOKENS = "/api/v1/tokens";
    private static final String SERVER = "/api/v1/server";
    private static final String PAUSE = "/api/v1/server/pause";

    @TempDir
    private Path directory;

    @AutoClose
    private ServerFixture fixture;

    /** What a browser and the page hold between them. */
    private record Login(String cookie, String key, JsonNode session) {}

    @BeforeEach
    void open() {
        fixture = new ServerFixture(directory);
    }

    private String host() {
        return "localhost:" + fixture.tcp().getPort();
    }

    private Answer tcp(String method, String path, String body, List<String> headers) {
        List<String> all = new ArrayList<>(headers);
        if (headers.stream().noneMatch(header -> header.startsWith("Host:"))) {
            all.add("Host: " + host());
        }
        return Wire.ask(fixture.tcp(), method, path, body.getBytes(StandardCharsets.UTF_8), all.toArray(String[]::new));
    }

    /** As the page asks. */
    private Answer ask(Login login, String method, String path, String body) {
        return tcp(
                method,
                path,
                body,
                List.of("Cookie: " + login.cookie(), "Berth-Session: " + login.key(), "Origin: http://" + host()));
    }

    private Answer get(Login login, String path) {
        return ask(login, "GET", path, "");
    }

    private String secret() {
        String path = fixture.post(LINKS, "{}").expect(201).json().path("path").asText();
        return path.substring(path.indexOf("#link=") + "#link=".length());
    }

    private Answer redeem(String body, String... headers) {
        return tcp("POST", SESSION, body, List.of(headers));
    }

    private Login login(Answer begun) {
        begun.expect(201);
        String cookie = begun.header("set-cookie");
        return new Login(
                cookie.substring(0, cookie.indexOf(';')),
                begun.json().path("key").asText(),
                begun.json().path("session"));
    }

    private Login byLink() {
        return login(redeem("{\"link\": \"" + secret() + "\"}", "User-Agent: Firefox/140"));
    }

    private Login byToken(String token) {
        return login(redeem("{\"token\": \"" + token + "\"}"));
    }

    private JsonNode created(String request) {
        return fixture.post(TOKENS, request).expect(201).json();
    }

    private void write(Consumer<JobStore> work) {
        var _ = fixture.scheduling().write(work).join();
    }

    /** A session of somebody, as it is kept. */
    private Login kept(String user, long uid, String scope, @Nullable Instant end) {
        SessionSecret secret = SessionSecret.fresh(new SecureRandom());
        Token row =
                new Token(secret.id(), "page", secret.hash(), uid, user, scope, Instant.EPOCH, end, null, "Test", null);
        write(store -> assertThat(store.keepToken(row, 100)).isTrue());
        return new Login(cookieName() + "=" + secret.cookieValue(), secret.key(), created("{}"));
    }

    private static String cookieName() {
        return "berth_harbour1";
    }

    @Test
    void aLinkLogsABrowserInAsItsMaker() {
        JsonNode link = fixture.post(LINKS, "{}").expect(201).json();
        assertThat(link.path("path").asText()).matches("/#link=[A-Za-z0-9_-]{43}");
        assertThat(Instant.parse(link.path("expiresAt").asText()))
                .isBetween(Instant.now().plusSeconds(30), Instant.now().plusSeconds(61));

        Answer begun = redeem("{\"link\": \"" + link.path("path").asText().substring("/#link=".length()) + "\"}");

        assertThat(begun.header("set-cookie"))
                .matches(cookieName() + "=[0-9a-f]{16}_[A-Za-z0-9_-]{43}; Path=/; Max-Age=6048\\d\\d; HttpOnly;"
                        + " SameSite=Strict");
        Login login = login(begun);
        assertThat(login.key()).matches("[A-Za-z0-9_-]{43}");
        assertThat(login.session().path("name").asText()).isEqualTo("root");
        assertThat(login.session().path("role").asText()).isEqualTo("administrator");
        assertThat(login.session().path("scope").asText()).isEqualTo("admin");
        assertThat(login.session().path("version").asText()).isEqualTo("1.2.3");
        assertThat(login.session().path("server").asText()).isNotEmpty();
        assertThat(Duration.between(
                        Instant.now(),
                        Instant.parse(login.session().path("expiresAt").asText())))
                .isBetween(Duration.ofDays(7).minusMinutes(5), Duration.ofDays(7));
        assertThat(get(login, SESSION).expect(200).json()).isEqualTo(login.session());
        assertThat(ask(login, "POST", PAUSE, "").status()).isEqualTo(202);
    }

    @Test
    void aLinkIsGoodOnce() {
        String secret = secret();
        redeem("{\"link\": \"" + secret + "\"}").expect(201);
        Answer again = redeem("{\"link\": \"" + secret + "\"}").expect(401);
        assertThat(again.code()).isEqualTo("LINK_UNKNOWN");
        assertThat(again.headers()).doesNotContainKey("set-cookie");
        assertThat(again.message()).contains("berth open");
    }

    @Test
    void aLinkShowsAJobThatIsThere() {
        long id = fixture.submitted(1);
        assertThat(fixture.post(LINKS, "{\"job\": \"" + id + "\"}")
                        .expect(201)
                        .json()
                        .path("path")
                        .asText())
                .startsWith("/jobs/" + id + "#link=");
        assertThat(fixture.post(LINKS, "{\"job\": \"99\"}").expect(404).code()).isEqualTo("JOB_NOT_FOUND");
        assertThat(fixture.post(LINKS, "{\"job\": \"../x\"}").expect(400).code())
                .isEqualTo("INVALID_FIELD");
    }

    @Test
    void whoMayOnlyLookMakesNoLinksAndLogsInByTheTokenItself() {
        String reader = created("{\"scope\": \"read\"}").path("secret").asText();
        Answer refused = tcp("POST", LINKS, "{}", List.of("Authorization: Bearer " + reader));
        assertThat(refused.expect(403).code()).isEqualTo("SCOPE");
        Login login = byToken(reader);
        assertThat(ask(login, "POST", LINKS, "{}").expect(403).code()).isEqualTo("SCOPE");
        assertThat(ask(login, "POST", END, "").status()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"{}", "{\"link\": \"a\", \"token\": \"b\"}", "{\"link\": 1}", "{\"links\": \"a\"}", "nonsense"})
    void whatIsNoLoginIsSaidSo(String body) {
        assertThat(redeem(body).status()).isEqualTo(400);
    }

    @Test
    void neitherHalfOfASessionIsEnough() {
        Login login = byLink();
        Answer alone =
                tcp("GET", SERVER, "", List.of("Cookie: " + login.cookie())).expect(401);
        assertThat(alone.code()).isEqualTo("SESSION_KEY");
        assertThat(tcp("GET", SERVER, "", List.of("Berth-Session: " + login.key()))
                        .expect(401)
                        .code())
                .isEqualTo("NO_IDENTITY");
        Login other = byLink();
        assertThat(get(new Login(login.cookie(), other.key(), login.session()), SERVER)
                        .expect(401)
                        .code())
                .isEqualTo("SESSION_UNKNOWN");
        assertThat(tcp("GET", SERVER + "?session=" + login.key(), "", List.of("Cookie: " + login.cookie()))
                        .status())
                .as("for images and downloads, whose headers a page cannot set")
                .isEqualTo(200);
    }

    /** Another port of the host can set a cookie of that name for a longer path, which a browser sends first. */
    @Test
    void aPlantedCookieHidesNothing() {
        Login login = byLink();
        String planted = cookieName() + "=0123456789abcdef_" + "A".repeat(43) + "; x=y; " + login.cookie();
        assertThat(get(new Login(planted, login.key(), login.session()), SERVER).status())
                .isEqualTo(200);
    }

    @Test
    void aSessionIsNoTokenAndATokenIsNoSession() {
        Login login = byLink();
        String value = login.cookie().substring(login.cookie().indexOf('=') + 1);
        assertThat(tcp("GET", SERVER, "", List.of("Authorization: Bearer berth_" + value))
                        .expect(401)
                        .code())
                .isEqualTo("TOKEN_UNKNOWN");
        assertThat(redeem("{\"token\": \"berth_" + value + "\"}").expect(401).code())
                .isEqualTo("TOKEN_UNKNOWN");
        String token = created("{}").path("secret").asText().substring("berth_".length());
        assertThat(get(new Login(cookieName() + "=" + token, login.key(), login.session()), SERVER)
                        .expect(401)
                        .code())
                .isEqualTo("SESSION_UNKNOWN");
    }

    @Test
    void aTokenCountsBeforeACookie() {
        Login login = byLink();
        String reader = created("{\"scope\": \"read\"}").path("secret").asText();
        List<String> both = List.of(
                "Cookie: " + login.cookie(), "Berth-Session: " + login.key(), "Authorization: Bearer " + reader);
        assertThat(tcp("GET", SESSION, "", both)
                        .expect(200)
                        .json()
                        .path("scope")
                        .asText())
                .isEqualTo("read");
        assertThat(tcp(
                                "GET",
                                SESSION,
                                "",
                                List.of(
                                        "Cookie: " + login.cookie(),
                                        "Berth-Session: " + login.key(),
                                        "Authorization: x"))
                        .expect(401)
                        .code())
                .isEqualTo("TOKEN_UNKNOWN");
    }

    @ParameterizedTest
    @CsvSource({
        "'', FOREIGN_ORIGIN",
        "http://localhost:1, FOREIGN_ORIGIN",
        "http://evil.example.org, FOREIGN_ORIGIN",
        "null, FOREIGN_ORIGIN"
    })
    void aChangeSaysWhichPageItComesFrom(String origin, String code) {
        Login login = byLink();
        List<String> headers = new ArrayList<>(List.of("Cookie: " + login.cookie(), "Berth-Session: " + login.key()));
        if (!origin.isEmpty()) {
            headers.add("Origin: " + origin);
        }
        assertThat(tcp("POST", PAUSE, "", headers).expect(403).code()).isEqualTo(code);
        assertThat(fixture.get(SERVER).json().path("paused").isNull()).isTrue();
    }

    @Test
    void underAForeignNameASessionOpensNothing() {
        Login login = byLink();
        List<String> rebound =
                List.of("Host: evil.example.org", "Cookie: " + login.cookie(), "Berth-Session: " + login.key());
        assertThat(tcp("GET", SERVER, "", rebound).expect(403).code()).isEqualTo("FOREIGN_HOST");
        String body = "{\"link\": \"" + secret() + "\"}";
        assertThat(redeem(body, "Host: evil.example.org").expect(403).code()).isEqualTo("FOREIGN_HOST");
        assertThat(redeem(body, "Origin: http://evil.example.org").expect(403).code())
                .isEqualTo("FOREIGN_ORIGIN");
        assertThat(redeem(body).status()).as("it was not used up").isEqualTo(201);
    }

    @Test
    void atTheUnixSocketACookieMeansNothing() {
        String reader = created("{\"scope\": \"read\"}").path("secret").asText();
        Login login = byToken(reader);
        assertThat(get(login, SESSION).json().path("scope").asText()).isEqualTo("read");
        Answer local = Wire.ask(
                UnixDomainSocketAddress.of(fixture.socket()),
                "GET",
                SESSION,
                new byte[0],
                "Cookie: " + login.cookie(),
                "Berth-Session: " + login.key());
        assertThat(local.expect(200).json().path("scope").asText()).isEqualTo("admin");
        assertThat(local.json().path("expiresAt").isNull()).isTrue();
        assertThat(fixture.post(SESSION, "{\"link\": \"" + secret() + "\"}")
                        .expect(400)
                        .code())
                .isEqualTo("SESSION_NOT_TAKEN");
        assertThat(fixture.post(END, "").expect(409).code()).isEqualTo("NO_SESSION");
    }

    @Test
    void aSessionIsListedAmongTheTokensAndRevokedAsOne() {
        Login login = byLink();
        JsonNode listed = fixture.get(TOKENS).json().path("tokens").path(0);
        assertThat(listed.path("name").asText()).isEqualTo("page");
        assertThat(listed.path("browser").asText()).isEqualTo("Firefox/140");
        fixture.post(TOKENS + "/" + listed.path("id").asText() + "/revoke", "").expect(200);
        Answer dead = get(login, SERVER).expect(401);
        assertThat(dead.code()).isEqualTo("TOKEN_REVOKED");
        assertThat(dead.message()).contains("session").contains("berth open");
    }

    @Test
    void whatABrowserSaysOfItselfIsShortAndPrintable() {
        login(redeem("{\"link\": \"" + secret() + "\"}", "User-Agent: \u001b[31mred" + "x".repeat(500)));
        String browser = fixture.get(TOKENS)
                .json()
                .path("tokens")
                .path(0)
                .path("browser")
                .asText();
        assertThat(browser).doesNotContain("\u001b").hasSizeLessThan(130);
    }

    @Test
    void loggingOutEndsTheSessionAndWhatItMade() {
        Login login = byLink();
        Answer token = ask(login, "POST", TOKENS, "{\"expiresInSeconds\": 600}").expect(201);
        Answer end = ask(login, "POST", END, "").expect(200);
        assertThat(end.header("set-cookie")).startsWith(cookieName() + "=; Path=/; Max-Age=0; HttpOnly");
        assertThat(end.json().path("revokedAt").isNull()).isFalse();
        assertThat(get(login, SERVER).expect(401).code()).isEqualTo("TOKEN_REVOKED");
        assertThat(tcp(
                                "GET",
                                SERVER,
                                "",
                                List.of("Authorization: Bearer "
                                        + token.json().path("secret").asText()))
                        .expect(401)
                        .code())
                .isEqualTo("TOKEN_REVOKED");
    }

    @Test
    void aSessionEndsWithTheTokenThatItCameFrom() {
        JsonNode token = created("{\"expiresInSeconds\": 600}");
        String bearer = "Authorization: Bearer " + token.path("secret").asText();
        Login direct = byToken(token.path("secret").asText());
        String path = tcp("POST", LINKS, "{}", List.of(bearer))
                .expect(201)
                .json()
                .path("path")
                .asText();
        Login linked = login(redeem("{\"link\": \"" + path.substring("/#link=".length()) + "\"}"));
        String unused = tcp("POST", LINKS, "{}", List.of(bearer))
                .expect(201)
                .json()
                .path("path")
                .asText();
        for (Login login : List.of(direct, linked)) {
            assertThat(login.session().path("scope").asText()).isEqualTo("submit");
            assertThat(Instant.parse(login.session().path("expiresAt").asText()))
                    .isEqualTo(
                            Instant.parse(token.path("token").path("expiresAt").asText())
                                    .truncatedTo(ChronoUnit.MICROS));
            assertThat(get(login, SERVER).status()).isEqualTo(200);
            assertThat(ask(login, "POST", PAUSE, "").expect(403).code()).isEqualTo("NOT_OPERATOR");
        }

        fixture.post(TOKENS + "/" + token.path("token").path("id").asText() + "/revoke", "")
                .expect(200);

        assertThat(get(direct, SERVER).code()).isEqualTo("TOKEN_REVOKED");
        assertThat(get(linked, SERVER).code()).isEqualTo("TOKEN_REVOKED");
        assertThat(redeem("{\"link\": \"" + unused.substring("/#link=".length()) + "\"}")
                        .expect(401)
                        .code())
                .isEqualTo("TOKEN_REVOKED");
    }

    @Test
    void anExpiredSessionOpensNothingAndANewOneTakesItsPlace() {
        Login old = kept("root", 0, "ADMIN", Instant.now().minusSeconds(1));
        assertThat(get(old, SERVER).expect(401).code()).isEqualTo("TOKEN_EXPIRED");
        assertThat(get(old, "/api/v1/health").status()).isEqualTo(200);
        assertThat(ask(old, "POST", SESSION, "{\"link\": \"" + secret() + "\"}").status())
                .isEqualTo(201);
    }

    @Test
    void aUserWhoIsGoneIsLoggedOut() {
        assertThat(get(kept("berth-nobody-of-that-name", 4_000, "ADMIN", null), SERVER)
                        .expect(401)
                        .code())
                .isEqualTo("TOKEN_USER_GONE");
        assertThat(get(kept("daemon", 4_000, "ADMIN", null), SERVER).expect(401).code())
                .isEqualTo("TOKEN_USER_GONE");
    }

    @Test
    void aRoleIsThatOfNow() {
        Login login = kept("daemon", 1, "ADMIN", null);
        assertThat(get(login, SESSION).json().path("role").asText()).isEqualTo("user");
        fixture.close();
        fixture = new ServerFixture(
                directory,
                settings -> new HttpSettings(
                        settings.socket(),
                        settings.address(),
                        settings.hosts(),
                        settings.tls(),
                        settings.allowInsecureBind(),
                        new RoleNames(List.of(), List.of("daemon")),
                        settings.limits()));
        assertThat(get(login, SESSION).json().path("role").asText()).isEqualTo("reader");
    }

    @Test
    void wrongLinksAndSessionsAreSlowedDownAsWrongTokensAre() {
        Login login = byLink();
        String secret = secret();
        for (int i = 0; i < WrongTokens.FREE; i += 2) {
            redeem("{\"link\": \"nonsense\"}").expect(401);
            get(new Login(login.cookie(), "A".repeat(43), login.session()), SERVER)
                    .expect(401);
        }
        assertThat(redeem("{\"link\": \"nonsense\"}").expect(429).code()).isEqualTo("TOO_MANY_TOKENS");
        assertThat(redeem("{\"token\": \"nonsense\"}").expect(429).code()).isEqualTo("TOO_MANY_TOKENS");
        assertThat(get(login, SERVER).status())
                .as("right ones are never held up")
                .isEqualTo(200);
        assertThat(redeem("{\"link\": \"" + secret + "\"}").status()).isEqualTo(201);
    }

    @Test
    void theOldestOfTooManySessionsEnds() {
        Login first = byLink();
        for (int i = 0; i < 20; i++) {
            assertThat(get(first, SERVER).status()).isEqualTo(200);
            byLink();
        }
        assertThat(get(first, SERVER).expect(401).code()).isEqualTo("TOKEN_REVOKED");
    }

    @Test
    void thePageItselfNeedsNoSessionNorMindsABadOne() {
        assertThat(tcp("GET", "/", "", List.of("Cookie: " + cookieName() + "=nonsense"))
                        .status())
                .isEqualTo(200);
    }
}
