package dev.berth.server.container;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Effect;
import dev.berth.core.machine.Effect.AdoptContainer;
import dev.berth.core.machine.Effect.CreateContainer;
import dev.berth.core.machine.Effect.ReleaseContainer;
import dev.berth.core.machine.Effect.StartContainer;
import dev.berth.core.machine.Effect.StopContainer;
import dev.berth.core.machine.Effect.SweepContainer;
import dev.berth.core.machine.Found.Condition;
import dev.berth.core.machine.JobEvent.ContainerCreated;
import dev.berth.core.machine.JobEvent.ContainerExited;
import dev.berth.core.machine.JobEvent.ContainerGone;
import dev.berth.core.machine.JobEvent.ContainerStarted;
import dev.berth.core.machine.JobEvent.ImageVanished;
import dev.berth.core.machine.JobEvent.LaunchRefused;
import dev.berth.server.gpu.occupy.GpuGate;
import dev.berth.server.mount.Granted;
import dev.berth.server.mount.MountException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One method an effect on a container. Each may be broken off by an unreachable engine at any call and is then done
 * again from its beginning; each returns whether it is done. The effects of one job come one at a time.
 */
final class Containers {
    private static final Logger LOG = LoggerFactory.getLogger(Containers.class);

    private final Set<Attempt> forbidden = ConcurrentHashMap.newKeySet();

    /** Made by this server and never asked to start, so that nothing of them can have run yet. */
    private final Set<Attempt> fresh = ConcurrentHashMap.newKeySet();

    private final LaunchFailures failures = new LaunchFailures();
    private final ContainerEngine engine;
    private final EffectParts parts;
    private final Notices notices;
    private final ContainerLogs logs;
    private final CudaCheck cuda;

    Containers(ContainerEngine engine, EffectParts parts, Notices notices) {
        this.engine = engine;
        this.parts = parts;
        this.notices = notices;
        this.logs = new ContainerLogs(engine, parts, notices);
        this.cuda = new CudaCheck(engine, parts.plans().gpus().driver());
    }

    /** This job's log grows from now on, or may; said at once, so that no reader takes it for complete. */
    void expect(Effect effect) {
        parts.logs().expect(effect.job());
    }

    /** A launch that is still under way shall not come to its start. */
    void forbidStart(StopContainer stop) {
        forbidden.add(new Attempt(stop.job(), stop.attempt()));
    }

    private String name(JobId job, int attempt) {
        return parts.plans().names().of(job, attempt);
    }

    boolean create(CreateContainer creation) {
        JobId job = creation.job();
        Attempt attempt = new Attempt(job, creation.attempt());
        String name = name(job, creation.attempt());
        Optional<Condition> earlier = engine.inspect(name);
        if (earlier.isPresent() && !(earlier.get() instanceof Condition.Created)) {
            // An earlier server got that far.
            report(job, creation.attempt(), earlier.get());
        } else if (!forbidden.contains(attempt)) {
            boolean isReady = earlier.isPresent() && fresh.contains(attempt);
            if (earlier.isPresent() && !isReady) {
                // What an earlier server made may have been made of other files, or with other GPUs.
                engine.remove(name);
            }
            if (isReady || (hasItsGpus(creation) && isMade(creation, name))) {
                notices.post(job, new ContainerCreated(creation.attempt()));
            }
        }
        // Else the stop that is owed removes what is there.
        return true;
    }

    /** Whether nobody else is on them; where somebody is, the loop has been told. */
    boolean hasItsGpus(CreateContainer creation) {
        Attempt attempt = new Attempt(creation.job(), creation.attempt());
        return switch (parts.gate().occupy(attempt, creation.allocation().gpus())) {
            case GpuGate.Answer.Occupied() -> true;
            case GpuGate.Answer.Taken _, GpuGate.Answer.Locked _ -> false;
        };
    }

