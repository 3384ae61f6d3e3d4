package dev.berth.server.runner.target;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import dev.berth.server.log.JobLog;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineOutage;
import dev.berth.server.upkeep.BackgroundWork;
import dev.berth.server.upkeep.Tasks;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The looks at one target: all jobs that its engine has, by one question from time to time, with what they have written
 * meanwhile. An engine that does not answer is asked again, and its jobs stay as they are. Safe for any thread.
 */
final class TargetLooks {
    private static final Logger LOG = LoggerFactory.getLogger(TargetLooks.class);

    /** How soon after a change that Berth made itself the engine is asked. */
    private static final Duration SOON = Duration.ofSeconds(1);

    /** The most parts of output that are taken of one job in a look, before others have their turn. */
    private static final int MAX_PARTS = 64;

    private final ConcurrentMap<Attempt, Followed> followed = new ConcurrentHashMap<>();
    private final LateAccounts late;
    private final AtomicBoolean isLookPlanned = new AtomicBoolean();
    private final ReentrantLock looking = new ReentrantLock();
    private final String name;
    private final TargetEngine engine;
    private final TargetParts parts;
    private final LookReports reports;
    private final Tasks tasks;
    private volatile @Nullable EngineOutage outage;

    /** Looks at a target that has nothing yet. */
    TargetLooks(String name, TargetEngine engine, TargetParts parts, BackgroundWork background) {
        this.name = name;
        this.engine = engine;
        this.parts = parts;
        this.reports = new LookReports(name, engine.abilities().kind(), parts);
        this.late = new LateAccounts(engine, reports, parts.clock().steady());
        this.tasks = background.tasks("looks at target " + name);
    }

    String name() {
        return name;
    }

    TargetEngine engine() {
        return engine;
    }

    /** The time since which the engine does not answer; empty while it does. */
    Optional<EngineOutage> outage() {
        return Optional.ofNullable(outage);
    }

    /** What is known of a job that is followed. */
    Optional<Followed> find(JobId job) {
        return followed.values().stream()
                .filter(one -> one.job.id().equals(job))
                .findFirst();
    }

    Optional<Followed> find(Attempt attempt) {
        return Optional.ofNullable(followed.get(attempt));
    }

    /** Looks after an attempt from now on. */
    Followed follow(Job job) {
        return followed.computeIfAbsent(Attempt.of(job), _ -> {
            Attempt attempt = Attempt.of(job);
            return new Followed(job, parts.handed(job), () -> parts.logs().append(attempt));
        });
    }

    /** Adds a sentence of Berth's own to its log. */
    void say(Attempt attempt, String sentence) {
        try (JobLog log = parts.logs().append(attempt)) {
            log.say(sentence);
        }
    }

    /** Looks after it no more. A look that goes on writes nothing to its log from here on, which may be complete then. */
    void forget(Attempt attempt) {
        Followed one = followed.remove(attempt);
        if (one != null) {
            one.output.lock();
            try {
                one.isReleased = true;
                one.closeLog();
                late.expect(one);
            } finally {
                one.output.unlock();
            }
        }
    }

    /** Looks after a moment, as something has changed there. */
    void soon() {
        if (isLookPlanned.compareAndSet(false, true)) {
            tasks.runAfter(SOON, () -> {
                isLookPlanned.set(false);
                look();
            });
        }
    }

    /** Asks the engine, unless somebody does; nothing where it has nothing of this server, and answers. */
    void look() {
        if (!looking.tryLock()) {
            return;
        }
        try {
            List<Followed> all = List.copyOf(followed.values());
            if (!all.isEmpty()) {
                lookAt(all);
            } else if (outage != null) {
                probe();
            }
            if (outage == null) {
                late.ask();
            }
        } catch (EngineException e) {
            away(e);
        } finally {
            looking.unlock();
        }
    }

    private void probe() {
        // However it is, it answers.
        TargetEngine.Health _ = engine.health();
        answers();
    }

