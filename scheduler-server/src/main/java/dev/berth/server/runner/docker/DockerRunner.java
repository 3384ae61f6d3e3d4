package dev.berth.server.runner.docker;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.EngineRun;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState;
import dev.berth.core.job.Program;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Effect.AdoptRun;
import dev.berth.core.machine.Effect.CreateRun;
import dev.berth.core.machine.Effect.OfRun;
import dev.berth.core.machine.Effect.ReleaseRun;
import dev.berth.core.machine.Effect.StartRun;
import dev.berth.core.machine.Effect.StopRun;
import dev.berth.core.machine.Effect.SweepRun;
import dev.berth.core.machine.Found;
import dev.berth.core.machine.Found.Condition;
import dev.berth.core.machine.JobEvent;
import dev.berth.core.machine.JobEvent.ImageVanished;
import dev.berth.core.machine.JobEvent.LaunchPutOff;
import dev.berth.core.machine.JobEvent.LaunchRefused;
import dev.berth.core.machine.JobEvent.RunCreated;
import dev.berth.core.machine.JobEvent.RunGone;
import dev.berth.core.machine.JobEvent.RunStarted;
import dev.berth.core.machine.JobEvent.StartLost;
import dev.berth.server.mount.Granted;
import dev.berth.server.mount.MountException;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineRetry;
import dev.berth.server.runner.Notices;
import dev.berth.server.runner.Runner;
import dev.berth.server.runner.Tasks;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The runner of jobs in containers. Safe for any thread, as far as {@link Runner} asks for it. */
public final class DockerRunner implements Runner {
    private static final Logger LOG = LoggerFactory.getLogger(DockerRunner.class);

    /** With these the engine has said that it did not do what it was asked. */
    private static final Set<EngineException.Kind> ANSWERS =
            EnumSet.of(EngineException.Kind.REFUSED, EngineException.Kind.NOT_FOUND, EngineException.Kind.FAILING);

    private final Set<Attempt> forbidden = ConcurrentHashMap.newKeySet();

    /** Made by this server, and never asked to start but with a no for an answer: nothing of them can have run yet. */
    private final Set<Attempt> fresh = ConcurrentHashMap.newKeySet();

    /** What is told of attempts whose containers Berth removes before it tells; that may take more than one try. */
    private final Map<Attempt, JobEvent> owed = new ConcurrentHashMap<>();

    /** After that an engine has made what it was asked for too late, or never will. */
    private static final Duration LATEST_CREATION = Duration.ofMinutes(5);

    private final LaunchFailures failures;
    private final BiConsumer<Duration, BooleanSupplier> later;
    private final ContainerEngine engine;
    private final ContainerParts parts;
    private final Notices notices;
    private final ContainerLogs logs;
    private final CudaCheck cuda;

    /** Effects on containers of an engine; what an engine made too late is removed by the tasks. */
    public DockerRunner(ContainerEngine engine, ContainerParts parts, Notices notices, Tasks tasks) {
        this(engine, parts, notices, new EngineRetry(tasks)::runAfter);
    }

    /**
     * Effects on containers of an engine.
     *
     * @param later has work done after a while, until it is done
     */
    DockerRunner(
            ContainerEngine engine,
            ContainerParts parts,
            Notices notices,
            BiConsumer<Duration, BooleanSupplier> later) {
        this.later = later;
        this.engine = engine;
        this.parts = parts;
        this.notices = notices;
        this.failures = new LaunchFailures(parts.starts(), parts.clock().steady());
        this.logs = new ContainerLogs(engine, parts, notices);
        this.cuda = new CudaCheck(engine, parts.plans().gpus().driver());
    }

    @Override
    public void expect(OfRun effect) {
        switch (effect) {
            // A launch that is still under way shall not come to its start.
            case StopRun stop -> forbidden.add(stop.attempt());
            // What no job owns has no log.
            case SweepRun _ -> {}
            // The log grows from now on, or may; said at once, so that no reader takes it for complete.
            case CreateRun _, StartRun _, AdoptRun _, ReleaseRun _ ->
                parts.logs().expect(effect.job());
        }
    }

    @Override
    public List<Found> list() {
        return engine.list(parts.plans().names().server());
    }

