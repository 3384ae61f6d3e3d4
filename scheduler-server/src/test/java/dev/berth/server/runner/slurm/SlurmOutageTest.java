package dev.berth.server.runner.slurm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.job.JobSpec;
import dev.berth.core.job.OutcomeReason;
import dev.berth.core.job.StateName;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.target.Handed;
import dev.berth.server.runner.target.Handover;
import dev.berth.server.runner.target.Phase;
import dev.berth.server.runner.target.Phase.Alive;
import dev.berth.server.runner.target.Phase.End;
import dev.berth.server.runner.target.Phase.End.ByEngine;
import dev.berth.server.runner.target.Phase.End.Exited;
import dev.berth.server.runner.target.Phase.Over;
import dev.berth.testclient.SlurmCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** Parts of a real cluster away, and what it refuses. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(180)
class SlurmOutageTest {
    private SlurmLab lab;

    @BeforeAll
    void startLab() {
        lab = SlurmLab.start("outage");
    }

    @AfterAll
    void closeLab() {
        lab.close();
    }

    @AfterEach
    void emptyQueue() {
        lab.emptyQueue();
    }

    /** The controller writes its state down seconds late, and ends what it finds on nodes and does not know. */
    private void untilSaved() throws IOException {
        Path state = lab.cluster().directory().resolve("state/job_state");
        FileTime before = FileTime.from(Instant.now());
        lab.run("true");
        while (Files.getLastModifiedTime(state).compareTo(before) <= 0) {
            SlurmCluster.pause();
        }
    }

