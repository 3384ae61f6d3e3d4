package dev.berth.server.runner.slurm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Program;
import dev.berth.server.runner.target.Handed;
import dev.berth.server.runner.target.KeptOutput;
import dev.berth.server.runner.target.Phase.End.Exited;
import dev.berth.server.runner.target.Snapshot;
import dev.berth.server.runner.target.TargetEngine.Reading.Stream;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** What a program has at a real cluster, and what comes back of it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(180)
class SlurmProgramTest {
    private SlurmLab lab;

    @BeforeAll
    void startLab() {
        lab = SlurmLab.start("program");
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
    void givesAJobItsGpusAndAnotherNone() {
        String shown = "echo \"[$CUDA_VISIBLE_DEVICES] [$NVIDIA_VISIBLE_DEVICES] ${CUDA_VISIBLE_DEVICES+set}\"";
        Program greedy = new Program(List.of("sh", "-c", shown), Map.of("CUDA_VISIBLE_DEVICES", "0,1,2,3"));
        Handed without = lab.submit(SlurmJobs.spec(0), greedy);
        Handed with = lab.submit(SlurmJobs.ofType(2, "fake"), greedy);
        lab.over(without);
        lab.over(with);
        assertThat(lab.output(without)).isEqualTo("[] [void] set\n");
        assertThat(lab.output(with)).isEqualTo("[0,1] [] set\n");
    }

    @Test
    void keepsArgumentsAndVariablesAsTheyAre() {
        String hostile = "a'b\"c\\ $HOME `id` $(id)\n#SBATCH --gres=gpu:2\n; exit 1 %j ü";
        Program program = new Program(
                List.of("sh", "-c", "printf '%s|%s' \"$HOSTILE\" \"$1\"", "-", hostile), Map.of("HOSTILE", hostile));
        Handed handed = lab.submit(SlurmJobs.spec(0), program);
        assertThat(lab.over(handed).end()).isEqualTo(new Exited(0, false));
        assertThat(lab.output(handed)).isEqualTo(hostile + "|" + hostile);
        assertThat(lab.cluster().ask("scontrol", "show", "job", lab.of(handed).strip()))
                .doesNotContain("HOSTILE");
    }

    @Test
    void startsInTheSnapshotWhateverItsFilesAreCalled() {
        Snapshot snapshot = new NamedFiles(List.of("-rf", "a b'c\nd", "$(id)/%j", "main.py"));
        Handed handed = lab.submit(
                SlurmJobs.spec(0),
                SlurmJobs.shell("find . -type f -print0 | sort -z | tr '\\0' '|'; stat -c %a main.py;"
                        + " ls -d \"$BERTH_OUTPUT_DIR\" > /dev/null && echo dir; id -un; readlink out"),
                snapshot);
        lab.over(handed);
        assertThat(lab.output(handed))
                .isEqualTo("./$(id)/%j|./-rf|./a b'c\nd|./main.py|755\ndir\n"
                        + lab.ada().submitter().name() + "\n/etc/passwd\n");
    }

    @Test
    void collectsLargeOutputInParts() {
        Handed handed = lab.run("head -c 5000000 /dev/zero | tr '\\0' x");
        lab.over(handed);
        KeptOutput reading = KeptOutput.of(handed);
        assertThat(lab.engine().collect(List.of(reading))).isTrue();
        assertThat(reading.known(Stream.OUTPUT)).isBetween(1L, 2_000_000L);
        assertThat(lab.collected(handed).known(Stream.OUTPUT)).isEqualTo(5_000_000);
    }

    @Test
    void runsTheOperatorsOwnLauncher() {
        SlurmEngine own = SlurmLab.engine(SlurmJobs.with(
                lab.settings(),
                new SlurmSettings.Launcher(SlurmSettings.Container.NONE, "echo \"$BERTH_IMAGE\"; exec \"$@\"")));
        Handed handed = lab.next(lab.ada());
        own.handOver(SlurmJobs.handover(handed, SlurmJobs.spec(0), SlurmJobs.shell("echo in"), null));
        lab.over(handed);
        assertThat(lab.output(handed)).isEqualTo("python:3.13\nin\n");
    }
}