    private String name(Attempt attempt) {
        return parts.plans().names().of(attempt);
    }

    private void tell(Attempt attempt, JobEvent event) {
        notices.post(attempt.job(), event);
    }

    @Override
    public boolean create(CreateRun creation) {
        Attempt attempt = creation.attempt();
        String name = name(attempt);
        Optional<Condition> earlier = engine.inspect(name);
        if (earlier.isPresent() && !(earlier.get() instanceof Condition.Created)) {
            // An earlier server got that far.
            report(attempt, earlier.get());
        } else if (!forbidden.contains(attempt) && !isPutOff(attempt, earlier.isPresent())) {
            boolean isReady = earlier.isPresent() && fresh.contains(attempt);
            if (earlier.isPresent() && !isReady) {
                // What an earlier server made may have been made of other files, or with other GPUs.
                discard(attempt, name);
            }
            if (isReady || isMade(creation, name)) {
                tell(attempt, new RunCreated(attempt.number(), engine.run()));
            }
        }
        // Else the stop that is owed removes what is there.
        return true;
    }

    /** While the engine starts no container at all, none is made: its start would be the job's end. */
    private boolean isPutOff(Attempt attempt, boolean isMade) {
        Optional<String> complaint = parts.starts().complaint();
        if (complaint.isPresent()) {
            if (isMade) {
                discard(attempt, name(attempt));
            }
            tell(attempt, new LaunchPutOff(attempt.number(), complaint.get()));
        }
        return complaint.isPresent();
    }

    /**
     * Removes one that has not begun, as far as the engine knows: where it may have been asked to start it, what an engine
     * that was killed has forgotten ends first.
     */
    private void discard(Attempt attempt, String name) {
        if (!fresh.contains(attempt)) {
            engine.stop(name, parts.stopGrace());
        }
        engine.remove(name);
    }

    /** Whether it was made; where it was not, the job has heard why. */
    private boolean isMade(CreateRun creation, String name) {
        Attempt attempt = creation.attempt();
        try {
            Optional<String> unfit = make(creation, name);
            unfit.ifPresent(sentence -> tell(attempt, new LaunchRefused(attempt.number(), sentence)));
            return unfit.isEmpty();
        } catch (EngineException e) {
            creationRefused(creation, name, e);
        } catch (MountException e) {
            tell(attempt, new LaunchRefused(attempt.number(), e.sentence()));
        } catch (IOException | UncheckedIOException e) {
            LOG.error("job={} workspace not laid out", attempt.job(), e);
            tell(
                    attempt,
                    new LaunchRefused(attempt.number(), "its workspace could not be laid out: " + e.getMessage()));
        }
        return false;
    }

    /** Makes it, and returns why it was not made where its image does not suit the driver. */
    private Optional<String> make(CreateRun creation, String name) throws IOException {
        Job job = creation.launch();
        Attempt attempt = creation.attempt();
        try (Granted granted = parts.mounts().grant(name, job.spec().container().mounts(), job.owner())) {
            Program program = parts.programs().apply(job.id()).orElseThrow();
            ContainerPlan plan = parts.plans().of(creation, program, granted.sources());
            Optional<String> unfit = plan.gpus() instanceof GpuAccess.None
                    ? Optional.empty()
                    : cuda.refusal(job.spec().image(), plan.imageId(), plan.environment());
            if (unfit.isPresent()) {
                return unfit;
            }
            parts.workspaces().prepare(job);
            if (!parts.mounts().actsForOthers()) {
                MountPoints.make(parts.workspaces(), job, granted.sources());
            }
            String id = engine.create(plan);
            parts.gate().made(attempt, name, id);
        }
        fresh.add(attempt);
        return Optional.empty();
    }

    private void creationRefused(CreateRun creation, String name, EngineException failure) {
        Attempt attempt = creation.attempt();
        long owner = creation.launch().owner().uid();
        boolean isPutOff = verdict(attempt, owner, failure) == LaunchFailures.Verdict.PUT_OFF;
        boolean imageIsGone = failure.kind() == EngineException.Kind.NOT_FOUND
                && engine.findImage(creation.imageId()).isEmpty();
        engine.remove(name);
        if (failure.kind() == EngineException.Kind.LATE) {
            later.accept(LATEST_CREATION, () -> sweepLate(name));
        }
        JobEvent news;
        if (isPutOff) {
            failures.forget(attempt);
            news = new LaunchPutOff(attempt.number(), failure.sentence());
        } else {
            news = imageIsGone ? new ImageVanished(attempt.number()) : refusal(attempt, creation.allocation(), failure);
        }
        tell(attempt, news);
    }

