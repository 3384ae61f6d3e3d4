package dev.berth.server.runner.slurm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.job.JobSpec;
import dev.berth.server.runner.target.ArrayRefusedException;
import dev.berth.server.runner.target.Handed;
import dev.berth.server.runner.target.Handover;
import dev.berth.server.runner.target.Phase;
import dev.berth.server.runner.target.Phase.Alive;
import dev.berth.server.runner.target.Phase.End.ByEngine;
import dev.berth.server.runner.target.Phase.End.Exited;
import dev.berth.server.runner.target.Phase.Waiting;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** Tasks that go to a real Slurm as one of its arrays. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class SlurmArrayTest {
    private SlurmLab lab;

    @BeforeAll
    void startLab() {
        lab = SlurmLab.start("array");
    }

    @AfterAll
    void closeLab() {
        lab.close();
    }

    @AfterEach
    void emptyQueue() {
        lab.emptyQueue();
    }

    /** A task for each of these numbers, all with the name of the first. */
    private List<Handover> tasks(JobSpec spec, String line, int... numbers) {
        String name = lab.next(lab.ada()).name() + "-array";
        return Arrays.stream(numbers)
                .mapToObj(number -> {
                    Handed alone = lab.next(lab.ada());
                    Handed task = new Handed(alone.attempt(), name, number, alone.owner(), alone.since());
                    return SlurmJobs.handover(
                            task, spec, SlurmJobs.shell(line.formatted(number)), new NamedFiles(List.of("file")));
                })
                .toList();
    }

    private List<Handed> handed(List<Handover> tasks) {
        lab.engine().handOver(tasks);
        return tasks.stream().map(Handover::handed).toList();
    }

    @Test
    void eachTaskHasItsOwnProgramDirectoryAndEnd() {
        List<Handover> tasks =
                tasks(SlurmJobs.spec(0), "cat file; echo of %1$s > file; echo task %1$s; exit %1$s", 0, 2, 7);
        List<Handed> handed = handed(tasks);
        for (Handed one : handed) {
            assertThat(lab.over(one).end()).isEqualTo(new Exited(Objects.requireNonNull(one.task()), false));
            assertThat(lab.output(one)).isEqualTo("x\ntask " + one.task() + "\n");
        }
        assertThat(lab.cluster()
                        .ask(
                                "squeue",
                                "--noheader",
                                "--states=all",
                                "--name=" + handed.getFirst().name(),
                                "--format=%F")
                        .lines()
                        .distinct())
                .as("arrays")
                .hasSize(1);

        lab.engine().handOver(tasks);
        lab.engine().handOver(tasks.subList(1, 3));
        assertThat(lab.of(handed.getFirst()).lines()).as("jobs").hasSize(3);

        Path directory = lab.users(handed.getFirst()).resolve(handed.getFirst().name());
        lab.engine().discard(handed.get(1));
        assertThat(directory.resolve("2")).doesNotExist();
        assertThat(directory.resolve("0")).exists();
        lab.engine().discard(handed.get(0));
        lab.engine().discard(handed.get(2));
        assertThat(directory).doesNotExist();
    }

    @Test
    void whatIsAskedOfATaskIsAskedOfNoOther() {
        // The GPUs of one node, so that the third waits.
        List<Handed> handed = handed(tasks(SlurmJobs.spec(2), "echo ready; exec sleep 600", 1, 2, 3));
        lab.until(handed.get(0), Alive.class::isInstance);
        lab.until(handed.get(1), Alive.class::isInstance);
        lab.until(handed.get(2), Waiting.class::isInstance);
        lab.engine().hold(handed.get(2), true);
        lab.until(handed.get(2), phase -> phase instanceof Waiting waiting && waiting.isHeld());
        lab.engine().cancel(handed.get(0), Duration.ZERO);
        assertThat(lab.over(handed.get(0)).end()).isInstanceOf(ByEngine.class);
        assertThat(lab.engine().look(handed).get(handed.get(1))).isInstanceOf(Alive.class);
        assertThat(lab.engine().look(handed).get(handed.get(2)))
                .isInstanceOfSatisfying(
                        Waiting.class, waiting -> assertThat(waiting.isHeld()).isTrue());
        lab.engine().hold(handed.get(2), false);
        Phase third = lab.until(handed.get(2), Alive.class::isInstance);
        assertThat(((Alive) third).id()).endsWith("_3");
    }

    /** As where the rest of a hand-over that was broken off comes later. */
    @Test
    void ofTasksThatAreThereInPartTheOthersAreHandedOver() throws Exception {
        List<Handover> tasks = tasks(SlurmJobs.spec(0), "echo task %1$s", 0, 1, 2, 3);
        lab.engine().handOver(tasks.subList(0, 2));
        Files.delete(lab.directory(tasks.get(1).handed()).resolve("handed"));
        lab.engine().handOver(tasks.subList(1, 3));
        lab.engine().handOver(tasks);
        for (Handover task : tasks) {
            assertThat(lab.over(task.handed()).end()).isEqualTo(new Exited(0, false));
            assertThat(lab.output(task.handed()))
                    .isEqualTo("task " + task.handed().task() + "\n");
        }
        assertThat(lab.of(tasks.getFirst().handed()).lines()).as("jobs").hasSize(4);
    }

    @Test
    void whatSlurmDoesNotTakeAsAnArrayIsSaidToBeThat() {
        // slurm.conf, "MaxArraySize": 1001 unless set.
        List<Handover> tasks = tasks(SlurmJobs.spec(0), "true", 1, 5_000);
        List<Handed> handed = tasks.stream().map(Handover::handed).toList();
        assertThatThrownBy(() -> lab.engine().handOver(tasks))
                .isInstanceOf(ArrayRefusedException.class)
                .hasMessageContaining("Invalid job array specification");
        handed.forEach(lab.engine()::discard);
        assertThat(lab.users(handed.getFirst()).resolve(handed.getFirst().name()))
                .doesNotExist();
    }

    @Test
    void anArrayThatIsThereButNotToldIsFound() throws Exception {
        List<Handover> tasks = tasks(SlurmJobs.spec(2), "exec sleep 600", 0, 1);
        List<Handed> handed = handed(tasks);
        // As where the script was killed behind sbatch.
        for (Handed one : handed) {
            Files.delete(lab.directory(one).resolve("handed"));
        }
        lab.engine().handOver(tasks);
        assertThat(lab.cluster()
                        .ask(
                                "squeue",
                                "--noheader",
                                "--array",
                                "--name=" + handed.getFirst().name(),
                                "--format=%i")
                        .lines())
                .hasSize(2);
    }
}
