package dev.berth.server.runner.slurm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.server.linux.Users;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.target.Handed;
import dev.berth.server.runner.target.Handover;
import dev.berth.server.runner.target.KeptOutput;
import dev.berth.server.runner.target.Phase.End.Exited;
import dev.berth.server.runner.target.Phase.Over;
import dev.berth.server.runner.target.Phase.Unknown;
import dev.berth.server.runner.target.TargetEngine.Reading.Stream;
import dev.berth.testclient.SlurmCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** One run of each job, and only its owner has it, at a real cluster. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(180)
class SlurmOwnersTest {
    private SlurmLab lab;

    @BeforeAll
    void startLab() {
        lab = SlurmLab.start("owners");
    }

    @AfterAll
    void closeLab() {
        lab.close();
    }

    @AfterEach
    void emptyQueue() {
        lab.emptyQueue();
    }

    @Test
    void handsOverOnceHoweverOftenItIsAsked() {
        Handed handed = lab.next(lab.ada());
        for (int i = 0; i < 3; i++) {
            lab.engine().handOver(SlurmJobs.handover(handed, SlurmJobs.spec(0), SlurmJobs.shell("echo once"), null));
        }
        lab.over(handed);
        lab.engine().handOver(SlurmJobs.handover(handed, SlurmJobs.spec(0), SlurmJobs.shell("echo once"), null));
        assertThat(lab.of(handed).lines()).hasSize(1);
        assertThat(lab.output(handed)).isEqualTo("once\n");
    }

    @Test
    void looksAtJobsOfSeveralUsersAtOnceAndBringsEachItsOwnOutput() {
        List<Handed> both = List.of(lab.next(lab.ada()), lab.next(lab.bob()));
        for (Handed one : both) {
            lab.engine()
                    .handOver(
                            SlurmJobs.handover(one, SlurmJobs.spec(0), SlurmJobs.shell("id -un; stat -c %U ."), null));
        }
        both.forEach(lab::over);
        assertThat(lab.engine().look(both).values()).hasSize(2).allMatch(Over.class::isInstance);
        List<KeptOutput> kept = both.stream().map(KeptOutput::of).toList();
        while (lab.engine().collect(List.copyOf(kept))) {
            SlurmCluster.pause();
        }
        assertThat(kept)
                .extracting(reading -> reading.text(Stream.OUTPUT))
                .containsExactlyElementsOf(both.stream()
                        .map(one -> (one.owner().name() + "\n").repeat(2))
                        .toList());
    }

    @Test
    void runsAProgramOnceWhereSlurmWasGivenItTwice() throws IOException {
        Handed handed = lab.run("echo once");
        lab.over(handed);
        Path directory = lab.directory(handed);
        BatchScript script = new BatchScript(
                lab.settings(),
                List.of(SlurmJobs.handover(handed, SlurmJobs.spec(0), SlurmJobs.shell("echo once"), null)),
                List.of());
        List<String> again = new ArrayList<>(script.command());
        again.add("--output=" + directory.resolve("output"));
        again.add("--error=" + directory.resolve("error"));
        again.add(directory.resolve("script").toString());
        Said said =
                new UserPrograms(lab.settings(), 0, new Users()).slurm(lab.ada().submitter(), again);
        assertThat(said.code()).isZero();
        while (!Files.readString(directory.resolve("error")).contains("begun before")) {
            SlurmCluster.pause();
        }
        assertThat(lab.over(handed).end()).isEqualTo(new Exited(0, false));
        assertThat(lab.output(handed)).isEqualTo("once\n");
    }

