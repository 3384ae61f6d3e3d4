package dev.berth.server.gpu.occupy;

import dev.berth.core.job.GpuId;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Input;
import dev.berth.server.gpu.GpuInventory;
import dev.berth.server.gpu.GpuProcess;
import dev.berth.server.gpu.GpuReader;
import dev.berth.server.gpu.GpuReading;
import dev.berth.server.gpu.process.RunningProcesses;
import dev.berth.server.upkeep.BackgroundWork;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * People who use a machine's GPUs beside Berth, and the gate through which a server's jobs go past them: the real one
 * with its watch, on simulated GPUs and a simulated lock. For one thread.
 */
public final class ForeignProcesses {
    /** No process has it: numbers end below. */
    private static final long PID = 1L << 30;

    private final SortedSet<GpuId> gpus = new TreeSet<>();
    private boolean choose;
    private @Nullable ObstacleWatch watch;

    /** One comes to a GPU, or the one there leaves it. */
    public void comeOrGo(GpuId gpu) {
        if (!gpus.remove(gpu)) {
            gpus.add(gpu);
        }
    }

    /** One takes safe-gpu's lock, or gives it back. */
    public void lockOrUnlock() {
        choose = !choose;
        if (!choose && watch != null) {
            watch.unlocked();
        }
    }

    /** All of them are gone. */
    public void leave() {
        gpus.clear();
        if (choose) {
            lockOrUnlock();
        }
    }

    /** The gate of a server that has just begun. */
    public GpuGate gate(
            Consumer<Function<Instant, Input>> news,
            BooleanSupplier isAwaited,
            BiConsumer<Duration, Runnable> later,
            InstantSource clock) {
        GpuOccupants look =
                new GpuOccupants(new Gpus(), RunningProcesses.ofThisMachine(), _ -> Optional.empty(), List.of(), clock);
        ObstacleCheck obstructions = new ObstacleCheck(look, new ForeignPolicy.AnyProcess(), GpuId::uuid);
        ObstacleWatch own = new ObstacleWatch(obstructions, news, isAwaited, later);
        watch = own;
        CheckedGpuGate gate = new CheckedGpuGate(obstructions, own, new MemoryLevels(), null, null);
        return new GpuGate() {
            @Override
            public Answer occupy(Attempt attempt, List<GpuId> gpus) {
                if (choose && !gpus.isEmpty()) {
                    own.refuseForLock(attempt, "safe-gpu's lock is held by process " + PID);
                    return new Answer.Locked("held");
                }
                return gate.occupy(attempt, gpus);
            }
        };
    }

    private final class Gpus implements GpuReader {
        @Override
        public GpuInventory inventory() {
            throw new UnsupportedOperationException("nobody asks");
        }

        @Override
        public GpuReading read(GpuId gpu) {
            return new GpuReading(null, null, null, null, null, processes(gpu));
        }

        @Override
        public List<GpuProcess> processes(GpuId gpu) {
            return gpus.contains(gpu) ? List.of(new GpuProcess(PID, GpuProcess.Kind.COMPUTE, 1L << 29)) : List.of();
        }

        @Override
        public AutoCloseable watch(GpuListener listener, BackgroundWork background) {
            return () -> {};
        }

        @Override
        public void close() {}
    }
}
