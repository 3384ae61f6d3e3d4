package dev.berth.server.runner.docker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.ImageState;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState.Packed;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.JobState.Starting;
import dev.berth.core.job.Limits;
import dev.berth.core.job.Packing;
import dev.berth.core.job.Part;
import dev.berth.core.job.Place.InContainer;
import dev.berth.core.job.Program;
import dev.berth.core.job.TaskSet;
import dev.berth.core.job.Tasks;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Effect.CreateRun;
import dev.berth.core.machine.Effect.ReadPack;
import dev.berth.core.machine.Effect.ReleaseRun;
import dev.berth.core.machine.Effect.StartRun;
import dev.berth.core.machine.Effect.StopTask;
import dev.berth.core.machine.JobEvent;
import dev.berth.core.machine.JobEvent.RunExited;
import dev.berth.core.machine.JobEvent.RunGone;
import dev.berth.core.machine.JobEvent.RunStarted;
import dev.berth.core.machine.JobEvent.TasksTold;
import dev.berth.core.machine.JobEvent.TimeLimitReached;
import dev.berth.core.machine.RunnerKind;
import dev.berth.server.code.PackFiles;
import dev.berth.server.code.SnapshotStore;
import dev.berth.server.code.UploadLimits;
import dev.berth.server.code.Workspaces;
import dev.berth.server.config.Settings;
import dev.berth.server.example.Jobs;
import dev.berth.server.gpu.occupy.GpuGate;
import dev.berth.server.log.LogReader;
import dev.berth.server.log.LogStore;
import dev.berth.server.mount.MountRules;
import dev.berth.server.mount.Mounts;
import dev.berth.server.runner.EffectRunner;
import dev.berth.server.time.Clocks;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A pack from its launch to its release: the container is a fake, the script that runs its tasks is the real one. */
class PackLaunchTest {
    private static final JobId FIRST = new JobId(8);
    private static final JobId SECOND = new JobId(9);
    private static final JobId THIRD = new JobId(10);

    private record Told(JobId job, JobEvent event) {}

    @TempDir
    private Path directory;

    private final List<Told> told = new ArrayList<>();
    private final DueTasks due = new DueTasks();
    private final FakeContainerEngine engine =
            new FakeContainerEngine(InstantSource.system(), (_, _) -> {}).withImage("image");
    private Workspaces workspaces;
    private LogStore logs;
    private EffectRunner effects;
    private Limits limits = Limits.NONE;
    private int parallel = 1;

    /** Where programs are looked for first. */
    private Path programs = Path.of("/nowhere");

    private String program = "";
    private @Nullable Process script;

    @BeforeEach
    void open() throws IOException {
        InstantSource clock = InstantSource.system();
        SnapshotStore snapshots =
                new SnapshotStore(Files.createDirectory(directory.resolve("snapshots")), UploadLimits.DEFAULT, clock);
        workspaces = new Workspaces(Files.createDirectory(directory.resolve("jobs")), snapshots, false);
        logs = new LogStore(workspaces::of, Clocks.neverSet(clock));
        beginServer();
    }

    /** A server that finds what an earlier one has left. */
    private void beginServer() {
        ContainerPlans plans =
                new ContainerPlans(new ContainerNames("harbour1"), workspaces, GpuHandover.SIMULATED, 1L << 26);
        Mounts mounts = Mounts.asUser(new MountRules(Settings.of(), Path.of("/nowhere"), List.of()));
        due.forget();
        effects = ContainerEffects.on(
                engine,
                new ContainerParts(
                        plans,
                        workspaces,
                        mounts,
                        logs,
                        _ -> Optional.of(new Program(List.of("/bin/sh", "-c", program), Map.of())),
                        _ -> tasks(),
                        GpuGate.OPEN,
                        StartCheck.NONE,
                        Duration.ofSeconds(1),
                        Clocks.neverSet(InstantSource.system())),
                due,
                (job, event) -> told.add(new Told(job, event)));
    }

    @AfterEach
    void end() throws InterruptedException {
        if (script != null) {
            script.destroyForcibly().waitFor();
        }
    }