    /** Whether it was made; where it was not, the job has heard why. */
    private boolean isMade(CreateContainer creation, String name) {
        JobId job = creation.job();
        try {
            Optional<String> unfit = make(creation, name);
            unfit.ifPresent(sentence -> notices.post(job, new LaunchRefused(creation.attempt(), sentence)));
            return unfit.isEmpty();
        } catch (EngineException e) {
            creationRefused(creation, name, e);
        } catch (MountException e) {
            notices.post(job, new LaunchRefused(creation.attempt(), e.sentence()));
        } catch (IOException | UncheckedIOException e) {
            LOG.error("job={} workspace not laid out", job, e);
            notices.post(
                    job,
                    new LaunchRefused(creation.attempt(), "its workspace could not be laid out: " + e.getMessage()));
        }
        return false;
    }

    /** Makes it, and returns why it was not made where its image does not suit the driver. */
    private Optional<String> make(CreateContainer creation, String name) throws IOException {
        Job job = creation.launch();
        Attempt attempt = new Attempt(job.id(), creation.attempt());
        try (Granted granted = parts.mounts().grant(name, job.spec().options().mounts(), job.owner())) {
            ContainerPlan plan = parts.plans().of(creation, granted.sources());
            Optional<String> unfit = cuda.refusal(creation, plan);
            if (unfit.isPresent()) {
                return unfit;
            }
            parts.workspaces().prepare(job);
            if (!parts.mounts().actsForOthers()) {
                MountPoints.make(parts.workspaces().of(job.id()), job, granted.sources());
            }
            String id = engine.create(plan);
            parts.gate().made(attempt, name, id);
        }
        fresh.add(attempt);
        return Optional.empty();
    }

    private void creationRefused(CreateContainer creation, String name, EngineException failure) {
        requireFinal(new Attempt(creation.job(), creation.attempt()), failure);
        boolean imageIsGone = failure.kind() == EngineException.Kind.NOT_FOUND
                && engine.findImage(creation.imageId()).isEmpty();
        engine.remove(name);
        notices.post(
                creation.job(),
                imageIsGone ? new ImageVanished(creation.attempt()) : refusal(creation.attempt(), failure));
    }

    /** Only the engine's answer to create and start refuses a launch, and only once it is its last word. */
    private void requireFinal(Attempt attempt, EngineException failure) {
        if (!failures.isFinal(attempt, failure, engine.outage().isPresent())) {
            throw failure;
        }
    }

    private static LaunchRefused refusal(int attempt, EngineException failure) {
        return new LaunchRefused(
                attempt, "the container could not be started: " + failure.sentence(), failure.isOfGpu());
    }

    boolean start(StartContainer launch) {
        JobId job = launch.job();
        String name = name(job, launch.attempt());
        Optional<Condition> earlier = engine.inspect(name);
        if (earlier.isEmpty()) {
            // It was made, so it may have run before somebody removed it.
            notices.post(job, new ContainerGone(launch.attempt()));
        } else if (!(earlier.get() instanceof Condition.Created)) {
            report(job, launch.attempt(), earlier.get());
        } else if (!forbidden.contains(new Attempt(job, launch.attempt()))) {
            try {
                return launch(launch, name);
            } catch (MountException e) {
                notices.post(job, new LaunchRefused(launch.attempt(), e.sentence()));
            }
        }
        return true;
    }

    /** What is mounted is looked at again for each start, also of a container that an earlier server created. */
    private boolean launch(StartContainer launch, String name) {
        Job job = launch.launch();
        Attempt attempt = new Attempt(job.id(), launch.attempt());
        try (Granted _ = parts.mounts().grant(name, job.spec().options().mounts(), job.owner())) {
            boolean isFirst = fresh.remove(attempt);
            if (isFirst) {
                logs.listen(attempt, name, false);
            }
            try {
                engine.start(name);
            } catch (EngineException e) {
                return startRefused(attempt, name, e);
            }
            if (!isFirst) {
                // An earlier try may have reached the engine, and the program may have written before this one.
                logs.listen(attempt, name, true);
            }
            notices.post(
                    job.id(),
                    new ContainerStarted(launch.attempt(), parts.clock().instant()));
            logs.begin(job.id());
            return true;
        }
    }

