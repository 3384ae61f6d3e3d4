package dev.berth.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.Captured;
import dev.berth.cli.Certificates;
import dev.berth.cli.Samples;
import dev.berth.cli.ScriptedServer;
import dev.berth.cli.exit.ExitCode;
import dev.berth.core.api.ApiError;
import dev.berth.core.api.GpuList;
import dev.berth.core.api.SnapshotView;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole commands against a server that is reached over TCP and TLS. */
@Timeout(60)
class RemoteTest {
    private static final String GPUS = "GET /api/v1/gpus";
    private static final int ASKED_A_MINUTE = 300;
    private static final String TOKEN = "berth_0123456789abcdef_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

    @TempDir
    private Path directory;

    private final Captured captured = new Captured();
    private final Map<String, String> variables = new HashMap<>();

    @BeforeEach
    void token() {
        variables.put("BERTH_TOKEN", TOKEN);
    }

    private int run(String... words) {
        Environment environment = new Environment(
                variables,
                directory,
                "alice",
                false,
                "9.9",
                captured.screen(0),
                InstantSource.fixed(Samples.NOW),
                () -> 0,
                _ -> {});
        return new Dispatch(environment).run(List.of(words));
    }

    private static GpuList gpus() {
        return new GpuList(Samples.server().gpus(), false);
    }

    @Test
    void aTokenGoesWithEachRequestAndIsNeverShown() throws IOException {
        try (ScriptedServer server = ScriptedServer.onTcp()) {
            variables.put("BERTH_URL", "http://127.0.0.1:" + server.port());
            server.json(GPUS, 200, gpus());
            assertThat(run("gpus", "--verbose")).isZero();
            assertThat(server.received(GPUS).headers())
                    .containsEntry("host", "127.0.0.1:" + server.port())
                    .containsEntry("authorization", "Bearer " + TOKEN);
        }
        assertThat(captured.out() + captured.err()).contains(GPUS).doesNotContain("berth_0123");
    }

    /** Upload, submit, events and log. */
    @Test
    void aWholeSubmitGoesOverTls() throws Exception {
        Certificates certificates = new Certificates(directory);
        Files.createDirectories(directory.resolve("demo"));
        Files.writeString(directory.resolve("demo/main.py"), "print(1)");
        try (ScriptedServer server = ScriptedServer.onTls(certificates.server("own", "dns:localhost"))) {
            variables.put("BERTH_URL", "https://localhost:" + server.port() + "/");
            variables.put("BERTH_CA_FILE", certificates.pem("own").toString());
            server.json("POST /api/v1/snapshots", 200, new SnapshotView("ab", 1, 8, List.of()))
                    .json("POST /api/v1/jobs", 201, Samples.queued(17, 3))
                    .events(
                            17,
                            true,
                            Samples.event(3, 17, "STARTING", "RUNNING"),
                            Samples.event(4, 17, "RUNNING", "FAILED"))
                    .json("GET /api/v1/jobs/17", 200, Samples.running(17))
                    .json("GET /api/v1/jobs/17", 200, Samples.ended(17, "FAILED", 7))
                    .json("GET /api/v1/jobs/17", 200, Samples.ended(17, "FAILED", 7))
                    .log(17, 0, true, true, "over the wire\n")
                    .log(17, 14, true, true, "");
            assertThat(run("submit", "scheduler", directory + "/demo", "main.py", "--follow"))
                    .isEqualTo(7);
            assertThat(server.received("POST /api/v1/snapshots").body()).contains("main.py");
        }
        assertThat(captured.out()).isEqualTo("over the wire\n");
    }

    @Test
    void aServerThatIsNotTrustedGetsNoToken() throws Exception {
        Certificates certificates = new Certificates(directory);
        try (ScriptedServer server = ScriptedServer.onTls(certificates.server("own", "dns:localhost"))) {
            String url = "https://localhost:" + server.port();
            assertThat(run("gpus", "--url", url)).isEqualTo(ExitCode.BERTH_FAILED);
            assertThat(captured.err())
                    .contains("the server at " + url + " is not trusted")
                    .contains("BERTH_CA_FILE");
            assertThat(server.received()).isEmpty();
        }
    }

