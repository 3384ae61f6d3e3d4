package dev.berth.server.runner.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.JobId;
import dev.berth.core.job.Mount;
import dev.berth.core.job.Submitter;
import dev.berth.core.machine.Attempt;
import dev.berth.server.config.Settings;
import dev.berth.server.log.LogSink;
import dev.berth.server.mount.Granted;
import dev.berth.server.mount.MountRules;
import dev.berth.server.mount.Mounts;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.docker.ContainerPlan.Limits;
import dev.berth.server.runner.docker.engine.DockerContainerEngine;
import dev.berth.server.time.Clocks;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the real engine makes of what a submitter was granted: run as root. */
class MountsOnDockerTest {
    private static final Submitter ADA = new Submitter(12_345, 23_456, List.of(), "ada");
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final ContainerNames names =
            new ContainerNames("t" + UUID.randomUUID().toString().substring(0, 7));
    private final DockerContainerEngine engine = new DockerContainerEngine(Clocks.neverSet(InstantSource.system()));

    @TempDir
    private Path directory;

    private Path data;
    private Path secret;
    private Path table;
    private Mounts mounts;

    @BeforeEach
    void open() throws IOException {
        allow(directory, "rwxr-xr-x");
        data = Files.createDirectories(directory.resolve("home/data"));
        give(data.getParent());
        give(data);
        give(Files.writeString(data.resolve("note"), "mine\n"));
        secret = Files.createDirectories(directory.resolve("secret/data"));
        Files.writeString(secret.resolve("note"), "hush\n");
        table = Path.of("/run/berth-mounts-test-" + UUID.randomUUID());
        mounts = Mounts.asRoot(new MountRules(Settings.of(), Path.of("/run/docker.sock"), List.of()), table);
    }

    @AfterEach
    void leaveNothingBehind() {
        engine.remove(name());
        engine.close();
        assertThat(table).doesNotExist();
    }

    private static void allow(Path path, String permissions) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
    }

    private static void give(@Nullable Path path) throws IOException {
        Files.setAttribute(Objects.requireNonNull(path), "unix:uid", (int) ADA.uid(), LinkOption.NOFOLLOW_LINKS);
        Files.setAttribute(path, "unix:gid", (int) ADA.gid(), LinkOption.NOFOLLOW_LINKS);
    }

    private String name() {
        return names.of(new Attempt(new JobId(1), 1));
    }

    private void create(Granted granted, String program) {
        String image = Objects.requireNonNullElse(System.getenv("BERTH_TEST_IMAGE"), "berth-job:latest");
        engine.create(new ContainerPlan(
                name(),
                engine.findImage(image).orElseThrow(),
                List.of("sh", "-c", program),
                ADA,
                Map.of("PATH", "/usr/bin:/bin"),
                List.of(),
                new GpuAccess.None(),
                granted.sources().stream()
                        .map(source -> new ContainerPlan.Mount(source.path(), source.target(), source.readOnly()))
                        .toList(),
                "/tmp",
                "none",
                new Limits(0, 0, List.of(), 0, 1L << 20, 256, 1L << 20),
                names.labels(new Attempt(new JobId(1), 1), Allocation.NONE)));
    }

    private String started() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        LogSink sink = (_, bytes) -> {
            byte[] piece = new byte[bytes.remaining()];
            bytes.get(piece);
            out.writeBytes(piece);
        };
        try (ContainerLogStream stream = engine.attach(name(), sink)) {
            engine.start(name());
            assertThat(stream.awaitEnd(PATIENCE)).isTrue();
        }
        return out.toString(StandardCharsets.UTF_8);
    }

    private Granted granted(Path source, boolean readOnly) {
        return mounts.grant(name(), List.of(new Mount(source.toString(), "/data", readOnly)), ADA);
    }

    @Test
    void theSubmitterReadsAndWritesAsThemselves() throws IOException {
        try (Granted granted = granted(data, false)) {
            create(granted, "cat /data/note; echo more > /data/new; id -u");
            assertThat(started()).isEqualTo("mine\n12345\n");
        }
        assertThat(data.resolve("new")).hasContent("more");
        assertThat(Files.getAttribute(data.resolve("new"), "unix:uid")).isEqualTo(12_345);
    }

    @Test
    void whatIsReadOnlyStaysSo() {
        try (Granted granted = granted(data, true)) {
            create(granted, "cat /data/note; echo more > /data/note");
            assertThat(started()).contains("mine\n", "Read-only file system");
        }
        assertThat(data.resolve("note")).hasContent("mine");
    }

    @Test
    void aFileIsGivenByItself() {
        try (Granted granted = granted(data.resolve("note"), false)) {
            create(granted, "cat /data; echo more >> /data");
            assertThat(started()).isEqualTo("mine\n");
        }
        assertThat(data.resolve("note")).hasContent("mine\nmore");
    }

    /** Between the look and the start the directory's parent becomes a link to somebody else's. */
    @Test
    void aLinkThatComesAfterTheLookLeadsNowhere() throws IOException {
        try (Granted granted = granted(data, false)) {
            create(granted, "cat /data/note");
            Files.move(directory.resolve("home"), directory.resolve("moved"));
            Files.createSymbolicLink(directory.resolve("home"), directory.resolve("secret"));
            assertThat(data.resolve("note")).as("the path leads elsewhere now").hasContent("hush");
            assertThat(started()).isEqualTo("mine\n");
        }
    }

    @Test
    void theGrantEndsWithTheStartAndTheMountWithTheContainer() {
        try (Granted granted = granted(data, false)) {
            create(granted, "while [ -e /data/note ]; do sleep 0.1; done; echo gone; ls -A /data");
            engine.start(name());
        }
        assertThat(table).doesNotExist();
        assertThat(data.resolve("note")).as("unmounting took nothing away").hasContent("mine");
        engine.stop(name(), Duration.ZERO);
    }

    @Test
    void aContainerWhoseGrantHasEndedDoesNotStartWithAnEmptyPlace() {
        try (Granted granted = granted(data, false)) {
            create(granted, "ls -A /data");
        }
        assertThat(catchThrowable(() -> engine.start(name())))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("berth-mounts-test");
        try (Granted again = granted(data, false)) {
            assertThat(again.sources()).hasSize(1);
            assertThat(started()).isEqualTo("note\n");
        }
    }
}
