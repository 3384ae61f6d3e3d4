package dev.berth.server.runner.target;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.Place.AtTarget;
import dev.berth.core.job.Place.InContainer;
import dev.berth.core.job.Program;
import dev.berth.core.machine.Attempt;
import dev.berth.server.code.SnapshotArchive;
import dev.berth.server.code.SnapshotStore;
import dev.berth.server.code.UploadLimits;
import dev.berth.server.code.Workspaces;
import dev.berth.server.example.Jobs;
import dev.berth.server.log.LogStore;
import dev.berth.server.runner.Notices;
import dev.berth.server.runner.target.Targets.Target;
import dev.berth.server.store.StoredMachineUsage;
import dev.berth.server.time.Clocks;
import dev.berth.server.upkeep.BackgroundWork;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * A server that hands jobs over to one target, {@code cluster}.
 *
 * @param directory its files; the next server finds there what this one has left
 * @param stored the jobs that it knows
 * @param program what each of them runs
 */
record TargetServer(Path directory, TargetEngine engine, Map<JobId, Job> stored, Program program, InstantSource clock) {
    private static final String TARGET = "cluster";

    /** The spec of a job of its target. */
    static JobSpec spec(String image) {
        return Jobs.with(Jobs.spec(0, null), new AtTarget(TARGET, InContainer.of("", image)));
    }

    /** What an attempt is called at the target. */
    static String name(Attempt attempt) {
        return "berth-s-" + attempt.job() + "-" + attempt.number();
    }

    TargetParts parts(Notices notices, Consumer<StoredMachineUsage> accounts) throws IOException {
        SnapshotStore snapshots =
                new SnapshotStore(Files.createDirectories(directory.resolve("snapshots")), UploadLimits.DEFAULT, clock);
        Workspaces workspaces = new Workspaces(Files.createDirectories(directory.resolve("jobs")), snapshots, false);
        Clocks clocks = Clocks.neverSet(clock);
        return new TargetParts(
                new HandoverMarks(directory.resolve("handovers"), TargetServer::name),
                id -> Optional.ofNullable(stored.get(id)),
                _ -> Optional.of(program),
                workspaces,
                new SnapshotArchive(snapshots),
                new LogStore(workspaces::of, clocks),
                notices,
                accounts,
                clocks);
    }

    TargetRunner runner(TargetParts parts, BackgroundWork background) {
        Targets targets = new Targets(new TreeMap<>(
                Map.of(TARGET, new Target(new TargetSettings(TARGET, 10, List.of()), engine))));
        return new TargetRunner(targets, parts, background, Duration.ofSeconds(10));
    }
}
