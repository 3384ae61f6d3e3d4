package dev.berth.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.job.StateName;
import dev.berth.server.http.HttpLimits.Times;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whoever takes too long or too much is let go, and nobody else is. */
@Timeout(60)
class LimitsTest {
    private static final Duration SHORT = Duration.ofMillis(300);
    private static final Duration LONG = Duration.ofMinutes(10);
    private static final Times PATIENT = new Times(LONG, LONG, LONG, LONG, LONG);

    @TempDir
    private Path directory;

    private @Nullable Harbour opened;

    private Harbour harbour() {
        return Objects.requireNonNull(opened);
    }

    private void open(int inAll, int aUser, int streams, Times times) {
        opened = new Harbour(
                directory,
                settings -> new HttpSettings(
                        settings.socket(),
                        settings.address(),
                        settings.hosts(),
                        settings.tls(),
                        settings.allowInsecureBind(),
                        settings.roles(),
                        new HttpLimits(inAll, aUser, streams, times)));
    }

    private void open(Times times) {
        open(100, 100, 100, times);
    }

    @AfterEach
    void close() {
        harbour().close();
    }

    private SocketAddress address(String way) {
        return way.equals("tcp")
                ? harbour().tcp()
                : UnixDomainSocketAddress.of(harbour().socket());
    }

