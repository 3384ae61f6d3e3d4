package dev.berth.server.runner.target;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Effect.AdoptRun;
import dev.berth.core.machine.Effect.CreateRun;
import dev.berth.core.machine.Effect.HoldRun;
import dev.berth.core.machine.Effect.OfRun;
import dev.berth.core.machine.Effect.ReadPack;
import dev.berth.core.machine.Effect.ReleaseRun;
import dev.berth.core.machine.Effect.SignalRun;
import dev.berth.core.machine.Effect.StartRun;
import dev.berth.core.machine.Effect.StopRun;
import dev.berth.core.machine.Effect.StopTask;
import dev.berth.core.machine.Effect.SweepRun;
import dev.berth.core.machine.Found;
import dev.berth.core.machine.JobEvent.RunGone;
import dev.berth.core.machine.JobEvent.SignalSent;
import dev.berth.core.machine.RunnerKind;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.Runner;
import dev.berth.server.runner.target.TargetEngine.Ability;
import dev.berth.server.upkeep.BackgroundWork;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands jobs over to the engines of targets, and keeps looking after them there. An engine that does not answer, or a target that
 * is not set up any more, is waited for: its jobs are not lost for that.
 */
public final class TargetRunner implements Runner {
    private static final Logger LOG = LoggerFactory.getLogger(TargetRunner.class);

    /** The number of a job's first attempt. */
    private static final int FIRST = 1;

    /** For how long a program's files are asked for again and again where that fails by what may pass. */
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final Map<String, TargetLooks> targets = new TreeMap<>();
    private final TargetParts parts;
    private final HandoverMarks marks;
    private final Handovers handovers;
    private final Duration grace;

    /** Since when the files of attempts could not be brought. Lost with the server, which then waits anew. */
    private final Map<Attempt, Instant> unfetched = new ConcurrentHashMap<>();

    /**
     * A runner that has handed nothing over yet.
     *
     * @param grace the time from TERM to KILL of a job that has none of its own
     */
    public TargetRunner(Targets targets, TargetParts parts, BackgroundWork background, Duration grace) {
        targets.all()
                .forEach((name, target) ->
                        this.targets.put(name, new TargetLooks(name, target.engine(), parts, background)));
        this.parts = parts;
        this.marks = parts.marks();
        this.handovers = new Handovers(parts, background.tasks("hand-overs to targets"));
        this.grace = grace;
    }

    /** Looks at each target from time to time, from now on. */
    public void watch(BackgroundWork background, Duration every) {
        targets.forEach((name, looks) -> background.every("looks at target " + name, every, every, looks::look));
    }

    /** What is known of the jobs that targets have. */
    public TargetStandings standings() {
        return new TargetStandings(targets);
    }

    @Override
    public void expect(OfRun effect) {
        switch (effect) {
            case CreateRun create -> {
                parts.logs().expect(create.job());
                // A later one first waits for what its job's last attempt leaves to be brought and removed, which may
                // take hours.
                if (create.attempt().number() == FIRST) {
                    expectTurn(create);
                }
            }
            case StopRun stop -> {
                handovers.forbid(stop.attempt());
                followed(stop.attempt()).ifPresent(one -> one.isStopping = true);
            }
            case HoldRun hold -> followed(hold.attempt()).ifPresent(one -> one.holdsOwed.incrementAndGet());
            case AdoptRun _, ReleaseRun _ -> parts.logs().expect(effect.job());
            case StartRun _, SignalRun _, StopTask _, ReadPack _, SweepRun _ -> {}
        }
    }

    private void expectTurn(CreateRun create) {
        handovers.expect(
                target(create.launch()),
                create.attempt(),
                create.launch().owner().uid());
    }

    private static String target(Job job) {
        return Objects.requireNonNull(job.spec().target());
    }

    private Optional<Followed> followed(Attempt attempt) {
        return targets.values().stream()
                .flatMap(looks -> looks.find(attempt).stream())
                .findFirst();
    }

    private TargetLooks looks(Job job) {
        TargetLooks looks = targets.get(target(job));
        if (looks == null) {
            throw new EngineException(
                    Kind.UNABLE,
                    "target " + target(job) + " is not set up here any more; berth targets lists those that are");
        }
        return looks;
    }

    @Override
    public boolean create(CreateRun creation) {
        Job job = creation.launch();
        Attempt attempt = creation.attempt();
        if (handovers.isSettled(Optional.ofNullable(targets.get(target(job))), attempt)) {
            handovers.end(target(job), attempt);
            return true;
        }
        expectTurn(creation);
        return handovers.handOver(looks(job), job);
    }

    /** The engine starts what it was handed. */
    @Override
    public boolean start(StartRun launch) {
        throw new IllegalStateException("job " + launch.job() + " is its target's to start");
    }

    @Override
    public boolean stop(StopRun stop) {
        Attempt attempt = stop.attempt();
        Optional<Job> job = parts.jobs().apply(stop.job());
        TargetLooks looks = job.map(one -> targets.get(target(one))).orElse(null);
        if (job.isEmpty() || looks == null) {
            LOG.warn("job={} its target is not set up any more: what it has of it goes on", stop.job());
            parts.notices().post(stop.job(), new RunGone(attempt.number()));
            return true;
        }
        handovers.end(target(job.get()), attempt);
        if (isEnded(job.get(), attempt)) {
            return true;
        }
        if (!marks.has(attempt)) {
            // Nothing of it went there.
            parts.notices().post(stop.job(), new RunGone(attempt.number()));
            return true;
        }
        Followed one = looks.follow(job.get());
        one.isStopping = true;
        looks.engine().cancel(one.handed, stop.graceOr(grace));
        looks.soon();
        return true;
    }