    /** Only the engine's answer to create and start refuses a launch, and only once it is its last word. */
    private LaunchFailures.Verdict verdict(Attempt attempt, long owner, EngineException failure) {
        LaunchFailures.Verdict verdict =
                failures.judge(attempt, owner, failure, engine.outage().isPresent());
        if (verdict == LaunchFailures.Verdict.AGAIN) {
            throw failure;
        }
        return verdict;
    }

    /** The GPUs are still the job's, and nothing of it runs on them: the time to find out whether they are at fault. */
    private LaunchRefused refusal(Attempt attempt, Allocation allocation, EngineException failure) {
        return new LaunchRefused(
                attempt.number(),
                "the container could not be started: " + failure.sentence(),
                parts.starts().faults(allocation));
    }

    @Override
    public boolean start(StartRun launch) {
        Attempt attempt = launch.attempt();
        String name = name(attempt);
        if (owed.get(attempt) instanceof StartLost lost) {
            loseAndTest(launch, name, lost.said());
            return true;
        }
        Optional<Condition> earlier = engine.inspect(name);
        if (isReported(attempt, earlier) || forbidden.contains(attempt)) {
            return true;
        }
        boolean hasFailed = earlier.orElse(null) instanceof Condition.Created created && created.hasFailed();
        try {
            return launch(launch, name, hasFailed);
        } catch (MountException e) {
            tell(attempt, new LaunchRefused(attempt.number(), e.sentence()));
            return true;
        }
    }

    /** Whether the engine's record of what was made says more than that, so that the job has heard what became of it. */
    private boolean isReported(Attempt attempt, Optional<Condition> condition) {
        if (condition.isEmpty()) {
            // It may have run before somebody removed it.
            tell(attempt, gone(attempt));
        } else if (!(condition.get() instanceof Condition.Created)) {
            report(attempt, condition.get());
        }
        return !(condition.orElse(null) instanceof Condition.Created);
    }

    /**
     * What is mounted is looked at again for each start, also of a container that an earlier server created.
     *
     * @param hasFailed whether the engine says that a start failed; where this server has heard no such answer, nobody
     *     knows whether it was a no
     */
    private boolean launch(StartRun launch, String name, boolean hasFailed) {
        Job job = launch.launch();
        Attempt attempt = launch.attempt();
        boolean isFirst = fresh.contains(attempt);
        if (!isFirst && (hasFailed || !engine.run().isSameAs(launch.engine()))) {
            // Before anything else is looked at, which could refuse the launch: its program may run.
            lose(attempt, name);
            return true;
        }
        try (Granted _ = parts.mounts().grant(name, job.spec().container().mounts(), job.owner())) {
            if (isFirst) {
                logs.listen(attempt, name, false);
            }
            EngineRun now = engine.run();
            if (isFirst && !now.equals(launch.engine())) {
                // It provably has not begun: this run is asked once the store knows of it.
                tell(attempt, new RunCreated(attempt.number(), now));
                return true;
            }
            if (!isFirst && !now.isSameAs(launch.engine())) {
                lose(attempt, name);
                return true;
            }
            fresh.remove(attempt);
            try {
                engine.start(name);
            } catch (EngineException e) {
                return startRefused(attempt, launch, name, e);
            }
            if (!isFirst) {
                // An earlier try may have reached the engine: it knows when, and the program may have written before
                // this.
                return isReported(attempt, engine.inspect(name));
            }
            tell(attempt, new RunStarted(attempt.number(), parts.clock().instant()));
            logs.begin(job.id());
            return true;
        }
    }

    /**
     * What an engine says of a start in whose middle it ended is no proof: it is not repeated. The container goes with its
     * release.
     */
    private void lose(Attempt attempt, String name) {
        engine.stop(name, parts.stopGrace());
        warnOfLoss(attempt);
        tell(attempt, new StartLost(attempt.number()));
    }

