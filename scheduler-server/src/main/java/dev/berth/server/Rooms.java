package dev.berth.server;

import dev.berth.core.machine.Capacity;
import dev.berth.server.code.SnapshotStore;
import dev.berth.server.code.Workspaces;
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
import java.time.Duration;
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
    private static final Duration STOP_GRACE = Duration.ofSeconds(10);
    private static final long MIN_SHM_BYTES = 64L << 20;
    private static final int SERVER_ID_LENGTH = 8;

    static Rooms of(
            DataDirectory data, ContainerEngine engine, Capacity capacity, boolean simulated, InstantSource clock) {
        JobStore store = new JobStore(data.database());
        JobQueries queries = new JobQueries(data.database());
        ContainerNames names = new ContainerNames(store.serverId(Rooms::freshId));
        SnapshotStore snapshots = new SnapshotStore(data.snapshots());
        Workspaces workspaces = new Workspaces(data.jobs(), snapshots, data.ownerUid() == 0);
        LogStore logs = new LogStore(workspaces::of, clock);
        ContainerPlans plans = new ContainerPlans(names, workspaces, simulated, shmBytes(engine.facts(), capacity));
        Inbox inbox = new Inbox();
        EffectRunner effects = new EffectRunner(
                engine,
                new EffectParts(plans, workspaces, logs, STOP_GRACE, clock),
                new VirtualThreadTasks(),
                inbox::post);
        SchedulingLoop loop = new SchedulingLoop(capacity, store, inbox, effects::accept, clock);
        return new Rooms(store, queries, snapshots, workspaces, logs, names, inbox, effects, loop);
    }

    private static String freshId() {
        return UUID.randomUUID().toString().replace("-", "").substring(0, SERVER_ID_LENGTH);
    }

    /** Each job may keep its share of half the machine's memory there; Docker's own 64 MB starve data loaders. */
    private static long shmBytes(EngineFacts facts, Capacity capacity) {
        return Math.max(MIN_SHM_BYTES, facts.memoryBytes() / 2 / (capacity.workers() + capacity.cpuWorkers()));
    }
}
