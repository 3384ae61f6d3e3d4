package dev.berth.server.usage;

import dev.berth.core.job.Gpu;
import dev.berth.core.job.GpuId;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState.Live;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Machine;
import dev.berth.core.machine.Step.Reply;
import dev.berth.server.loop.BusyException;
import dev.berth.server.store.GpuSamples;
import dev.berth.server.store.JobQueries;
import dev.berth.server.store.JobStore;
import dev.berth.server.store.StoredUsage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The memory of what was seen: each GPU's history and each job's usage, written in batches by the loop. A crash costs
 * the last batch. Looks come on the sampler's thread; what is asked may be asked on any.
 */
public final class UsageKeeper {
    private static final Logger LOG = LoggerFactory.getLogger(UsageKeeper.class);

    /** The time that what was seen may wait to be written. */
    private static final Duration WRITE_EVERY = Duration.ofSeconds(10);

    private static final Duration LAST_WRITE_PATIENCE = Duration.ofMillis(500);

    /** A longer time without a look, and without several that were due, was no look: nobody knows what was in it. */
    private static final Duration LONGEST_STRETCH = Duration.ofMinutes(1);

    private static final int LOOKS_DUE = 3;

    /** Has the loop write something; what is answered is complete once it is durable. */
    @FunctionalInterface
    public interface Writer {
        CompletableFuture<Reply> write(Consumer<JobStore> work);
    }

    private final Supplier<Machine> machine;
    private final LatestGpuStatus board;
    private final JobQueries queries;
    private final Writer writer;
    private final Duration every;
    private final Map<GpuId, GpuHistory> histories = new ConcurrentHashMap<>();

    /** Usage of jobs that run, and of those that have ended until that is written. */
    private final Map<JobId, JobUsage> usages = new ConcurrentHashMap<>();

    /** Blocks that could not be handed to the loop. This and what follows is the sampler's own. */
    private final Map<Place, GpuSamples> owed = new LinkedHashMap<>();

    private final Set<JobId> ended = new HashSet<>();
    private @Nullable Instant lastLook;
    private @Nullable Instant lastWrite;

    private record Place(GpuId gpu, int step, int place) {}

    /**
     * Makes a keeper that goes on with what earlier servers kept.
     *
     * @param every from one look to the next
     */
    public UsageKeeper(
            Supplier<Machine> machine,
            LatestGpuStatus board,
            JobQueries queries,
            Writer writer,
            Duration every,
            Instant now) {
        this.machine = machine;
        this.board = board;
        this.queries = queries;
        this.writer = writer;
        this.every = every;
        for (Gpu gpu : machine.get().capacity().gpus()) {
            histories.put(gpu.id(), new GpuHistory(gpu.id(), queries.history(gpu.id()), now));
        }
    }

    /** Takes a look in; the board has it already. */
    public void look(GpuReadings look) {
        look.readings().forEach((gpu, reading) -> {
            GpuHistory history = histories.get(gpu);
            if (history != null) {
                history.add(look.at(), Sample.of(reading));
            }
        });
        Machine now = machine.get();
        now.live().values().forEach(job -> look(now, job, look.passed()));
        lastLook = look.passed();
        usages.values().stream()
                .filter(usage -> usage.isOver(now))
                .forEach(usage -> ended.add(usage.attempt().job()));
        Instant before = lastWrite;
        if (before == null) {
            lastWrite = look.passed();
        } else if (!ended.isEmpty() || Duration.between(before, look.passed()).compareTo(WRITE_EVERY) >= 0) {
            lastWrite = look.passed();
            var _ = write();
        }
    }

    private void look(Machine now, Job job, Instant at) {
        Live state = (Live) job.state();
        Instant startedAt = state.countedFrom();
        if (state.startedAt() == null || startedAt == null || state.allocation().isNone()) {
            return;
        }
        Attempt attempt = Attempt.of(job);
        JobUsage usage = usages.get(job.id());
        if (usage == null || !usage.attempt().equals(attempt)) {
            usage = begun(attempt, startedAt);
            usages.put(job.id(), usage);
            ended.remove(job.id());
        }
        usage.add(JobReading.of(now, board, job), at, stretch(startedAt, at));
    }

