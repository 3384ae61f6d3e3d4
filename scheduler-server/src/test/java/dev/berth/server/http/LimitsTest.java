package dev.berth.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.berth.core.job.StateName;
import dev.berth.server.http.HttpLimits.Times;
import dev.berth.server.http.access.TokenSecret;
import dev.berth.server.linux.Users;
import dev.berth.server.store.Token;
import dev.berth.testclient.Answer;
import dev.berth.testclient.Following;
import java.io.EOFException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
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
import org.slf4j.LoggerFactory;

/** Whoever takes too long or too much is let go, and nobody else is. */
@Timeout(60)
class LimitsTest {
    private static final Duration SHORT = Duration.ofMillis(300);
    private static final Duration LONG = Duration.ofMinutes(10);
    private static final Times PATIENT = new Times(LONG, LONG, LONG, LONG, LONG, LONG, LONG);

    @TempDir
    private Path directory;

    private @Nullable ServerFixture opened;

    private ServerFixture fixture() {
        return Objects.requireNonNull(opened);
    }

    private void open(int inAll, int aUser, int streams, Times times) {
        opened = new ServerFixture(
                directory,
                settings -> new HttpSettings(
                        settings.socket(),
                        settings.address(),
                        settings.hosts(),
                        settings.tls(),
                        settings.allowInsecureBind(),
                        settings.roles(),
                        new HttpLimits(inAll, aUser, streams, times, Duration.ZERO, HttpLimits.STOP)));
    }

    private void open(Times times) {
        open(100, 100, 100, times);
    }

    @AfterEach
    void close() {
        fixture().close();
    }

