package dev.berth.server.runner;

import dev.berth.core.job.JobId;
import dev.berth.core.machine.Durations;
import dev.berth.core.machine.Effect;
import dev.berth.core.machine.Effect.AdoptRun;
import dev.berth.core.machine.Effect.CleanGpus;
import dev.berth.core.machine.Effect.CreateRun;
import dev.berth.core.machine.Effect.HoldRun;
import dev.berth.core.machine.Effect.OfImage;
import dev.berth.core.machine.Effect.OfRun;
import dev.berth.core.machine.Effect.ReadPack;
import dev.berth.core.machine.Effect.ReleaseRun;
import dev.berth.core.machine.Effect.SignalRun;
import dev.berth.core.machine.Effect.StartRun;
import dev.berth.core.machine.Effect.StopRun;
import dev.berth.core.machine.Effect.StopTask;
import dev.berth.core.machine.Effect.SweepRun;
import dev.berth.server.upkeep.Tasks;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries effects out: those of one job one after the other in the order in which they were owed, those of different
 * jobs side by side. {@link #accept} belongs to the loop's thread alone, and returns at once.
 */
public final class EffectRunner {
    private static final Logger LOG = LoggerFactory.getLogger(EffectRunner.class);

    private final Map<JobId, CompletableFuture<?>> last = new HashMap<>();
    private final EffectParts parts;
    private final GpuConfirmation gpus;
    private final EngineRetry retry;

    public EffectRunner(EffectParts parts, Tasks tasks, Notices notices) {
        this.parts = parts;
        this.gpus = new GpuConfirmation(parts.gate(), notices);
        this.retry = new EngineRetry(tasks);
    }

    /** Takes on the effects of one commit; none begins before its runner expects all of them. */
    public void accept(List<Effect> effects) {
        for (Effect effect : effects) {
            if (effect instanceof OfRun run) {
                parts.runners().of(run.runner()).expect(run);
            }
        }
        effects.forEach(this::begin);
    }

    private void begin(Effect effect) {
        switch (effect) {
            case OfImage image -> parts.images().accept(image);
            case CleanGpus clean -> parts.cleaning().accept(clean);
            case OfRun run -> begin(run, parts.runners().of(run.runner()));
        }
    }

    private void begin(OfRun effect, Runner runner) {
        switch (effect) {
            case CreateRun create -> inOrder(create, gpus.before(create, () -> runner.create(create)));
            case StartRun start -> inOrder(start, () -> runner.start(start));
            case StopRun stop -> inOrder(stop, () -> runner.stop(stop));
            case ReadPack read -> inOrder(read, () -> runner.readPack(read));
            case StopTask stop -> inOrder(stop, () -> runner.stopTask(stop));
            case SignalRun signal -> inOrder(signal, () -> runner.signal(signal));
            case HoldRun hold -> inOrder(hold, () -> runner.hold(hold));
            case AdoptRun adopt -> inOrder(adopt, () -> runner.adopt(adopt));
            case ReleaseRun release -> inOrder(release, () -> runner.release(release));
            case SweepRun sweep -> {
                LOG.warn(
                        "a container of job {}, attempt {}, belongs to no job; it is stopped and removed in {}",
                        sweep.job(),
                        sweep.attempt().number(),
                        Durations.inWords(parts.orphanGrace()));
                // It may be one whose release is still under way: an engine was away that long.
                var _ = before(sweep.job())
                        .thenRun(() -> retry.runAfter(parts.orphanGrace(), () -> runner.sweep(sweep)));
            }
        }
    }

    /** Whether all that was taken on is done within this time; to be asked once the loop has ended. */
    public boolean awaitDone(Duration patience) throws InterruptedException {
        try {
            CompletableFuture.allOf(last.values().toArray(CompletableFuture[]::new))
                    .get(patience.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException("work that is repeated until it is done has failed", e);
        }
    }

    private void inOrder(OfRun effect, BooleanSupplier work) {
        JobId job = effect.job();
        last.values().removeIf(CompletableFuture::isDone);
        last.put(job, before(job).thenCompose(_ -> retry.run(parts.health().watching(effect, work))));
    }

    /** Complete once all that the job was owed so far is done. */
    private CompletableFuture<?> before(JobId job) {
        return last.getOrDefault(job, CompletableFuture.completedFuture(null));
    }
}
