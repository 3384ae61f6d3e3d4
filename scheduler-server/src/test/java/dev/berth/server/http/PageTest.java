package dev.berth.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.server.config.Settings;
import dev.berth.testclient.Answer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Base64;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The files of the page over a real port, as the build put them on the class path. */
@Timeout(60)
class PageTest {
    @TempDir
    private Path directory;

    @AutoClose
    private ServerFixture fixture;

    @BeforeEach
    void open() {
        fixture = new ServerFixture(directory);
    }

    private Answer ask(String method, String path, String... headers) {
        String[] all = new String[headers.length + 1];
        all[0] = "Host: localhost";
        System.arraycopy(headers, 0, all, 1, headers.length);
        return Wire.ask(fixture.tcp(), method, path, new byte[0], all);
    }

    @ParameterizedTest
    @CsvSource({
        "/app.js, text/javascript; charset=utf-8",
        "/style.css, text/css; charset=utf-8",
        "/index.html, text/html; charset=utf-8",
        "/lib/preact.module.js, text/javascript; charset=utf-8",
        "/lib/hooks.module.js, text/javascript; charset=utf-8",
        "/lib/htm.module.js, text/javascript; charset=utf-8",
        "/lib/uPlot.esm.js, text/javascript; charset=utf-8",
        "/lib/uPlot.min.css, text/css; charset=utf-8",
        "/lib/ansi_up.js, text/javascript; charset=utf-8",
        "/lib/LICENSE-preact.txt, text/plain; charset=utf-8",
        "/lib/LICENSE-htm.txt, text/plain; charset=utf-8",
        "/lib/LICENSE-uplot.txt, text/plain; charset=utf-8",
        "/lib/LICENSE-ansi_up.txt, text/plain; charset=utf-8"
    })
    void everyFileIsThereForAnybody(String path, String type) {
        Answer answer = ask("GET", path).expect(200);
        assertThat(answer.header("content-type")).isEqualTo(type);
        assertThat(answer.text()).isNotBlank();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "/jobs",
                "/jobs/42",
                "/jobs/42_7",
                "/compare",
                "/projects",
                "/wall",
                "/login",
                "/jobs?state=RUNNING"
            })
    void thePagesOwnAddressesShowIt(String path) {
        assertThat(ask("GET", path).expect(200).text())
                .isEqualTo(ask("GET", "/index.html").text());
        assertThat(ask("GET", path).text()).contains("<title>Berth</title>");
    }

    @Test
    void itIsThereAtTheUnixSocketToo() {
        assertThat(fixture.get("/").expect(200).header("content-security-policy"))
                .contains("default-src 'none'");
    }

    @Test
    void browsersAreToldWhatTheyMayDo() throws Exception {
        Answer answer = ask("GET", "/");
        assertThat(answer.headers())
                .containsEntry("cache-control", "no-cache")
                .containsEntry("x-content-type-options", "nosniff")
                .containsEntry("referrer-policy", "no-referrer")
                .containsEntry("cross-origin-opener-policy", "same-origin")
                .containsEntry("vary", "Accept-Encoding");
        String map = answer.text().replaceFirst("(?s).*<script type=\"importmap\">(.*?)</script>.*", "$1");
        String hash = Base64.getEncoder()
                .encodeToString(MessageDigest.getInstance("SHA-256").digest(map.getBytes(StandardCharsets.UTF_8)));
        assertThat(map).contains("/lib/preact.module.js");
        assertThat(answer.header("content-security-policy"))
                .isEqualTo(
                        "default-src 'none'; script-src 'self' 'sha256-" + hash + "'; style-src 'self'; img-src 'self'"
                                + " blob: data:; media-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action"
                                + " 'none'; frame-ancestors 'none'");
    }

    /** A script or style inside the page would be dropped by that policy without a word. */
    @Test
    void thePageHasNothingInsideOfItThatThePolicyForbids() {
        String html = ask("GET", "/").text();
        assertThat(html).containsOnlyOnce("<script type=\"importmap\">");
        assertThat(html.replaceFirst("(?s)<script type=\"importmap\">.*?</script>", ""))
                .doesNotContainPattern("<script(?![^>]* src=)")
                .doesNotContainPattern("<style|\\son\\w+=|\\sstyle=")
                .doesNotContainPattern("(src|href)=\"(https?:)?//");
    }

    @Test
    void whatIsThereAlreadyIsNotSentAgain() {
        String tag = ask("GET", "/app.js").header("etag");
        assertThat(tag).matches("\"[0-9a-f]{64}\"");
        Answer again = ask("GET", "/app.js", "If-None-Match: " + tag);
        assertThat(again.status()).isEqualTo(304);
        assertThat(again.text()).isEmpty();
        assertThat(again.header("etag")).isEqualTo(tag);
        assertThat(again.headers()).containsKey("content-security-policy");
        assertThat(ask("GET", "/app.js", "If-None-Match: \"x\", W/" + tag).status())
                .isEqualTo(304);
        assertThat(ask("GET", "/app.js", "If-None-Match: *").status()).isEqualTo(304);
        assertThat(ask("GET", "/app.js", "If-None-Match: \"x\"").status()).isEqualTo(200);
        assertThat(ask("GET", "/style.css", "If-None-Match: " + tag).status()).isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource({
        "gzip, true",
        "'deflate, gzip;q=0.5, br', true",
        "*, true",
        "GZIP, true",
        "identity, false",
        "gzip;q=0, false",
        "'br, gzip; q=0.0', false",
        "x-gzip, false"
    })
    void whatGainsByItIsCompressedWhereThatIsAccepted(String accepted, boolean isZipped) {
        Answer plain = ask("GET", "/lib/uPlot.esm.js");
        Answer answer = ask("GET", "/lib/uPlot.esm.js", "Accept-Encoding: " + accepted);
        assertThat(answer.header("content-encoding")).isEqualTo(isZipped ? "gzip" : "");
        assertThat(answer.header("etag")).matches(isZipped ? "\"[0-9a-f]{64}-gzip\"" : "\"[0-9a-f]{64}\"");
        int plainLength = Integer.parseInt(plain.header("content-length"));
        int length = Integer.parseInt(answer.header("content-length"));
        assertThat(length).isLessThanOrEqualTo(isZipped ? plainLength / 2 : plainLength);
    }

    @Test
    void headHasTheHeadersAlone() {
        Answer get = ask("GET", "/app.js");
        Answer head = ask("HEAD", "/app.js").expect(200);
        assertThat(head.text()).isEmpty();
        for (String name : new String[] {"etag", "content-type", "content-length", "content-security-policy"}) {
            assertThat(head.header(name)).as(name).isEqualTo(get.header(name)).isNotEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/../pom.xml",
                "/lib/../../dev/berth/server/Main.class",
                "/%2e%2e/dev/berth/server/Main.class",
                "/..%2fdev/berth/server/Main.class",
                "/lib/%2e%2e/%2e%2e/logback.xml",
                "/lib\\..\\app.js",
                "//app.js",
                "/lib/",
                "/lib",
                "/app.js/",
                "/APP.JS",
                "/app.js%00",
                "/logback.xml",
                "/dev/berth/server/page/PageFiles.class",
                "/jobs/",
                "/jobs/1/2",
                "/nonesuch",
                "/api",
                "/api/v1/nonesuch"
            })
    void nothingElseIsThere(String path) {
        Answer answer = Wire.raw(
                fixture.tcp(),
                "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
                new byte[0]);
        assertThat(answer.status()).as("%s", answer).isIn(400, 404);
        assertThat(answer.code()).isIn("NO_SUCH_ROUTE", "BAD_REQUEST");
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "DELETE"})
    void itIsOnlyRead(String method) {
        Answer answer = ask(method, "/app.js").expect(405);
        assertThat(answer.header("allow")).isEqualTo("GET, HEAD");
        assertThat(answer.code()).isEqualTo("WRONG_METHOD");
    }

    @Test
    void itIsNotShownUnderAForeignName() {
        Answer answer = Wire.ask(fixture.tcp(), "GET", "/", new byte[0], "Host: evil.example.org");
        assertThat(answer.status()).isEqualTo(403);
        assertThat(answer.code()).isEqualTo("FOREIGN_HOST");
    }

    @Test
    void aServerMayHaveNone() {
        fixture.close();
        fixture = new ServerFixture(directory, Settings.of("page.enabled=false"));
        assertThat(ask("GET", "/").status()).isEqualTo(404);
        assertThat(ask("GET", "/app.js").status()).isEqualTo(404);
        assertThat(fixture.post("/api/v1/links", "{}").status()).isEqualTo(404);
        assertThat(ask("GET", "/api/v1/health").status()).isEqualTo(200);
    }
}
