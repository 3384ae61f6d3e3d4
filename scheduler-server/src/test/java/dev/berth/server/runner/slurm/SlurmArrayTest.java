package dev.berth.server.runner.slurm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.job.JobSpec;
import dev.berth.core.job.Outcome;
import dev.berth.core.job.OutcomeReason;
import dev.berth.core.job.StateName;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.target.ArrayRefusedException;
import dev.berth.server.runner.target.Handed;
import dev.berth.server.runner.target.Handover;
import dev.berth.server.runner.target.Phase;
import dev.berth.server.runner.target.Phase.Alive;
import dev.berth.server.runner.target.Phase.End.ByEngine;
import dev.berth.server.runner.target.Phase.End.Exited;
import dev.berth.server.runner.target.Phase.Over;
import dev.berth.server.runner.target.Phase.Unknown;
import dev.berth.server.runner.target.Phase.Waiting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
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

    @Test
    void manyThatAreChangedAtTheSameTimeAreChangedTogether() throws Exception {
        List<Handed> handed = handed(tasks(
                SlurmJobs.spec(2),
                "sleep 600; test %1$s",
                IntStream.rangeClosed(1, 50).toArray()));
        lab.until(handed.getFirst(), Alive.class::isInstance);
        Path programs = countingPrograms();
        SlurmEngine engine = SlurmLab.engine(SlurmJobs.programs(lab.settings(), programs));
        List<Handed> waiting = handed.subList(10, 30);
        assertThat(engine.look(handed)).hasSize(50);
        assertThat(calls(programs, "squeue")).as("calls for a look").hasSize(1);
        assertThat(calls(programs, "sacct")).as("calls for a look").isEmpty();

        ofEach(waiting, one -> engine.hold(one, true));
        assertThat(engine.look(waiting).values())
                .allSatisfy(phase -> assertThat(phase)
                        .isInstanceOfSatisfying(
                                Waiting.class, it -> assertThat(it.isHeld()).isTrue()));
        ofEach(handed, one -> engine.cancel(one, Duration.ZERO));
        untilGone(handed);
        assertThat(calls(programs, "scontrol").size()
                        + calls(programs, "scancel").size())
                .as("calls for 70 changes")
                .isBetween(2, 20);

        Path directory = lab.users(handed.getFirst()).resolve(handed.getFirst().name());
        Path into = lab.users(handed.getFirst()).resolve("none");
        ofEach(handed, one -> {
            engine.fetch(one, into);
            engine.discard(one);
        });
        assertThat(directory).doesNotExist();
    }

    /** A job that Slurm is ending is none that it ends once more. */
    @Test
    void oneThatIsOverKeepsNobodyFromBeingChangedTogether() throws Exception {
        Handed stubborn = lab.run("trap '' TERM; echo ready; while :; do sleep 0.1; done");
        List<Handed> handed = new ArrayList<>(handed(tasks(
                SlurmJobs.spec(2),
                "sleep 600; test %1$s",
                IntStream.rangeClosed(1, 40).toArray())));
        lab.untilWritten(stubborn, "ready");
        Path programs = countingPrograms();
        SlurmEngine engine = SlurmLab.engine(SlurmJobs.programs(lab.settings(), programs));
        engine.cancel(stubborn, Duration.ZERO);
        assertThat(lab.cluster().ask("squeue", "--noheader", "--name=" + stubborn.name(), "--format=%T"))
                .isEqualTo("COMPLETING\n");
        handed.add(stubborn);
        ofEach(handed, one -> engine.cancel(one, Duration.ZERO));
        untilGone(handed);
        assertThat(calls(programs, "scancel")).as("calls for 42 cancels").hasSizeBetween(2, 15);
    }

    private static void ofEach(List<Handed> handed, Consumer<Handed> work) throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Future<?> one : handed.stream()
                    .map(one -> threads.submit(() -> work.accept(one)))
                    .toList()) {
                assertThat(one.get()).isNull();
            }
        }
    }

    private static List<String> calls(Path programs, String name) throws IOException {
        return Files.readAllLines(programs.resolve("calls")).stream()
                .filter(line -> line.startsWith(name))
                .toList();
    }

    /** Slurm's programs, which note each call in a file. */
    private Path countingPrograms() throws IOException {
        Path folder = Files.createTempDirectory(lab.cluster().shared(), "programs");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path calls = Files.createFile(folder.resolve("calls"));
        Files.setPosixFilePermissions(calls, PosixFilePermissions.fromString("rw-rw-rw-"));
        for (String name : List.of("scancel", "scontrol", "squeue", "sacct")) {
            Path program = Files.writeString(
                    folder.resolve(name),
                    "#!/bin/sh\necho \"%1$s $*\" >> %2$s\nexec /usr/bin/%1$s \"$@\"\n".formatted(name, calls));
            Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        return folder;
    }

    @Test
    void ofJobsThatAreChangedTogetherEachHasItsOwnEnd() throws Exception {
        List<Handed> handed = handed(tasks(SlurmJobs.spec(0), "exec sleep 600", 1, 2, 3));
        lab.until(handed.get(2), Alive.class::isInstance);
        lab.engine().cancel(handed.get(1), Duration.ZERO);
        untilGone(List.of(handed.get(1)));
        ofEach(handed, one -> lab.engine().cancel(one, Duration.ZERO));
        untilGone(handed);

        // What is root's cannot be removed, and keeps nobody else's back.
        Path roots = Files.createDirectory(lab.directory(handed.get(0)).resolve("outputs/roots"));
        Files.createFile(roots.resolve("file"));
        Map<Handed, String> failures = new ConcurrentHashMap<>();
        ofEach(handed, one -> {
            try {
                lab.engine().discard(one);
            } catch (EngineException e) {
                failures.put(one, e.sentence());
            }
        });
        assertThat(failures).containsOnlyKeys(handed.get(0));
        assertThat(failures.get(handed.get(0))).contains("roots/file");
        assertThat(lab.directory(handed.get(1))).doesNotExist();
        assertThat(lab.directory(handed.get(2))).doesNotExist();
    }

    @Test
    void ofATaskThatIsCancelledBeforeItStartsTheOthersTell() {
        List<Handed> handed = handed(tasks(SlurmJobs.spec(2), "exec sleep 600", 1, 2, 3, 4));
        lab.until(handed.get(1), Alive.class::isInstance);
        Waiting third = (Waiting) lab.until(handed.get(2), Waiting.class::isInstance);
        assertThat(lab.cluster().ask("scancel", third.id())).isEmpty();

        // The accounts are behind the queue by some moments.
        Unknown gone = (Unknown)
                lab.until(handed.get(2), phase -> phase instanceof Unknown unknown && unknown.outcome() != null);
        assertThat(gone.outcome())
                .isEqualTo(new Outcome(
                        StateName.CANCELLED,
                        OutcomeReason.CANCELLED_AT_TARGET,
                        "it was cancelled at Slurm before it started (a task of job "
                                + third.id().substring(0, third.id().indexOf('_')) + ")",
                        null));
        assertThat(lab.engine().look(handed).get(handed.get(3))).isInstanceOf(Waiting.class);
    }

    /** Slurm forgets tasks that never ran once they are cancelled. */
    private void untilGone(List<Handed> handed) {
        handed.forEach(one -> lab.until(one, phase -> phase instanceof Over || phase instanceof Unknown));
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
