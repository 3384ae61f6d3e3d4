package dev.berth.system.image;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.dockerjava.api.command.CreateContainerCmd;
import com.github.dockerjava.api.model.Bind;
import com.github.dockerjava.api.model.HostConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.testcontainers.containers.Container.ExecResult;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.images.builder.ImageFromDockerfile;
import org.testcontainers.images.builder.Transferable;

/**
 * The server's own image, as docker/server-image/Dockerfile makes it, beside the jobs it starts. Its base is made of the
 * job image and this JDK, so that no registry is needed.
 */
class ServerImageTest {
    private static final Path ROOT = Path.of(System.getProperty("berth.root"));
    private static final Path DISTRIBUTION = ROOT.resolve("scheduler-cli/target/berth");
    private static final String BASE = "berth-test-jre:latest";
    private static final String MODULES =
            "java.se,jdk.unsupported,jdk.net,jdk.security.auth,jdk.crypto.ec,jdk.management,jdk.zipfs";

    private static final String PROGRAM = """
            import os
            print("gpus", os.environ["BERTH_NUM_GPUS"])
            """;

    @Test
    void serverInAContainerRunsJobsBesideItself(@TempDir Path work) throws Exception {
        buildBase(work);
        Path data = Files.createDirectories(work.resolve("data"));
        try (GenericContainer<?> server = new GenericContainer<>(image())) {
            server.withCommand("--simulate-gpus", "2", "--port", "0")
                    .withEnv("BERTH_SOCKET", "/run/berth.sock")
                    .withCreateContainerCmdModifier(command -> besideItsJobs(command, data))
                    .withCopyToContainer(Transferable.of(PROGRAM), "/project/main.py")
                    .waitingFor(Wait.forLogMessage(".*is ready.*", 1).withStartupTimeout(Duration.ofMinutes(2)));
            server.start();

            ExecResult followed = server.execInContainer(
                    "berth", "submit", "scheduler", "/project", "main.py", "--num-gpus", "2", "--follow");

            assertThat(followed.getStdout()).as(followed.getStderr()).contains("gpus 2");
            assertThat(followed.getExitCode()).isZero();
        }
    }

    /** The engine mounts jobs' directories by the machine's paths, so the data directory has one path for both. */
    private static void besideItsJobs(CreateContainerCmd command, Path data) {
        HostConfig config = Objects.requireNonNull(command.getHostConfig());
        config.withBinds(Bind.parse("/var/run/docker.sock:/var/run/docker.sock"), Bind.parse(data + ":" + data));
        command.withEntrypoint(
                "berth",
                "server",
                "start",
                "--foreground",
                "--data-dir",
                data.toString(),
                "--socket",
                "/run/berth.sock");
    }

    private static ImageFromDockerfile image() {
        return new ImageFromDockerfile("berth-test-server:latest", true)
                .withFileFromPath("Dockerfile", ROOT.resolve("docker/server-image/Dockerfile"))
                .withFileFromPath("bin", DISTRIBUTION.resolve("bin"))
                .withFileFromPath("lib", DISTRIBUTION.resolve("lib"))
                .withBuildArg("BASE", BASE);
    }

    private static void buildBase(Path work) throws IOException, InterruptedException {
        Path context = Files.createDirectories(work.resolve("base"));
        run(
                context,
                Path.of(System.getProperty("java.home"), "bin", "jlink").toString(),
                "--add-modules",
                MODULES,
                "--strip-debug",
                "--no-header-files",
                "--no-man-pages",
                "--output",
                context.resolve("jre").toString());
        String jobImage = Objects.requireNonNullElse(System.getenv("BERTH_TEST_IMAGE"), "berth-job:latest");
        Files.writeString(context.resolve("Dockerfile"), "FROM " + jobImage + "\nCOPY jre /opt/java/openjdk\n");
        run(context, "docker", "build", "-q", "-t", BASE, ".");
    }

    private static void run(Path directory, String... command) throws IOException, InterruptedException {
        Path output = Files.createTempFile(directory, "output", ".txt");
        Process process = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        assertThat(process.waitFor())
                .as("%s: %s", List.of(command), Files.readString(output))
                .isZero();
    }
}
