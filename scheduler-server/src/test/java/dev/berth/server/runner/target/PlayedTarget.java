package dev.berth.server.runner.target;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.Place.AtTarget;
import dev.berth.core.job.Place.InContainer;
import dev.berth.core.machine.JobEvent;
import dev.berth.server.code.Workspaces;
import dev.berth.server.example.Jobs;
import dev.berth.server.log.LogStore;
import dev.berth.server.store.StoredMachineUsage;
import dev.berth.server.upkeep.BackgroundWork;
import dev.berth.server.upkeep.ManualTasks;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
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
        List<JobEvent> told = new CopyOnWriteArrayList<>();
        List<StoredMachineUsage> accounts = new CopyOnWriteArrayList<>();
        ManualTasks tasks = new ManualTasks();
        TargetServer server = new TargetServer(directory, engine, stored, Jobs.PROGRAM, now::get);
        TargetParts parts = server.parts((_, event) -> told.add(event), accounts::add);
        return new PlayedTarget(
                directory,
                engine,
                tasks,
                told,
                accounts,
                stored,
                parts.workspaces(),
                parts.logs(),
                now,
                server.runner(parts, new BackgroundWork(tasks, now::get)));
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