    private static void warnOfLoss(Attempt attempt) {
        LOG.warn(
                "job={} the engine, or a part of it, ended while it was to start its program, which may have run",
                attempt.job());
    }

    /**
     * What is broken at the engine's, or at GPUs, may stay so: the next job waits where Berth's own test container does not
     * start either.
     */
    private void loseAndDoubt(StartRun launch, String name, @Nullable String said) {
        parts.starts().doubt();
        warnOfLoss(launch.attempt());
        owed.put(launch.attempt(), new StartLost(launch.attempt().number(), said));
        loseAndTest(launch, name, said);
    }

    /** Nothing of it may run when its GPUs are tried, and they are its own until it is told of. */
    private void loseAndTest(StartRun launch, String name, @Nullable String said) {
        Attempt attempt = launch.attempt();
        engine.stop(name, parts.stopGrace());
        Allocation allocation = allocation(launch.launch());
        StartCheck.Verdict _ = parts.starts().engine();
        tell(attempt, new StartLost(attempt.number(), said, parts.starts().faults(allocation)));
    }

    /**
     * The container is removed once the refusal is committed: a server that found it missing before would believe that
     * it had run. One that runs although its start was refused is looked at again.
     *
     * @return whether the job has heard what became of it
     */
    private boolean startRefused(Attempt attempt, StartRun launch, String name, EngineException failure) {
        if (failure.kind() == EngineException.Kind.BEGUN) {
            LOG.warn("job={} the engine does not know how far its start came: {}", attempt.job(), failure.sentence());
            loseAndDoubt(launch, name, failure.sentence());
            return true;
        }
        if (ANSWERS.contains(failure.kind()) && isCreated(name)) {
            EngineRun now = engine.run();
            if (!now.equals(launch.engine())) {
                // One whose containerd has ended meanwhile does not know.
                loseAndDoubt(launch, name, null);
                return true;
            }
            if (failure.kind() == EngineException.Kind.FAILING && !now.isSameAs(launch.engine())) {
                // It says that it did not begin; whether the same engine is asked the next time cannot be known.
                engine.stop(name, parts.stopGrace());
                tell(attempt, refusal(attempt, allocation(launch.launch()), failure));
                return true;
            }
            // The engine itself says that it did not start it, so that also its next run may be asked.
            fresh.add(attempt);
        }
        // Put off or refused: what was asked to start is not started a second time.
        LaunchFailures.Verdict _ = verdict(attempt, launch.launch().owner().uid(), failure);
        Optional<Condition> condition = engine.inspect(name);
        boolean isLate = failure.kind() == EngineException.Kind.LATE;
        if (condition.isEmpty()) {
            LOG.warn("job={} its program may have begun and is gone: {}", attempt.job(), failure.sentence());
            tell(attempt, gone(attempt));
            return true;
        }
        if (isLate && condition.get() instanceof Condition.Created) {
            refuseLate(attempt, launch, name, failure);
            return true;
        }
        boolean hasNotRun = condition.get() instanceof Condition.Created
                || (condition.get() instanceof Condition.Exited exited && exited.startedAt() == null);
        if (hasNotRun) {
            tell(attempt, refusal(attempt, allocation(launch.launch()), failure));
        }
        return hasNotRun;
    }

    private boolean isCreated(String name) {
        return engine.inspect(name).orElse(null) instanceof Condition.Created;
    }

    /** It may still start, and its GPUs are somebody else's as soon as the job has heard: the one exception. */
    private void refuseLate(Attempt attempt, StartRun launch, String name, EngineException failure) {
        if (!engine.run().isSameAs(launch.engine())) {
            lose(attempt, name);
            return;
        }
        removeAndTell(
                attempt,
                name,
                new LaunchRefused(attempt.number(), "the container could not be started: " + failure.sentence()));
    }

    private void removeAndTell(Attempt attempt, String name, JobEvent news) {
        owed.put(attempt, news);
        engine.remove(name);
        tell(attempt, news);
    }

    /** What a container that is not there any more means; where Berth removed it, what it did so for. */
    private JobEvent gone(Attempt attempt) {
        JobEvent news = owed.get(attempt);
        return news == null ? new RunGone(attempt.number()) : news;
    }

