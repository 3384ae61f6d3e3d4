package dev.berth.server.runner.kubernetes;

import static dev.berth.server.runner.kubernetes.Handovers.SERVER;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.berth.server.runner.kubernetes.KubernetesSettings.SnapshotWay;
import io.fabric8.kubernetes.api.model.Container;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the container does that fetches the directory of a job, with the machine's own wget and tar. */
@Timeout(60)
class SnapshotFetchTest {
    @TempDir
    private Path directory;

    private HttpServer server;
    private Path code;
    private Path home;

    @BeforeEach
    void serve() throws IOException {
        code = Files.createDirectory(directory.resolve("code"));
        home = Files.createDirectory(directory.resolve("home"));
        byte[] archive = archive();
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/api/v1/handovers/good/snapshot", exchange -> {
            exchange.sendResponseHeaders(200, archive.length);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(archive);
            }
        });
        server.start();
    }

    @AfterEach
    void close() {
        server.stop(0);
    }

    private static byte[] archive() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (TarArchiveOutputStream tar = new TarArchiveOutputStream(bytes)) {
            TarArchiveEntry entry = new TarArchiveEntry("src/main.py");
            entry.setSize(2);
            tar.putArchiveEntry(entry);
            tar.write("x\n".getBytes(StandardCharsets.UTF_8));
            tar.closeArchiveEntry();
        }
        return bytes.toByteArray();
    }

    /** Runs it, and answers its exit code. */
    private int fetch(String token) throws IOException, InterruptedException {
        SnapshotWay way = new SnapshotWay.ByLink("https://berth.example.org:5555", "debian:13");
        Container container = new JobManifest(Handovers.by(way), new AttemptLabels(SERVER), Brought.NOTHING)
                .of(Handovers.with(Handovers.of(7), Handovers.snapshot("files")))
                .getSpec()
                .getTemplate()
                .getSpec()
                .getInitContainers()
                .getFirst();
        ProcessBuilder builder = new ProcessBuilder(container.getCommand())
                .directory(code.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD);
        builder.environment().put("HOME", home.toString());
        builder.environment()
                .put(
                        SnapshotPlan.LINK,
                        "http://127.0.0.1:" + server.getAddress().getPort() + "/api/v1/handovers/" + token
                                + "/snapshot");
        return builder.start().waitFor();
    }

    @Test
    void theDirectoryIsThereWhenItHasEnded() throws Exception {
        assertThat(fetch("good")).isZero();
        assertThat(code.resolve("src/main.py")).hasContent("x");
        assertThat(left(home)).isEmpty();
    }

    @Test
    void withoutTheDirectoryNoProgramStarts() throws Exception {
        assertThat(fetch("taken-back")).isNotZero();
        assertThat(left(code)).isEmpty();
    }

    private static List<Path> left(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList();
        }
    }
}