    @Test
    void aCertificateOfAnotherNameIsNotTrusted() throws Exception {
        Certificates certificates = new Certificates(directory);
        try (ScriptedServer server = ScriptedServer.onTls(certificates.server("own", "dns:localhost"))) {
            variables.put("BERTH_CA_FILE", certificates.pem("own").toString());
            assertThat(run("gpus", "--url", "https://127.0.0.1:" + server.port()))
                    .isEqualTo(ExitCode.BERTH_FAILED);
            assertThat(captured.err()).contains("is not trusted");
            assertThat(server.received()).isEmpty();
        }
    }

    @Test
    void anAuthorityThatCannotBeReadIsSaid() throws Exception {
        try (ScriptedServer server = ScriptedServer.onTcp()) {
            variables.put(
                    "BERTH_CA_FILE",
                    Files.writeString(directory.resolve("ca.pem"), "nonsense").toString());
            assertThat(run("gpus", "--url", "https://127.0.0.1:" + server.port()))
                    .isEqualTo(ExitCode.USAGE);
            assertThat(captured.err()).contains("BERTH_CA_FILE").contains("ca.pem cannot be used");
        }
    }

    @Test
    void whereNobodyAnswersTheUrlIsNamed() throws IOException {
        int free;
        try (ServerSocket socket = new ServerSocket(0)) {
            free = socket.getLocalPort();
        }
        assertThat(run("gpus", "--url", "http://127.0.0.1:" + free)).isEqualTo(ExitCode.BERTH_FAILED);
        assertThat(captured.err()).startsWith("berth: no Berth server answers at http://127.0.0.1:" + free);
    }

