package dev.berth.server.runner.docker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.ImageState;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.Mount;
import dev.berth.core.job.Place.InContainer;
import dev.berth.core.job.PullPolicy;
import dev.berth.core.machine.Effect.CreateRun;
import dev.berth.core.machine.Effect.StartRun;
import dev.berth.core.machine.JobEvent;
import dev.berth.core.machine.JobEvent.LaunchRefused;
import dev.berth.core.machine.JobEvent.RunCreated;
import dev.berth.core.machine.JobEvent.RunStarted;
import dev.berth.core.machine.JobEvent.StartLost;
import dev.berth.server.code.SnapshotStore;
import dev.berth.server.code.UploadLimits;
import dev.berth.server.code.Workspaces;
import dev.berth.server.config.Settings;
import dev.berth.server.example.Jobs;
import dev.berth.server.gpu.occupy.GpuGate;
import dev.berth.server.log.LogStore;
import dev.berth.server.mount.Granted;
import dev.berth.server.mount.MountRules;
import dev.berth.server.mount.Mounts;
import dev.berth.server.runner.EffectRunner;
import dev.berth.server.time.Clocks;
import dev.berth.server.upkeep.AtOnce;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Starts of jobs with mounts, by a server that runs as root: run as root. */
class MountedStartTest {
    @TempDir
    private Path directory;

    private final List<JobEvent> told = new ArrayList<>();
    private final List<String> seen = new ArrayList<>();
    private final FakeContainerEngine engine = new FakeContainerEngine(
                    InstantSource.system(),
                    (_, plan) -> seen.add(note(plan.mounts().getLast())))
            .withImage("image");
    private final MountRules rules = new MountRules(Settings.of(), Path.of("/nowhere"), List.of());
    private ContainerPlans plans;
    private Workspaces workspaces;
    private EffectRunner effects;
    private Path table;
    private Path data;

    @BeforeEach
    void open() throws IOException {
        data = Files.createDirectory(directory.resolve("data"));
        Files.writeString(data.resolve("note"), "mine");
        table = Path.of("/run/berth-mounts-test-" + UUID.randomUUID());
        SnapshotStore snapshots = new SnapshotStore(
                Files.createDirectory(directory.resolve("snapshots")), UploadLimits.DEFAULT, InstantSource.system());
        workspaces = new Workspaces(Files.createDirectory(directory.resolve("jobs")), snapshots, true);
        plans = new ContainerPlans(new ContainerNames("harbour1"), workspaces, GpuHandover.BY_RUNTIME, 1L << 26);
        effects = effects(Mounts.asRoot(rules, table));
    }

    private EffectRunner effects(Mounts mounts) {
        InstantSource clock = InstantSource.system();
        ContainerParts parts = new ContainerParts(
                plans,
                workspaces,
                mounts,
                new LogStore(workspaces::of, Clocks.neverSet(clock)),
                _ -> Optional.of(Jobs.PROGRAM),
                _ -> List.of(),
                GpuGate.OPEN,
                StartCheck.NONE,
                Duration.ZERO,
                Clocks.neverSet(clock));
        return ContainerEffects.on(engine, parts, new AtOnce(), (_, event) -> told.add(event));
    }

