package dev.berth.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.server.http.HttpLimits.Times;
import dev.berth.server.http.TlsFiles.KeyStoreFile;
import dev.berth.server.http.TlsFiles.PemFiles;
import dev.berth.server.http.access.RoleNames;
import dev.berth.server.upkeep.BackgroundWork;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** TLS with real certificates on a real port. */
@Timeout(120)
class TlsTest {
    @TempDir
    private Path directory;

    private KeyStoreFiles certificates = new KeyStoreFiles(Path.of("unset"));

    @BeforeEach
    void place() throws IOException {
        certificates = new KeyStoreFiles(Files.createDirectory(directory.resolve("tls")));
    }

    private ServerFixture fixture(TlsFiles files, Times times) {
        return new ServerFixture(
                directory,
                settings -> new HttpSettings(
                        settings.socket(),
                        settings.address(),
                        settings.hosts(),
                        files,
                        false,
                        settings.roles(),
                        new HttpLimits(100, 100, 100, times, Duration.ZERO, HttpLimits.STOP)));
    }

    private ServerFixture fixture(TlsFiles files) {
        return fixture(files, Times.DEFAULT);
    }

    private static SSLSocket connect(ServerFixture fixture, SSLContext trust, String... protocols) throws IOException {
        Socket plain = new Socket(fixture.tcp().getAddress(), fixture.tcp().getPort());
        SSLSocket socket = (SSLSocket) trust.getSocketFactory()
                .createSocket(plain, "localhost", fixture.tcp().getPort(), true);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        if (protocols.length > 0) {
            parameters.setProtocols(protocols);
        }
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        return socket;
    }

