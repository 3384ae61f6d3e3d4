package dev.berth.server.runner.slurm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.job.Program;
import dev.berth.server.linux.Users;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.EngineException.Scope;
import dev.berth.server.runner.slurm.SlurmSettings.Container;
import dev.berth.server.runner.slurm.SlurmSettings.Launcher;
import dev.berth.server.runner.target.Handed;
import dev.berth.server.runner.target.Handover;
import dev.berth.server.runner.target.KeptOutput;
import dev.berth.server.runner.target.Phase;
import dev.berth.server.runner.target.Phase.End.Exited;
import dev.berth.server.runner.target.Phase.Over;
import dev.berth.server.runner.target.Snapshot;
import dev.berth.server.runner.target.TargetEngine.Finding;
import dev.berth.server.runner.target.TargetEngine.Reading.Stream;
import dev.berth.testclient.SlurmCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The engine on a real cluster, by a real sshd, with the submitter's own key. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(120)
class SlurmOverSshTest {
    private SlurmCluster cluster;
    private SlurmUser ada;
    private SlurmUser bob;
    private LoginNode login;
    private SlurmSettings settings;

    @BeforeAll
    void startCluster() throws IOException {
        ada = SlurmUser.create("berth-ssh-ada");
        bob = SlurmUser.create("berth-ssh-bob");
        cluster = SlurmCluster.start();
        login = LoginNode.start(ada);
        login.tell(bob);
        settings = settings(LoginNode.NAME);
    }

    private SlurmSettings settings(String host) {
        return new SlurmSettings(
                host,
                "/usr/bin",
                Map.of("SLURM_CONF", cluster.configuration()),
                SlurmSettings.DEFAULT_DIRECTORY,
                null,
                null,
                null,
                List.of("--comment=a b'c"),
                new Launcher(Container.NONE, null),
                Duration.ofSeconds(20));
    }

    @AfterAll
    void removeCluster() {
        login.close();
        cluster.close();
        ada.close();
        bob.close();
    }

    private static SlurmEngine engine(SlurmSettings settings) {
        return new SlurmEngine(settings, 0, new Users(), InstantSource.system());
    }

    /** With its files on the way there, and its outputs on the way back. */
    @Test
    void runsAJobFromAnotherMachine(@TempDir Path directory) throws IOException {
        SlurmEngine engine = engine(settings);
        Handed handed = SlurmJobs.handed(1, ada.submitter());
        String hostile = "a'b \"$(id)\"\nc";
        Program program = new Program(
                List.of(
                        "sh",
                        "-c",
                        "printf %s \"$1\"; pwd; cat main.py; echo made > \"$BERTH_OUTPUT_DIR/made\"",
                        "-",
                        hostile),
                Map.of());
        Snapshot snapshot = new NamedFiles(List.of("main.py"));
        engine.handOver(SlurmJobs.handover(handed, SlurmJobs.spec(0), program, snapshot));
        engine.handOver(SlurmJobs.handover(handed, SlurmJobs.spec(0), program, snapshot));
        Phase phase = engine.look(List.of(handed)).get(handed);
        while (!(phase instanceof Over)) {
            SlurmCluster.pause();
            phase = engine.look(List.of(handed)).get(handed);
        }
        assertThat(((Over) phase).end()).isEqualTo(new Exited(0, false));
        KeptOutput reading = KeptOutput.of(handed);
        assertThat(engine.inspection(handed, ((Over) phase).id()))
                .startsWith("ssh " + settings.host() + " scontrol show job " + ((Over) phase).id() + " says more");
        assertThat(engine.collect(List.of(reading))).isFalse();
        assertThat(reading.text(Stream.OUTPUT))
                .isEqualTo(
                        hostile + "/home/" + ada.submitter().name() + "/.berth/jobs/" + handed.name() + "/code\nx\n");
        // What comes from there, its owner brings.
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path outputs = Files.createDirectory(directory.resolve("outputs"));
        Files.setAttribute(outputs, "unix:uid", Math.toIntExact(ada.submitter().uid()));
        engine.fetch(handed, outputs);
        assertThat(outputs.resolve("made")).hasContent("made");
        assertThat(cluster.ask("squeue", "--noheader", "--states=all", "--name=" + handed.name(), "--format=%i")
                        .lines())
                .hasSize(1);
        engine.discard(handed);
        assertThat(engine.health().isWell()).isTrue();
    }