    private static Allocation allocation(Job launch) {
        return launch.state() instanceof JobState.Live live ? live.allocation() : Allocation.NONE;
    }

    private void report(Attempt attempt, Condition condition) {
        switch (condition) {
            case Condition.Created _ -> throw new IllegalStateException(name(attempt) + " has not run yet");
            case Condition.Alive(Instant startedAt) -> {
                logs.listen(attempt, name(attempt), true);
                tell(attempt, new RunStarted(attempt.number(), startedAt));
                logs.begin(attempt.job());
            }
            case Condition.Exited exited -> tell(attempt, exited.of(attempt.number()));
        }
    }

    @Override
    public boolean stop(StopRun stop) {
        Attempt attempt = stop.attempt();
        String name = name(attempt);
        engine.stop(name, parts.stopGrace());
        Optional<Condition> condition = engine.inspect(name);
        if (condition.orElse(null) instanceof Condition.Exited exited) {
            tell(attempt, exited.of(attempt.number()));
        } else if (condition.orElse(null) instanceof Condition.Alive) {
            return false;
        } else if (condition.isEmpty()) {
            tell(attempt, gone(attempt));
        } else {
            removeAndTell(
                    attempt,
                    name,
                    fresh.contains(attempt) ? new RunGone(attempt.number()) : new StartLost(attempt.number()));
        }
        return true;
    }

    @Override
    public boolean adopt(AdoptRun adopt) {
        Attempt attempt = adopt.attempt();
        if (logs.isOpen(adopt.job())) {
            return true;
        }
        try {
            logs.listen(attempt, name(attempt), true);
            logs.begin(adopt.job());
        } catch (EngineException e) {
            if (e.kind() != EngineException.Kind.NOT_FOUND) {
                throw e;
            }
            tell(attempt, new RunGone(attempt.number()));
        }
        return true;
    }

    /** An engine may make what was given up: its job is finished, and no other attempt has its name. */
    private boolean sweepLate(String name) {
        if (engine.inspect(name).isPresent()) {
            engine.stop(name, parts.stopGrace());
            engine.remove(name);
            LOG.info("container {}, which the engine made after it was given up, is removed", name);
        }
        return true;
    }

    /** What no job owns; its log and its files are not ours to touch, for a job of that number may come back. */
    @Override
    public boolean sweep(SweepRun sweep) {
        String name = name(sweep.attempt());
        engine.stop(name, parts.stopGrace());
        if (engine.inspect(name).orElse(null) instanceof Condition.Alive) {
            return false;
        }
        engine.remove(name);
        LOG.info("container {}, of which no job was known, is stopped and removed", name);
        tell(sweep.attempt(), new RunGone(sweep.attempt().number()));
        return true;
    }

    /**
     * One whose removal was begun and broken off, as by the end of the engine in its middle, gives its log no more: what
     * was there to be read was read before, or went with the one who removed it.
     */
    private void keepTheRest(Attempt attempt, String name) {
        try {
            logs.keepTheRest(attempt, name);
        } catch (EngineException e) {
            if (e.kind() != EngineException.Kind.NOT_FOUND) {
                throw e;
            }
            LOG.warn("job={} the engine does not give its log any more: {}", attempt.job(), e.sentence());
        }
    }

    @Override
    public boolean release(ReleaseRun release) {
        JobId job = release.job();
        Attempt attempt = release.attempt();
        String name = name(attempt);
        Optional<Condition> condition = engine.inspect(name);
        if (condition.orElse(null) instanceof Condition.Alive) {
            // An engine may come late to what it was asked for.
            engine.stop(name, parts.stopGrace());
        }
        boolean isCreated = condition.orElse(null) instanceof Condition.Created;
        if (condition.isPresent() && !isCreated) {
            keepTheRest(attempt, name);
        }
        logs.close(job);
        if (isCreated) {
            discard(attempt, name);
        } else {
            engine.remove(name);
        }
        try {
            parts.workspaces().discard(job);
        } catch (IOException e) {
            LOG.warn("job={} its workspace could not be removed: {}", job, e.getMessage());
        }
        parts.logs().finish(job);
        forbidden.remove(attempt);
        fresh.remove(attempt);
        owed.remove(attempt);
        failures.forget(attempt);
        return true;
    }
}
