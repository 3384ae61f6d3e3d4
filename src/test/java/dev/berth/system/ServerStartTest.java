package dev.berth.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.system.fixture.Await;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Command;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.Product;
import dev.berth.system.fixture.Ran;
import dev.berth.system.fixture.Running;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.TestFiles;
import dev.berth.system.fixture.WithGpus;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A server that cannot start says why in one line, ends with the right code, and leaves nothing running. */
@SystemTest
class ServerStartTest {
    private static final String STATE = "BERTH_STAND_IN_STATE";
    private static final int FAILED = 125;
    private static final int USAGE = 2;

    private final Engine machine = Engine.ofMachine();

    private static String complaint(Berth berth, Command start, int code) {
        Ran refused = start.run().expect(code);
        assertThat(refused.out()).isEmpty();
        assertThat(refused.complaint()).startsWith("berth: ");
        assertThat(berth.processes()).as("what is left running by %s", refused).isEmpty();
        return refused.complaint();
    }

    @Test
    void aDataDirectoryHasOneServer() {
        try (Berth berth = Berth.on(machine)) {
            berth.start("--simulate-gpus", "1");
            SubmittedJob job = berth.submit(berth.project("record.py"), "record.py", "gate", "--num-gpus", "1");
            job.awaitBegun();

            Ran second = berth.startCommand("--simulate-gpus", "1").run().expect(FAILED);

            assertThat(second.complaint())
                    .isEqualTo(
                            "berth: a server already uses " + berth.dataDirectory()
                                    + "; berth server status shows it, berth server stop ends it, --data-dir DIR takes another");
            assertThat(berth.processes()).containsExactly(berth.server().pid());
            assertThat(job.state()).isEqualTo("RUNNING");
            job.open();
            job.awaitCompleted();
        }
    }

    /** Nothing would have told of it before the next change of the queue. */
    @Test
    void aDataDirectoryThatIsTakenAwayEndsTheServerAndANewOneIsRefused() throws IOException {
        try (Berth berth = Berth.on(machine)) {
            berth.start("--simulate-gpus", "1");
            SubmittedJob job = berth.submit(berth.project("record.py"), "record.py", "gate", "--num-gpus", "1");
            job.awaitBegun();
            Path elsewhere = berth.home().resolve("elsewhere");

            Files.move(berth.dataDirectory(), elsewhere);
            Await.that("the server ended", () -> !berth.server().isAlive());

            assertThat(elsewhere.resolve("server.log"))
                    .content()
                    .contains("is gone, while the server had it open: what is written now would be lost");
            assertThat(complaint(berth, berth.startCommand("--simulate-gpus", "1"), FAILED))
                    .startsWith("berth: the data directory " + berth.dataDirectory() + " is new, but the container ")
                    .endsWith("berth server start --new-database");

            TestFiles.deleteTree(berth.dataDirectory());
            Files.move(elsewhere, berth.dataDirectory());
            berth.start("--simulate-gpus", "1");
            job.open();
            job.awaitCompleted();
        }
    }

    /** Others may write there, and what a server loads must be nobody else's. */
    @Test
    void aServerKeepsNothingInTmp() {
        try (Berth berth = Berth.on(machine)) {
            Set<String> before = librariesInTmp();
            berth.start("--simulate-gpus", "1");
            assertThat(librariesInTmp()).isSubsetOf(before);
            assertThat(berth.dataDirectory().resolve("native")).isNotEmptyDirectory();
        }
    }

    private static Set<String> librariesInTmp() {
        return Set.of(Objects.requireNonNull(new File("/tmp").list((_, name) -> name.startsWith("sqlite-"))));
    }

    @Test
    void aPortThatIsTaken() throws IOException {
        try (Berth berth = Berth.on(machine);
                ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String port = Integer.toString(other.getLocalPort());

            assertThat(complaint(berth, berth.startCommand("--port", port), FAILED))
                    .startsWith("berth: port " + port + " of 127.0.0.1 cannot be used: ")
                    .endsWith("; end what uses it, or take another with --port N");
        }
    }

    @Test
    void anEngineThatIsNotThere() {
        try (Berth berth = Berth.on(machine)) {
            String host = "unix://" + berth.home().resolve("none.sock");

            assertThat(complaint(berth, berth.startCommand().with("DOCKER_HOST", host), FAILED))
                    .isEqualTo(
                            "berth: no Docker Engine answers at " + host
                                    + "; start it (systemctl start docker), or set DOCKER_HOST; --wait-for-engine waits until it answers");
        }
    }

    @Test
    void anEngineThatIsThereAndSilent() throws IOException {
        try (Berth berth = Berth.on(machine);
                ServerSocketChannel engine = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            Path socket = berth.home().resolve("silent.sock");
            engine.bind(UnixDomainSocketAddress.of(socket));

            assertThat(complaint(berth, berth.startCommand().with("DOCKER_HOST", "unix://" + socket), FAILED))
                    .isEqualTo("berth: the Docker Engine at unix://" + socket
                            + " did not answer within 10 s; --wait-for-engine waits until it answers");
        }
    }

