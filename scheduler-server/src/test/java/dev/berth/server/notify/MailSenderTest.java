package dev.berth.server.notify;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.berth.server.config.MailSecurity;
import dev.berth.server.notify.Receiver.Mail;
import dev.berth.server.notify.Sent.Arrived;
import dev.berth.server.notify.Sent.Failed;
import dev.berth.server.upkeep.VirtualThreadTasks;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Mail to a server of another make, whose mail library reads it; and to bad servers. */
@Timeout(60)
class MailSenderTest {
    private static final String EVIL = "a\r\nBcc: evil@example.org\r\n\r\n.\r\nMAIL FROM:<x> é \u202e\ud83d\udea2";

    @TempDir
    private Path directory;

    private final List<String> heard = new CopyOnWriteArrayList<>();

    private static Content content(String name) {
        return new Content(
                42,
                "42",
                name,
                name,
                "ada",
                "end",
                "FAILED",
                "EXITED_NONZERO",
                "it ended with code 3; " + name,
                3,
                5L,
                "2",
                1,
                Map.of(),
                "2026-02-01T09:30:00.123456Z",
                "harbour1");
    }

    private static MailSender sender(int port, MailSecurity security, @Nullable String user, @Nullable Path password) {
        return new MailSender(
                new MailServer("127.0.0.1", port, security, "berth@lab.example", user, password),
                () -> (SSLSocketFactory) SSLSocketFactory.getDefault(),
                Duration.ofSeconds(3),
                new VirtualThreadTasks());
    }

    private static Sent send(MailSender sender, String name, boolean isRepeated) {
        return sender.send((Mail) Receiver.parse("mail:ada@example.org"), "0a1b", content(name), isRepeated);
    }

    @Test
    void aMailServerThatNobodyKnowsIsSaidToBeThat() {
        MailSender sender = new MailSender(
                new MailServer("mail.invalid", 25, MailSecurity.NONE, "berth@lab.example", null, null),
                () -> (SSLSocketFactory) SSLSocketFactory.getDefault(),
                Duration.ofSeconds(30),
                new VirtualThreadTasks());
        assertThat(send(sender, "train", false))
                .isEqualTo(Sent.Failed.of("the name of the mail server (notify.mail-server) is not known"));
    }

    @Test
    void anotherMailServerTakesItAndItsLibraryReadsIt() throws IOException {
        Path script = directory.resolve("mail_server.py");
        try (InputStream in = MailSenderTest.class.getResourceAsStream("/mail_server.py")) {
            Files.copy(Objects.requireNonNull(in), script);
        }
        Process server = new ProcessBuilder("python3", script.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader told = server.inputReader()) {
            int port = json(told).path("port").asInt();
            MailSender sender = sender(port, MailSecurity.NONE, null, null);
            assertThat(send(sender, "train", false)).isEqualTo(new Arrived("the mail server took it"));
            JsonNode mail = json(told);
            assertThat(mail.path("sender").asText()).isEqualTo("berth@lab.example");
            assertThat(mail.path("recipients").toString()).isEqualTo("[\"ada@example.org\"]");
            assertThat(mail.path("Subject").asText()).isEqualTo("Berth: Job 42 (train) ended: FAILED");
            assertThat(mail.path("Message-ID").asText()).isEqualTo("<0a1b@lab.example>");
            assertThat(mail.path("Berth-Notice-Repeated").asText()).isEqualTo("false");
            assertThat(mail.path("Date").asText()).isEqualTo("Sun, 01 Feb 2026 09:30:00 +0000");
            assertThat(mail.path("body").asText())
                    .startsWith("Job 42 (train) ended: FAILED\n")
                    .contains("Exit code: 3");
            assertThat(mail.path("defects")).isEmpty();

            assertThat(send(sender, EVIL, true)).isInstanceOf(Arrived.class);
            JsonNode evil = json(told);
            assertThat(evil.path("headers")).isEqualTo(mail.path("headers"));
            assertThat(evil.path("recipients").toString()).isEqualTo("[\"ada@example.org\"]");
            assertThat(evil.path("Subject").asText())
                    .startsWith("Berth: Job 42 (a  Bcc: evil@example.org")
                    .contains("é")
                    .contains("\ud83d\udea2")
                    .doesNotContain("\u202e");
            assertThat(evil.path("Message-ID")).isEqualTo(mail.path("Message-ID"));
            assertThat(evil.path("Berth-Notice-Repeated").asText()).isEqualTo("true");
            assertThat(evil.path("body").asText()).contains("may have been sent before");
        } finally {
            server.destroy();
        }
    }

    private static JsonNode json(BufferedReader lines) throws IOException {
        return JsonMapper.builder().build().readTree(lines.readLine());
    }

