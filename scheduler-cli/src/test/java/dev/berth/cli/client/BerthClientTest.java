package dev.berth.cli.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.cli.Samples;
import dev.berth.cli.ScriptedServer;
import dev.berth.cli.client.http.HttpExchange;
import dev.berth.cli.client.http.HttpRequest;
import dev.berth.cli.client.http.RequestBody;
import dev.berth.cli.client.http.ServerUnreachable;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.json.JsonText;
import dev.berth.core.api.ApiError;
import dev.berth.core.api.JobEventView;
import dev.berth.core.api.JobList;
import dev.berth.core.api.SnapshotView;
import java.io.IOException;
import java.io.OutputStream;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BerthClientTest {
    private static final String SERVER = "GET /api/v1/server";

    @TempDir
    private Path directory;

    private final List<Duration> pauses = new ArrayList<>();
    private final List<String> notices = new ArrayList<>();
    private final List<String> trace = new ArrayList<>();

    @AutoClose
    private ScriptedServer server;

    private BerthClient client;

    @BeforeEach
    void start() throws IOException {
        Path socket = directory.resolve("s");
        server = ScriptedServer.at(socket);
        client = new BerthClient(socket, "9.9", pauses::add, trace::add);
    }

    @Test
    void aRequestSaysWhoAsksAndWantsJson() throws IOException {
        server.json("POST /api/v1/jobs", 201, Samples.queued(17, 1));
        Map<String, Object> request = new java.util.LinkedHashMap<>(
                Map.of("command", List.of("a", "ü"), "environment", Map.of("K", "v"), "timeLimitSeconds", 60L));
        assertThat(client.submit(request, "a-key")).isEqualTo(Samples.queued(17, 1));
        ScriptedServer.Received received = server.received("POST /api/v1/jobs");
        assertThat(received.headers())
                .containsEntry("host", "berth")
                .containsEntry("user-agent", "berth/9.9")
                .containsEntry("idempotency-key", "a-key")
                .containsEntry("content-type", "application/json");
        assertThat(received.text()).isEqualTo(JsonText.of(request));
        assertThat(trace).containsExactly("POST /api/v1/jobs: 201");
    }

    @Test
    void aBodyMayComeWholeOrInChunks() throws IOException {
        server.json(SERVER, 200, Samples.server());
        assertThat(client.server()).isEqualTo(Samples.server());
        server.on(SERVER, ScriptedServer.chunked("application/json", true, JsonText.of(Samples.server())));
        assertThat(client.server()).isEqualTo(Samples.server());
    }

    @Test
    void anInterimAnswerIsPassedOver() throws IOException {
        String body = JsonText.of(Samples.server());
        server.on(
                SERVER,
                "HTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\ncontent-LENGTH: " + body.length() + "\r\n\r\n"
                        + body);
        assertThat(client.server()).isEqualTo(Samples.server());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{}",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{}",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{}\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n-2\r\n{}",
                "HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\n{}",
                "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n{}",
                "HTTP/1.1 200 OK\r\n\r\n{}",
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n",
                "HTTP/1.1 200 OK\r\nno header\r\n\r\n",
                "HTTP/1.1 20 OK\r\nContent-Length: 2\r\n\r\n{}",
                "SSH-2.0-OpenSSH\r\n",
                ""
            })
    void anAnswerThatIsCutOffOrNoHttpIsABreak(String raw) {
        server.on(SERVER, raw);
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> client.server());
    }

    @Test
    void anAnswerWithoutEndIsNotReadForever() {
        server.on(SERVER, "HTTP/1.1 200 OK\r\nX: " + "x".repeat(20_000) + "\r\n\r\n");
        assertThatThrownBy(() -> client.server()).hasMessageContaining("a line of more than");
        server.on(SERVER, "HTTP/1.1 200 OK\r\n" + headers(100) + "Content-Length: 0\r\n\r\n");
        assertThatThrownBy(() -> client.server()).hasMessageContaining("too many headers");
        server.on(SERVER, "HTTP/1.1 200 OK\r\nContent-Length: 40000000\r\n\r\n" + "x".repeat(40_000_000));
        assertThatThrownBy(() -> client.server()).hasMessageContaining("an answer of more than");
    }

    private static String headers(int count) {
        StringBuilder headers = new StringBuilder();
        for (int at = 0; at < count; at++) {
            headers.append("X-").append(at).append(": x\r\n");
        }
        return headers.toString();
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 401, 403, 404, 409, 413, 422, 500, 503})
    void aRefusalCarriesTheServersSentence(int status) {
        ApiError error = new ApiError("SOME_CODE", "a sentence", Map.of("field", "gpus"));
        server.json("GET /api/v1/jobs/17", status, error);
        assertThatExceptionOfType(Failure.class)
                .isThrownBy(() -> client.job(17))
                .satisfies(failure -> {
                    assertThat(failure.error()).isEqualTo(error);
                    assertThat(failure.isServerSide()).isEqualTo(status >= 500);
                    assertThat(failure.exitCode())
                            .isEqualTo(
                                    switch (status) {
                                        case 400, 413, 422 -> ExitCode.USAGE;
                                        case 500, 503 -> ExitCode.BERTH_FAILED;
                                        default -> ExitCode.REFUSED;
                                    });
                });
    }

    @Test
    void aRefusalWithoutJsonIsToldByItsStatus() {
        server.on(SERVER, "HTTP/1.1 502 Bad\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\n<h1>");
        assertThatThrownBy(() -> client.server()).hasMessage("the server answered 502");
    }

    @Test
    void aServerThatIsBusyIsAskedAgainWhenItSays() throws IOException {
        String busy = "HTTP/1.1 %s Busy\r\nRetry-After: 2\r\nContent-Length: 0\r\n\r\n";
        server.on(SERVER, busy.formatted(429)).on(SERVER, busy.formatted(503)).json(SERVER, 200, Samples.server());
        assertThat(client.with(notices::add, null).server()).isEqualTo(Samples.server());
        assertThat(pauses).hasSize(2);
        assertThat(pauses.getFirst()).isBetween(Duration.ofSeconds(2), Duration.ofSeconds(4));
        assertThat(pauses.getLast()).isBetween(Duration.ofSeconds(2), Duration.ofSeconds(6));
        assertThat(notices)
                .as("once, at whichever of the two it became long")
                .singleElement()
                .asString()
                .matches("the server has too much to do \\(the server answered (429|503)\\); asking again for 60 s");
    }

    @Test
    void thoseWhoWereRefusedTogetherDoNotComeBackTogether() throws IOException {
        for (int client = 0; client < 50; client++) {
            server.on(SERVER, "HTTP/1.1 429 Busy\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n")
                    .json(SERVER, 200, Samples.server());
            assertThat(this.client.with(notices::add, null).server()).isEqualTo(Samples.server());
        }
        assertThat(pauses)
                .hasSize(50)
                .allSatisfy(pause -> assertThat(pause).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(2)));
        assertThat(new HashSet<>(pauses)).hasSizeGreaterThan(10);
        assertThat(notices).as("of so short a wait nothing is said").isEmpty();
    }

    /** Such as a queue that is full of one's own jobs, or a wrong token. */
    @Test
    void whoIsToComeBackMuchLaterIsToldAtOnce() {
        server.on(
                SERVER,
                "HTTP/1.1 429 Full\r\nRetry-After: 60\r\nContent-Type: application/json\r\nContent-Length: 67\r\n\r\n"
                        + "{\"code\":\"QUEUE_FULL\",\"message\":\"9 jobs wait already\",\"details\":{}} ");
        assertThatExceptionOfType(Failure.class)
                .isThrownBy(() -> client.server())
                .withMessage("9 jobs wait already")
                .satisfies(failure -> assertThat(failure.exitCode()).isEqualTo(ExitCode.BERTH_FAILED));
        assertThat(pauses).isEmpty();
    }

    @Test
    void aServerThatStaysBusyIsLeft() {
        for (int tries = 0; tries < 2; tries++) {
            server.on(SERVER, "HTTP/1.1 429 Busy\r\nRetry-After: 30\r\nContent-Length: 0\r\n\r\n");
        }
        assertThatExceptionOfType(Failure.class)
                .isThrownBy(() -> client.server())
                .satisfies(failure -> assertThat(failure.exitCode()).isEqualTo(ExitCode.BERTH_FAILED))
                .withMessageMatching("the server answered 429; asked 2 times in [345][0-9] s, in vain");
        assertThat(pauses)
                .singleElement()
                .satisfies(pause -> assertThat(pause).isBetween(Duration.ofSeconds(30), Duration.ofSeconds(60)));
    }

    @Test
    void anUploadIsStreamedInChunks() throws IOException {
        SnapshotView view = new SnapshotView("ab", 1, 200_000, List.of("cd"));
        server.json("POST /api/v1/contents?snapshot=ab", 200, view);
        byte[] content = "0123456789".repeat(20_000).getBytes(StandardCharsets.US_ASCII);
        assertThat(client.contents("ab", body(content, 1))).isEqualTo(view);
        ScriptedServer.Received received = server.received("POST /api/v1/contents?snapshot=ab");
        assertThat(received.headers())
                .containsEntry("content-type", "application/octet-stream")
                .containsEntry("transfer-encoding", "chunked")
                .doesNotContainKey("content-length");
        assertThat(received.bytes()).isEqualTo(content);
    }

    @Test
    void anUploadThatIsRefusedHalfWayTellsTheRefusal() {
        server.json("POST /api/v1/snapshots", 413, new ApiError("TOO_LARGE", "too large", Map.of()));
        assertThatThrownBy(() -> client.manifest(body(new byte[1_000_000], 100)))
                .isInstanceOf(Failure.class)
                .hasMessage("too large");
    }

    private static RequestBody body(byte[] content, int times) {
        return new RequestBody() {
            @Override
            public String type() {
                return "application/octet-stream";
            }

            @Override
            public void writeTo(OutputStream out) throws IOException {
                for (int time = 0; time < times; time++) {
                    out.write(content, 0, 10);
                    out.write(content, 10, content.length - 10);
                }
            }
        };
    }

    @Test
    void aLongListComesPageByPage() throws IOException {
        server.json(
                "GET /api/v1/jobs?scope=all&limit=1000&state=FAILED,LOST",
                200,
                new JobList(List.of(Samples.queued(9, 1), Samples.queued(8, 2)), 8L));
        server.json(
                "GET /api/v1/jobs?scope=all&limit=998&state=FAILED,LOST&cursor=8",
                200,
                new JobList(List.of(Samples.queued(7, 3)), null));
        JobList jobs = client.jobs(JobQuery.of(JobQuery.ALL, 1000).withStates(List.of("FAILED", "LOST")));
        assertThat(jobs.jobs()).extracting(job -> job.id()).containsExactly(9L, 8L, 7L);
        assertThat(jobs.next()).isNull();
    }

    @Test
    void aListEndsAtItsLimitAndSaysThatThereIsMore() throws IOException {
        server.json("GET /api/v1/jobs?scope=active&limit=1", 200, new JobList(List.of(Samples.queued(9, 1)), 9L));
        JobList jobs = client.jobs(JobQuery.of(JobQuery.ACTIVE, 1));
        assertThat(jobs.jobs()).hasSize(1);
        assertThat(jobs.next()).isEqualTo(9);
    }

    @Test
    void eventsComeOneByOneAndCommentsArePassedOver() throws IOException {
        JobEventView first = Samples.event(1, 17, null, "QUEUED");
        JobEventView second = Samples.event(2, 17, "QUEUED", "CANCELLED");
        server.events(17, true, first, second);
        try (EventStream events = client.events(17, 0)) {
            assertThat(events.next()).isEqualTo(first);
            assertThat(events.next()).isEqualTo(second);
            assertThat(events.next()).isNull();
        }
        assertThat(server.received("GET /api/v1/jobs/17/events").headers()).doesNotContainKey("last-event-id");
    }

    @Test
    void noServerIsToldWithTheWayToStartOne() throws IOException {
        Path nobody = directory.resolve("nobody");
        assertUnreachable(nobody);
        try (ServerSocketChannel left = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            left.bind(UnixDomainSocketAddress.of(nobody));
        }
        assertUnreachable(nobody);
    }

    private static void assertUnreachable(Path socket) {
        assertThatExceptionOfType(ServerUnreachable.class)
                .isThrownBy(() -> new BerthClient(socket, "1", _ -> {}, _ -> {}).gpus())
                .withMessage("no Berth server answers at " + socket + "; start one with: berth server start -g");
    }

    @Test
    void aServerThatTakesARequestAndNeverAnswersIsGivenUp() throws IOException {
        Path deaf = directory.resolve("deaf");
        try (ServerSocketChannel listening = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listening.bind(UnixDomainSocketAddress.of(deaf));
            try (HttpExchange exchange = HttpExchange.open(deaf, Duration.ofMillis(50))) {
                assertThatExceptionOfType(SocketTimeoutException.class)
                        .isThrownBy(() -> exchange.send(HttpRequest.get("/x"), "berth/1"));
            }
        }
    }
}