    /** Sends something, then a byte every few milliseconds, until the server ends it. */
    private static void dribble(SocketAddress to, String beginning) throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        try (SocketChannel channel = SocketChannel.open(to)) {
            ByteBuffer first = ByteBuffer.wrap(beginning.getBytes(StandardCharsets.US_ASCII));
            while (first.hasRemaining()) {
                channel.write(first);
            }
            Thread reader = Thread.ofVirtual().start(() -> readToEnd(channel));
            while (reader.isAlive()) {
                try {
                    channel.write(ByteBuffer.wrap(new byte[] {'x'}));
                } catch (IOException e) {
                    return;
                }
                boolean _ = never.await(10, TimeUnit.MILLISECONDS);
            }
        }
    }

    private static void readToEnd(SocketChannel channel) {
        try {
            ByteBuffer answer = ByteBuffer.allocate(1_024);
            while (channel.read(answer) >= 0) {
                answer.clear();
            }
        } catch (IOException e) {
            // That is an end too.
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"unix", "tcp"})
    void aConnectionWithoutARequestIsClosed(String way) throws IOException {
        open(new Times(SHORT, LONG, LONG, LONG, LONG));
        try (SocketChannel idle = SocketChannel.open(address(way))) {
            assertThat(idle.read(ByteBuffer.allocate(1))).isEqualTo(-1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"unix", "tcp"})
    void aHeaderThatNeverEndsIsCutOff(String way) throws Exception {
        open(new Times(SHORT, LONG, LONG, LONG, LONG));
        dribble(address(way), "GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");
    }

    @Test
    void aBodyThatNeverEndsIsCutOff() throws Exception {
        open(new Times(LONG, SHORT, LONG, LONG, LONG));
        dribble(
                address("unix"),
                "POST /api/v1/tokens HTTP/1.1\r\nHost: berth\r\nContent-Length: 100000\r\n\r\n{\"name\": \"");
        assertThat(harbour().get("/api/v1/tokens").json().path("tokens")).isEmpty();
    }

    @Test
    void anUploadThatStandsStillIsCutOff() throws IOException {
        open(new Times(LONG, LONG, LONG, SHORT, LONG));
        try (SocketChannel channel = SocketChannel.open(address("unix"))) {
            channel.write(ByteBuffer.wrap("POST /api/v1/snapshots HTTP/1.1\r\nHost: berth\r\nContent-Length: 9\r\n\r\nx"
                    .getBytes(StandardCharsets.US_ASCII)));
            readToEnd(channel);
        }
    }

    /** The idle connection that is closed shows that the time is over. */
    @Test
    void aFollowerMayStayForAsLongAsItLikes() throws IOException {
        open(new Times(SHORT, SHORT, SHORT, SHORT, SHORT));
        long job = harbour().running(1);
        try (Wire events = Wire.open(harbour().socket(), "/api/v1/jobs/" + job + "/events");
                Wire log = Wire.open(harbour().socket(), "/api/v1/jobs/" + job + "/log?follow=true");
                SocketChannel idle = SocketChannel.open(address("unix"))) {
            assertThat(idle.read(ByteBuffer.allocate(1))).isEqualTo(-1);
            harbour().print(job, "still here\n");
            harbour().end(job, 0);
            assertThat(log.rest()).isEqualTo("still here\n");
            assertThat(events.rest()).contains("COMPLETED");
        }
    }

    @Test
    void whoDoesNotReadIsCutOff() throws IOException {
        open(new Times(Duration.ofSeconds(2), LONG, LONG, LONG, SHORT));
        long job = harbour().running(1);
        for (int i = 0; i < 64; i++) {
            harbour().print(job, "x".repeat(1 << 18));
        }
        harbour().end(job, 0);
        harbour().await(job, StateName.COMPLETED);
        try (Wire log = Wire.open(harbour().socket(), "/api/v1/jobs/" + job + "/log");
                SocketChannel idle = SocketChannel.open(address("unix"))) {
            assertThat(idle.read(ByteBuffer.allocate(1))).isEqualTo(-1);
            assertThatThrownBy(log::rest).isInstanceOf(EOFException.class);
        }
    }

    private List<Wire> visitors(int count) {
        List<Wire> visitors = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            visitors.add(Wire.open(harbour().socket(), "/api/v1/health"));
        }
        return visitors;
    }

    private static void leave(List<Wire> visitors) throws IOException {
        for (Wire visitor : visitors) {
            visitor.close();
        }
    }

    /** The server hears of an end when it hears of it. */
    private void awaitRoom(String path) throws IOException {
        int status = 0;
        while (status != 200) {
            try (Wire next = Wire.open(harbour().socket(), path)) {
                status = next.status();
            }
        }
    }

    @Test
    void aUserHasSoManyConnectionsAndNoMore() throws IOException {
        open(100, 3, 100, PATIENT);
        List<Wire> visitors = visitors(3);
        Wire.Answer refused = harbour().get("/api/v1/health");
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.code()).isEqualTo("TOO_MANY_CONNECTIONS");
        assertThat(refused.headers()).containsEntry("retry-after", "1").containsEntry("connection", "close");
        assertThat(Wire.ask(harbour().tcp(), "GET", "/api/v1/health", new byte[0])
                        .status())
                .as("an address of the network is somebody else")
                .isEqualTo(200);
        leave(visitors);
        awaitRoom("/api/v1/health");
    }

    /** More than the kernel keeps waiting by itself; a client with a time-out of its own does not wait for room. */
    @Test
    void manyMayComeAtOnce() throws IOException {
        open(1_000, 1_000, 100, PATIENT);
        List<SocketChannel> crowd = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            SocketChannel one = SocketChannel.open(StandardProtocolFamily.UNIX);
            one.configureBlocking(false);
            crowd.add(one);
            assertThat(one.connect(UnixDomainSocketAddress.of(harbour().socket())))
                    .isTrue();
        }
        for (SocketChannel one : crowd) {
            one.close();
        }
    }

    @Test
    void anAddressHasSoManyConnectionsAndNoMore() throws IOException {
        open(100, 1, 100, PATIENT);
        try (SocketChannel first = SocketChannel.open(harbour().tcp())) {
            first.write(ByteBuffer.wrap(
                    "GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII)));
            assertThat(first.read(ByteBuffer.allocate(1))).isEqualTo(1);
            assertThat(Wire.ask(harbour().tcp(), "GET", "/api/v1/health", new byte[0])
                            .status())
                    .isEqualTo(429);
        }
    }

    @Test
    void aServerHasSoManyConnectionsAndNoMore() throws IOException {
        open(3, 100, 100, PATIENT);
        List<Wire> visitors = visitors(3);
        Wire.Answer refused = harbour().get("/api/v1/health");
        assertThat(refused.status()).isEqualTo(503);
        assertThat(refused.code()).isEqualTo("TOO_MANY_CONNECTIONS");
        leave(visitors);
        awaitRoom("/api/v1/health");
    }

    /** However many come, somebody else of the machine gets in. */
    @ParameterizedTest
    @ValueSource(strings = {"unix", "tcp"})
    void farTooManyAreClosedWithoutAWordAndKeepNobodyElseOut(String way) throws IOException {
        open(12, 4, 100, PATIENT);
        List<SocketChannel> crowd = new ArrayList<>();
        int closed = 0;
        for (int i = 0; i < 60; i++) {
            crowd.add(SocketChannel.open(address(way)));
        }
        for (SocketChannel one : crowd) {
            one.configureBlocking(false);
        }
        while (closed < 60 - 4 - 32) {
            closed = 0;
            for (SocketChannel one : crowd) {
                closed += isEnded(one) ? 1 : 0;
            }
        }
        assertThat(Wire.ask(address(way.equals("tcp") ? "unix" : "tcp"), "GET", "/api/v1/health", new byte[0])
                        .status())
                .isEqualTo(200);
        for (SocketChannel one : crowd) {
            one.close();
        }
    }

    private static boolean isEnded(SocketChannel channel) {
        try {
            return channel.read(ByteBuffer.allocate(1)) < 0;
        } catch (IOException e) {
            return true;
        }
    }

    /** The network can take three quarters of the room, and no more. */
    @Test
    void theMachinesOwnUsersFindRoomWhenTheNetworkIsFull() throws IOException {
        open(4, 100, 100, PATIENT);
        List<SocketChannel> crowd = new ArrayList<>();
        byte[] request = "GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i < 3; i++) {
            SocketChannel one = SocketChannel.open(harbour().tcp());
            one.write(ByteBuffer.wrap(request));
            assertThat(one.read(ByteBuffer.allocate(1))).isEqualTo(1);
            crowd.add(one);
        }
        assertThat(Wire.ask(harbour().tcp(), "GET", "/api/v1/health", new byte[0])
                        .status())
                .isEqualTo(503);
        assertThat(harbour().get("/api/v1/health").status()).isEqualTo(200);
        for (SocketChannel one : crowd) {
            one.close();
        }
    }

    @Test
    void aUserFollowsSoManyJobsAndNoMore() throws IOException {
        open(100, 100, 1, PATIENT);
        long job = harbour().running(1);
        String path = "/api/v1/jobs/" + job + "/events";
        try (Wire first = Wire.open(harbour().socket(), path)) {
            assertThat(first.status()).isEqualTo(200);
            Wire.Answer second = harbour().get(path);
            assertThat(second.status()).isEqualTo(429);
            assertThat(second.code()).isEqualTo("TOO_MANY_STREAMS");
            harbour().end(job, 0);
            assertThat(first.rest()).contains("COMPLETED");
        }
        awaitRoom(path);
    }

    @Test
    void aFollowerWhoWentIsNoticedThoughThereIsNothingToSay() throws IOException {
        open(100, 100, 1, PATIENT);
        long running = harbour().running(4);
        long waiting = harbour().submitted(4);
        Wire.open(harbour().socket(), "/api/v1/jobs/" + waiting + "/log?follow=true")
                .close();
        int status = 0;
        while (status != 200) {
            long _ = harbour().submitted(4);
            try (Wire next = Wire.open(harbour().socket(), "/api/v1/jobs/" + running + "/events")) {
                status = next.status();
            }
        }
    }
}
