package dev.berth.server.http.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.server.http.HttpSettings;
import dev.berth.server.http.ServerFixture;
import dev.berth.server.http.Wire;
import dev.berth.testclient.Answer;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What pages of others make browsers send is refused, on a real port. */
@Timeout(60)
class HostNamesTest {
    @TempDir
    private Path directory;

    @AutoClose
    private ServerFixture fixture;

    @BeforeEach
    void open() {
        fixture = new ServerFixture(
                directory,
                settings -> new HttpSettings(
                        settings.socket(),
                        settings.address(),
                        List.of("gpu.example.org", "Proxy.example.org:8443"),
                        settings.tls(),
                        settings.allowInsecureBind(),
                        settings.roles(),
                        settings.limits()));
    }

    private Answer ask(String method, String... headers) {
        String[] filled = new String[headers.length];
        for (int i = 0; i < headers.length; i++) {
            filled[i] =
                    headers[i].replace("PORT", Integer.toString(fixture.tcp().getPort()));
        }
        return Wire.ask(fixture.tcp(), method, "/api/v1/health", new byte[0], filled);
    }

    @ParameterizedTest
    @CsvSource({
        "localhost, 200",
        "localhost:PORT, 200",
        "LOCALHOST:PORT, 200",
        "127.0.0.1, 200",
        "127.0.0.1:PORT, 200",
        "[::1]:PORT, 200",
        "gpu.example.org, 200",
        "gpu.example.org:PORT, 200",
        "proxy.example.org:8443, 200",
        "proxy.example.org, 403",
        "proxy.example.org:PORT, 403",
        "gpu.example.org:1, 403",
        "localhost:1, 403",
        "127.0.0.1:1, 403",
        "127.0.0.2:PORT, 403",
        "10.0.0.1:PORT, 403",
        "evil.example.org, 403",
        "evil.example.org:PORT, 403",
        "localhost.evil.example.org:PORT, 403",
        "evil-localhost:PORT, 403",
        "berth, 403"
    })
    void onlyTheServersOwnNamesAreAnswered(String host, int status) {
        Answer answer = ask("GET", "Host: " + host);
        assertThat(answer.status()).isEqualTo(status);
        if (status == 403) {
            assertThat(answer.code()).isEqualTo("FOREIGN_HOST");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "localhost:PORT, http://localhost:PORT, 200",
        "127.0.0.1:PORT, http://127.0.0.1:PORT, 200",
        "localhost, http://localhost, 200",
        "localhost, http://localhost:80, 200",
        "localhost:PORT, http://127.0.0.1:PORT, 403",
        "localhost:PORT, https://localhost:PORT, 403",
        "localhost:PORT, http://localhost:1, 403",
        "localhost:PORT, http://evil.example.org, 403",
        "localhost:PORT, null, 403",
        "localhost:PORT, file://, 403"
    })
    void anotherPagesRequestsAreRefused(String host, String origin, int status) {
        Answer answer = ask("GET", "Host: " + host, "Origin: " + origin);
        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.headers().keySet()).noneMatch(name -> name.startsWith("access-control"));
        if (status == 403) {
            assertThat(answer.code()).isEqualTo("FOREIGN_ORIGIN");
        }
    }

    @ParameterizedTest
    @CsvSource({"GET, cross-site, 200", "POST, cross-site, 403", "POST, same-origin, 405", "POST, none, 405"})
    void anotherSiteChangesNothing(String method, String site, int status) {
        assertThat(ask(method, "Host: localhost", "Sec-Fetch-Site: " + site).status())
                .isEqualTo(status);
    }

    @Test
    void atTheUnixSocketNamesMeanNothing() {
        assertThat(fixture.get("/api/v1/health").status()).isEqualTo(200);
    }

    @Test
    void everyAnswerIsProtected() {
        assertThat(ask("GET", "Host: localhost").headers())
                .containsEntry("cache-control", "no-store")
                .containsEntry("x-content-type-options", "nosniff")
                .containsEntry("referrer-policy", "no-referrer")
                .containsEntry("content-security-policy", "frame-ancestors 'none'");
        assertThat(ask("GET", "Host: evil").headers()).containsEntry("x-content-type-options", "nosniff");
        assertThat(Wire.raw(fixture.tcp(), "nonsense\r\n\r\n", new byte[0]).headers())
                .containsEntry("x-content-type-options", "nosniff");
    }

    /** The machine's own name counts where the network reaches the server, and the address that was called. */
    @Test
    void theNetworkMayCallTheMachineByItsName() throws Exception {
        assertThat(names(InetAddress.getByName("0.0.0.0"))).contains("rig");
        assertThat(names(InetAddress.getLoopbackAddress())).doesNotContain("rig");
    }

    private static Set<String> names(InetAddress bound) {
        return HostNames.of("http", bound, 5555, List.of(), Optional.of("Rig")).names();
    }
}
