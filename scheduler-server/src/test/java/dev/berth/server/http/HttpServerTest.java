package dev.berth.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.server.upkeep.BackgroundWork;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Where the server listens, and what it does when the place is taken. */
@Timeout(60)
class HttpServerTest {
    @TempDir
    private Path directory;

    private Path socket() {
        return directory.resolve("berth.sock");
    }

    @Test
    void theSocketOfAServerThatWasKilledIsReplaced() throws IOException {
        ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                .bind(UnixDomainSocketAddress.of(socket()))
                .close();
        assertThat(socket()).exists();
        try (ServerFixture fixture = new ServerFixture(directory)) {
            assertThat(fixture.get("/api/v1/health").status()).isEqualTo(200);
        }
        assertThat(socket()).doesNotExist();
    }

    @Test
    void theSocketOfAServerThatAnswersIsLeftAlone() throws IOException {
        try (ServerSocketChannel other = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            other.bind(UnixDomainSocketAddress.of(socket()));
            assertThatThrownBy(() -> new ServerFixture(directory))
                    .isInstanceOf(UncheckedIOException.class)
                    .hasMessageContaining("another server answers there");
            assertThat(socket()).exists();
        }
    }

    @Test
    void aFileInTheSocketsPlaceIsLeftAlone() throws IOException {
        Files.writeString(socket(), "precious");
        assertThatThrownBy(() -> new ServerFixture(directory))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining("there is a file in its place that is no socket");
        assertThat(socket()).hasContent("precious");
    }

    @Test
    void aLinkInTheSocketsPlaceIsLeftAlone() throws IOException {
        Path precious = Files.writeString(directory.resolve("precious"), "precious");
        Files.createSymbolicLink(socket(), precious);
        assertThatThrownBy(() -> new ServerFixture(directory)).hasMessageContaining("no socket");
        assertThat(precious).hasContent("precious");
    }

    @Test
    void aPortThatIsTakenIsSaidBeforeAnythingElseIsDone() throws IOException {
        try (ServerSocketChannel other =
                ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            HttpServer http = new HttpServer(
                    HttpSettings.of(socket(), (InetSocketAddress) other.getLocalAddress()),
                    BackgroundWork.onVirtualThreads(InstantSource.system()));
            assertThatThrownBy(http::bind).isInstanceOf(IOException.class).hasRootCauseInstanceOf(BindException.class);
            http.stop();
        }
        assertThat(socket()).doesNotExist();
    }
}
