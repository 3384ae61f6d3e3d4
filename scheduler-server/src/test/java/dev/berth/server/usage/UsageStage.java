package dev.berth.server.usage;

import dev.berth.core.job.GpuId;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.JobState;
import dev.berth.core.job.Limits;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Capacity;
import dev.berth.core.machine.JobEvent;
import dev.berth.core.machine.Machine;
import dev.berth.core.machine.Step.Reply;
import dev.berth.server.example.Jobs;
import dev.berth.server.gpu.SimulatedGpus;
import dev.berth.server.gpu.occupy.ProcessIdentity;
import dev.berth.server.linux.ProcessUse;
import dev.berth.server.loop.BusyException;
import dev.berth.server.store.JobQueries;
import dev.berth.server.store.JobStore;
import dev.berth.server.time.Clocks;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The room on a real database, with staged GPUs, jobs and time; two GPUs. */
final class UsageStage implements AutoCloseable {
    static final Duration SECOND = Duration.ofSeconds(1);

    final StagedGpus gpus = new StagedGpus();
    final List<JobEvent> events = new ArrayList<>();
    final Map<Long, Long> owners = new HashMap<>();

    /** What the containers have used; those without an entry cannot be looked at. */
    final Map<Attempt, ProcessUse> containers = new HashMap<>();

    boolean isBusy;
    int writes;

    private final Path file;
    private final JobStore store;
    private JobQueries queries;
    private Machine machine = Machine.idle(new Capacity(SimulatedGpus.of(2), 2, 0), 0);
    private LatestGpuStatus board;
    private UsageKeeper keeper;
    private IdleJobs idle;
    private MachineUsages machineUsages;
    private Instant now = Jobs.STARTED;
    private Duration set = Duration.ZERO;

    UsageStage(Path directory) {
        file = directory.resolve("berth.db");
        store = new JobStore(file);
        queries = new JobQueries(file);
        board = board();
        keeper = freshKeeper();
        idle = idle();
        machineUsages = freshMachineUsages();
        gpus.set(Jobs.gpu(0), 0, 1);
        gpus.set(Jobs.gpu(1), 0, 1);
    }

    private LatestGpuStatus board() {
        return new LatestGpuStatus(pid -> {
            Long owner = owners.get(pid);
            return new ProcessIdentity(
                    "bob", "python", "python secret.py", null, owner == null ? null : new JobId(owner));
        });
    }

    private UsageKeeper freshKeeper() {
        return new UsageKeeper(() -> machine, board, queries, this::write, SECOND, now);
    }

    private MachineUsages freshMachineUsages() {
        return new MachineUsages(new MachineUsages.Parts(
                () -> machine,
                job -> Optional.ofNullable(containers.get(Attempt.of(job))),
                queries,
                this::write,
                clock()));
    }

    private Clocks clock() {
        return new Clocks(() -> now, () -> now.minus(set));
    }

    private IdleJobs idle() {
        return new IdleJobs(
                () -> machine, board, queries, this::write, (_, event) -> events.add(event), Duration.ofMinutes(15));
    }

    private CompletableFuture<Reply> write(Consumer<JobStore> work) {
        if (isBusy) {
            throw BusyException.full(1);
        }
        writes++;
        work.accept(store);
        store.commit();
        return CompletableFuture.completedFuture(new Reply.None());
    }

    /** A job that runs since now, with whole GPUs. */
    Job run(long id, @Nullable Duration idleTimeout, int... gpus) {
        return run(id, idleTimeout, new JobState.Running(1, Jobs.allocation(gpus), now));
    }

    Job run(long id, @Nullable Duration idleTimeout, JobState.Live state) {
        JobSpec spec = Jobs.with(Jobs.spec(state.allocation().gpus().size()), new Limits(null, idleTimeout));
        Job job = Jobs.job(id, spec, Jobs.ADA, state);
        store.write(Jobs.upTo(job));
        store.commit();
        machine = machine.restored(job);
        return job;
    }

    /** It is finished, as far as the scheduler is concerned. */
    void end(Job job) {
        Machine next = Machine.idle(machine.capacity(), 100);
        for (Job other : machine.live().values()) {
            if (!other.id().equals(job.id())) {
                next = next.restored(other);
            }
        }
        machine = next;
        store.write(List.of(Jobs.advance(job, Jobs.completed())));
        store.commit();
    }

    /** Somebody sets the date. */
    void setDate(Duration by) {
        now = now.plus(by);
        set = set.plus(by);
    }

    /** So many seconds go by, with a look in each. */
    void pass(long seconds) {
        for (long second = 0; second < seconds; second++) {
            now = now.plusSeconds(1);
            GpuReadings look = look();
            board.look(look);
            keeper.look(look);
            idle.look(look);
        }
    }

    private GpuReadings look() {
        List<GpuReadings> looks = new ArrayList<>();
        List<GpuId> both = List.of(Jobs.gpu(0), Jobs.gpu(1));
        try (GpuSampler sampler = new GpuSampler(both, gpus::read, List.of(looks::add), SECOND, clock())) {
            sampler.look();
        }
        return looks.getFirst();
    }

    /** The server is gone and another one takes over. */
    void restart() {
        queries.close();
        queries = new JobQueries(file);
        board = board();
        keeper = freshKeeper();
        idle = idle();
        machineUsages = freshMachineUsages();
    }

    Instant now() {
        return now;
    }

    /** A look at what jobs use beside their GPUs, so many seconds after what was before. */
    void lookAtMachine(long seconds) {
        now = now.plusSeconds(seconds);
        machineUsages.look();
    }

    MachineUsages machineUsages() {
        return machineUsages;
    }

    UsageKeeper keeper() {
        return keeper;
    }

    LatestGpuStatus statuses() {
        return board;
    }

    JobQueries queries() {
        return queries;
    }

    JobStore store() {
        return store;
    }

    @Override
    public void close() {
        queries.close();
        store.close();
    }
}
