package dev.berth.server.usage;

import dev.berth.core.job.Gpu;
import dev.berth.core.job.GpuId;
import dev.berth.core.job.Job;
import dev.berth.server.gpu.GpuReading;
import dev.berth.server.gpu.occupy.ProcessIdentity;
import dev.berth.server.linux.ProcessUse;
import dev.berth.server.loop.Scheduling;
import dev.berth.server.store.JobQueries;
import dev.berth.server.time.Clocks;
import dev.berth.server.upkeep.BackgroundWork;
import dev.berth.server.upkeep.Pauses;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Usage of the GPUs, and of the cores and memory by jobs: who looks, and who is told of it in which order.
 *
 * @param board how each GPU was at the last look
 * @param keeper what is kept
 * @param sampler null where nobody looks
 * @param machine what jobs use beside the GPUs
 */
public record Usage(
        LatestGpuStatus board, UsageKeeper keeper, @Nullable GpuSampler sampler, MachineUsages machine) {
    private static final Duration SECOND = Duration.ofSeconds(1);

    /**
     * The parts that {@link Usage} is made of.
     *
     * @param reader reads a GPU
     * @param processes says who a process is, by its number
     * @param programs says what the program of a job has used
     */
    public record Parts(
            Scheduling scheduling,
            Function<GpuId, GpuReading> reader,
            LongFunction<ProcessIdentity> processes,
            Function<Job, Optional<ProcessUse>> programs,
            JobQueries queries,
            Clocks clock) {}

    /**
     * Usage at which nobody looks yet.
     *
     * @param every from one look to the next, null for none
     * @param idleWarning after how long idle jobs are warned, null for never
     * @param listeners are told of each look after these
     */
    public static Usage of(
            Parts parts,
            @Nullable Duration every,
            @Nullable Duration idleWarning,
            List<Consumer<GpuReadings>> listeners) {
        Scheduling scheduling = parts.scheduling();
        LatestGpuStatus board = new LatestGpuStatus(parts.processes());
        UsageKeeper keeper = new UsageKeeper(
                scheduling::machine,
                board,
                parts.queries(),
                scheduling::write,
                every == null ? SECOND : every,
                parts.clock().instant());
        MachineUsages machine = new MachineUsages(new MachineUsages.Parts(
                scheduling::machine, parts.programs(), parts.queries(), scheduling::write, parts.clock()));
        if (every == null) {
            return new Usage(board, keeper, null, machine);
        }
        IdleJobs idle = new IdleJobs(
                scheduling::machine, board, parts.queries(), scheduling::write, scheduling::tell, idleWarning);
        List<Consumer<GpuReadings>> all = new ArrayList<>(List.of(board::look, keeper::look, idle::look));
        all.addAll(listeners);
        List<GpuId> gpus =
                scheduling.machine().capacity().gpus().stream().map(Gpu::id).toList();
        return new Usage(board, keeper, new GpuSampler(gpus, parts.reader(), all, every, parts.clock()), machine);
    }

    /** To be called when the loop runs. */
    public void start(BackgroundWork background) {
        if (sampler != null) {
            sampler.start(background.attempts("looks at the GPUs", Pauses.SHORT));
            machine.start(background);
        }
    }

    /** Looks no more and writes what is left; to be called while the loop still runs. */
    public void close() throws InterruptedException {
        if (sampler != null) {
            sampler.close();
            keeper.close();
            machine.close();
        }
    }
}