    private SocketAddress address(String way) {
        return way.equals("tcp")
                ? fixture().tcp()
                : UnixDomainSocketAddress.of(fixture().socket());
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

    private interface Ending {
        void await() throws Exception;
    }

    /** What ends so was cut off because its time was over: what is refused at once ends before. */
    private static void assertEndsWhenItsTimeIsOver(Ending ending) throws Exception {
        long began = System.nanoTime();
        ending.await();
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThanOrEqualTo(SHORT);
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
    void aConnectionWithoutARequestIsClosed(String way) throws Exception {
        open(new Times(SHORT, LONG, LONG, LONG, LONG, LONG, LONG));
        assertEndsWhenItsTimeIsOver(() -> {
            try (SocketChannel idle = SocketChannel.open(address(way))) {
                assertThat(idle.read(ByteBuffer.allocate(1))).isEqualTo(-1);
            }
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"unix", "tcp"})
    void aHeaderThatNeverEndsIsCutOff(String way) throws Exception {
        open(new Times(SHORT, LONG, LONG, LONG, LONG, LONG, LONG));
        assertEndsWhenItsTimeIsOver(
                () -> dribble(address(way), "GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\nX-Slow: "));
    }

    @Test
    void aBodyThatNeverEndsIsCutOff() throws Exception {
        open(new Times(LONG, LONG, SHORT, LONG, LONG, LONG, LONG));
        assertEndsWhenItsTimeIsOver(() -> dribble(
                address("unix"),
                "POST /api/v1/tokens HTTP/1.1\r\nHost: berth\r\nContent-Length: 100000\r\n\r\n{\"name\": \""));
        assertThat(fixture().get("/api/v1/tokens").json().path("tokens")).isEmpty();
    }

    /** What clients do is no error of the server's. */
    @Test
    void slowAndBrokenOffRequestsAreNoErrorsInTheLog() throws Exception {
        open(new Times(LONG, LONG, SHORT, LONG, LONG, LONG, LONG));
        Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        root.addAppender(log);
        try {
            for (String way : List.of("unix", "tcp")) {
                for (String path : List.of("/api/v1/tokens", "/api/v1/nothing", "/api/v1/server/stop")) {
                    String head = "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n{";
                    dribble(address(way), head);
                    SocketChannel broken = SocketChannel.open(address(way));
                    broken.write(ByteBuffer.wrap(head.getBytes(StandardCharsets.US_ASCII)));
                    broken.close();
                }
            }
            assertThat(fixture().get("/api/v1/health").status()).isEqualTo(200);
            assertThat(List.copyOf(log.list))
                    .filteredOn(event -> event.getLevel().isGreaterOrEqual(Level.WARN))
                    .isEmpty();
        } finally {
            root.detachAppender(log);
        }
    }

    @Test
    void anUploadThatStandsStillIsCutOff() throws Exception {
        open(new Times(LONG, LONG, LONG, LONG, SHORT, LONG, LONG));
        assertEndsWhenItsTimeIsOver(() -> {
            try (SocketChannel channel = SocketChannel.open(address("unix"))) {
                channel.write(
                        ByteBuffer.wrap("POST /api/v1/snapshots HTTP/1.1\r\nHost: berth\r\nContent-Length: 9\r\n\r\nx"
                                .getBytes(StandardCharsets.US_ASCII)));
                readToEnd(channel);
            }
        });
    }

    /** The idle connection that is closed shows that the time is over. */
    @Test
    void aFollowerMayStayForAsLongAsItLikes() throws IOException {
        open(new Times(SHORT, SHORT, SHORT, SHORT, SHORT, SHORT, LONG));
        long job = fixture().running(1);
        try (Following events = Wire.open(fixture().socket(), "/api/v1/jobs/" + job + "/events");
                Following log = Wire.open(fixture().socket(), "/api/v1/jobs/" + job + "/log?follow=true");
                SocketChannel idle = SocketChannel.open(address("unix"))) {
            assertThat(idle.read(ByteBuffer.allocate(1))).isEqualTo(-1);
            fixture().print(job, "still here\n");
            fixture().end(job, 0);
            assertThat(log.rest()).isEqualTo("still here\n");
            assertThat(events.rest()).contains("COMPLETED");
        }
    }

    @Test
    void whoDoesNotReadIsCutOff() throws IOException {
        open(new Times(Duration.ofSeconds(2), LONG, LONG, LONG, LONG, SHORT, LONG));
        long job = fixture().running(1);
        for (int i = 0; i < 64; i++) {
            fixture().print(job, "x".repeat(1 << 18));
        }
        fixture().end(job, 0);
        fixture().await(job, StateName.COMPLETED);
        try (Following log = Wire.open(fixture().socket(), "/api/v1/jobs/" + job + "/log");
                SocketChannel idle = SocketChannel.open(address("unix"))) {
            assertThat(idle.read(ByteBuffer.allocate(1))).isEqualTo(-1);
            assertThatThrownBy(log::rest).isInstanceOf(EOFException.class);
        }
    }

    /** Followers of a job that runs: they are never idle. */
    private List<Following> followers(long job, int count) {
        List<Following> followers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            followers.add(Wire.open(fixture().socket(), "/api/v1/jobs/" + job + "/events"));
            assertThat(followers.getLast().status()).isEqualTo(200);
        }
        return followers;
    }

    private static void leave(List<Following> followers) throws IOException {
        for (Following follower : followers) {
            follower.close();
        }
    }

    private String token(String user, String scope) {
        TokenSecret secret = TokenSecret.fresh(new SecureRandom());
        long uid = new Users().find(user).orElseThrow().uid();
        Token token =
                new Token(secret.id(), "t", secret.hash(), uid, user, scope, Instant.EPOCH, null, null, null, null);
        var _ = fixture()
                .scheduling()
                .write(store -> store.keepToken(token, 100))
                .join();
        return secret.text();
    }

    private int status(String token, String path) {
        return Wire.ask(fixture().tcp(), "GET", path, new byte[0], "Host: localhost", "Authorization: Bearer " + token)
                .status();
    }

    /** Follows everything over TCP, and never ends. */
    private SocketChannel follow(String token) throws IOException {
        SocketChannel follower = SocketChannel.open(fixture().tcp());
        follower.write(ByteBuffer.wrap(("GET /api/v1/events?follow=true HTTP/1.1\r\nHost: localhost\r\nAuthorization:"
                        + " Bearer " + token + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII)));
        ByteBuffer status = ByteBuffer.allocate("HTTP/1.1 200".length());
        while (status.hasRemaining() && follower.read(status) >= 0) {}
        assertThat(new String(status.array(), StandardCharsets.US_ASCII)).isEqualTo("HTTP/1.1 200");
        return follower;
    }

    /** The server hears of an end when it hears of it. */
    private void awaitRoom(String path) throws IOException {
        int status = 0;
        while (status != 200) {
            try (Following next = Wire.open(fixture().socket(), path)) {
                status = next.status();
            }
        }
    }

    @Test
    void aUserHasSoManyConnectionsAndNoMore() throws IOException {
        open(100, 3, 100, PATIENT);
        long job = fixture().running(1);
        List<Following> followers = followers(job, 3);
        Answer refused = fixture().get("/api/v1/health");
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.code()).isEqualTo("TOO_MANY_CONNECTIONS");
        assertThat(refused.headers()).containsEntry("retry-after", "1").containsEntry("connection", "close");
        assertThat(status(token("root", "SUBMIT"), "/api/v1/server"))
                .as("the same user, by another way")
                .isEqualTo(429);
        assertThat(status(token("nobody", "SUBMIT"), "/api/v1/server"))
                .as("another user at the same address")
                .isEqualTo(200);
        fixture().end(job, 0);
        leave(followers);
        awaitRoom("/api/v1/health");
    }

    /** Each is gone before the next one comes, so that there is room for all of them, however many there were. */
    @Test
    void whoeverHasGoneLeavesRoomOnTheNetworkToo() {
        open(8, 8, 8, PATIENT);
        for (int i = 0; i < 60; i++) {
            awaitRoom(fixture().tcp());
        }
    }

    private static void awaitRoom(SocketAddress address) {
        int status = 0;
        for (int i = 0; i < 100 && status != 200; i++) {
            // The server may learn a little later than the client that the one before has gone.
            status = Wire.ask(address, "GET", "/api/v1/health", new byte[0]).status();
        }
        assertThat(status).isEqualTo(200);
    }

    @Test
    void whatIdlesGoesBeforeItsUserIsRefused() throws IOException {
        open(100, 3, 100, PATIENT);
        List<SocketChannel> idle = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            idle.add(asked("/api/v1/health"));
            awaitAnswered(idle, i + 1);
        }
        assertThat(fixture().get("/api/v1/health").status()).isEqualTo(200);
        SocketChannel longest = idle.getFirst();
        longest.configureBlocking(true);
        assertThat(isEndedAfterItsAnswer(longest)).isTrue();
        for (SocketChannel one : idle) {
            one.close();
        }
    }

