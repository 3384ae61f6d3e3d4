package dev.berth.server;

import dev.berth.core.job.GpuId;
import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Effect.CleanGpus;
import dev.berth.core.machine.Input;
import dev.berth.core.machine.Machine;
import dev.berth.server.config.Keys;
import dev.berth.server.config.Settings;
import dev.berth.server.gpu.FoundGpus;
import dev.berth.server.gpu.GpuDevice;
import dev.berth.server.gpu.lock.SafeGpuLock;
import dev.berth.server.gpu.occupy.CheckedGpuGate;
import dev.berth.server.gpu.occupy.ContainerOwners;
import dev.berth.server.gpu.occupy.GpuCleaner;
import dev.berth.server.gpu.occupy.GpuGate;
import dev.berth.server.gpu.occupy.GpuOccupants;
import dev.berth.server.gpu.occupy.MemoryLevels;
import dev.berth.server.gpu.occupy.ObstacleCheck;
import dev.berth.server.gpu.occupy.ObstacleWatch;
import dev.berth.server.gpu.occupy.OwnProcesses;
import dev.berth.server.gpu.occupy.Placeholders;
import dev.berth.server.gpu.occupy.ProcessIdentity;
import dev.berth.server.gpu.process.RunningProcesses;
import dev.berth.server.loop.BusyException;
import dev.berth.server.loop.Scheduling;
import dev.berth.server.runner.docker.ContainerEngine;
import dev.berth.server.runner.docker.ContainerNames;
import dev.berth.server.store.JobWarning;
import dev.berth.server.time.Clocks;
import dev.berth.server.upkeep.BackgroundWork;
import dev.berth.server.upkeep.Tasks;
import dev.berth.server.usage.GpuReadings;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parts that look after the GPUs before and after jobs have them, connected. Of simulated GPUs there is nothing to
 * look after.
 *
 * @param cleaning takes on at once what is to be looked at after a job
 * @param who says what a process on a GPU is
 * @param conflicts takes each look at the GPUs, no matter by whom it was made
 */