    private static String note(ContainerPlan.Mount mount) {
        try {
            return mount.source().resolve("note") + " "
                    + Files.readString(mount.source().resolve("note"));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static CreateRun creation(Path source) {
        return creation(source, "/data");
    }

    private static CreateRun creation(Path source, String target) {
        Mount mount = new Mount(source.toString(), target, false);
        JobSpec spec = Jobs.with(
                Jobs.spec(0), new InContainer("", "image", PullPolicy.MISSING, null, null, "none", List.of(mount)));
        Job job = Jobs.job(7, spec, Jobs.ROOT, new Queued(1, new ImageState.Ready("id-of-image")));
        return new CreateRun(job, "id-of-image", Allocation.NONE);
    }

    /** Both halves, as the loop owes them. */
    private void launch(EffectRunner runner, CreateRun creation) {
        runner.accept(List.of(creation));
        if (told.contains(new RunCreated(creation.attempt().number(), Jobs.ENGINE))) {
            runner.accept(List.of(new StartRun(creation.launch(), Jobs.ENGINE)));
        }
    }

    @Test
    void theContainerStartsWithWhatWasGrantedAndNothingOfTheGrantStays() {
        launch(effects, creation(data));
        assertThat(told)
                .hasOnlyElementsOfTypes(RunCreated.class, RunStarted.class)
                .hasSize(2);
        assertThat(seen).containsExactly(table.resolve("berth-harbour1-7-1/0/note") + " mine");
        assertThat(engine.plan("berth-harbour1-7-1").mounts())
                .contains(new ContainerPlan.Mount(table.resolve("berth-harbour1-7-1/0"), "/data", false));
        assertThat(table).doesNotExist();
    }

    @Test
    void aSourceThatIsGoneByTheStartRefusesIt() {
        launch(effects, creation(data.resolve("gone")));
        assertThat(told)
                .containsExactly(new LaunchRefused(
                        1,
                        "the mount of " + data.resolve("gone")
                                + ": it is not there; a source that is missing is not made, so make it first"));
        assertThat(engine.all()).isEmpty();
        assertThat(table).doesNotExist();
    }

    /** A refusal would free GPUs on which the program runs. */
    @Test
    void aSourceThatIsGoneAfterTheEngineForgotTheStartDoesNotHideThatItMayHaveBegun() throws IOException {
        CreateRun creation = creation(data);
        launch(effects, creation);
        engine.forgetStart("berth-harbour1-7-1");
        engine.beginRun();
        Files.move(data, directory.resolve("elsewhere"));
        effects(Mounts.asRoot(rules, table)).accept(List.of(new StartRun(creation.launch(), Jobs.ENGINE)));
        assertThat(told).last().isEqualTo(new StartLost(1));
        assertThat(engine.running()).isEmpty();
    }

    @Test
    void aContainerThatAnEarlierServerCreatedFindsItsMountsAgain() {
        engine.create(plans.of(
                creation(data),
                Jobs.PROGRAM,
                List.of(new Granted.Source(table.resolve("berth-harbour1-7-1/0"), "/elsewhere", false))));
        launch(effects, creation(data));
        assertThat(told)
                .hasOnlyElementsOfTypes(RunCreated.class, RunStarted.class)
                .hasSize(2);
        assertThat(seen).containsExactly(table.resolve("berth-harbour1-7-1/0/note") + " mine");
    }

    @Test
    void aContainerThatWasCreatedIsRemovedWhereItsMountsAreRefusedNow() {
        engine.create(plans.of(creation(data.resolve("gone")), Jobs.PROGRAM, List.of()));
        launch(effects, creation(data.resolve("gone")));
        assertThat(told).last().isInstanceOf(LaunchRefused.class);
        assertThat(engine.all()).isEmpty();
    }

    @Test
    void aJobWithoutADirectoryHasAnEmptyWorkspace() {
        launch(effects, creation(data));
        assertThat(directory.resolve("runs/7.1/workspace")).isEmptyDirectory();
    }

    @ParameterizedTest
    @CsvSource({
        "/workspace/a/b,runs/7.1/workspace/a/b",
        "/output/c,users/0/output/7/c",
        "/checkpoint/d,users/0/checkpoint/7/d",
        "/root/.cache,runs/7.1/home/.cache"
    })
    void aUsersOwnServerMakesThePlacesWithinTheJobsDirectories(String target, String expected) {
        launch(effects(Mounts.asUser(rules)), creation(data, target));
        assertThat(told)
                .hasOnlyElementsOfTypes(RunCreated.class, RunStarted.class)
                .hasSize(2);
        assertThat(directory.resolve(expected)).isEmptyDirectory();
        assertThat(seen).containsExactly(data.resolve("note") + " mine");
    }

    @Test
    void rootsServerLeavesThemToTheEngine() {
        launch(effects, creation(data, "/workspace/a"));
        assertThat(directory.resolve("runs/7.1/workspace")).isEmptyDirectory();
    }
}