    private static boolean isEndedAfterItsAnswer(SocketChannel channel) {
        try {
            return Channels.newInputStream(channel).readAllBytes().length > 0;
        } catch (IOException reset) {
            return true;
        }
    }

    /** Each holds files open for as long as its reader likes. */
    @Test
    void oneUsersArchivesArePackedFourAtATime() throws Exception {
        open(100, 100, 100, PATIENT);
        long job = fixture().running(1);
        Path output = Files.createDirectories(directory.resolve("users/0/output/" + job));
        // More than all buffers on the way hold.
        try (RandomAccessFile weights =
                new RandomAccessFile(output.resolve("weights").toFile(), "rw")) {
            weights.setLength(64 << 20);
        }
        List<SocketChannel> readers = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            readers.add(asked("/api/v1/jobs/" + job + "/output"));
        }
        awaitAnswered(readers, 4);
        assertThat(fixture().get("/api/v1/server").status()).isEqualTo(200);
        assertThat(answered(readers)).as("the others wait").isEqualTo(4);
        List<SocketChannel> first = new ArrayList<>();
        for (SocketChannel one : readers) {
            if (one.read(ByteBuffer.allocate(1)) > 0) {
                first.add(one);
            }
        }
        for (SocketChannel one : first) {
            one.close();
        }
        readers.removeAll(first);
        assertThat(readers).hasSize(2);
        awaitAnswered(readers, 2);
        for (SocketChannel one : readers) {
            one.close();
        }
        fixture().end(job, 0);
    }

    private SocketChannel asked(String target) throws IOException {
        SocketChannel one =
                SocketChannel.open(UnixDomainSocketAddress.of(fixture().socket()));
        one.write(ByteBuffer.wrap(
                ("GET " + target + " HTTP/1.1\r\nHost: berth\r\n\r\n").getBytes(StandardCharsets.US_ASCII)));
        one.configureBlocking(false);
        return one;
    }

    private static void awaitAnswered(List<SocketChannel> readers, int count) throws IOException {
        Instant end = InstantSource.system().instant().plus(ServerFixture.PATIENCE);
        while (answered(readers) < count && InstantSource.system().instant().isBefore(end)) {
            Thread.onSpinWait();
        }
        assertThat(answered(readers)).isEqualTo(count);
    }

    /** How many have something to read. */
    private static int answered(List<SocketChannel> readers) throws IOException {
        try (Selector selector = Selector.open()) {
            for (SocketChannel one : readers) {
                one.register(selector, SelectionKey.OP_READ);
            }
            return selector.selectNow();
        }
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
            assertThat(one.connect(UnixDomainSocketAddress.of(fixture().socket())))
                    .isTrue();
        }
        for (SocketChannel one : crowd) {
            one.close();
        }
    }

    /** All of this machine have one address. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "GET /api/v1/jobs HTTP/1.1\r\nHost: loc",
                "POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n{",
                "GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n"
            })
    void whoSaysNothingOfThemselvesKeepsNobodyOut(String sent) throws IOException {
        open(64, 4, 100, PATIENT);
        String token = token("nobody", "SUBMIT");
        List<SocketChannel> crowd = new ArrayList<>();
        for (int i = 0; i < 70; i++) {
            SocketChannel one = SocketChannel.open(fixture().tcp());
            one.write(ByteBuffer.wrap(sent.getBytes(StandardCharsets.US_ASCII)));
            crowd.add(one);
        }
        assertThat(Wire.ask(fixture().tcp(), "GET", "/api/v1/health", new byte[0])
                        .status())
                .isEqualTo(200);
        assertThat(status(token, "/api/v1/server")).isEqualTo(200);
        assertThat(fixture().get("/api/v1/server").status()).isEqualTo(200);
        for (SocketChannel one : crowd) {
            one.close();
        }
    }

    @Test
    void aServerHasSoManyConnectionsAndNoMore() throws IOException {
        open(3, 100, 100, PATIENT);
        long job = fixture().running(1);
        List<Following> followers = followers(job, 2);
        Answer refused = fixture().get("/api/v1/health");
        assertThat(refused.status()).isEqualTo(503);
        assertThat(refused.code()).isEqualTo("TOO_MANY_CONNECTIONS");
        assertThat(Wire.ask(fixture().tcp(), "GET", "/api/v1/health", new byte[0])
                        .status())
                .as("the health check has room of its own")
                .isEqualTo(200);
        fixture().end(job, 0);
        leave(followers);
        awaitRoom("/api/v1/health");
    }

    @Test
    void theOperatorGetsInWhenUsersHaveFilledTheServer() throws IOException {
        open(8, 2, 100, PATIENT);
        List<SocketChannel> crowd = new ArrayList<>();
        for (String user : List.of("nobody", "nobody", "bin", "bin")) {
            crowd.add(follow(token(user, "READ")));
        }
        assertThat(status(token("daemon", "READ"), "/api/v1/server")).isEqualTo(503);
        assertThat(fixture().get("/api/v1/server").status()).isEqualTo(200);
        assertThat(status(token("root", "ADMIN"), "/api/v1/server")).isEqualTo(200);
        for (SocketChannel one : crowd) {
            one.close();
        }
    }

    @Test
    void whoFollowsHasToComeAgainAfterAWhile() {
        open(new Times(LONG, LONG, LONG, LONG, LONG, LONG, SHORT));
        long job = fixture().running(1);
        for (String what :
                List.of("/jobs/" + job + "/events", "/jobs/" + job + "/log?follow=true", "/events?follow=true")) {
            try (Following follower = Wire.open(fixture().socket(), "/api/v1" + what)) {
                assertThat(follower.status()).as(what).isEqualTo(200);
                assertThatThrownBy(follower::rest).as(what).isInstanceOf(EOFException.class);
            }
        }
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

    @Test
    void aUserFollowsSoManyJobsAndNoMore() throws IOException {
        open(100, 100, 1, PATIENT);
        long job = fixture().running(1);
        String path = "/api/v1/jobs/" + job + "/events";
        try (Following first = Wire.open(fixture().socket(), path)) {
            assertThat(first.status()).isEqualTo(200);
            Answer second = fixture().get(path);
            assertThat(second.status()).isEqualTo(429);
            assertThat(second.code()).isEqualTo("TOO_MANY_STREAMS");
            fixture().end(job, 0);
            assertThat(first.rest()).contains("COMPLETED");
        }
        awaitRoom(path);
    }

    @Test
    void aFollowerWhoWentIsNoticedThoughThereIsNothingToSay() throws IOException {
        open(100, 100, 1, PATIENT);
        long running = fixture().running(4);
        long waiting = fixture().submitted(4);
        Wire.open(fixture().socket(), "/api/v1/jobs/" + waiting + "/log?follow=true")
                .close();
        int status = 0;
        while (status != 200) {
            long _ = fixture().submitted(4);
            try (Following next = Wire.open(fixture().socket(), "/api/v1/jobs/" + running + "/events")) {
                status = next.status();
            }
        }
    }
}
