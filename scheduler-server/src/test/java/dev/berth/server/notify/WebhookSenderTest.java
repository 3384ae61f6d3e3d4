package dev.berth.server.notify;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.berth.server.config.Keys;
import dev.berth.server.config.Settings;
import dev.berth.server.http.KeyStoreFiles;
import dev.berth.server.notify.Receiver.Webhook;
import dev.berth.server.notify.Sent.Arrived;
import dev.berth.server.notify.Sent.Failed;
import dev.berth.server.upkeep.VirtualThreadTasks;
import dev.berth.testclient.HookServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One attempt at real servers on this machine, good ones and bad ones. */
@Timeout(60)
class WebhookSenderTest {
    private static final Message MESSAGE = new Message(
            "application/json; charset=utf-8", Map.of(Message.ID, "k1", Message.REPEATED, "false"), "{\"é\":1}");

    @TempDir
    private Path directory;

    private static WebhookSender sender(Duration within) {
        return new WebhookSender(
                Destinations.of(Settings.of("notify.allow=127.0.0.1,::1").get(Keys.NOTIFY_ALLOW)),
                () -> (SSLSocketFactory) SSLSocketFactory.getDefault(),
                within,
                new VirtualThreadTasks());
    }

    private static Sent send(String url) {
        return sender(Duration.ofSeconds(20)).send((Webhook) Receiver.parse(url), MESSAGE);
    }

    @Test
    void aNoticeIsPosted() {
        try (HookServer server = new HookServer(_ -> 204)) {
            assertThat(send(server.url() + "a?b=c")).isEqualTo(new Arrived("it answered 204"));
            assertThat(server.received())
                    .containsExactly(new HookServer.Received(
                            "/a?b=c", "k1", false, "application/json; charset=utf-8", "{\"é\":1}"));
        }
    }

