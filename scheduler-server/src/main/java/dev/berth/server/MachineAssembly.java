package dev.berth.server;

import dev.berth.core.machine.Capacity;
import dev.berth.server.cgroup.LeaseCgroups;
import dev.berth.server.cgroup.LimitedCgroups;
import dev.berth.server.config.Keys;
import dev.berth.server.config.Settings;
import dev.berth.server.linux.ProcessDescriptor;
import dev.berth.server.linux.Users;
import dev.berth.server.loop.FoundAtStart.Boot;
import dev.berth.server.loop.Scheduling;
import dev.berth.server.mount.MountRules;
import dev.berth.server.mount.Mounts;
import dev.berth.server.notify.CommandRules;
import dev.berth.server.notify.NotifyRules;
import dev.berth.server.runner.docker.ContainerNames;
import dev.berth.server.runner.docker.EngineFacts;
import dev.berth.server.runner.docker.GpuHandover;
import dev.berth.server.runner.host.LinuxKernel;
import dev.berth.server.runner.target.HandoverLinks;
import dev.berth.server.store.JobStore;
import dev.berth.server.time.Clocks;
import dev.berth.server.time.SteadyClock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The assembly of a server on the machine as it is: its processes, cgroups, mounts and clocks. */
final class MachineAssembly {
    private static final int SERVER_ID_LENGTH = 8;

    /** Gone at a reboot, and away from what people delete. */
    private static final String MOUNT_TABLE = "/run/berth-mounts-";

    private MachineAssembly() {}

    static ServerAssembly of(BerthServer.Parts parts, Capacity capacity, GpuHandover handover, @Nullable Boot boot) {
        DataDirectory data = parts.data();
        JobStore store = new JobStore(data.database());
        ContainerNames names = new ContainerNames(store.serverId(MachineAssembly::freshId));
        LinuxKernel kernel = new LinuxKernel(parts.background());
        HandoverLinks links = links(data);
        ServerAssembly.Machinery machinery = new ServerAssembly.Machinery(
                parts.engine(),
                parts.gpus().reader()::sample,
                Occupancy.of(parts.gpus(), parts.settings()),
                handover,
                mounts(parts, names),
                kernel,
                LeaseCgroups.ofThisMachine(names.server(), data.ownerUid(), kernel.proc()),
                commands(parts.settings(), names, data, kernel),
                new TargetEngines(names.server(), data.ownerUid(), links, parts.clock()).of(parts.targets()),
                links,
                parts.background(),
                new Clocks(parts.clock(), steady(store, parts, boot)));
        Scheduling scheduling = Scheduling.of(capacity, store, Scheduling.MAX_REQUESTS);
        return ServerAssembly.of(
                new ServerAssembly.Parts(
                        parts.settings(),
                        new ServerAssembly.Places(data.database(), data.snapshots(), data.jobs()),
                        scheduling,
                        scheduling::tell,
                        machinery,
                        store,
                        boot,
                        data.ownerUid() == 0,
                        parts.fatal()),
                names);
    }

    private static HandoverLinks links(DataDirectory data) {
        try {
            return HandoverLinks.of(data.path().resolve("handover.key"));
        } catch (IOException e) {
            throw StartException.failed("the key of links for targets cannot be had: " + e.getMessage());
        }
    }

    private static CommandRules commands(
            Settings settings, ContainerNames names, DataDirectory data, LinuxKernel kernel) {
        boolean isOn = settings.get(Keys.NOTIFY_COMMANDS);
        LimitedCgroups.Server server =
                new LimitedCgroups.Server(names.server(), data.ownerUid(), kernel.proc(), process -> {
                    boolean _ = kernel.signal(process, ProcessDescriptor.SIGKILL);
                });
        // Also where no commands are run: an earlier server may have left one.
        LimitedCgroups cgroups = LimitedCgroups.ofThisMachine(server, NotifyRules.COMMAND_LIMITS);
        return new CommandRules(isOn, cgroups, data.ownerUid(), new Users());
    }

    /** The steady clock. What an earlier server of the same start of the machine counted by goes on. */
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

    private static Mounts mounts(BerthServer.Parts parts, ContainerNames names) {
        DataDirectory data = parts.data();
        EngineFacts engine = parts.engine().facts();
        Settings settings = parts.settings();
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

    private static String freshId() {
        return UUID.randomUUID().toString().replace("-", "").substring(0, SERVER_ID_LENGTH);
    }
}
