package dev.berth.server.usage;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState.Live;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Machine;
import dev.berth.core.machine.Step.Reply;
import dev.berth.server.linux.ProcessUse;
import dev.berth.server.loop.BusyException;
import dev.berth.server.store.JobQueries;
import dev.berth.server.store.StoredMachineUsage;
import dev.berth.server.time.Clocks;
import dev.berth.server.upkeep.Attempts;
import dev.berth.server.upkeep.BackgroundWork;
import dev.berth.server.upkeep.Pauses;
import dev.berth.server.usage.UsageKeeper.Writer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The cores and the memory that jobs use: looked at side by side, and written in batches by the loop. A crash
 * costs the last batch. A job that ends before its first look has none. What is asked may be asked on any thread.
 */
public final class MachineUsages {
    private static final Logger LOG = LoggerFactory.getLogger(MachineUsages.class);
    /** From the end of one look to the next. */
    private static final Duration PAUSE = Duration.ofSeconds(5);

    /** The time that what was seen may wait to be written. */
    private static final Duration WRITE_EVERY = Duration.ofSeconds(10);

    /**
     * The parts that this is made of.
     *
     * @param reader what the program of a job that runs has used; empty where it cannot be told. Asked on many threads
     * @param writer has the loop write
     */
    public record Parts(
            Supplier<Machine> machine,
            Function<Job, Optional<ProcessUse>> reader,
            JobQueries queries,
            Writer writer,
            Clocks clock) {}

    private final Parts parts;

    /** Of jobs that run, and of those that have ended until that is written. */
    private final Map<JobId, MachineUsage> usages = new ConcurrentHashMap<>();

    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(
            work -> Thread.ofPlatform().daemon().name("machine-sampler").unstarted(work));

    /** The sampler's own. */
    private @Nullable Instant lastWrite;

    public MachineUsages(Parts parts) {
        this.parts = parts;
    }

    /** Looks from now on. To be called when the loop runs. */
    public void start(BackgroundWork background) {
        Attempts attempts = background.attempts("looks at the cores and memory of jobs", Pauses.SHORT);
        thread.execute(() -> turn(attempts));
    }

    private void turn(Attempts attempts) {
        boolean _ = attempts.succeeds(this::look);
        try {
            var _ = thread.schedule(() -> turn(attempts), PAUSE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("the sampler is closed");
        }
    }

    private Instant now() {
        return parts.clock.steady().instant();
    }

    /** Looks once. */
    void look() {
        // At the same time: the engine takes its time for each.
        try (ExecutorService each = Executors.newVirtualThreadPerTaskExecutor()) {
            CompletableFuture.allOf(parts.machine.get().live().values().stream()
                            .map(job -> CompletableFuture.runAsync(() -> look(job), each))
                            .toArray(CompletableFuture[]::new))
                    .join();
        }
        Machine now = parts.machine.get();
        List<MachineUsage> over =
                usages.values().stream().filter(usage -> usage.isOver(now)).toList();
        Instant before = lastWrite;
        if (before == null || !over.isEmpty() || Duration.between(before, now()).compareTo(WRITE_EVERY) >= 0) {
            lastWrite = now();
            var _ = write(over);
        }
    }

    private void look(Job job) {
        Live state = (Live) job.state();
        Instant startedAt = state.countedFrom();
        // What one used at a target is told by that, once it is over.
        if (state.startedAt() == null || startedAt == null || job.spec().isAtTarget()) {
            return;
        }
        Attempt attempt = Attempt.of(job);
        parts.reader.apply(job).ifPresent(reading -> {
            MachineUsage usage = usages.get(job.id());
            if (usage == null || !usage.attempt().equals(attempt)) {
                usage = begun(attempt, startedAt);
                usages.put(job.id(), usage);
            }
            usage.add(reading, now());
        });
    }

    private MachineUsage begun(Attempt attempt, Instant startedAt) {
        return parts.queries
                .machineUsage(attempt.job())
                .filter(stored -> stored.attempt() == attempt.number())
                .map(stored -> new MachineUsage(attempt, startedAt, stored))
                .orElseGet(() -> new MachineUsage(attempt, startedAt));
    }

    /** Hands everything new to the loop; what it is too busy for is handed to it the next time. */
    private Optional<CompletableFuture<Reply>> write(List<MachineUsage> over) {
        List<MachineUsage> changed =
                usages.values().stream().filter(MachineUsage::takeUnwritten).toList();
        List<StoredMachineUsage> stored =
                changed.stream().map(MachineUsage::stored).toList();
        if (stored.isEmpty() && over.isEmpty()) {
            return Optional.empty();
        }
        try {
            CompletableFuture<Reply> written = parts.writer.write(store -> stored.forEach(store::keep));
            return Optional.of(written.whenComplete((_, _) ->
                    over.forEach(usage -> usages.remove(usage.attempt().job(), usage))));
        } catch (BusyException e) {
            changed.forEach(MachineUsage::keepUnwritten);
            LOG.debug("the cores and memory of jobs are written later: {}", e.getMessage());
            return Optional.empty();
        }
    }

    /** What is known up to now of a job's last attempt. */
    public Optional<StoredMachineUsage> of(JobId job) {
        // In this order: what has ended goes from here once it is in the database.
        return Optional.ofNullable(usages.get(job)).map(MachineUsage::stored).or(() -> parts.queries.machineUsage(job));
    }

    /** Looks no more and writes what is left; to be called while the loop still runs. */
    public void close() throws InterruptedException {
        thread.shutdownNow();
        UsageKeeper.awaitLast(write(List.of()), "the cores and memory of jobs");
    }
}
