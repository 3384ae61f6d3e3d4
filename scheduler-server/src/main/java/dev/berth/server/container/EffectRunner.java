package dev.berth.server.container;

import dev.berth.core.job.JobId;
import dev.berth.core.machine.Durations;
import dev.berth.core.machine.Effect;
import dev.berth.core.machine.Effect.AbandonImage;
import dev.berth.core.machine.Effect.AdoptRun;
import dev.berth.core.machine.Effect.CleanGpus;
import dev.berth.core.machine.Effect.CreateRun;
import dev.berth.core.machine.Effect.FetchImage;
import dev.berth.core.machine.Effect.ReleaseRun;
import dev.berth.core.machine.Effect.StartRun;
import dev.berth.core.machine.Effect.StopRun;
import dev.berth.core.machine.Effect.SweepRun;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries effects out: those of one job one after the other in the order in which they were owed, those of different
 * jobs side by side. {@link #accept} belongs to the loop's thread alone, and returns at once.
 */
public final class EffectRunner {
    private static final Logger LOG = LoggerFactory.getLogger(EffectRunner.class);

    /** Where GPUs are given on as they are. */
    public static final Consumer<CleanGpus> NO_CLEANING = clean -> {
        throw new IllegalStateException("job " + clean.job() + " has left GPUs that nobody looks at");
    };

    private final Map<JobId, CompletableFuture<?>> last = new HashMap<>();
    private final Images images;
    private final Containers containers;
    private final EngineRetry retry;
    private final EngineHealth health;
    private final Consumer<CleanGpus> cleaning;
    private final HostEffects hosts;
    private final Duration orphanGrace;

    /** One on an engine, for GPUs that are given on as they are. */
    public EffectRunner(ContainerEngine engine, EffectParts parts, Tasks tasks, Notices notices) {
        this(engine, parts, tasks, notices, NO_CLEANING);
    }

    /**
     * One on an engine.
     *
     * @param cleaning takes on at once what is to be looked at of GPUs
     */
    public EffectRunner(
            ContainerEngine engine, EffectParts parts, Tasks tasks, Notices notices, Consumer<CleanGpus> cleaning) {
        this(engine, parts, tasks, notices, cleaning, HostEffects.NONE);
    }

    /**
     * One on an engine, and of jobs that run on the machine itself.
     *
     * @param cleaning takes on at once what is to be looked at of GPUs
     * @param hosts carries out the effects on those jobs
     */
    public EffectRunner(
            ContainerEngine engine,
            EffectParts parts,
            Tasks tasks,
            Notices notices,
            Consumer<CleanGpus> cleaning,
            HostEffects hosts) {
        this.cleaning = cleaning;
        this.hosts = hosts;
        this.retry = new EngineRetry(tasks);
        this.health = new EngineHealth(engine, parts.clock().dates());
        this.orphanGrace = parts.orphanGrace();
        CudaCheck cuda = new CudaCheck(engine, parts.plans().gpus().driver());
        this.images =
                new Images(engine, parts.starts(), retry, notices, parts.clock().steady(), cuda, parts.programs());
        this.containers = new Containers(engine, parts, notices, retry::runAfter);
    }

    public Images images() {
        return images;
    }

    public EngineHealth health() {
        return health;
    }

    /** Takes on one effect. */
    public void accept(Effect effect) {
        if (effect instanceof CreateRun create && create.launch().spec().isHost()) {
            hosts.expect(create.launch());
        }
        if (effect instanceof CleanGpus clean) {
            cleaning.accept(clean);
        } else if (hosts.owns(effect.job())) {
            onHost(effect);
        } else {
            onEngine(effect);
        }
    }

    /** An engine that is away does not touch them, and what it says of its own health has nothing to do with them. */
    private void onHost(Effect effect) {
        switch (effect) {
            case CreateRun create -> inOrder(create.job(), containers.onItsGpus(create, () -> hosts.create(create)));
            case StartRun start -> inOrder(start.job(), () -> hosts.start(start));
            case StopRun stop -> inOrder(stop.job(), () -> hosts.stop(stop));
            case AdoptRun adopt -> inOrder(adopt.job(), () -> hosts.adopt(adopt));
            case ReleaseRun release -> inOrder(release.job(), () -> hosts.release(release));
            case FetchImage _, AbandonImage _, SweepRun _, CleanGpus _ ->
                throw new IllegalStateException("job " + effect.job() + " is no container and has " + effect);
        }
    }

    private void onEngine(Effect effect) {
        switch (effect) {
            case FetchImage fetch -> images.fetch(fetch);
            case AbandonImage(JobId job, String image) -> images.abandon(job, image);
            case CreateRun create -> {
                containers.expect(create);
                inOrder(create.job(), watched(create, containers.onItsGpus(create, () -> containers.create(create))));
            }
            case StartRun start -> {
                containers.expect(start);
                inOrder(start.job(), watched(start, () -> containers.start(start)));
            }
            case StopRun stop -> {
                containers.forbidStart(stop);
                inOrder(stop.job(), watched(stop, () -> containers.stop(stop)));
            }
            case AdoptRun adopt -> {
                containers.expect(adopt);
                inOrder(adopt.job(), watched(adopt, () -> containers.adopt(adopt)));
            }
            case ReleaseRun release -> {
                containers.expect(release);
                inOrder(release.job(), watched(release, () -> containers.release(release)));
            }
            case CleanGpus clean -> cleaning.accept(clean);
            case SweepRun sweep -> {
                LOG.warn(
                        "a container of job {}, attempt {}, belongs to no job; it is stopped and removed in {}",
                        sweep.job(),
                        sweep.attempt().number(),
                        Durations.inWords(orphanGrace));
                // It may be one whose release is still under way: an engine was away that long.
                var _ = before(sweep.job()).thenRun(() -> retry.runAfter(orphanGrace, () -> containers.sweep(sweep)));
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

    private BooleanSupplier watched(Effect effect, BooleanSupplier work) {
        return health.watching(effect.job(), work);
    }

    private void inOrder(JobId job, BooleanSupplier work) {
        last.values().removeIf(CompletableFuture::isDone);
        last.put(job, before(job).thenCompose(_ -> retry.run(work)));
    }

    /** Complete once all that the job was owed so far is done. */
    private CompletableFuture<?> before(JobId job) {
        return last.getOrDefault(job, CompletableFuture.completedFuture(null));
    }
}