    @Test
    void anEngineWithoutTheRuntime(@WithGpus(8) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            engine.withoutNvidia(() -> assertThat(complaint(berth, berth.startCommand("-g"), FAILED))
                    .contains(" has no runtime 'nvidia'; install the NVIDIA Container Toolkit"));
        }
    }

    @Test
    void aMachineWithoutNvidiaSmi() {
        try (Berth berth = Berth.on(machine)) {
            Path tools = TestFiles.folderIn(berth.home(), "tools");
            for (String tool : new String[] {"sh", "readlink", "setsid"}) {
                TestFiles.link(
                        tools.resolve(tool),
                        Command.of("which", tool).run().expect(0).text());
            }

            assertThat(complaint(berth, berth.startCommand("-g").with("PATH", tools.toString()), FAILED))
                    .isEqualTo("berth: no GPU was found: nvidia-smi is not installed; install NVIDIA's driver, or try"
                            + " Berth with --simulate-gpus N");
        }
    }

    @ParameterizedTest(name = "{2}")
    @CsvSource(
            delimiter = '|',
            value = {
                "gpus.csv | index,uuid,name,memory.total,mig.mode.current | no GPU was found: nvidia-smi says: No devices were found",
                "failure | '9\nNVIDIA-SMI has failed.' | no GPU can be used: NVIDIA's driver is not loaded (nvidia-smi: NVIDIA-SMI has failed.)",
                "failure | '15\nThe GPU fell off the bus.' | no GPU can be used: nvidia-smi failed with code 15: The GPU fell off the bus."
            })
    void aMachineWithoutUsableGpus(String file, String content, String complaint) {
        try (Berth berth = Berth.on(machine)) {
            Path state = TestFiles.folderIn(berth.home(), "state");
            TestFiles.write(state.resolve(file), content + "\n");
            Command start = berth.startCommand("-g")
                    .with("PATH", Product.STAND_IN + ":" + System.getenv("PATH"))
                    .with(STATE, state.toString());

            assertThat(complaint(berth, start, FAILED)).isEqualTo("berth: " + complaint);
        }
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            value = {
                "--port 70000 | --port: '70000' must be a whole number from 0 to 65535",
                "--port none | --port: 'none' must be a whole number from 0 to 65535",
                "--workers 0 | --workers: '0' must be a whole number from 1 to 1024",
                "--cpu-workers -1 | --cpu-workers: '-1' must be a whole number from 0 to 1024",
                "--simulate-gpus 5000 | --simulate-gpus: '5000' must be a whole number from 0 to 1024",
                "--bind 0.0.0.0 | --bind: '0.0.0.0' lets other machines connect, and without TLS",
                "--bind 256.1.1.1 | --bind: '256.1.1.1' must be an IP address",
                "--set server.prot=1 | --set server.prot: is not a setting; did you mean server.port?",
                "--tls-key /k | --tls-key: needs tls.certificate beside it",
                "--config /nonexistent/berth.yaml | /nonexistent/berth.yaml: there is no such file",
                "--socket /tmp/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa | a Unix socket takes 107",
                "--gpu | unknown option --gpu",
                "now | berth server start takes no 'now'"
            })
    void badSettings(String options, String complaint) {
        try (Berth berth = Berth.on(machine)) {
            assertThat(complaint(berth, berth.startCommand(options.split(" ")), USAGE))
                    .contains(complaint);
        }
    }

    @Test
    void inTheForegroundItStaysUntilItIsTold() {
        try (Berth berth = Berth.on(machine);
                Running server = berth.startCommand("--foreground", "--simulate-gpus", "1")
                        .start()) {
            Await.that("the server is ready", () -> server.said().contains(" is ready, pid " + server.pid()));
            SubmittedJob job = berth.submit(berth.project("record.py"), "record.py", "gate");
            job.awaitBegun();
            server.terminate();

            assertThat(server.end().exitCode()).as("of a JVM that SIGTERM ends").isEqualTo(143);
            assertThat(machine.containers(job.output()))
                    .as("the container of the job that runs")
                    .hasSize(1);
        }
    }

    @Test
    void stopReturnsWhenTheServerIsGoneWhereverItIsInstalled() {
        try (Berth berth = Berth.on(machine)) {
            Path far = TestFiles.folderIn(
                    berth.home(), "a-name-as-long-as-names-of-folders-are-on-some-machines-".repeat(4));
            TestFiles.copyTree(Product.DISTRIBUTION, far.resolve("berth"));
            berth.from(far.resolve("berth/bin/berth")).start("--simulate-gpus", "1");
            berth.stop();
        }
    }
}