    /**
     * The container is removed once the refusal is committed: a server that found it missing before would believe that
     * it had run. One that runs although its start was refused is looked at again.
     *
     * @return whether the job has heard what became of it
     */
    private boolean startRefused(Attempt attempt, String name, EngineException failure) {
        boolean hasBegun = failure.kind() == EngineException.Kind.BEGUN;
        if (!hasBegun) {
            requireFinal(attempt, failure);
        }
        Optional<Condition> condition = hasBegun ? Optional.empty() : engine.inspect(name);
        boolean hasNotRun = condition.isPresent()
                && (condition.get() instanceof Condition.Created
                        || (condition.get() instanceof Condition.Exited exited && exited.startedAt() == null));
        if (condition.isEmpty()) {
            LOG.warn("job={} its program may have begun and is gone: {}", attempt.job(), failure.sentence());
            engine.remove(name);
            notices.post(attempt.job(), new ContainerGone(attempt.number()));
        } else if (hasNotRun) {
            notices.post(attempt.job(), refusal(attempt.number(), failure));
        }
        return condition.isEmpty() || hasNotRun;
    }

    private void report(JobId job, int attempt, Condition condition) {
        switch (condition) {
            case Condition.Created() -> throw new IllegalStateException(name(job, attempt) + " has not run yet");
            case Condition.Alive(Instant startedAt) -> {
                logs.listen(new Attempt(job, attempt), name(job, attempt), true);
                notices.post(job, new ContainerStarted(attempt, startedAt));
                logs.begin(job);
            }
            case Condition.Exited exited -> notices.post(job, exit(attempt, exited));
        }
    }

    private static ContainerExited exit(int attempt, Condition.Exited exited) {
        return new ContainerExited(
                attempt, exited.exitCode(), exited.outOfMemory(), exited.startedAt(), exited.endedAt());
    }

    boolean stop(StopContainer stop) {
        String name = name(stop.job(), stop.attempt());
        engine.stop(name, parts.stopGrace());
        Optional<Condition> condition = engine.inspect(name);
        if (condition.orElse(null) instanceof Condition.Exited exited) {
            notices.post(stop.job(), exit(stop.attempt(), exited));
        } else if (condition.orElse(null) instanceof Condition.Alive) {
            return false;
        } else {
            engine.remove(name);
            notices.post(stop.job(), new ContainerGone(stop.attempt()));
        }
        return true;
    }

    boolean adopt(AdoptContainer adopt) {
        if (logs.isOpen(adopt.job())) {
            return true;
        }
        try {
            logs.listen(new Attempt(adopt.job(), adopt.attempt()), name(adopt.job(), adopt.attempt()), true);
            logs.begin(adopt.job());
        } catch (EngineException e) {
            if (e.kind() != EngineException.Kind.NOT_FOUND) {
                throw e;
            }
            notices.post(adopt.job(), new ContainerGone(adopt.attempt()));
        }
        return true;
    }

    /** What no job owns; its log and its files are not ours to touch, for a job of that number may come back. */
    boolean sweep(SweepContainer sweep) {
        String name = name(sweep.job(), sweep.attempt());
        engine.stop(name, parts.stopGrace());
        if (engine.inspect(name).orElse(null) instanceof Condition.Alive) {
            return false;
        }
        engine.remove(name);
        LOG.info("container {}, of which no job was known, is stopped and removed", name);
        notices.post(sweep.job(), new ContainerGone(sweep.attempt()));
        return true;
    }

    boolean release(ReleaseContainer release) {
        JobId job = release.job();
        Attempt attempt = new Attempt(job, release.attempt());
        String name = name(job, release.attempt());
        Optional<Condition> condition = engine.inspect(name);
        if (condition.isPresent() && !(condition.get() instanceof Condition.Created)) {
            logs.keepTheRest(attempt, name);
        }
        logs.close(job);
        engine.remove(name);
        try {
            parts.workspaces().discard(job);
        } catch (IOException e) {
            LOG.warn("job={} its workspace could not be removed: {}", job, e.getMessage());
        }
        parts.logs().finish(job);
        forbidden.remove(attempt);
        fresh.remove(attempt);
        failures.forget(attempt);
        return true;
    }
}