    private void lookAt(List<Followed> all) {
        all.forEach(one -> one.holdsBefore = one.holdsDone.get());
        Map<Handed, Phase> phases;
        try {
            phases = engine.look(all.stream().map(one -> one.handed).toList());
        } catch (EngineException e) {
            if (e.kind() == EngineException.Kind.INTERRUPTED) {
                throw e;
            }
            if (e.scope() == EngineException.Scope.USER) {
                // All of them are of users with such a trouble, and whoever comes next may have none.
                LOG.warn("target {} does not answer those whose jobs it has: {}", name, e.sentence());
                answers();
                return;
            }
            // Of whatever other kind: nobody knows how far jobs are, and a token that has expired stays so for long.
            noAnswer(e);
            return;
        }
        answers();
        List<Followed> over = new ArrayList<>();
        List<Followed> alive = new ArrayList<>();
        for (Followed one : all) {
            Phase phase = phases.get(one.handed);
            one.phase = phase == null ? one.phase : phase;
            switch (phase) {
                case null -> {}
                case Phase.Over _ -> over.add(one);
                case Phase.Alive _ -> {
                    alive.add(one);
                    reports.report(one);
                }
                case Phase.Waiting _, Phase.Unknown _ -> reports.report(one);
            }
        }
        // An end waits for what its own program has written, and for nothing of others.
        take(over);
        over.forEach(reports::report);
        take(alive);
        all.stream().filter(one -> one.isTakenBack).forEach(one -> engine.cancel(one.handed, Duration.ZERO));
    }

    private void take(Collection<Followed> written) {
        try {
            collect(written);
        } catch (EngineException e) {
            away(e);
        } catch (UncheckedIOException e) {
            LOG.warn("what jobs of target {} wrote could not be kept: {}", name, e.getMessage());
        }
    }

    /** Takes what programs have written, but for those of which somebody takes the rest. */
    private void collect(Collection<Followed> written) {
        List<Followed> mine =
                written.stream().filter(one -> one.output.tryLock()).toList();
        try {
            List<Followed> kept = mine.stream().filter(one -> !one.isReleased).toList();
            boolean hasMore = !kept.isEmpty();
            for (int part = 0; part < MAX_PARTS && hasMore; part++) {
                hasMore = engine.collect(outputs(kept));
            }
            if (!hasMore) {
                kept.forEach(one -> one.isAllTaken = one.phase instanceof Phase.Over);
            }
        } finally {
            mine.forEach(one -> one.output.unlock());
        }
    }

    /** Takes all that an attempt that is over has written, unless a look that knew of its end has. */
    void collectRest(Job job, Handed handed) {
        Followed known = followed.get(handed.attempt());
        if (known != null) {
            collectRest(known);
            return;
        }
        // Its end was told to an earlier server, which may have been killed before it had all.
        Followed one = new Followed(job, handed, () -> parts.logs().append(handed.attempt()));
        try {
            collectRest(one);
        } finally {
            one.closeLog();
        }
    }

    private void collectRest(Followed one) {
        one.output.lock();
        try {
            boolean hasMore = !one.isAllTaken;
            while (hasMore) {
                hasMore = engine.collect(outputs(List.of(one)));
            }
        } catch (UncheckedIOException e) {
            throw new EngineException(
                    EngineException.Kind.FAILING, "what it wrote could not be kept: " + e.getMessage(), e);
        } finally {
            one.output.unlock();
        }
    }

    private List<TargetEngine.Reading> outputs(Collection<Followed> some) {
        return some.stream()
                .<TargetEngine.Reading>map(one -> new JobOutput(one, parts.workspaces()))
                .toList();
    }

    /** Notes that the engine does not answer, where that is what a call failed for. */
    void away(EngineException failure) {
        if (failure.kind() == EngineException.Kind.UNREACHABLE) {
            noAnswer(failure);
        } else {
            LOG.warn("target {} could not be looked at: {}", name, failure.sentence());
        }
    }

    private void noAnswer(EngineException failure) {
        EngineOutage before = outage;
        if (before == null) {
            LOG.warn("target {} does not answer: {}", name, failure.sentence());
        }
        outage = new EngineOutage(before == null ? parts.clock().instant() : before.since(), failure.sentence());
    }

    private void answers() {
        if (outage != null) {
            LOG.info("target {} answers again", name);
            outage = null;
        }
    }
}