    @Test
    void saysThatTheControllerIsAwayAndFindsAllWhenItIsBack() throws IOException {
        Handed running = lab.run("sleep 8; exit 6");
        lab.untilRuns(running);
        untilSaved();
        lab.cluster().script("controller", "kill");
        assertThatThrownBy(() -> lab.engine().look(List.of(running)))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.kind()).isEqualTo(Kind.UNREACHABLE))
                .hasMessageContaining("Slurm's controller does not answer");
        assertThatThrownBy(() -> lab.engine().health()).hasMessageContaining("Slurm's controller does not answer");
        Handed late = lab.next(lab.ada());
        assertThatThrownBy(() -> lab.engine()
                        .handOver(SlurmJobs.handover(late, SlurmJobs.spec(0), SlurmJobs.shell("true"), null)))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.kind()).isEqualTo(Kind.UNREACHABLE));
        lab.cluster().script("controller", "start");
        assertThat(lab.over(running).end()).isEqualTo(new Exited(6, false));
        lab.engine().handOver(SlurmJobs.handover(late, SlurmJobs.spec(0), SlurmJobs.shell("true"), null));
        assertThat(lab.over(late).end()).isEqualTo(new Exited(0, false));
        assertThat(lab.of(late).lines()).hasSize(1);
    }

    @Test
    void tellsThatTheNodeOfAJobWasLost() {
        Handed handed = lab.run("exec sleep 600");
        Alive alive = (Alive) lab.until(handed, Alive.class::isInstance);
        lab.cluster().script("node", alive.node(), "down");
        try {
            assertThat(lab.over(handed).end()).isInstanceOfSatisfying(ByEngine.class, end -> {
                assertThat(end.outcome().state()).isEqualTo(StateName.LOST);
                assertThat(end.outcome().reason()).isEqualTo(OutcomeReason.NODE_LOST);
            });
        } finally {
            lab.untilNodesAreUp();
        }
    }

    @Test
    void saysThatANodeDoesNotSeeTheDirectory() {
        lab.cluster().hide("node3", lab.cluster().shared());
        try {
            SlurmEngine big = SlurmLab.engine(SlurmJobs.in(lab.settings(), "big"));
            Handed handed = lab.next(lab.ada());
            big.handOver(SlurmJobs.handover(handed, SlurmJobs.spec(0), SlurmJobs.shell("true"), null));
            assertThat(lab.over(handed).end()).isInstanceOfSatisfying(ByEngine.class, end -> {
                assertThat(end.outcome().state()).isEqualTo(StateName.FAILED);
                assertThat(end.outcome().reason()).isEqualTo(OutcomeReason.START_FAILED);
                assertThat(end.outcome().sentence()).contains("often the shared directory is not there on the node");
            });
        } finally {
            lab.cluster().script("node", "node3", "kill");
            lab.cluster().script("node", "node3", "start");
            lab.untilNodesAreUp();
        }
    }

    @Test
    void saysThatMungeIsAway() {
        lab.cluster().script("munge", "kill");
        try {
            assertThatThrownBy(() -> SlurmLab.engine(SlurmJobs.within(lab.settings(), Duration.ofSeconds(3)))
                            .look(List.of(SlurmJobs.handed(1, lab.ada().submitter()))))
                    .isInstanceOfSatisfying(
                            EngineException.class, e -> assertThat(e.kind()).isEqualTo(Kind.UNREACHABLE))
                    .hasMessageContaining("systemctl status munge");
        } finally {
            lab.cluster().script("munge", "start");
        }
    }

    @Test
    void tellsEndsWithoutAccounts() {
        Handed handed = lab.run("exit 8");
        lab.cluster().script("accounting", "kill");
        try {
            assertThat(lab.over(handed).end()).isEqualTo(new Exited(8, false));
            assertThat(lab.engine().look(List.of(lab.next(lab.ada())))).isEmpty();
        } finally {
            lab.cluster().script("accounting", "start");
        }
    }

    /** However many they are, and although no program has told its end. */
    @Test
    void tellsManyEndsWithoutAccountsByOneCallMore() throws IOException {
        Map<Handed, End> ends = new HashMap<>();
        for (int code : List.of(0, 3, 137)) {
            ends.put(lab.run("exit " + code), new Exited(code, false));
        }
        for (Handed handed : ends.keySet()) {
            lab.over(handed);
            Files.delete(lab.directory(handed).resolve("end"));
        }
        Path folder = Files.createDirectory(lab.cluster().shared().resolve("counting"));
        for (String name : List.of("squeue", "sacct", "scontrol")) {
            Path program = Files.writeString(
                    folder.resolve(name),
                    "#!/bin/sh\necho %s >> %s/calls\nexec /usr/bin/%s \"$@\"\n".formatted(name, folder, name));
            Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        SlurmEngine counted = SlurmLab.engine(SlurmJobs.programs(lab.settings(), folder));
        lab.cluster().script("accounting", "kill");
        try {
            Map<Handed, Phase> phases = counted.look(ends.keySet());
            assertThat(Files.readAllLines(folder.resolve("calls"))).containsExactly("squeue", "sacct", "squeue");
            ends.forEach((handed, end) -> assertThat(phases.get(handed)).isInstanceOfSatisfying(Over.class, over -> {
                assertThat(over.end()).isEqualTo(end);
                assertThat(over.endedAt()).isAfterOrEqualTo(over.startedAt());
            }));
        } finally {
            lab.cluster().script("accounting", "start");
        }
    }

    /** As minutes after the end of a job (slurm.conf, "MinJobAge"). */
    @Test
    void tellsEndsThatTheQueueHasForgotten() throws IOException {
        Handed handed = lab.run("exit 9");
        Over before = (Over) lab.until(handed, phase -> phase instanceof Over over && over.used() != null);
        Path folder = Files.createDirectory(lab.cluster().shared().resolve("forgetful"));
        Files.createSymbolicLink(folder.resolve("squeue"), Path.of("/bin/true"));
        Files.createSymbolicLink(folder.resolve("sacct"), Path.of("/usr/bin/sacct"));
        SlurmEngine late = SlurmLab.engine(SlurmJobs.programs(lab.settings(), folder));
        assertThat(late.look(List.of(handed))).containsEntry(handed, before);
        assertThat(late.used(List.of(handed))).containsEntry(handed, before.used());
    }

    /**
     * As where a server was killed right behind sbatch, somebody cancelled the job before it began, and the next server comes when the
     * queue has forgotten it.
     */
    @Test
    void handsOverNothingThatTheAccountsAloneKnow() throws IOException {
        SlurmEngine engine = SlurmLab.engine(SlurmJobs.in(lab.settings(), "big"));
        Handed holds = lab.next(lab.ada());
        engine.handOver(SlurmJobs.handover(holds, SlurmJobs.spec(4), SlurmJobs.shell("sleep 600"), null));
        lab.untilRuns(holds);
        Handed handed = lab.next(lab.ada());
        Handover handover = SlurmJobs.handover(handed, SlurmJobs.spec(1), SlurmJobs.shell("true"), null);
        engine.handOver(handover);
        assertThat(lab.cluster().ask("scancel", "--name=" + handed.name())).isEmpty();
        Files.delete(lab.directory(handed).resolve("handed"));
        Path folder = Files.createDirectory(lab.cluster().shared().resolve("late"));
        Files.createSymbolicLink(folder.resolve("sbatch"), Path.of("/usr/bin/sbatch"));
        Files.createSymbolicLink(folder.resolve("squeue"), Path.of("/bin/true"));
        Path accounts = Files.createSymbolicLink(folder.resolve("sacct"), Path.of("/bin/false"));
        SlurmEngine late = SlurmLab.engine(SlurmJobs.programs(lab.settings(), folder));

        assertThatThrownBy(() -> late.handOver(handover))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.kind()).isEqualTo(Kind.UNREACHABLE))
                .hasMessageContaining("they alone know whether it was handed over before");
        Files.delete(accounts);
        Files.createSymbolicLink(accounts, Path.of("/usr/bin/sacct"));
        while (!(late.look(List.of(handed)).get(handed) instanceof Over)) {
            SlurmCluster.pause();
        }
        late.handOver(handover);
        assertThat(lab.of(handed).lines()).as("jobs").hasSize(1);
    }

    @Test
    void saysWhatSlurmDoesNotTake() {
        assertRefused(lab.engine(), SlurmJobs.spec(5), "no node can ever have what the job asks for at once");
        assertRefused(lab.engine(), SlurmJobs.ofType(1, "a100"), "no node can ever have what the job asks for at once");
        assertRefused(lab.engine(), SlurmJobs.ofType(1, "a 1"), "a word of letters");
        assertRefused(SlurmLab.engine(SlurmJobs.in(lab.settings(), "nosuch")), SlurmJobs.spec(0), "sinfo -h -o %R");
    }

    @Test
    void saysThatAUserHasNoAccount() throws IOException {
        Path configuration = Path.of(lab.cluster().configuration());
        String before = Files.readString(configuration);
        restartController(configuration, before + "AccountingStorageEnforce=associations\n");
        try {
            assertRefused(
                    lab.engine(),
                    SlurmJobs.spec(0),
                    "Slurm does not know the account, or not for this user and partition");
            lab.cluster()
                    .ask(
                            "sacctmgr",
                            "--immediate",
                            "add",
                            "user",
                            lab.ada().submitter().name(),
                            "account=default");
            assertThat(lab.over(lab.run("true")).end()).isEqualTo(new Exited(0, false));
        } finally {
            restartController(configuration, before);
            lab.untilNodesAreUp();
        }
    }

    private void restartController(Path file, String configuration) throws IOException {
        Files.writeString(file, configuration);
        lab.cluster().script("controller", "kill");
        lab.cluster().script("controller", "start");
    }

    private void assertRefused(SlurmEngine by, JobSpec spec, String sentence) {
        Handed handed = lab.next(lab.ada());
        assertThatThrownBy(() -> by.handOver(SlurmJobs.handover(handed, spec, SlurmJobs.shell("true"), null)))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.kind()).isEqualTo(Kind.REFUSED))
                .hasMessageContaining(sentence);
    }
}
