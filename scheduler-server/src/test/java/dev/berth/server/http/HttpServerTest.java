package dev.berth.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.job.JobId;
import dev.berth.core.job.StateName;
import dev.berth.server.http.exchange.ServerSentEvents;
import dev.berth.server.upkeep.BackgroundWork;
import dev.berth.testclient.Following;
import java.io.EOFException;
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
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Where the server listens, and what it does when the place is taken; how it stops. */
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

    /** A server that waits for answers for longer than a test may take. */
    private ServerFixture patient() {
        return new ServerFixture(directory, settings -> {
            HttpLimits limits = settings.limits();
            return new HttpSettings(
                    settings.socket(),
                    settings.address(),
                    settings.hosts(),
                    settings.tls(),
                    settings.allowInsecureBind(),
                    settings.roles(),
                    new HttpLimits(
                            limits.connections(),
                            limits.connectionsPerUser(),
                            limits.streamsPerUser(),
                            limits.times(),
                            limits.wrongTokenDelay(),
                            Duration.ofMinutes(2)));
        });
    }

    /**
     * What they get is not complete, so that they ask the next server for the rest. A follower looks up by itself as well, at each
     * heartbeat.
     */
    @Test
    void aServerThatStopsWaitsForNoFollower() throws Exception {
        try (ServerFixture fixture = patient()) {
            long id = fixture.running(1);
            List<Following> followers = Stream.of(
                            "/api/v1/events?follow=true",
                            "/api/v1/jobs/" + id + "/events",
                            "/api/v1/jobs/" + id + "/log?follow=true")
                    .map(path -> Wire.open(fixture.socket(), path))
                    .toList();
            assertThat(followers).extracting(Following::status).containsOnly(200);
            assertThat(Thread.startVirtualThread(fixture::close).join(ServerSentEvents.HEARTBEAT.minusSeconds(3)))
                    .isTrue();
            for (Following follower : followers) {
                assertThatThrownBy(follower::rest).isInstanceOf(EOFException.class);
                follower.close();
            }
        }
    }

    @Test
    void theEndOfALogThatIsOnItsWayStillComes() throws Exception {
        try (ServerFixture fixture = patient()) {
            long id = fixture.running(1);
            fixture.end(id, 0);
            fixture.await(id, StateName.COMPLETED);
            fixture.await("the end of its log", () -> !fixture.logs().isExpected(new JobId(id)));
            fixture.logs().expect(new JobId(id));
            try (Following log = Wire.open(fixture.socket(), "/api/v1/jobs/" + id + "/log?follow=true");
                    Following events = Wire.open(fixture.socket(), "/api/v1/events?follow=true")) {
                assertThat(log.status()).isEqualTo(200);
                Thread stop = Thread.startVirtualThread(fixture::close);
                assertThatThrownBy(events::rest).isInstanceOf(EOFException.class);
                fixture.logs().finish(new JobId(id));
                assertThat(log.rest()).isEmpty();
                stop.join();
            }
        }
    }
}
