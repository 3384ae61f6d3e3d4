package dev.berth.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A whole server process whose engine is not there yet. */
@Timeout(120)
class WaitingStartTest {
    private static final int ENDED_BY_TERM = 143;

    /** All that an engine answers that has just begun: its version, and that it fails. */
    private static final String VERSION = "{\"Version\":\"25.0.0\",\"ApiVersion\":\"1.44\",\"MinAPIVersion\":\"1.24\"}";

    @TempDir
    private Path directory;

    private final List<Process> started = new ArrayList<>();

    @AfterEach
    void end() {
        started.forEach(process -> process.destroyForcibly().onExit().join());
    }

    private Path socket() {
        return directory.resolve("docker.sock");
    }

    private Process start(String... words) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.berth.server.Main",
                "--port=0",
                "--simulate-gpus=1",
                "--data-dir=" + directory.resolve("data")));
        command.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(Map.of("DOCKER_HOST", "unix://" + socket(), "HOME", directory.toString()));
        Process process = builder.start();
        started.add(process);
        return process;
    }

    private static String next(BufferedReader lines, String beginning) throws IOException {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.startsWith(beginning)) {
                return line;
            }
        }
        throw new AssertionError("no line '" + beginning + "...'");
    }

    private String away() {
        return "no Docker Engine answers at unix://" + socket()
                + "; start it (systemctl start docker), or set DOCKER_HOST";
    }

    @Test
    void withoutTheOptionItIsRefusedAndTheOptionNamed() throws Exception {
        Process server = start("detached=true");
        try (BufferedReader lines = server.inputReader(StandardCharsets.UTF_8)) {
            assertThat(next(lines, "FAILED"))
                    .isEqualTo("FAILED 125 " + away() + "; --wait-for-engine waits until it answers");
        }
        assertThat(server.waitFor()).isEqualTo(StartException.FAILED);
    }

    @Test
    void aSignalEndsTheWait() throws Exception {
        Process server = start("detached=true", "wait-for-engine=true");
        try (BufferedReader lines = server.inputReader(StandardCharsets.UTF_8)) {
            assertThat(next(lines, "WARNING"))
                    .isEqualTo("WARNING " + away() + "; the start waits for it (--wait-for-engine)");
            assertThat(next(lines, "WAITING")).isEqualTo("WAITING");
            assertThat(lines.readLine()).as("the sentence is told once").isEqualTo("WAITING");
            assertThat(server.toHandle().destroy()).isTrue();
            assertThat(next(lines, "FAILED"))
                    .isEqualTo("FAILED 125 the server was told to end while it started; nothing is lost, and the next"
                            + " start goes on");
        }
        assertThat(server.waitFor(10, TimeUnit.SECONDS)).isTrue();
        assertThat(server.exitValue()).isEqualTo(ENDED_BY_TERM);
    }

    /** Of the server itself, however it is started: {@code upkeep.Carriers} says what for. */
    @Test
    void itsVirtualThreadsMayRunOnMoreThreadsThanThereAreCores() throws Exception {
        Process server = start("detached=true", "wait-for-engine=true");
        try (BufferedReader lines = server.inputReader(StandardCharsets.UTF_8)) {
            assertThat(next(lines, "WAITING")).isEqualTo("WAITING");
            Process asked = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "jcmd")
                                    .toString(),
                            Long.toString(server.pid()),
                            "Thread.vthread_scheduler")
                    .redirectErrorStream(true)
                    .start();
            assertThat(new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .contains("parallelism = 1024");
        }
    }

    @Test
    void theStartGoesOnOnceTheEngineAnswers() throws Exception {
        Process server = start("wait-for-engine=true");
        try (BufferedReader lines = server.inputReader(StandardCharsets.UTF_8);
                ServerSocketChannel engine = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            assertThat(next(lines, "berth: warning"))
                    .isEqualTo("berth: warning: " + away() + "; the start waits for it (--wait-for-engine)");
            engine.bind(UnixDomainSocketAddress.of(socket()));
            Thread.ofPlatform().daemon().start(() -> answer(engine));
            assertThat(next(lines, "berth: "))
                    .as("it comes to ask more of the engine, which this one does not know")
                    .contains("no such thing");
        }
        assertThat(server.waitFor()).isEqualTo(StartException.FAILED);
    }

    private static void answer(ServerSocketChannel engine) {
        try {
            while (true) {
                try (SocketChannel connection = engine.accept()) {
                    ByteBuffer request = ByteBuffer.allocate(1 << 14);
                    int _ = connection.read(request);
                    boolean asksVersion = new String(request.array(), 0, request.position(), StandardCharsets.US_ASCII)
                            .lines()
                            .findFirst()
                            .orElse("")
                            .contains("/version");
                    String body = asksVersion ? VERSION : "{\"message\":\"no such thing\"}";
                    connection.write(ByteBuffer.wrap(("HTTP/1.1 " + (asksVersion ? "200 OK" : "400 Bad") + "\r\n"
                                    + "Content-Type: application/json\r\nConnection: close\r\nContent-Length: "
                                    + body.length() + "\r\n\r\n" + body)
                            .getBytes(StandardCharsets.US_ASCII)));
                }
            }
        } catch (IOException closed) {
            return;
        }
    }
}