    private static String ask(SSLSocket socket, String header) throws IOException {
        socket.getOutputStream()
                .write(("GET /api/v1/server HTTP/1.1\r\nHost: localhost\r\n" + header + "Connection: close\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII));
        return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @CsvSource({"RSA, 2048, TLSv1.3", "RSA, 2048, TLSv1.2", "EC, secp256r1, TLSv1.3"})
    void pemFilesServe(String algorithm, String size, String protocol) throws Exception {
        Path store = certificates.store("pem", algorithm, size);
        TlsFiles files =
                new PemFiles(certificates.certificatePem(store, "cert.pem"), certificates.keyPem(store, "key.pem"));
        try (ServerFixture fixture = fixture(files);
                SSLSocket socket =
                        connect(fixture, KeyStoreFiles.trusting(KeyStoreFiles.certificate(store)), protocol)) {
            String secret =
                    fixture.post("/api/v1/tokens", "{}").json().path("secret").asText();
            assertThat(socket.getSession().getProtocol()).isEqualTo(protocol);
            assertThat(ask(socket, "Authorization: Bearer " + secret + "\r\n"))
                    .startsWith("HTTP/1.1 200 OK")
                    .contains("\"url\":\"https://127.0.0.1:" + fixture.tcp().getPort() + "\"");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"PKCS12", "JKS"})
    void aKeyStoreServes(String type) throws Exception {
        Path store = certificates.store("store", "RSA", "2048", type);
        TlsFiles files = new KeyStoreFile(store, store.resolveSibling("password"));
        SSLContext trust = KeyStoreFiles.trusting(KeyStoreFiles.certificate(store));
        try (ServerFixture fixture = fixture(files);
                SSLSocket socket = connect(fixture, trust)) {
            assertThat(ask(socket, "")).startsWith("HTTP/1.1 401").contains("NO_IDENTITY");
            try (SSLSocket origin = connect(fixture, trust)) {
                assertThat(ask(origin, "Origin: http://localhost\r\n")).startsWith("HTTP/1.1 403");
            }
            try (SSLSocket origin = connect(fixture, trust)) {
                assertThat(ask(origin, "Origin: https://localhost\r\n")).startsWith("HTTP/1.1 401");
            }
        }
    }

    @Test
    void plainHttpIsNotAnswered() throws Exception {
        Path store = certificates.store("store.p12", "EC", "secp256r1");
        try (ServerFixture fixture = fixture(new KeyStoreFile(store, store.resolveSibling("password")));
                SocketChannel plain = SocketChannel.open(fixture.tcp())) {
            plain.write(ByteBuffer.wrap(
                    "GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII)));
            ByteBuffer answer = ByteBuffer.allocate(1 << 12);
            while (plain.read(answer) >= 0) {
                assertThat(answer.hasRemaining()).isTrue();
            }
            assertThat(new String(answer.array(), 0, answer.position(), StandardCharsets.ISO_8859_1))
                    .doesNotContain("HTTP");
        }
    }

    @Test
    void aHandshakeThatNeverBeginsIsCutOff() throws Exception {
        Path store = certificates.store("store.p12", "EC", "secp256r1");
        Duration day = Duration.ofDays(1);
        Times times = new Times(Duration.ofMillis(300), day, day, day, day, day, day);
        try (ServerFixture fixture = fixture(new KeyStoreFile(store, store.resolveSibling("password")), times);
                SocketChannel plain = SocketChannel.open(fixture.tcp())) {
            assertThat(plain.read(ByteBuffer.allocate(1))).isEqualTo(-1);
        }
    }

    @Test
    void aRenewedCertificateIsTakenWithoutARestartAndABrokenOneIsNot() throws Exception {
        Path first = certificates.store("first", "EC", "secp256r1");
        Path second = certificates.store("second", "EC", "secp256r1");
        Path used = Files.copy(first, first.resolveSibling("used.p12"));
        Files.setPosixFilePermissions(used, PosixFilePermissions.fromString("rw-------"));
        Certificate old = KeyStoreFiles.certificate(first);
        Certificate renewed = KeyStoreFiles.certificate(second);
        SSLContext both = KeyStoreFiles.trusting(old, renewed);
        try (ServerFixture fixture = fixture(new KeyStoreFile(used, used.resolveSibling("password")))) {
            assertThat(shown(fixture, both)).isEqualTo(old);
            Files.copy(second, used, StandardCopyOption.REPLACE_EXISTING);
            Files.setPosixFilePermissions(used, PosixFilePermissions.fromString("rw-------"));
            Files.setLastModifiedTime(used, FileTime.from(Instant.EPOCH));
            while (!shown(fixture, both).equals(renewed)) {
                assertThat(fixture.stopped()).isNotDone();
            }
            Files.writeString(used, "broken");
            for (int i = 0; i < 5; i++) {
                assertThat(shown(fixture, both)).isEqualTo(renewed);
            }
        }
    }

    private static Certificate shown(ServerFixture fixture, SSLContext trust) throws IOException {
        try (SSLSocket socket = connect(fixture, trust)) {
            return socket.getSession().getPeerCertificates()[0];
        }
    }

    @Test
    void filesThatCannotBeUsedAreSaidAtTheStart() throws Exception {
        Path store = certificates.store("one", "EC", "secp256r1");
        Path other = certificates.store("other", "EC", "secp256r1");
        Path password = store.resolveSibling("password");
        Path certificate = certificates.certificatePem(store, "cert.pem");
        Path key = certificates.keyPem(store, "key.pem");
        Path foreign = certificates.keyPem(other, "foreign.pem");
        Path old = certificates.secret("old.pem", "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n");
        Path missing = directory.resolve("missing");
        assertRefused(new PemFiles(certificate, foreign), "is not the key of the first certificate in");
        assertRefused(new PemFiles(certificate, old), "openssl pkcs8 -topk8 -nodes");
        assertRefused(new PemFiles(key, key), "holds no certificate");
        assertRefused(new PemFiles(missing, key), "missing");
        assertRefused(new PemFiles(certificate, missing), "missing");
        assertRefused(new KeyStoreFile(store, certificates.secret("wrong", "wrong")), "cannot be used as a key store");
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r--r--"));
        assertRefused(new PemFiles(certificate, key), "can be read or changed by others; run: chmod 600");
        Files.setPosixFilePermissions(password, PosixFilePermissions.fromString("rw-r--r--"));
        assertRefused(new KeyStoreFile(store, password), "password can be read or changed by others");
    }

    private void assertRefused(TlsFiles files, String words) {
        HttpSettings settings = new HttpSettings(
                directory.resolve("s"),
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                java.util.List.of(),
                files,
                false,
                new RoleNames(java.util.List.of(), java.util.List.of()),
                HttpLimits.DEFAULT);
        assertThatThrownBy(() -> new HttpServer(settings, BackgroundWork.onVirtualThreads(InstantSource.system())))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(words);
    }

    @Test
    void anAddressOfTheNetworkNeedsTlsOrALoudWord() throws Exception {
        InetSocketAddress everywhere = new InetSocketAddress(InetAddress.getByName("0.0.0.0"), 5555);
        HttpSettings bare = HttpSettings.of(directory.resolve("s"), everywhere);
        assertThat(bare.refusal())
                .hasValueSatisfying(words ->
                        assertThat(words).contains("0.0.0.0 without TLS").contains("allow-insecure-bind"));
        HttpSettings loud =
                new HttpSettings(bare.socket(), everywhere, bare.hosts(), null, true, bare.roles(), bare.limits());
        assertThat(loud.refusal()).isEmpty();
        assertThat(loud.warnings()).singleElement().asString().contains("has no TLS");
        HttpSettings safe = new HttpSettings(
                bare.socket(),
                everywhere,
                bare.hosts(),
                new PemFiles(directory, directory),
                false,
                bare.roles(),
                bare.limits());
        assertThat(safe.refusal()).isEmpty();
        assertThat(safe.warnings()).isEmpty();
        assertThat(safe.url(1)).isEqualTo("https://0.0.0.0:1");
        HttpSettings six =
                HttpSettings.of(directory.resolve("s"), new InetSocketAddress(InetAddress.getByName("::1"), 5555));
        assertThat(six.refusal()).isEmpty();
        assertThat(six.url(1)).isEqualTo("http://[0:0:0:0:0:0:0:1]:1");
    }
}
