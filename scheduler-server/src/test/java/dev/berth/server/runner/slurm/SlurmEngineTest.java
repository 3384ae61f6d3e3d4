package dev.berth.server.runner.slurm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.DependencyKind;
import dev.berth.core.job.GpuRequest;
import dev.berth.core.job.GpuTraits;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.OutcomeReason;
import dev.berth.core.job.Resources;
import dev.berth.core.job.Signal;
import dev.berth.core.job.StateName;
import dev.berth.server.example.Jobs;
import dev.berth.server.runner.target.Handed;
import dev.berth.server.runner.target.Handover;
import dev.berth.server.runner.target.Handover.Needed;
import dev.berth.server.runner.target.KeptOutput;
import dev.berth.server.runner.target.Phase;
import dev.berth.server.runner.target.Phase.End.ByEngine;
import dev.berth.server.runner.target.Phase.End.Exited;
import dev.berth.server.runner.target.Phase.Over;
import dev.berth.server.runner.target.Phase.Waiting;
import dev.berth.server.runner.target.TargetEngine.Reading.Stream;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs at a real cluster, from the hand-over to their ends. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(180)
class SlurmEngineTest {
    private SlurmLab lab;

    @BeforeAll
    void startLab() {
        lab = SlurmLab.start("engine");
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
    void tellsHowAProgramEndedAndWhatItUsed() {
        Handed handed = lab.run("echo out; echo err >&2; echo '{\"metric\": 1}' >> \"$BERTH_TRACK\"; exit 7");
        Over over = lab.over(handed);
        assertThat(over.end()).isEqualTo(new Exited(7, false));
        assertThat(over.startedAt()).isNotNull().isBeforeOrEqualTo(over.endedAt());
        assertThat(over.endedAt()).isAfterOrEqualTo(handed.since().minusSeconds(2));
        KeptOutput reading = lab.collected(handed);
        assertThat(reading.text(Stream.OUTPUT)).isEqualTo("out\n");
        assertThat(reading.text(Stream.ERROR)).isEqualTo("err\n");
        assertThat(reading.text(Stream.TRACK)).isEqualTo("{\"metric\": 1}\n");
        assertThat(lab.until(handed, phase -> ((Over) phase).used() != null)).isInstanceOf(Over.class);
    }

    @Test
    void tellsTheSignalThatEndedAProgram() {
        assertThat(lab.over(lab.run("kill -9 $$")).end()).isEqualTo(new Exited(137, false));
    }

    /** The accounts alone would make 0, 9 and 127 of these. */
    @ParameterizedTest
    @ValueSource(ints = {128, 137, 255})
    void tellsACodeThatAccountsDoNotKeep(int code) {
        Handed handed = lab.run("exit " + code);
        Over over = (Over) lab.until(handed, phase -> phase instanceof Over it && it.used() != null);
        assertThat(over.end()).isEqualTo(new Exited(code, false));
    }

    @Test
    void sendsARunningProgramASignalAndLetsItTellItsEnd() {
        Handed handed = lab.run("trap 'echo heard; exit 9' USR1; echo ready; while :; do sleep 0.1; done");
        lab.untilWritten(handed, "ready");
        assertThat(lab.engine().signal(handed, Signal.USR1)).isTrue();
        assertThat(lab.over(handed).end()).isEqualTo(new Exited(9, false));
        assertThat(lab.output(handed)).isEqualTo("ready\nheard\n");
    }

    @Test
    void cancelsWhatRuns() {
        Handed handed = lab.run("trap 'echo asked; exit 3' TERM; echo ready; while :; do sleep 0.1; done");
        lab.untilWritten(handed, "ready");
        lab.engine().cancel(handed, Duration.ofSeconds(5));
        assertThat(lab.over(handed).end())
                .isInstanceOfSatisfying(
                        ByEngine.class, end -> assertThat(end.outcome().state()).isEqualTo(StateName.CANCELLED));
        assertThat(lab.output(handed)).isEqualTo("ready\nasked\n");
        lab.engine().cancel(handed, Duration.ofSeconds(5));
    }

    @Test
    void killsWhatDoesNotEnd() {
        Handed handed = lab.run("trap '' TERM; echo ready; while :; do sleep 0.1; done");
        lab.untilWritten(handed, "ready");
        lab.engine().cancel(handed, Duration.ofSeconds(5));
        assertThat(lab.over(handed).end()).isInstanceOf(ByEngine.class);
    }

    @Test
    void tellsThatSlurmEndedAProgramAtItsLimit() {
        SlurmEngine shortOne = SlurmLab.engine(SlurmJobs.in(lab.settings(), "short"));
        Handed handed = lab.next(lab.ada());
        shortOne.handOver(SlurmJobs.handover(handed, SlurmJobs.spec(0), SlurmJobs.shell("sleep 300"), null));
        assertThat(lab.over(handed).end()).isInstanceOfSatisfying(ByEngine.class, end -> {
            assertThat(end.outcome().reason()).isEqualTo(OutcomeReason.TIME_LIMIT);
            assertThat(end.outcome().sentence()).contains("at its time limit");
        });
    }

    @Test
    void asksSlurmForTheMinutesOfTheLimit() {
        Handed handed = lab.submit(SlurmJobs.limited(Duration.ofSeconds(61)), SlurmJobs.shell("true"));
        assertThat(lab.cluster().ask("squeue", "--noheader", "--states=all", "--name=" + handed.name(), "--format=%l"))
                .isEqualTo("2:00\n");
    }

    @Test
    void asksSlurmForCoresMemoryAndTheLabelsOfNodes() {
        JobSpec small = Jobs.with(
                SlurmJobs.spec(0),
                new Resources(GpuRequest.NONE, new GpuTraits(null, null, List.of()), 1_500, 300L << 20, 0));
        Handed handed = lab.submit(small, SlurmJobs.shell("true"));
        assertThat(lab.cluster()
                        .ask("squeue", "--noheader", "--states=all", "--name=" + handed.name(), "--format=%C %m"))
                .isEqualTo("2 300M\n");

        // No node of the cluster has such labels.
        JobSpec labelled = Jobs.with(
                SlurmJobs.spec(1),
                new Resources(
                        GpuRequest.whole(1), new GpuTraits(null, null, List.of("a100", "nvlink")), null, null, 0));
        Handover handover = SlurmJobs.handover(lab.next(lab.ada()), labelled, SlurmJobs.shell("true"), null);
        assertThat(new BatchScript(lab.settings(), List.of(handover), List.of()).command())
                .contains("--constraint=a100&nvlink");
    }

    @Test
    void chargesTheAccountOfTheTarget() {
        SlurmSettings settings = SlurmJobs.from(SlurmJobs.withQos(lab.settings(), "normal"), "physics");
        Handed handed = lab.next(lab.ada());
        SlurmLab.engine(settings)
                .handOver(SlurmJobs.handover(handed, SlurmJobs.spec(0), SlurmJobs.shell("sleep 60"), null));
        assertThat(lab.cluster().ask("scontrol", "show", "job", lab.of(handed).strip()))
                .contains("Account=physics", "QOS=normal");
    }

    /** What sbatch is called with is for sbatch; of variables it passes those of Slurm alone. */
    @Test
    void aProgramHasNoVariableOfTheCallThatHandsItOver() {
        Handed handed = lab.run("env");
        assertThat(lab.over(handed).end()).isEqualTo(new Exited(0, false));
        assertThat(lab.output(handed)).contains("BERTH_NAME=").doesNotContain("LC_ALL=", "\nTZ=");
    }

    @Test
    void aLimitMayBeThatOfThePartition() {
        SlurmEngine shortOne = SlurmLab.engine(SlurmJobs.in(lab.settings(), "short"));
        Handed handed = lab.next(lab.ada());
        shortOne.handOver(
                SlurmJobs.handover(handed, SlurmJobs.limited(Duration.ofMinutes(1)), SlurmJobs.shell("true"), null));
        assertThat(lab.over(handed).end()).isEqualTo(new Exited(0, false));
    }

    @Test
    void saysWhyAJobWaitsInTheOrderOfAPartition() {
        Handed first = lab.submit(SlurmJobs.spec(2), SlurmJobs.shell("sleep 60"));
        Handed second = lab.submit(SlurmJobs.spec(2), SlurmJobs.shell("sleep 60"));
        lab.untilRuns(second);
        Handed third = lab.submit(SlurmJobs.spec(2), SlurmJobs.shell("true"));
        Handed fourth = lab.submit(SlurmJobs.spec(0), SlurmJobs.shell("true"));
        assertThat(((Waiting) lab.until(third, phase -> words(phase).contains("Resources"))).isHeld())
                .isFalse();
        lab.until(fourth, phase -> words(phase).matches("Slurm waits for Priority \\(job \\d+, place unknown\\)"));
        lab.engine().cancel(first, Duration.ZERO);
        assertThat(lab.over(fourth).startedAt())
                .isAfterOrEqualTo(lab.over(third).startedAt());
    }

    private static String words(Phase phase) {
        return phase instanceof Waiting waiting ? waiting.words() : "";
    }

    private Handed after(DependencyKind kind, Handed other, String line) {
        Handover alone = SlurmJobs.handover(lab.next(lab.ada()), SlurmJobs.spec(0), SlurmJobs.shell(line), null);
        lab.engine()
                .handOver(new Handover(
                        alone.handed(),
                        alone.job(),
                        alone.program(),
                        alone.environment(),
                        null,
                        List.of(new Needed(kind, other)),
                        true));
        return alone.handed();
    }

    @Test
    void letsSlurmWaitForOtherJobs() {
        Handed first = lab.run("until [ -e go ]; do sleep 0.1; done; exit 3");
        lab.untilRuns(first);
        Handed failed = after(DependencyKind.AFTER_NOT_OK, first, "echo after failure");
        Handed ended = after(DependencyKind.AFTER_ANY, failed, "echo after any");
        Handed never = after(DependencyKind.AFTER_OK, first, "echo never");
        lab.until(
                never,
                phase -> phase instanceof Waiting waiting && waiting.words().contains("Dependency"));

        lab.touch(first, "go");
        assertThat(lab.over(ended).end()).isEqualTo(new Exited(0, false));
        assertThat(lab.output(failed)).isEqualTo("after failure\n");
        assertThat(lab.over(never).end()).isInstanceOfSatisfying(ByEngine.class, end -> {
            assertThat(end.outcome().reason()).isEqualTo(OutcomeReason.DEPENDENCY_FAILED);
            assertThat(end.outcome().sentence()).contains("what it waits for did not end as asked");
        });
        assertThat(lab.output(never)).isEmpty();
    }

    @Test
    void setsAJobAsideAndLetsItGoOn() {
        Handed blocking = lab.submit(SlurmJobs.spec(2), SlurmJobs.shell("sleep 60"));
        lab.submit(SlurmJobs.spec(2), SlurmJobs.shell("sleep 60"));
        lab.untilRuns(blocking);
        Handed handed = lab.submit(SlurmJobs.spec(1), SlurmJobs.shell("true"));
        lab.engine().hold(handed, true);
        Waiting held = (Waiting) lab.until(handed, phase -> phase instanceof Waiting waiting && waiting.isHeld());
        assertThat(held.words()).startsWith("Slurm waits for JobHeldUser: it is held (job ");
        lab.engine().hold(handed, false);
        lab.until(handed, phase -> phase instanceof Waiting waiting && !waiting.isHeld());
        lab.engine().cancel(blocking, Duration.ZERO);
        assertThat(lab.over(handed).end()).isEqualTo(new Exited(0, false));
        lab.engine().hold(handed, true);
    }
}