    private JobUsage begun(Attempt attempt, Instant startedAt) {
        return queries.usage(attempt.job())
                .filter(stored -> stored.attempt() == attempt.number())
                .map(stored -> new JobUsage(attempt, startedAt, stored))
                .orElseGet(() -> new JobUsage(attempt, startedAt));
    }

    /** For how long a look stands: since the one before it, or the program's start. */
    private Duration stretch(Instant startedAt, Instant at) {
        Instant before = lastLook;
        Duration sinceStart = Duration.between(startedAt, at);
        Duration sinceLook = before == null ? every : Duration.between(before, at);
        boolean isTooLong =
                sinceLook.compareTo(LONGEST_STRETCH) > 0 && sinceLook.compareTo(every.multipliedBy(LOOKS_DUE)) > 0;
        Duration known = isTooLong ? every : sinceLook;
        return known.compareTo(sinceStart) < 0 ? known : sinceStart;
    }

    /** Hands everything new to the loop; what it is too busy for is handed to it the next time. */
    private Optional<CompletableFuture<Reply>> write() {
        for (GpuHistory history : histories.values()) {
            for (GpuSamples block : history.takeUnwritten()) {
                owed.put(new Place(block.gpu(), block.step(), block.place()), block);
            }
        }
        List<GpuSamples> blocks = List.copyOf(owed.values());
        List<JobUsage> changed =
                usages.values().stream().filter(JobUsage::takeUnwritten).toList();
        List<StoredUsage> stored = changed.stream().map(JobUsage::stored).toList();
        List<JobUsage> over = new ArrayList<>();
        ended.forEach(job -> Optional.ofNullable(usages.get(job)).ifPresent(over::add));
        try {
            CompletableFuture<Reply> written = writer.write(store -> {
                store.keep(blocks);
                stored.forEach(store::keep);
            });
            owed.clear();
            ended.clear();
            return Optional.of(written.whenComplete((_, _) ->
                    over.forEach(usage -> usages.remove(usage.attempt().job(), usage))));
        } catch (BusyException e) {
            changed.forEach(JobUsage::keepUnwritten);
            LOG.debug("the usage of the GPUs is written later: {}", e.getMessage());
            return Optional.empty();
        }
    }

    /** A GPU's history; empty for one that this server does not see. */
    public Optional<GpuHistory> history(GpuId gpu) {
        return Optional.ofNullable(histories.get(gpu));
    }

    /** The usage known up to now of a job that runs, or has ended so lately that the database may not know it. */
    public Optional<StoredUsage> running(JobId job) {
        return Optional.ofNullable(usages.get(job)).map(JobUsage::stored);
    }

    /** The usage of the jobs that have ended so lately that the database may not know it; a map of the caller's own. */
    public Map<JobId, StoredUsage> ended() {
        Map<JobId, Job> live = machine.get().live();
        Map<JobId, StoredUsage> kept = new HashMap<>();
        usages.forEach((job, usage) -> {
            if (!live.containsKey(job)) {
                kept.put(job, usage.stored());
            }
        });
        return kept;
    }

    /** Writes what is left, while the loop still runs; to be called when no look comes any more. */
    public void close() throws InterruptedException {
        awaitLast(write(), "the GPUs' usage");
    }

    /** Waits a little for the last write of such a thing, where there is one. */
    static void awaitLast(Optional<CompletableFuture<Reply>> write, String what) throws InterruptedException {
        try {
            if (write.isPresent()) {
                var _ = write.get().get(LAST_WRITE_PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            }
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("the last seconds of {} were not written: {}", what, e.toString());
        }
    }
}
