package dev.berth.server;

import dev.berth.core.machine.Capacity;
import dev.berth.server.cgroup.LeaseCgroups;
import dev.berth.server.code.SnapshotLimits;
import dev.berth.server.code.SnapshotStore;
import dev.berth.server.code.Workspaces;
import dev.berth.server.config.Keys;
import dev.berth.server.config.Settings;
import dev.berth.server.container.ContainerEngine;
import dev.berth.server.container.ContainerNames;
import dev.berth.server.container.ContainerPlans;
import dev.berth.server.container.CudaCheck;
import dev.berth.server.container.EffectParts;
import dev.berth.server.container.EffectRunner;
import dev.berth.server.container.EngineFacts;
import dev.berth.server.container.GpuHandover;
import dev.berth.server.container.Tasks;
import dev.berth.server.container.TestStarts;
import dev.berth.server.container.VirtualThreadTasks;
import dev.berth.server.gpu.GpuReader;
import dev.berth.server.http.submit.SubmitParts;
import dev.berth.server.lease.HostProcesses;
import dev.berth.server.lease.LeaseParts;
import dev.berth.server.log.LogStore;
import dev.berth.server.loop.Remains.Boot;
import dev.berth.server.loop.Scheduling;
import dev.berth.server.loop.SchedulingLoop;
import dev.berth.server.mount.MountRules;
import dev.berth.server.mount.Mounts;
import dev.berth.server.store.Backups;
import dev.berth.server.store.JobQueries;
import dev.berth.server.store.JobStore;
import dev.berth.server.time.Clocks;
import dev.berth.server.time.SteadyClock;
import dev.berth.server.usage.GpuUsage;
import dev.berth.server.usage.MadeUpReadings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The rooms of a server, connected; nothing runs yet. */
record Rooms(
        JobStore store,
        JobQueries queries,
        Backups backups,
        SnapshotStore snapshots,
        Workspaces workspaces,
        LogStore logs,
        SubmitParts submits,
        ContainerNames names,
        Scheduling scheduling,
        Occupancy occupancy,
        EffectRunner effects,
        HostProcesses hosts,
        SchedulingLoop loop,
        GpuUsage usage,
        Clocks clock)
        implements AutoCloseable {
    private static final Path PROCESSES = Path.of("/proc");
    private static final long MIN_SHM_BYTES = 64L << 20;
    private static final int SERVER_ID_LENGTH = 8;

    /** Gone at a reboot, and away from what people delete. */
    private static final String MOUNT_TABLE = "/run/berth-mounts-";

    static Rooms of(BerthServer.Parts parts, Capacity capacity, GpuHandover handover, @Nullable Boot boot) {
        DataDirectory data = parts.data();
        ContainerEngine engine = parts.engine();
        Settings settings = parts.settings();
        EngineFacts facts = engine.facts();
        JobStore store = new JobStore(data.database());
        Clocks clock = new Clocks(parts.clock(), steady(store, parts, boot));
        JobQueries queries = new JobQueries(data.database(), parts.fatal()::accept);
        Backups backups = Backups.beside(data.database(), parts.fatal()::accept);
        ContainerNames names = new ContainerNames(store.serverId(Rooms::freshId));
        SnapshotStore snapshots = new SnapshotStore(data.snapshots(), limits(settings), parts.clock());
        Workspaces workspaces = new Workspaces(data.jobs(), snapshots, data.ownerUid() == 0);
        takeOver(workspaces);
        LogStore logs = new LogStore(
                workspaces::of, clock, settings.get(Keys.LOG_MAX_BYTES).bytes());
        ContainerPlans plans = new ContainerPlans(names, workspaces, handover, shmBytes(facts, capacity));
        Mounts mounts = mounts(data, facts, settings, names);
        Scheduling scheduling = Scheduling.of(capacity, store, Scheduling.MAX_REQUESTS);
        Tasks tasks = new VirtualThreadTasks();
        HostProcesses hosts = new HostProcesses(new LeaseParts(
                names.server(),
                PROCESSES,
                LeaseCgroups.ofThisMachine(names.server(), data.ownerUid(), PROCESSES),
                scheduling::tell,
                scheduling.changes()::raise,
                tasks,
                settings.get(Keys.STOP_GRACE),
                clock));
        Occupancy occupancy = Occupancy.isWanted(settings, parts.gpus())
                ? Occupancy.of(
                        new Occupancy.Parts(
                                parts.gpus(),
                                engine,
                                names,
                                tasks,
                                clock,
                                scheduling,
                                List.of(new LeasedProcesses(hosts, scheduling::machine))),
                        settings)
                : Occupancy.none();
        TestStarts starts = new TestStarts(engine, handover, names, settings.get(Keys.JOB_IMAGE), clock.steady());
        starts.remove();
        EffectRunner effects = new EffectRunner(
                engine,
                new EffectParts(
                        plans,
                        workspaces,
                        mounts,
                        logs,
                        queries::program,
                        occupancy.gate(),
                        starts,
                        settings.get(Keys.STOP_GRACE),
                        settings.get(Keys.ORPHAN_GRACE),
                        clock),
                tasks,
                scheduling::tell,
                occupancy.cleaning(),
                hosts);
        SchedulingLoop loop = new SchedulingLoop(scheduling, store, effects::accept, clock);
        SubmitParts submits =
                new SubmitParts(settings, facts, mounts, plans, engine, new CudaCheck(engine, handover.driver()));
        GpuUsage usage = usage(parts, queries, scheduling, occupancy, clock);
        return new Rooms(
                store,
                queries,
                backups,
                snapshots,
                workspaces,
                logs,
                submits,
                names,
                scheduling,
                occupancy,
                effects,
                hosts,
                loop,
                usage,
                clock);
    }

    /** What an earlier server of the same start of the machine counted by goes on. */
    private static InstantSource steady(JobStore store, BerthServer.Parts parts, @Nullable Boot boot) {
        if (boot != null
                && store.boot().equals(Optional.of(boot.id()))
                && store.steadyZero().isPresent()) {
            return new SteadyClock(store.steadyZero().get(), parts.nanos());
        }
        SteadyClock fresh = SteadyClock.showing(parts.clock().instant(), parts.nanos());
        store.keepSteadyZero(fresh.zero());
        return fresh;
    }

    private static GpuUsage usage(
            BerthServer.Parts parts, JobQueries queries, Scheduling scheduling, Occupancy occupancy, Clocks clock) {
        Settings settings = parts.settings();
        GpuReader reader = parts.gpus().reader();
        return GpuUsage.of(
                new GpuUsage.Parts(
                        scheduling::machine,
                        settings.simulatesGpus() ? new MadeUpReadings(scheduling::machine)::read : reader::sample,
                        occupancy.who(),
                        queries,
                        scheduling::write,
                        scheduling::tell,
                        clock),
                settings.unlessOff(Keys.GPU_SAMPLE_EVERY),
                settings.unlessOff(Keys.GPU_IDLE_WARNING),
                occupancy.listeners());
    }

    /** Closes the database: its readers first, so that the writer is the last to leave. To be called where no loop runs. */
    @Override
    public void close() {
        occupancy.close();
        queries.close();
        store.close();
    }

    private static void takeOver(Workspaces workspaces) {
        try {
            workspaces.takeOver();
        } catch (IOException e) {
            throw StartException.failed("the outputs of jobs cannot be brought into their places: " + e.getMessage());
        }
    }

    private static Mounts mounts(DataDirectory data, EngineFacts engine, Settings settings, ContainerNames names) {
        boolean root = data.ownerUid() == 0;
        // A user's own server is worth no more than that user, to whom the data directory belongs anyway.
        List<Path> closed = root ? List.of(real(data.path()), real(engine.directory())) : List.of();
        MountRules rules = new MountRules(settings, real(engine.socket()), closed);
        return root ? Mounts.asRoot(rules, Path.of(MOUNT_TABLE + names.server())) : Mounts.asUser(rules);
    }

    /** Without links, where it is there. */
    private static Path real(Path path) {
        try {
            return path.toRealPath();
        } catch (IOException e) {
            return path.toAbsolutePath().normalize();
        }
    }

    private static SnapshotLimits limits(Settings settings) {
        return SnapshotLimits.of(
                settings.get(Keys.SNAPSHOT_MAX_FILES),
                settings.get(Keys.SNAPSHOT_MAX_BYTES).bytes(),
                settings.get(Keys.SNAPSHOT_QUOTA).bytes());
    }

    private static String freshId() {
        return UUID.randomUUID().toString().replace("-", "").substring(0, SERVER_ID_LENGTH);
    }

    /** Each job may keep its share of half the machine's memory there; Docker's own 64 MB starve data loaders. */
    private static long shmBytes(EngineFacts facts, Capacity capacity) {
        return Math.max(MIN_SHM_BYTES, facts.memoryBytes() / 2 / (capacity.workers() + capacity.cpuWorkers()));
    }
}
