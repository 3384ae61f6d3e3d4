package dev.berth.server;

import dev.berth.core.machine.Capacity;
import dev.berth.server.code.SnapshotLimits;
import dev.berth.server.code.SnapshotStore;
import dev.berth.server.code.Workspaces;
import dev.berth.server.config.Settings;
import dev.berth.server.config.SnapshotSettings;
import dev.berth.server.container.ContainerEngine;
import dev.berth.server.container.ContainerNames;
import dev.berth.server.container.ContainerPlans;
import dev.berth.server.container.EffectParts;
import dev.berth.server.container.EffectRunner;
import dev.berth.server.container.EngineFacts;
import dev.berth.server.container.VirtualThreadTasks;
import dev.berth.server.log.LogStore;
import dev.berth.server.loop.Inbox;
import dev.berth.server.loop.SchedulingLoop;
import dev.berth.server.store.JobQueries;
import dev.berth.server.store.JobStore;
import java.time.InstantSource;
import java.util.UUID;

/** The rooms of a server, connected; nothing runs yet. */
record Rooms(
        JobStore store,
        JobQueries queries,
        SnapshotStore snapshots,
        Workspaces workspaces,
        LogStore logs,
        ContainerNames names,
        Inbox inbox,
        EffectRunner effects,
        SchedulingLoop loop) {
    private static final long MIN_SHM_BYTES = 64L << 20;
    private static final int SERVER_ID_LENGTH = 8;

    static Rooms of(BerthServer.Parts parts, Capacity capacity) {
        DataDirectory data = parts.data();
        ContainerEngine engine = parts.engine();
        InstantSource clock = parts.clock();
        Settings settings = parts.settings();
        boolean simulated = settings.server().simulateGpus() > 0;
        JobStore store = new JobStore(data.database());
        JobQueries queries = new JobQueries(data.database());
        ContainerNames names = new ContainerNames(store.serverId(Rooms::freshId));
        SnapshotStore snapshots = new SnapshotStore(data.snapshots(), limits(settings.snapshots()), clock);
        Workspaces workspaces = new Workspaces(data.jobs(), snapshots, data.ownerUid() == 0);
        LogStore logs =
                new LogStore(workspaces::of, clock, settings.logs().maxBytes().bytes());
        ContainerPlans plans = new ContainerPlans(names, workspaces, simulated, shmBytes(engine.facts(), capacity));
        Inbox inbox = new Inbox();
        EffectRunner effects = new EffectRunner(
                engine,
                new EffectParts(plans, workspaces, logs, settings.jobs().stopGrace(), clock),
                new VirtualThreadTasks(),
                inbox::post);
        SchedulingLoop loop = new SchedulingLoop(capacity, store, inbox, effects::accept, clock);
        return new Rooms(store, queries, snapshots, workspaces, logs, names, inbox, effects, loop);
    }

    private static SnapshotLimits limits(SnapshotSettings settings) {
        return SnapshotLimits.of(
                settings.maxFiles(),
                settings.maxBytes().bytes(),
                settings.quota().bytes());
    }

    private static String freshId() {
        return UUID.randomUUID().toString().replace("-", "").substring(0, SERVER_ID_LENGTH);
    }

    /** Each job may keep its share of half the machine's memory there; Docker's own 64 MB starve data loaders. */
    private static long shmBytes(EngineFacts facts, Capacity capacity) {
        return Math.max(MIN_SHM_BYTES, facts.memoryBytes() / 2 / (capacity.workers() + capacity.cpuWorkers()));
    }
}
