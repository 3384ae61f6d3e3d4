package dev.berth.server.runner.docker;

import dev.berth.core.job.ImageState;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.Place.InContainer;
import dev.berth.core.job.Program;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Capacity;
import dev.berth.core.machine.Found.Condition;
import dev.berth.core.machine.Machine;
import dev.berth.server.code.SnapshotStore;
import dev.berth.server.code.UploadLimits;
import dev.berth.server.code.Workspaces;
import dev.berth.server.config.Settings;
import dev.berth.server.example.Jobs;
import dev.berth.server.gpu.SimulatedGpus;
import dev.berth.server.gpu.occupy.GpuGate;
import dev.berth.server.log.LogStore;
import dev.berth.server.mount.MountRules;
import dev.berth.server.mount.Mounts;
import dev.berth.server.runner.Notices;
import dev.berth.server.runner.Runner;
import dev.berth.server.runner.StartingRunnerContract;
import dev.berth.server.time.Clocks;
import dev.berth.server.upkeep.VirtualThreadTasks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;

/** The runner of containers, on whichever engine. */
abstract class ContainerRunnerContract extends StartingRunnerContract {
    private static final String RUNS_UNTIL_TOLD =
            "until test -s \"$BERTH_OUTPUT_DIR/code\"; do sleep 0.1; done; exit $(cat \"$BERTH_OUTPUT_DIR/code\")";

    @TempDir
    private Path directory;

    private final ContainerNames names =
            new ContainerNames("r" + UUID.randomUUID().toString().substring(0, 7));
    private final List<AutoCloseable> open = new ArrayList<>();
    private @Nullable Workspaces workspaces;
    private @Nullable ContainerEngine engine;

    abstract ContainerEngine connect();

    abstract String image();

    abstract void tellToExit(String container, int exitCode);

    @Override
    protected final Runner begin(Notices notices) throws IOException {
        Clocks clocks = Clocks.neverSet(InstantSource.system());
        ContainerEngine connection = connect();
        engine = connection;
        open.add(connection);
        Workspaces places = new Workspaces(
                Files.createDirectories(directory.resolve("jobs")),
                new SnapshotStore(
                        Files.createDirectories(directory.resolve("snapshots")),
                        UploadLimits.DEFAULT,
                        InstantSource.system()),
                false);
        workspaces = places;
        Machine idle = Machine.idle(new Capacity(SimulatedGpus.of(1), 1, 0), 0);
        open.addFirst(connection.watch(
                names.server(),
                new ContainerNews(connection, names.server(), notices, () -> idle, _ -> false, (_, _) -> {})));
        return new DockerRunner(
                connection,
                new ContainerParts(
                        new ContainerPlans(names, places, GpuHandover.SIMULATED, 1L << 26),
                        places,
                        Mounts.asUser(new MountRules(Settings.of(), Path.of("/nowhere"), List.of())),
                        new LogStore(places::of, clocks),
                        _ -> Optional.of(new Program(List.of("sh", "-c", RUNS_UNTIL_TOLD), Map.of())),
                        _ -> List.of(),
                        GpuGate.OPEN,
                        StartCheck.NONE,
                        Duration.ofSeconds(10),
                        clocks),
                notices,
                new VirtualThreadTasks());
    }

    @Override
    protected final void close() throws Exception {
        for (AutoCloseable it : open) {
            it.close();
        }
    }

    @Override
    protected final Job job() {
        JobSpec spec = Jobs.with(Jobs.spec(1), InContainer.of("", image()));
        return Jobs.job(7, spec, Jobs.ROOT, new Queued(1, new ImageState.Pending()));
    }

    @Override
    protected final String imageId() {
        try (ContainerEngine looked = connect()) {
            return looked.findImage(image()).orElseThrow();
        }
    }

    @Override
    protected final void made(Job job) {
        // The runner starts it.
    }

    @Override
    protected final void exit(Job job, int exitCode) throws IOException {
        Files.writeString(Objects.requireNonNull(workspaces).output(job).resolve("code"), Integer.toString(exitCode));
        tellToExit(names.of(Attempt.of(job)), exitCode);
    }

    @Override
    protected final boolean isAlive(Job job) {
        return Objects.requireNonNull(engine).inspect(names.of(Attempt.of(job))).orElse(null)
                instanceof Condition.Alive;
    }
}