    /** A server that says its lines in turn, each after one of the client's. */
    private int scripted(String... lines) throws IOException {
        ServerSocket server = new ServerSocket(0, 5, InetAddress.getByName("127.0.0.1"));
        Thread _ = Thread.startVirtualThread(() -> {
            try (server;
                    Socket socket = server.accept()) {
                BufferedReader in =
                        new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
                for (String line : lines) {
                    socket.getOutputStream().write((line + "\r\n").getBytes(StandardCharsets.UTF_8));
                    socket.getOutputStream().flush();
                    String answer = in.readLine();
                    while (answer != null && line.startsWith("354") && !answer.equals(".")) {
                        answer = in.readLine();
                    }
                    heard.add(String.valueOf(answer));
                }
                // It hangs until the client goes.
                heard.addAll(in.lines().toList());
            } catch (IOException e) {
                assertThat(e).isNotNull();
            }
        });
        return server.getLocalPort();
    }

    private static void assertFails(Sent sent, String words, boolean isFinal) {
        assertThat(sent).isInstanceOfSatisfying(Failed.class, failed -> {
            assertThat(failed.sentence()).contains(words);
            assertThat(failed.isFinal()).isEqualTo(isFinal);
        });
    }

    private Sent sent(String... lines) throws IOException {
        return send(sender(scripted(lines), MailSecurity.NONE, null, null), "train", false);
    }

    @Test
    void whatIsRefusedForGoodIsNotTriedAgain() throws IOException {
        assertFails(sent("220 hi", "250 hi", "250 ok", "550 who?"), "answered 550 to the recipient", true);
        assertFails(sent("220 hi", "250 hi", "250 ok", "451 later"), "answered 451 to the recipient", false);
        assertFails(
                sent("220 hi", "250 hi", "250 ok", "250 ok", "354 go", "554 spam"), "answered 554 to the mail", true);
        assertFails(sent("220 hi", "250 hi", "553 not you"), "answered 553 to the sender berth@lab.example", false);
        assertFails(sent("421 busy"), "answered 421", false);
    }

    @Test
    void whatWasTakenHasArrivedWhateverFollows() throws IOException {
        assertThat(sent("220 hi", "250 hi", "250 ok", "251 not here, but passed on", "354 go", "250 taken"))
                .isInstanceOf(Arrived.class);
    }

    @Test
    void badServersAreLeft() throws IOException {
        assertFails(sent(), "has not answered within 3 seconds", false);
        assertFails(sent("220-hi", "220-hi"), "has not answered within 3 seconds", false);
        assertFails(sent("HTTP/1.1 200 OK"), "is not SMTP", false);
        assertFails(sent("220 " + "x".repeat(5_000)), "too long", false);
    }

    @Test
    void withoutTlsNothingIsSaid() throws IOException {
        int port = scripted("220 hi", "250 hi");
        assertFails(
                send(sender(port, MailSecurity.STARTTLS, "ada", directory.resolve("none")), "train", false),
                "offers no STARTTLS",
                false);
        assertThat(heard).noneMatch(line -> line.startsWith("AUTH") || line.startsWith("MAIL"));
    }

    @Test
    void whatComesBeforeTlsWithoutBeingAskedForIsRefused() throws IOException {
        int port = scripted("220 hi", "250-hi\r\n250 STARTTLS", "220 go\r\n250 injected");
        assertFails(send(sender(port, MailSecurity.STARTTLS, null, null), "train", false), "before TLS", false);
    }

    @Test
    void thePasswordIsReadFromItsFileAndInNoSentence() throws IOException {
        Path file = Files.writeString(directory.resolve("p"), "sEcReT\nmore\n");
        int port = scripted("220 hi", "250-hi\r\n250 AUTH LOGIN PLAIN", "535 no");
        Sent refused = send(sender(port, MailSecurity.NONE, "ada", file), "train", false);
        assertFails(refused, "the mail server answered 535 to the password", false);
        String plain = Base64.getEncoder().encodeToString("\0ada\0sEcReT".getBytes(StandardCharsets.UTF_8));
        assertThat(heard).contains("AUTH PLAIN " + plain);
        assertThat(refused.toString()).doesNotContain("sEcReT", plain);
        assertThat(Stream.of(sender(port, MailSecurity.NONE, "ada", file)).map(MailSender::toString))
                .noneMatch(text -> text.contains("sEcReT"));
    }

    @Test
    void whereOnlyLoginIsTakenThatIsUsed() throws IOException {
        Path file = Files.writeString(directory.resolve("p"), "pw");
        int port = scripted(
                "220 hi",
                "250 AUTH LOGIN",
                "334 VXNlcm5hbWU6",
                "334 UGFzc3dvcmQ6",
                "235 ok",
                "250 ok",
                "250 ok",
                "354 go",
                "250 taken");
        assertThat(send(sender(port, MailSecurity.NONE, "ada", file), "train", false))
                .isInstanceOf(Arrived.class);
        assertThat(heard)
                .contains("AUTH LOGIN", "YWRh", "cHc=", "MAIL FROM:<berth@lab.example>", "RCPT TO:<ada@example.org>");
    }
}