public record Occupancy(
        GpuGate gate,
        Consumer<CleanGpus> cleaning,
        @Nullable GpuConflicts conflicts,
        @Nullable Placeholders placeholders,
        @Nullable SafeGpuLock lock,
        LongFunction<ProcessIdentity> who)
        implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Occupancy.class);

    /**
     * The parts that {@link Occupancy} is made of.
     *
     * @param leased knows the processes of the machine itself that are jobs
     * @param number what people call a job
     */
    public record Parts(
            ContainerEngine engine,
            ContainerNames names,
            BackgroundWork background,
            Clocks clock,
            Scheduling scheduling,
            List<OwnProcesses> leased,
            Function<JobId, String> number) {
        public Parts {
            leased = List.copyOf(leased);
        }
    }

    /** Whether there are GPUs to look after. */
    static boolean isWanted(Settings settings, FoundGpus gpus) {
        return !settings.simulatesGpus() && !gpus.gpus().isEmpty();
    }

    /** Who looks after those GPUs in a server, once its other parts are there. */
    static Function<Parts, Occupancy> of(FoundGpus gpus, Settings settings) {
        return isWanted(settings, gpus) ? parts -> of(gpus, parts, settings) : _ -> none(_ -> ProcessIdentity.UNKNOWN);
    }

    /** Lets everybody through. */
    public static Occupancy none(LongFunction<ProcessIdentity> who) {
        return of(
                GpuGate.OPEN,
                clean -> {
                    throw new IllegalStateException("job " + clean.job() + " has left GPUs that nobody looks at");
                },
                who);
    }

    /** Looks while GPUs are allocated and when they come back, and at no other time. */
    public static Occupancy of(GpuGate gate, Consumer<CleanGpus> cleaning, LongFunction<ProcessIdentity> who) {
        return new Occupancy(gate, cleaning, null, null, null, who);
    }

    private static Occupancy of(FoundGpus gpus, Parts parts, Settings settings) {
        RunningProcesses processes = RunningProcesses.ofThisMachine();
        Placeholders placeholders = Placeholders.of(
                gpus.reader(),
                processes,
                gpu -> isExclusive(gpus, gpu),
                parts.names().server(),
                parts.clock().steady());
        placeholders.adopt();
        List<OwnProcesses> own = new ArrayList<>(parts.leased());
        own.add(placeholders);
        GpuOccupants look = new GpuOccupants(
                gpus.reader(),
                processes,
                id -> home(parts, id),
                own,
                parts.clock().dates());
        ObstacleCheck obstructions = new ObstacleCheck(
                look,
                settings.get(Keys.FOREIGN),
                gpu -> parts.scheduling().machine().capacity().name(gpu));
        ObstacleWatch watch = new ObstacleWatch(
                obstructions,
                parts.scheduling()::tell,
                () -> isAwaited(parts.scheduling().machine()),
                parts.background().tasks("looks at GPUs that cannot be had")::runAfter);
        MemoryLevels levels = new MemoryLevels();
        SafeGpuLock lock = settings.get(Keys.SAFE_GPU_LOCK)
                ? SafeGpuLock.ofThisMachine(processes, watch::unlocked, parts.background())
                : null;
        CheckedGpuGate gate = new CheckedGpuGate(
                obstructions, watch, levels, lock, settings.get(Keys.PLACEHOLDER) ? placeholders : null);
        Tasks cleaning = parts.background().tasks("cleaning of GPUs");
        GpuCleaner cleaner = new GpuCleaner(
                new GpuCleaner.Parts(
                        look, processes, levels, placeholders, parts.clock().steady()),
                settings.get(Keys.CLEAN_WITHIN),
                cleaning::runAfter,
                parts.number(),
                (attempt, drained) -> parts.scheduling().tell(now -> new Input.GpusCleaned(now, attempt, drained)));
        return new Occupancy(
                gate,
                clean -> cleaning.run(() -> cleaner.clean(clean.attempt(), clean.allocation())),
                new GpuConflicts(
                        look,
                        settings.get(Keys.FOREIGN),
                        parts.scheduling()::machine,
                        warning -> warn(parts.scheduling(), warning)),
                placeholders,
                lock,
                look::identify);
    }

    /** Whether it is taken on to be written. */
    static boolean warn(Scheduling scheduling, JobWarning warning) {
        try {
            var _ = scheduling.write(store -> store.warn(warning));
            return true;
        } catch (BusyException e) {
            LOG.debug("job={} a warning is written later: {}", warning.job(), e.getMessage());
            return false;
        }
    }

    private static boolean isExclusive(FoundGpus gpus, GpuId id) {
        return gpus.inventory().devices().stream()
                .anyMatch(device -> device.gpu().id().equals(id)
                        && device.computeMode() == GpuDevice.ComputeMode.EXCLUSIVE_PROCESS);
    }

    private static Optional<ContainerOwners.Owner> home(Parts parts, String containerId) {
        return parts.engine()
                .owner(parts.names().server(), containerId)
                .map(owner -> new ContainerOwners.Owner(owner.name(), owner.attempt()));
    }

    private static boolean isAwaited(Machine machine) {
        return machine.capacity().lanes().stream()
                .anyMatch(lane -> machine.window(lane).head().isPresent());
    }

    /** Ends the placeholders of attempts that an earlier server knew and this one does not. */
    void retain(Machine machine) {
        if (placeholders != null) {
            Set<Attempt> attempts = new HashSet<>(machine.gpus().cleaning().keySet());
            machine.live().values().forEach(job -> attempts.add(Attempt.of(job)));
            placeholders.retain(attempts);
        }
    }

    /** The listeners that hear of each look that is made at the GPUs anyway. */
    List<Consumer<GpuReadings>> listeners() {
        return conflicts == null ? List.of() : List.of(look -> conflicts.take(look.at(), look.readings()));
    }

    /** Nobody waits for safe-gpu's lock any more. */
    @Override
    public void close() {
        if (lock != null) {
            lock.close();
        }
    }
}