    /** What it says is the user's, and so decides nothing and hides nothing. */
    @Test
    void aLoginShellMaySayWhatItLikes(@TempDir Path directory) throws IOException {
        Path greeting = Path.of("/home", ada.submitter().name(), ".ssh", "rc");
        Files.writeString(greeting, "echo 0 9; echo 4711; echo all; echo 'module: command not found' >&2\n");
        try {
            SlurmEngine engine = engine(settings);
            Handed handed = SlurmJobs.handed(6, ada.submitter());
            Handover none = SlurmJobs.handover(
                    handed, SlurmJobs.spec(0), SlurmJobs.shell("echo out; echo made > $BERTH_OUTPUT_DIR/made"), null);
            assertThatThrownBy(() -> engine(SlurmJobs.in(settings, "nosuch")).handOver(none))
                    .isInstanceOfSatisfying(
                            EngineException.class, e -> assertThat(e.kind()).isEqualTo(Kind.REFUSED));
            engine.handOver(none);
            while (!(engine.look(List.of(handed)).get(handed) instanceof Over)) {
                SlurmCluster.pause();
            }
            KeptOutput reading = KeptOutput.of(handed);
            assertThat(engine.collect(List.of(reading))).isFalse();
            assertThat(reading.text(Stream.OUTPUT)).isEqualTo("out\n");
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
            Path outputs = Files.createDirectory(directory.resolve("outputs"));
            Files.setAttribute(
                    outputs, "unix:uid", Math.toIntExact(ada.submitter().uid()));
            engine.fetch(handed, outputs);
            assertThat(outputs.resolve("made")).hasContent("made");
            Files.writeString(greeting, "echo hello; exit 0\n");
            engine.discard(handed);
        } finally {
            Files.delete(greeting);
        }
    }

    /** It is that user's trouble alone. */
    @Test
    void saysThatAUserHasNoKeyThere() {
        Handed handed = SlurmJobs.handed(2, bob.submitter());
        assertThatThrownBy(() -> engine(settings)
                        .handOver(SlurmJobs.handover(handed, SlurmJobs.spec(0), SlurmJobs.shell("true"), null)))
                .isInstanceOfSatisfying(EngineException.class, e -> {
                    assertThat(e.kind()).isEqualTo(Kind.FAILING);
                    assertThat(e.scope()).isEqualTo(Scope.USER);
                })
                .hasMessageContaining("the login node refuses each key of the submitter")
                .hasMessageContaining("ssh-copy-id");
    }

    /** Before anybody has come there, nobody's keys are tried but those of the one who asks. */
    @Test
    void isExaminedWithTheKeysOfTheOneWhoAsks() {
        SlurmEngine engine = engine(settings);
        assertThat(engine.health().isWell()).isFalse();
        assertThat(engine.health().sentence()).contains("berth doctor --target NAME asks with your key");
        assertThat(engine.examine(ada.submitter())).allMatch(Finding::isWell);
        assertThat(engine.examine(bob.submitter())).anyMatch(finding -> !finding.isWell());
    }

    /** The other has no key there; what was not read of theirs must not be taken for nothing. */
    @Test
    void oneUsersTroubleKeepsNothingOfOthersBack() {
        SlurmEngine engine = engine(settings);
        Handed handed = SlurmJobs.handed(4, ada.submitter());
        Handed bobs = SlurmJobs.handed(5, bob.submitter());
        engine.handOver(SlurmJobs.handover(handed, SlurmJobs.spec(0), SlurmJobs.shell("echo mine"), null));
        List<Handed> both = List.of(bobs, handed);
        while (!(engine.look(both).get(handed) instanceof Over)) {
            SlurmCluster.pause();
        }
        assertThat(engine.look(both)).containsOnlyKeys(handed);
        KeptOutput mine = KeptOutput.of(handed);
        assertThatThrownBy(() -> engine.collect(List.of(KeptOutput.of(bobs), mine)))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.kind()).isEqualTo(Kind.FAILING));
        assertThat(mine.text(Stream.OUTPUT)).isEqualTo("mine\n");
        assertThatThrownBy(() -> engine.look(List.of(bobs)))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.kind()).isEqualTo(Kind.FAILING));
        engine.discard(handed);
    }

    @Test
    void saysThatTheLoginNodeIsNotThere() {
        assertUnreachable("berth-nowhere.invalid", SlurmJobs.handed(3, ada.submitter()), "cannot be reached by ssh");
    }

    private void assertUnreachable(String host, Handed handed, String sentence) {
        assertThatThrownBy(() -> engine(settings(host))
                        .handOver(SlurmJobs.handover(handed, SlurmJobs.spec(0), SlurmJobs.shell("true"), null)))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.kind()).isEqualTo(Kind.UNREACHABLE))
                .hasMessageContaining(sentence)
                .hasMessageContaining(host);
    }
}
