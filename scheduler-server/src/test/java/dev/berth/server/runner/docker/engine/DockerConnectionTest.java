package dev.berth.server.runner.docker.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.dockerjava.api.exception.NotFoundException;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.time.Clocks;
import dev.berth.server.upkeep.BackgroundWork;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.concurrent.CountDownLatch;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What becomes of an answer that is late, or cannot be read; on the real Docker Engine. */
class DockerConnectionTest {
    private static final String ODD = "berth-test-odd:1";

    /** Two blocks of zeros: an archive of nothing. */
    private static final byte[] NO_FILES = new byte[1024];

    private final DockerConnection connection = new DockerConnection(
            Clocks.neverSet(InstantSource.system()), BackgroundWork.onVirtualThreads(InstantSource.system()));

    @AfterEach
    void close() {
        try {
            connection.client().removeImageCmd(ODD).exec();
        } catch (NotFoundException e) {
            assertThat(e).as("of another test").hasMessageContaining(ODD);
        }
        connection.close();
    }

    private static Kind kindOf(Throwable failure) {
        return ((EngineException) failure).kind();
    }

    @Test
    void whatAnEngineThatAnswersDoesNotDoInTimeIsLate() {
        CountDownLatch never = new CountDownLatch(1);
        assertThatThrownBy(() -> connection.within(Duration.ofMillis(50), "do it", () -> {
                    never.await();
                    return 1;
                }))
                .hasMessageContaining("did not do it within")
                .extracting(DockerConnectionTest::kindOf)
                .isEqualTo(Kind.LATE);
    }

    /** The engine takes such an image, from a registry too, and tells of it as it is. */
    @Test
    void anImageThatTheClientCannotReadIsNoEngineThatIsAway() throws Exception {
        connection.client().loadImageCmd(new ByteArrayInputStream(odd())).exec();
        assertThatThrownBy(() -> connection.within(
                        Duration.ofSeconds(30),
                        "look at it",
                        () -> connection.client().inspectImageCmd(ODD).exec()))
                .hasMessageContaining("cannot be read")
                .extracting(DockerConnectionTest::kindOf)
                .isEqualTo(Kind.FAILING);
    }

    /** As {@code docker save} writes one, with a port that is none. */
    private static byte[] odd() throws IOException, NoSuchAlgorithmException {
        String layer =
                HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(NO_FILES));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (TarArchiveOutputStream tar = new TarArchiveOutputStream(bytes)) {
            put(tar, "layer.tar", NO_FILES);
            put(tar, "config.json", """
                {"architecture": "amd64", "os": "linux", "config": {"ExposedPorts": {"none/of/them": {}}},
                 "rootfs": {"type": "layers", "diff_ids": ["sha256:%s"]}}\
                """.formatted(layer));
            put(tar, "manifest.json", """
                [{"Config": "config.json", "RepoTags": ["%s"], "Layers": ["layer.tar"]}]\
                """.formatted(ODD));
        }
        return bytes.toByteArray();
    }

    private static void put(TarArchiveOutputStream tar, String name, String text) throws IOException {
        put(tar, name, text.getBytes(StandardCharsets.UTF_8));
    }

    private static void put(TarArchiveOutputStream tar, String name, byte[] bytes) throws IOException {
        TarArchiveEntry entry = new TarArchiveEntry(name);
        entry.setSize(bytes.length);
        tar.putArchiveEntry(entry);
        tar.write(bytes);
        tar.closeArchiveEntry();
    }
}
