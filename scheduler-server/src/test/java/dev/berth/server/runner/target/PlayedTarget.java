package dev.berth.server.runner.target;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.Place.AtTarget;
import dev.berth.core.job.Place.InContainer;
import dev.berth.core.machine.JobEvent;
import dev.berth.server.code.SnapshotArchive;
import dev.berth.server.code.SnapshotStore;
import dev.berth.server.code.UploadLimits;
import dev.berth.server.code.Workspaces;
import dev.berth.server.example.Jobs;
import dev.berth.server.log.LogStore;
import dev.berth.server.runner.target.Targets.Target;
import dev.berth.server.store.StoredMachineUsage;
import dev.berth.server.time.Clocks;
import dev.berth.server.upkeep.BackgroundWork;
import dev.berth.server.upkeep.ManualTasks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A runner of targets in a directory, of which there is one, {@code cluster}, with a played engine.
 *
 * @param told the news that it has told
 * @param accounts what jobs have used, as it has told
 * @param stored the jobs of its server
 * @param now the time
 */
record PlayedTarget(
        Path directory,
        PlayedEngine engine,
        ManualTasks tasks,
        List<JobEvent> told,
        List<StoredMachineUsage> accounts,
        Map<JobId, Job> stored,
        Workspaces workspaces,
        LogStore logs,
        AtomicReference<Instant> now,
        TargetRunner runner) {
    /** The spec of a job of this target. */
    static final JobSpec SPEC = Jobs.with(Jobs.spec(0), new AtTarget("cluster", InContainer.of("", AtTarget.NODE)));

    static PlayedTarget in(Path directory) throws IOException {
        return with(directory, new PlayedEngine(), new TreeMap<>());
    }

    /** The next server's, which knows nothing but what is kept. */
    PlayedTarget restarted() throws IOException {
        return with(directory, engine, stored);
    }

    private static PlayedTarget with(Path directory, PlayedEngine engine, Map<JobId, Job> stored) throws IOException {
        AtomicReference<Instant> now = new AtomicReference<>(Jobs.SUBMITTED);
        SnapshotStore snapshots = new SnapshotStore(
                Files.createDirectories(directory.resolve("snapshots")), UploadLimits.DEFAULT, now::get);
        Workspaces workspaces = new Workspaces(Files.createDirectories(directory.resolve("jobs")), snapshots, false);
        Clocks clocks = Clocks.neverSet(now::get);
        LogStore logs = new LogStore(workspaces::of, clocks);
        List<JobEvent> told = new CopyOnWriteArrayList<>();
        List<StoredMachineUsage> accounts = new CopyOnWriteArrayList<>();
        ManualTasks tasks = new ManualTasks();
        TargetParts parts = new TargetParts(
                new HandoverMarks(
                        directory.resolve("handovers"), attempt -> "berth-s-" + attempt.job() + "-" + attempt.number()),
                id -> Optional.ofNullable(stored.get(id)),
                _ -> Optional.of(Jobs.PROGRAM),
                workspaces,
                new SnapshotArchive(snapshots),
                logs,
                (_, event) -> told.add(event),
                accounts::add,
                clocks);
        Targets targets = new Targets(new TreeMap<>(
                Map.of("cluster", new Target(new TargetSettings("cluster", 10, List.of()), engine))));
        return new PlayedTarget(
                directory,
                engine,
                tasks,
                told,
                accounts,
                stored,
                workspaces,
                logs,
                now,
                new TargetRunner(targets, parts, new BackgroundWork(tasks, now::get), Duration.ofSeconds(10)));
    }

    /** Lets all looks happen that are due. */
    void look() {
        while (tasks.next()) {
            // Until nothing is left to be done.
        }
    }

    /** Lets time pass. */
    void pass(Duration time) {
        now.updateAndGet(before -> before.plus(time));
    }

    /** Stores a job. */
    Job keep(Job job) {
        stored.put(job.id(), job);
        return job;
    }
}
