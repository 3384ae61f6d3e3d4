package dev.berth.server.usage;

import dev.berth.core.job.GpuId;
import dev.berth.server.gpu.GpuException;
import dev.berth.server.gpu.GpuReading;
import dev.berth.server.time.Clocks;
import dev.berth.server.upkeep.Attempts;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at every GPU once in a while, on one thread, and hands each look to its listeners, one after the other. Nothing
 * waits for it: what a GPU is like at a moment that matters is read then.
 */
public final class GpuSampler implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GpuSampler.class);

    /** Looking takes at most this part of the time, however slow the way to read the GPUs. */
    private static final int MAX_PART = 20;

    private final List<GpuId> gpus;
    private final Function<GpuId, GpuReading> reader;
    private final List<Consumer<GpuReadings>> listeners;
    private final Duration every;
    private final Clocks clock;

    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(
            work -> Thread.ofPlatform().daemon().name("gpu-sampler").unstarted(work));

    /**
     * A sampler that does not look yet.
     *
     * @param reader returns within a bound of time, or throws a {@link GpuException}
     * @param listeners are told on the sampler's thread
     * @param every from one look to the next, above zero
     */
    public GpuSampler(
            List<GpuId> gpus,
            Function<GpuId, GpuReading> reader,
            List<Consumer<GpuReadings>> listeners,
            Duration every,
            Clocks clock) {
        this.gpus = List.copyOf(gpus);
        this.reader = reader;
        this.listeners = List.copyOf(listeners);
        this.every = every;
        this.clock = clock;
    }

    /** Looks for the first time at once, and then as often as wished. */
    public void start(Attempts attempts) {
        if (!gpus.isEmpty()) {
            thread.execute(() -> turn(attempts));
        }
    }

    private void turn(Attempts attempts) {
        Instant began = clock.steady().instant();
        boolean _ = attempts.succeeds(this::look);
        Duration regular = pause(Duration.between(began, clock.steady().instant()), clock.instant());
        Duration pause = regular.compareTo(attempts.pause()) < 0 ? attempts.pause() : regular;
        try {
            var _ = thread.schedule(() -> turn(attempts), pause.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("the sampler is closed");
        }
    }

    /** To the middle of a period, so that each period of time has one look in it, and to none of the past. */
    Duration pause(Duration took, Instant now) {
        Duration least = took.multipliedBy(MAX_PART);
        long period = every.toNanos();
        long sinceEpoch = Math.addExact(Math.multiplyExact(now.getEpochSecond(), 1_000_000_000L), now.getNano());
        long toMiddle = period - Math.floorMod(sinceEpoch - period / 2, period);
        // A look just before the middle counts as that of the middle.
        Duration regular = Duration.ofNanos(toMiddle <= period / 2 ? toMiddle + period : toMiddle);
        return regular.compareTo(least) < 0 ? least : regular;
    }

    /**
     * Looks once, and tells all who listen; for a caller that does not wait for the next look. Not beside {@link
     * #start}.
     */
    public void look() {
        SortedMap<GpuId, GpuReading> readings = new TreeMap<>();
        SortedMap<GpuId, GpuException> failures = new TreeMap<>();
        Instant at = clock.instant();
        Instant passed = clock.steady().instant();
        for (GpuId gpu : gpus) {
            try {
                readings.put(gpu, reader.apply(gpu));
            } catch (GpuException e) {
                failures.put(gpu, e);
            }
        }
        GpuReadings look = new GpuReadings(at, passed, readings, failures);
        listeners.forEach(listener -> listener.accept(look));
    }

    /** Looks no more; a look that is under way goes on to its end. */
    @Override
    public void close() {
        thread.shutdownNow();
    }
}