    @ParameterizedTest
    @CsvSource({"500, false", "404, false", "401, false", "400, true", "422, true", "410, true"})
    void otherAnswersAreFailures(int status, boolean isFinal) {
        try (HookServer server = new HookServer(_ -> status)) {
            assertThat(send(server.url())).isEqualTo(new Failed("it answered " + status, isFinal, Duration.ZERO));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {301, 302, 307, 308})
    void noRedirectIsFollowed(int status) {
        try (HookServer server = new HookServer(_ -> status)) {
            assertThat(send(server.url()))
                    .isInstanceOfSatisfying(
                            Failed.class,
                            failed -> assertThat(failed.sentence()).contains("redirect"));
            assertThat(server.received()).hasSize(1);
        }
    }

    /** A server that writes its words and does then as it is told. */
    private static Sent atRaw(String answer, boolean isKeptOpen, Duration within) throws IOException {
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getByName("127.0.0.1"))) {
            Thread _ = Thread.startVirtualThread(() -> {
                try (Socket socket = server.accept()) {
                    OutputStream out = socket.getOutputStream();
                    out.write(answer.getBytes(StandardCharsets.US_ASCII));
                    out.flush();
                    while (isKeptOpen && socket.getInputStream().read() >= 0) {
                        out.write(
                                answer.isEmpty()
                                        ? new byte[0]
                                        : "x".repeat(1_000).getBytes(StandardCharsets.US_ASCII));
                    }
                } catch (IOException e) {
                    assertThat(e).isNotNull();
                }
            });
            return sender(within)
                    .send((Webhook) Receiver.parse("http://127.0.0.1:" + server.getLocalPort() + "/"), MESSAGE);
        }
    }

    private static void assertFails(Sent sent, String words) {
        assertThat(sent)
                .isInstanceOfSatisfying(
                        Failed.class, failed -> assertThat(failed.sentence()).contains(words));
    }

    @Test
    void oneThatHangsIsLeftAfterAWhile() throws IOException {
        assertFails(atRaw("", true, Duration.ofSeconds(1)), "it has not answered within 1 seconds");
    }

    @Test
    void oneThatClosesHasNotAnswered() throws IOException {
        assertThat(atRaw("", false, Duration.ofSeconds(20))).isInstanceOf(Failed.class);
    }

    @Test
    void oneThatDripsIsLeftAfterAWhile() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getByName("127.0.0.1"))) {
            AtomicInteger dripped = new AtomicInteger();
            Thread _ = Thread.startVirtualThread(() -> {
                try (Socket socket = server.accept()) {
                    socket.getOutputStream().write("HTTP/1.1 200 OK\r\n".getBytes(StandardCharsets.US_ASCII));
                    while (dripped.incrementAndGet() < 1_000) {
                        Thread.sleep(20);
                        socket.getOutputStream().write('x');
                    }
                } catch (IOException | InterruptedException e) {
                    assertThat(e).isNotNull();
                }
            });
            Sent sent = sender(Duration.ofSeconds(1))
                    .send((Webhook) Receiver.parse("http://127.0.0.1:" + server.getLocalPort() + "/"), MESSAGE);
            assertFails(sent, "it has not answered within 1 seconds");
        }
    }

    @Test
    void anEndlessAnswerIsNotRead() throws IOException {
        String head = "HTTP/1.1 200 OK\r\nX: ";
        assertFails(atRaw(head + "y".repeat(64 << 10), true, Duration.ofSeconds(20)), "its answer is too long");
        assertFails(atRaw("y".repeat(64 << 10), true, Duration.ofSeconds(20)), "its answer is too long");
    }

    @Test
    void whatIsNoHttpIsNone() throws IOException {
        assertFails(atRaw("220 mail.example ESMTP\r\n\r\n", true, Duration.ofSeconds(20)), "is not HTTP");
    }

    @Test
    void aReceiverMayAskForAPause() throws IOException {
        assertThat(atRaw("HTTP/1.1 429 Slow down\r\nRetry-After: 30\r\n\r\n", true, Duration.ofSeconds(20)))
                .isEqualTo(new Failed("it answered 429", false, Duration.ofSeconds(30)));
        assertThat(atRaw("HTTP/1.1 503 No\r\nretry-after: 99999\r\n\r\n", true, Duration.ofSeconds(20)))
                .isEqualTo(new Failed("it answered 503", false, Duration.ofHours(1)));
    }

    @Test
    void theAddressThatWasLookedAtIsConnectedTo() {
        AtomicInteger lookups = new AtomicInteger();
        try (HookServer server = new HookServer(_ -> 200)) {
            Destinations rebinding = new Destinations(
                    Settings.of("notify.allow=127.0.0.1").get(Keys.NOTIFY_ALLOW),
                    _ -> new InetAddress[] {
                        InetAddress.ofLiteral(lookups.getAndIncrement() == 0 ? "127.0.0.1" : "127.0.0.2")
                    },
                    List::of);
            WebhookSender sender = new WebhookSender(
                    rebinding,
                    () -> (SSLSocketFactory) SSLSocketFactory.getDefault(),
                    Duration.ofSeconds(20),
                    new VirtualThreadTasks());
            assertThat(sender.send((Webhook) Receiver.parse("http://rebind.example:" + server.port() + "/"), MESSAGE))
                    .isInstanceOf(Arrived.class);
            assertThat(lookups).hasValue(1);
        }
    }

    @Test
    void withoutLeaveNothingOfThisMachineIsConnectedTo() {
        try (HookServer server = new HookServer(_ -> 200)) {
            WebhookSender strict = new WebhookSender(
                    Destinations.of(List.of()),
                    () -> (SSLSocketFactory) SSLSocketFactory.getDefault(),
                    Duration.ofSeconds(20),
                    new VirtualThreadTasks());
            for (String host : List.of("127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]")) {
                assertThat(strict.send(
                                (Webhook) Receiver.parse("https://" + host + ":" + server.port() + "/"), MESSAGE))
                        .isInstanceOfSatisfying(
                                Failed.class,
                                failed -> assertThat(failed.isFinal()).isTrue());
            }
            assertThat(server.received()).isEmpty();
        }
    }

    @Test
    void aConnectionThatIsRefusedIsAFailure() throws IOException {
        int port;
        try (ServerSocket closed = new ServerSocket(0)) {
            port = closed.getLocalPort();
        }
        assertFails(send("http://127.0.0.1:" + port + "/"), "refused");
    }

    /** A server of the hosts localhost and 127.0.0.1, by a certificate of its own, and who trusts that. */
    @ParameterizedTest
    @CsvSource({
        "localhost, true, true",
        "127.0.0.1, true, true",
        "other.example, true, false",
        "localhost, false, false"
    })
    void tlsIsVerified(String host, boolean isTrusted, boolean isGood) throws Exception {
        KeyStoreFiles files = new KeyStoreFiles(directory);
        SSLContext context = KeyStoreFiles.of(files.store("hook.p12", "EC", "secp256r1"));
        HttpsServer server = HttpsServer.create(new InetSocketAddress("127.0.0.1", 0), 5);
        server.setHttpsConfigurator(new HttpsConfigurator(context));
        AtomicInteger heard = new AtomicInteger();
        server.createContext("/", exchange -> {
            heard.incrementAndGet();
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        server.start();
        try {
            WebhookSender sender = new WebhookSender(
                    new Destinations(
                            Settings.of("notify.allow=127.0.0.1").get(Keys.NOTIFY_ALLOW),
                            _ -> new InetAddress[] {InetAddress.ofLiteral("127.0.0.1")},
                            List::of),
                    () -> isTrusted ? context.getSocketFactory() : (SSLSocketFactory) SSLSocketFactory.getDefault(),
                    Duration.ofSeconds(20),
                    new VirtualThreadTasks());
            Sent sent = sender.send(
                    (Webhook) Receiver.parse(
                            "https://" + host + ":" + server.getAddress().getPort() + "/"),
                    MESSAGE);
            if (isGood) {
                assertThat(sent).isInstanceOf(Arrived.class);
            } else {
                assertFails(sent, "TLS failed");
            }
            assertThat(heard).hasValue(isGood ? 1 : 0);
        } finally {
            server.stop(0);
        }
    }
}