    @Test
    void aBreakNamesTheUrl() throws IOException {
        try (ScriptedServer server = ScriptedServer.onTcp()) {
            server.on(GPUS, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{");
            assertThat(run("gpus", "--url", "http://127.0.0.1:" + server.port()))
                    .isEqualTo(ExitCode.BERTH_FAILED);
            assertThat(captured.err())
                    .startsWith("berth: the connection to the server at http://127.0.0.1:" + server.port() + " broke");
        }
    }

    @Test
    void aRefusedTokenIsSaidAsTheServerSaysIt() throws IOException {
        try (ScriptedServer server = ScriptedServer.onTcp()) {
            server.json(GPUS, 401, new ApiError("TOKEN_EXPIRED", "token x expired", Map.of()));
            assertThat(run("gpus", "--url", "http://localhost:" + server.port()))
                    .isEqualTo(ExitCode.REFUSED);
            assertThat(captured.err()).isEqualTo("berth: token x expired\n");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "gpu.example.org",
                "gpu.example.org:5555",
                "ftp://gpu.example.org",
                "https://",
                "https://user:secret@gpu.example.org",
                "https://gpu.example.org/berth",
                "https://gpu.example.org?x=1",
                "https://gpu.example.org:99999",
                "https://gpu example.org"
            })
    void whatIsNoUrlOfAServerIsRefused(String url) {
        assertThat(run("gpus", "--url", url)).isEqualTo(ExitCode.USAGE);
        assertThat(captured.err()).contains("is not where a server can be").doesNotContain("secret");
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://gpu.example.org:5555", "http://127.0.0.1.example.org", "http://10.0.0.1:5555"})
    void aTokenDoesNotGoOverTheNetworkInTheClear(String url) {
        assertThat(run("gpus", "--url", url)).isEqualTo(ExitCode.USAGE);
        assertThat(captured.err())
                .contains("would send your token over the network")
                .contains("BERTH_ALLOW_INSECURE=1");
    }

    @ParameterizedTest
    @CsvSource({"a b", "'a\r\nX: y'", "''"})
    void whatIsNoTokenIsNotSent(String token) throws IOException {
        Path file = Files.writeString(directory.resolve("token"), token);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        variables.remove("BERTH_TOKEN");
        variables.put("BERTH_TOKEN_FILE", file.toString());
        assertThat(run("gpus", "--url", "http://localhost:1")).isEqualTo(ExitCode.USAGE);
        assertThat(captured.err()).contains(file + " holds is no token");
    }

    @Test
    void aTokenFileThatOthersReadIsWarnedAbout() throws IOException {
        Path file = Files.writeString(directory.resolve("token"), TOKEN + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        variables.remove("BERTH_TOKEN");
        variables.put("BERTH_TOKEN_FILE", file.toString());
        try (ScriptedServer server = ScriptedServer.onTcp()) {
            server.json(GPUS, 200, gpus());
            assertThat(run("gpus", "-q", "--url", "http://localhost:" + server.port()))
                    .isZero();
            assertThat(server.received(GPUS).headers()).containsEntry("authorization", "Bearer " + TOKEN);
        }
        assertThat(captured.err())
                .isEqualTo("berth: the token in " + file + " can be read by others; run: chmod 600 " + file + "\n");
    }

    @Test
    void whatContradictsIsRefused() {
        variables.put("BERTH_URL", "http://localhost:1");
        variables.put("BERTH_SOCKET", "/s");
        assertThat(run("gpus")).isEqualTo(ExitCode.USAGE);
        assertThat(captured.err()).contains("BERTH_URL and BERTH_SOCKET are both set");
        assertThat(run("gpus", "--url", "http://localhost:1", "--socket", "/s")).isEqualTo(ExitCode.USAGE);
        assertThat(run("server", "start", "--url", "http://localhost:1")).isEqualTo(ExitCode.USAGE);
        variables.put("BERTH_TOKEN_FILE", "/t");
        assertThat(run("gpus", "--url", "http://localhost:1")).isEqualTo(ExitCode.USAGE);
        assertThat(captured.err()).contains("BERTH_TOKEN and BERTH_TOKEN_FILE are both set");
    }

    @Test
    void anOptionBeatsAVariable() throws IOException {
        variables.put("BERTH_URL", "http://localhost:1");
        Path socket = directory.resolve("s");
        try (ScriptedServer server = ScriptedServer.at(socket)) {
            server.json(GPUS, 200, gpus());
            assertThat(run("gpus", "--socket", socket.toString())).isZero();
            assertThat(server.received(GPUS).headers())
                    .as("at the socket the kernel says who asks")
                    .doesNotContainKey("authorization");
        }
    }

    /** The number of the server's process is one of another machine. */
    @Test
    void aServerElsewhereIsStoppedWhenItIsSilent() throws IOException {
        try (ScriptedServer server = ScriptedServer.onTcp()) {
            server.json("GET /api/v1/server", 200, Samples.server())
                    .on("POST /api/v1/server/stop", "HTTP/1.1 202 Accepted\r\nContent-Length: 2\r\n\r\n{}")
                    // On the connection that was kept, and on a new one.
                    .on("GET /api/v1/server", "")
                    .on("GET /api/v1/server", "");
            assertThat(run("server", "stop", "--url", "http://localhost:" + server.port()))
                    .isZero();
        }
    }

    /** A thousand jobs at a target take longer than a command waits for a server that has none. */
    @Test
    void aServerThatStopsItsJobsIsWaitedForAsLongAsTheyGetFewer() throws IOException {
        try (ScriptedServer server = ScriptedServer.onTcp()) {
            // Before it is told, as what waits at a target does not run yet; afterwards; and in each minute.
            answer(server, 1, 1);
            server.on("POST /api/v1/server/stop", "HTTP/1.1 202 Accepted\r\nContent-Length: 2\r\n\r\n{}");
            answer(server, 1, 600);
            answer(server, ASKED_A_MINUTE + 1, 3);
            answer(server, ASKED_A_MINUTE + 1, 2);
            answer(server, ASKED_A_MINUTE + 1, 2);
            assertThat(run("server", "stop", "--stop-jobs", "--url", "http://localhost:" + server.port()))
                    .isEqualTo(ExitCode.BERTH_FAILED);
            assertThat(captured.err())
                    .isEqualTo(
                            "berth: the server (pid 4711) is asked to stop, but still there: none of the jobs that it"
                                    + " stops (2) has ended in the last 60 s; berth ps shows them, and berth server stop"
                                    + " without --stop-jobs ends the server now: the next one goes on with their end\n");
        }
    }

    @Test
    void aServerThatIsToldToEndAndDoesNotIsNamedAfterAMinuteWhateverRuns() throws IOException {
        try (ScriptedServer server = ScriptedServer.onTcp()) {
            answer(server, 1 + ASKED_A_MINUTE, 3);
            server.on("POST /api/v1/server/stop", "HTTP/1.1 202 Accepted\r\nContent-Length: 2\r\n\r\n{}");
            assertThat(run("server", "stop", "--url", "http://localhost:" + server.port()))
                    .isEqualTo(ExitCode.BERTH_FAILED);
            assertThat(captured.err())
                    .isEqualTo("berth: the server (pid 4711) is asked to stop, but still there after 60 s; berth server"
                            + " status shows whether it still answers\n");
        }
    }

    private static void answer(ScriptedServer server, int times, long running) {
        for (int time = 0; time < times; time++) {
            server.json("GET /api/v1/server", 200, Samples.busyServer(running));
        }
    }
}