    /** As where a server was killed while its sbatch was on its way: the next server's hand-over must not be a second one. */
    @Test
    void waitsForAnEarlierHandOverThatIsOnItsWay() throws Exception {
        Path gate = lab.cluster().shared().resolve("gate");
        SlurmSettings slow =
                SlurmJobs.programs(lab.settings(), programs("while ! [ -e " + gate + " ]; do sleep 0.1; done"));
        Handover handover =
                SlurmJobs.handover(lab.next(lab.ada()), SlurmJobs.spec(0), SlurmJobs.shell("echo once"), null);
        Handed handed = handover.handed();
        Thread first = Thread.startVirtualThread(() -> SlurmLab.engine(slow).handOver(handover));
        while (!Files.exists(lab.directory(handed).resolve("script"))) {
            SlurmCluster.pause();
        }
        SlurmEngine second = SlurmLab.engine(SlurmJobs.within(lab.settings(), Duration.ofSeconds(2)));
        assertThatThrownBy(() -> second.handOver(handover))
                .isInstanceOfSatisfying(
                        EngineException.class,
                        e -> assertThat(e.sentence()).startsWith("an earlier hand-over of it has not ended yet"));
        Files.createFile(gate);
        first.join();
        second.handOver(handover);
        lab.over(handed);
        assertThat(lab.of(handed).lines()).hasSize(1);
        assertThat(lab.output(handed)).isEqualTo("once\n");
    }

    /** As where a process of a server that was killed comes to its turn after all. */
    @Test
    void leavesTheTurnToALaterHandOver() {
        Handover handover =
                SlurmJobs.handover(lab.next(lab.ada()), SlurmJobs.spec(0), SlurmJobs.shell("echo once"), null);
        BatchScript script = new BatchScript(lab.settings(), List.of(handover), List.of());
        SharedFiles files = new SharedFiles(new UserPrograms(lab.settings(), 0, new Users()));
        SlurmSettings none = SlurmJobs.programs(lab.settings(), programs("exit 1"));
        SharedFiles refused = new SharedFiles(new UserPrograms(none, 0, new Users()));
        assertThatThrownBy(() -> refused.handOver(script, true, 2_000)).isInstanceOf(EngineException.class);
        assertThat(files.run(script, true, 1_000).code()).isEqualTo(SharedScripts.LATER_TURN);
        assertThat(lab.of(handover.handed())).isEmpty();
        // As where the clock was set back.
        assertThat(files.handOver(script, true, 1_000)).isEqualTo(SharedFiles.Reached.HANDED);
        assertThat(files.handOver(script, true, 4_000)).isEqualTo(SharedFiles.Reached.HANDED);
        assertThat(lab.of(handover.handed()).lines()).hasSize(1);
    }