    private Job array() {
        Tasks tasks = new Tasks(TaskSet.parse("0-2"), 0, new Packing(3, parallel));
        return new Job(
                new JobId(7),
                Jobs.with(Jobs.with(Jobs.spec(0), InContainer.of("", "image")), limits)
                        .with(tasks),
                Jobs.ADA,
                Instant.EPOCH,
                new Queued(1, new ImageState.Ready("id-of-image")));
    }

    private List<Job> tasks() {
        return Stream.of(0, 1, 2)
                .map(index -> array().task(index).with(Packed.WAITING))
                .toList();
    }

    private Job pack() {
        return array().nextPack().with(new Starting(1, "id-of-image", Allocation.NONE, Jobs.ENGINE));
    }

    private Attempt attempt() {
        return Attempt.of(pack());
    }

    private PackFiles files() {
        return workspaces.pack(attempt());
    }

    private void launch() throws IOException {
        effects.accept(List.of(new CreateRun(pack(), "id-of-image", Allocation.NONE)));
        effects.accept(List.of(new StartRun(pack(), Jobs.ENGINE)));
        String name = "berth-harbour1-" + pack().id() + "-1";
        List<String> command = new ArrayList<>(engine.plan(name).command());
        command.replaceAll(
                word -> word.replace("/etc/berth-pack", files().directory().toString()));
        ProcessBuilder starting = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("script").toFile());
        starting.environment().merge("PATH", programs + ":", (path, own) -> own + path);
        script = starting.start();
    }

    private Process script() {
        return Objects.requireNonNull(script);
    }

    private void finish() throws InterruptedException {
        assertThat(script().waitFor(30, TimeUnit.SECONDS)).isTrue();
        effects.accept(List.of(new ReadPack(pack())));
        effects.accept(List.of(new ReleaseRun(pack())));
    }

    private void awaitTold(JobId task, Class<? extends JobEvent> event) throws InterruptedException {
        while (of(task).stream().noneMatch(event::isInstance)) {
            Thread.sleep(10);
            due.runDue();
        }
    }

    private List<JobEvent> of(JobId job) {
        return told.stream()
                .filter(one -> one.job().equals(job))
                .map(Told::event)
                .toList();
    }

    private String log(JobId task) throws IOException {
        ByteBuffer room = ByteBuffer.allocate(1 << 16);
        try (LogReader reader = logs.reader(task)) {
            reader.seek(0);
            while (reader.read(room) > 0) {}
        }
        return new String(room.array(), 0, room.position(), StandardCharsets.UTF_8);
    }

    @Test
    void eachTaskHasItsLogItsExitCodeAndItsVariables() throws Exception {
        program =
                "echo $BERTH_JOB_ID $SLURM_ARRAY_TASK_ID $BERTH_OUTPUT_DIR; echo 'it'\\''s' >&2; exit $BERTH_ARRAY_TASK";
        launch();
        finish();
        assertThat(script().exitValue()).isZero();
        for (Job task : tasks()) {
            int index = ((Part.Task) Objects.requireNonNull(task.part())).index();
            assertThat(of(task.id())).hasSize(2).first().isInstanceOf(RunStarted.class);
            assertThat(of(task.id()))
                    .last()
                    .isInstanceOfSatisfying(
                            RunExited.class, exit -> assertThat(exit.exitCode()).isEqualTo(index));
            assertThat(log(task.id())).isEqualTo("7_" + index + " " + index + " /output/" + index + "\nit's\n");
        }
        assertThat(of(pack().id())).last().isEqualTo(new TasksTold(1, true));
        assertThat(files().directory()).doesNotExist();
    }

    @Test
    void aNewServerGoesOnInEachLogWhereTheOneBeforeWasKilled() throws Exception {
        program = "echo one; while [ ! -e " + directory + "/go ]; do sleep 0.02; done; echo two";
        launch();
        awaitTold(FIRST, RunStarted.class);
        while (log(FIRST).isEmpty()) {
            due.runDue();
        }
        logs = new LogStore(workspaces::of, Clocks.neverSet(InstantSource.system()));
        beginServer();
        Files.createFile(directory.resolve("go"));
        finish();
        assertThat(log(FIRST)).isEqualTo("one\ntwo\n");
        assertThat(log(THIRD)).isEqualTo("one\ntwo\n");
    }

    @Test
    void aTaskThatIsToEndEndsAndOneThatHasNotBegunDoesNotBegin() throws Exception {
        program = "echo runs; exec sleep 60";
        launch();
        awaitTold(FIRST, RunStarted.class);
        effects.accept(List.of(new StopTask(RunnerKind.CONTAINER, attempt(), SECOND)));
        effects.accept(List.of(new StopTask(RunnerKind.CONTAINER, attempt(), THIRD)));
        effects.accept(List.of(new StopTask(RunnerKind.CONTAINER, attempt(), FIRST)));
        signal("CONT");
        finish();
        assertThat(of(FIRST))
                .last()
                .isInstanceOfSatisfying(
                        RunExited.class, exit -> assertThat(exit.exitCode()).isEqualTo(143));
        assertThat(of(SECOND)).containsExactly(new RunGone(1));
        assertThat(of(THIRD)).containsExactly(new RunGone(1));
        assertThat(log(SECOND)).isEmpty();
    }

    @Test
    void aTaskIsEndedAtItsTimeLimitAndTheNextOneHasItsOwn() throws Exception {
        limits = new Limits(Duration.ofSeconds(1), null);
        program = "trap '' TERM; if [ $BERTH_ARRAY_TASK = 1 ]; then exit 0; fi; sleep 60";
        parallel = 3;
        launch();
        finish();
        assertThat(of(FIRST).get(1)).isEqualTo(new TimeLimitReached(1));
        assertThat(of(FIRST)).last().isInstanceOf(RunExited.class);
        assertThat(of(SECOND))
                .last()
                .isInstanceOfSatisfying(
                        RunExited.class, exit -> assertThat(exit.exitCode()).isZero());
    }

    /** How those ended is told with the pack. */
    @Test
    void nothingIsToldOfTasksThatAreStoppedWithTheirPack() throws Exception {
        program = "exec sleep 60";
        parallel = 2;
        launch();
        awaitTold(SECOND, RunStarted.class);
        signal("TERM");
        finish();
        assertThat(of(FIRST)).hasSize(1);
        assertThat(of(SECOND)).hasSize(1);
        assertThat(of(THIRD)).isEmpty();
        assertThat(of(pack().id())).last().isEqualTo(new TasksTold(1, true));
    }

    /** Its session is not there yet, to which signals go. */
    @Test
    void aTaskThatJustBeginsIsStopped() throws Exception {
        programs = Files.createDirectory(directory.resolve("programs"));
        Path slow = Files.writeString(programs.resolve("setsid"), "#!/bin/sh\nsleep 1\nexec /usr/bin/setsid \"$@\"\n");
        Files.setPosixFilePermissions(slow, PosixFilePermissions.fromString("rwxr-xr-x"));
        program = "exec sleep 60";
        launch();
        awaitTold(FIRST, RunStarted.class);
        signal("TERM");
        finish();
        assertThat(of(SECOND)).isEmpty();
    }

    private void signal(String name) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("kill", "-s", name, Long.toString(script().pid()))
                        .start()
                        .waitFor())
                .isZero();
    }

    /** They are the submitter's. */
    @Test
    void filesThatAreNotWhatTheyShouldBeTellNothing() throws IOException {
        effects.accept(List.of(new CreateRun(pack(), "id-of-image", Allocation.NONE)));
        Path task = files().directory().resolve("8");
        Path secret = Files.writeString(directory.resolve("secret"), "exit 0\n");
        Files.delete(task.resolve("ended"));
        Files.createSymbolicLink(task.resolve("ended"), secret);
        Files.writeString(task.resolve("began"), "began\n");
        Files.writeString(files().directory().resolve("9/ended"), "exit 00000000000000000000000000000000007\n");
        Files.writeString(files().directory().resolve("10/ended"), "exit -1\n");
        effects.accept(List.of(new StartRun(pack(), Jobs.ENGINE)));
        due.runDue();
        effects.accept(List.of(new ReadPack(pack())));
        effects.accept(List.of(new ReleaseRun(pack())));
        assertThat(told.stream().map(Told::event)).noneMatch(RunExited.class::isInstance);
    }
}