    /** Whether a job is behind an attempt already, whose end was told while something was still tried with it. */
    private static boolean isEnded(Job job, Attempt attempt) {
        return !Attempt.of(job).equals(attempt);
    }

    @Override
    public boolean signal(SignalRun signal) {
        Attempt attempt = signal.attempt();
        if (handovers.isForbidden(attempt) || !mayBeThere(attempt) || isKnownToBeOver(attempt)) {
            return true;
        }
        Job job = parts.jobs().apply(signal.job()).orElseThrow();
        if (isEnded(job, attempt)) {
            return true;
        }
        if (looks(job).engine().signal(parts.handed(job), signal.signal())) {
            parts.notices().post(signal.job(), new SignalSent(attempt.number(), signal.signal()));
        }
        return true;
    }

    /** Whether its target may have something of it. */
    private boolean mayBeThere(Attempt attempt) {
        return marks.has(attempt) || followed(attempt).isPresent();
    }

    private boolean isKnownToBeOver(Attempt attempt) {
        return followed(attempt).filter(one -> one.phase instanceof Phase.Over).isPresent();
    }

    @Override
    public boolean hold(HoldRun hold) {
        if (handovers.isForbidden(hold.attempt())) {
            // Whoever ends it need not wait for that.
            return true;
        }
        Job job = parts.jobs().apply(hold.job()).orElseThrow();
        if (isEnded(job, hold.attempt())) {
            return true;
        }
        TargetLooks looks = looks(job);
        if (looks.engine().abilities().has(Ability.HOLDS)) {
            looks.engine().hold(parts.handed(job), hold.isHeld());
        }
        looks.find(hold.attempt()).ifPresent(one -> one.noteHold(hold.isHeld()));
        looks.soon();
        return true;
    }

    @Override
    public boolean adopt(AdoptRun adopt) {
        if (handovers.isForbidden(adopt.attempt())) {
            return true;
        }
        parts.jobs()
                .apply(adopt.job())
                .filter(job -> !isEnded(job, adopt.attempt()))
                .ifPresent(job -> {
                    TargetLooks looks = looks(job);
                    looks.follow(job);
                    looks.soon();
                });
        return true;
    }

    /** Takes the rest of what it wrote, and removes what the target has of it. */
    @Override
    public boolean release(ReleaseRun release) {
        Attempt attempt = release.attempt();
        Optional<Job> job = parts.jobs().apply(release.job());
        // What never went there needs no target, which may be away.
        if (mayBeThere(attempt) && job.isPresent() && targets.containsKey(target(job.get()))) {
            clear(looks(job.get()), job.get(), attempt);
        }
        parts.logs().finish(attempt.job());
        handovers.forget(attempt);
        try {
            marks.clear(attempt);
        } catch (IOException e) {
            LOG.warn("job={} the mark of its hand-over cannot be removed: {}", attempt.job(), e.toString());
        }
        return true;
    }

    private void clear(TargetLooks looks, Job job, Attempt attempt) {
        Handed handed = parts.handed(job, attempt);
        boolean isRead =
                isBrought(looks, job, attempt, "what the program wrote at last", () -> looks.collectRest(job, handed));
        boolean isFetched = isBrought(
                looks,
                job,
                attempt,
                "what the program left in $BERTH_OUTPUT_DIR",
                () -> looks.engine()
                        .fetch(handed, parts.workspaces().output(job).toAbsolutePath()));
        if (isRead && isFetched) {
            looks.engine().discard(handed);
        }
        unfetched.remove(attempt);
        looks.forget(attempt);
    }

    /** Whether nothing of it is there any more that is not here; what cannot be brought stays there. */
    private boolean isBrought(TargetLooks looks, Job job, Attempt attempt, String what, Runnable bringing) {
        try {
            bringing.run();
            return true;
        } catch (EngineException e) {
            if (mayPass(attempt, e.kind())) {
                throw e;
            }
            LOG.warn("job={} {} could not be brought from {}: {}", job.id(), what, target(job), e.sentence());
            looks.say(
                    attempt,
                    what + " could not be brought from target " + target(job) + ", and stays there: " + e.sentence());
            return false;
        }
    }

    private boolean mayPass(Attempt attempt, Kind kind) {
        return switch (kind) {
            case UNREACHABLE, INTERRUPTED -> true;
            case FAILING, LATE -> {
                Instant now = parts.clock().steady().instant();
                Instant since = unfetched.computeIfAbsent(attempt, _ -> now);
                yield Duration.between(since, now).compareTo(PATIENCE) < 0;
            }
            case NOT_FOUND, REFUSED, UNABLE, BEGUN -> false;
        };
    }

    /**
     * What may be left of attempts that are over. Those that are not, a target's engine is asked about once the server runs: it
     * may be away now.
     */
    @Override
    public List<Found> list() {
        try {
            return marks.all().stream()
                    .map(attempt -> new Found(RunnerKind.TARGET, attempt, new Found.Condition.FilesLeft(), List.of()))
                    .toList();
        } catch (IOException e) {
            LOG.warn("what earlier jobs left at targets cannot be listed: {}", e.getMessage());
            return List.of();
        }
    }

    /** An attempt of nobody's is known by its mark alone. */
    @Override
    public boolean sweep(SweepRun sweep) {
        boolean isDone = release(new ReleaseRun(sweep.runner(), sweep.attempt()));
        parts.notices().post(sweep.job(), new RunGone(sweep.attempt().number()));
        return isDone;
    }

    @Override
    public boolean stopTask(StopTask stop) {
        throw noPack(stop.job());
    }

    @Override
    public boolean readPack(ReadPack read) {
        throw noPack(read.job());
    }

    private static IllegalStateException noPack(JobId job) {
        return new IllegalStateException("job " + job + " is a pack, and no target takes packs");
    }
}