    /** As where their home hangs, or a pipe is in the way: others' jobs would wait for a hand-over that never ends. */
    @Test
    void whoseDirectoryHoldsAHandOverUpIsAskedForItFirstTheNextTime() throws IOException {
        Handover handover = SlurmJobs.handover(lab.next(lab.ada()), SlurmJobs.spec(0), SlurmJobs.shell("true"), null);
        Path directory = lab.directory(handover.handed());
        SlurmCluster.run(
                List.of(
                        "sh",
                        "-c",
                        "mkdir -p $0 && mkfifo $0/turn && chown -R $1: ${0%/*}",
                        directory.toString(),
                        lab.ada().submitter().name()),
                Map.of());
        assertThatThrownBy(() -> lab.engine().handOver(handover))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.kind()).isEqualTo(Kind.FAILING))
                .hasMessageContaining("turn is no file");
        Files.delete(directory.resolve("turn"));
        lab.engine().handOver(handover);
        lab.over(handover.handed());
    }

    /** A folder with Slurm's programs, of which {@code sbatch} does something before. */
    private Path programs(String before) {
        try {
            Path folder = Files.createTempDirectory(lab.cluster().shared(), "programs");
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
            for (String name : List.of("squeue", "sacct", "scancel", "scontrol", "sinfo")) {
                Files.createSymbolicLink(folder.resolve(name), Path.of("/usr/bin", name));
            }
            Path sbatch = Files.writeString(
                    folder.resolve("sbatch"), "#!/bin/sh\n" + before + "\nexec /usr/bin/sbatch \"$@\"\n");
            Files.setPosixFilePermissions(sbatch, PosixFilePermissions.fromString("rwxr-xr-x"));
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void removesWhatIsLeft() {
        Handed handed = lab.run("mkdir -p locked/in; chmod 500 locked");
        lab.over(handed);
        assertThat(lab.directory(handed)).exists();
        lab.engine().discard(handed);
        assertThat(lab.directory(handed)).doesNotExist();
        lab.engine().discard(handed);
        assertThat(lab.over(handed).end()).isEqualTo(new Exited(0, false));
    }

    @Test
    void doesNotKnowWhatItNeverHad() {
        Handed handed = lab.next(lab.ada());
        assertThat(lab.engine().look(List.of(handed))).containsValue(new Unknown());
    }

    @Test
    void takesNoJobOfAnotherUserForItsOwn() {
        Handed handed = lab.next(lab.ada());
        String theirs = SlurmCluster.run(
                List.of(
                        "setpriv",
                        "--reuid=" + lab.bob().submitter().uid(),
                        "--regid=" + lab.bob().submitter().gid(),
                        "--clear-groups",
                        "sbatch",
                        "--parsable",
                        "--output=/dev/null",
                        "--job-name=" + handed.name(),
                        "--chdir=/tmp",
                        "--wrap=exit 5"),
                Map.of("SLURM_CONF", lab.cluster().configuration(), "HOME", "/tmp"));
        assertThat(lab.engine().look(List.of(handed))).containsValue(new Unknown());
        lab.engine().handOver(SlurmJobs.handover(handed, SlurmJobs.spec(0), SlurmJobs.shell("sleep 1; exit 4"), null));
        lab.engine()
                .cancel(
                        new Handed(handed.attempt(), handed.name(), lab.bob().submitter(), handed.since()),
                        Duration.ZERO);
        Over over = lab.over(handed);
        assertThat(over.end()).isEqualTo(new Exited(4, false));
        assertThat(over.id()).isNotEqualTo(theirs.strip());
    }

    @Test
    void keepsAJobsFilesFromOtherUsers() {
        Handed handed = lab.run("true");
        assertThat(SlurmCluster.run(
                        List.of("stat", "-c", "%a %U", lab.users(handed).toString()), Map.of()))
                .isEqualTo("700 " + lab.ada().submitter().name() + "\n");
        assertThat(SlurmCluster.run(List.of("stat", "-c", "%a", lab.directory(handed) + "/program"), Map.of()))
                .isEqualTo("600\n");
    }

    @Test
    void refusesADirectoryThatAnotherUserHasMade() throws IOException {
        Path shared = Files.createTempDirectory("trap");
        SlurmCluster.run(List.of("chmod", "1777", shared.toString()), Map.of());
        Path trap = shared.resolve(lab.ada().submitter().name());
        SlurmCluster.run(List.of("mkdir", "-m", "777", trap.toString()), Map.of());
        SlurmCluster.run(List.of("chown", lab.bob().submitter().name(), trap.toString()), Map.of());
        Handed handed = lab.next(lab.ada());
        SlurmEngine there = SlurmLab.engine(SlurmJobs.settings(lab.settings().environment(), shared.toString()));
        assertThatThrownBy(() ->
                        there.handOver(SlurmJobs.handover(handed, SlurmJobs.spec(0), SlurmJobs.shell("true"), null)))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.kind()).isEqualTo(Kind.REFUSED))
                .hasMessageContaining("is not " + lab.ada().submitter().name() + "'s own");
        SlurmCluster.run(List.of("rm", "-r", shared.toString()), Map.of());
    }

    @Test
    void followsNoLinkWithMoreRightsThanItsOwners() throws IOException {
        Path secret = Files.createTempFile("secret", ".txt");
        Files.writeString(secret, "root's");
        SlurmCluster.run(List.of("chmod", "600", secret.toString()), Map.of());
        Handed handed = lab.run("ln -sf " + secret + " \"$BERTH_DIRECTORY/track\"");
        lab.over(handed);
        assertThat(lab.collected(handed).text(Stream.TRACK)).isEmpty();
        Files.delete(secret);
    }

    @Test
    void handsOverOnlyItsOwnJobsWhereItIsNoServerOfRoots() {
        SlurmEngine own =
                new SlurmEngine(lab.settings(), lab.ada().submitter().uid(), new Users(), InstantSource.system());
        Handed handed = lab.next(lab.bob());
        assertThatThrownBy(() ->
                        own.handOver(SlurmJobs.handover(handed, SlurmJobs.spec(0), SlurmJobs.shell("true"), null)))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("only a server of root's can do that for others");
    }
}
