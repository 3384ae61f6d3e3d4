package dev.berth.server.runner;

import dev.berth.core.job.JobId;
import dev.berth.core.machine.Effect.OfRun;
import dev.berth.server.measure.Latencies;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.time.Clocks;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** The failures that keep the engine from doing what jobs wait for. Safe for any thread. */
public final class EngineHealth {
    private static final Set<Kind> SHOWN = EnumSet.of(Kind.LATE, Kind.FAILING, Kind.UNABLE, Kind.REFUSED);

    private final ConcurrentMap<JobId, EngineOutage> failing = new ConcurrentHashMap<>();

    /** When work that is not done yet found no engine the last time, by the steady clock. */
    private final ConcurrentMap<JobId, Instant> unreachable = new ConcurrentHashMap<>();

    private final ConcurrentMap<Class<? extends OfRun>, Latencies> work = new ConcurrentHashMap<>();
    private final Map<Kind, LongAdder> failures = new EnumMap<>(Kind.class);
    private final Supplier<Optional<EngineOutage>> outage;
    private final Clocks clock;
    private final Instant began;

    /**
     * The health of an engine, from now on.
     *
     * @param outage since when it does not answer
     */
    public EngineHealth(Supplier<Optional<EngineOutage>> outage, Clocks clock) {
        this.outage = outage;
        this.clock = clock;
        this.began = clock.steady().instant();
        for (Kind kind : Kind.values()) {
            failures.put(kind, new LongAdder());
        }
    }

    /** The time since which the engine does not answer; empty while it does. */
    public Optional<EngineOutage> outage() {
        return outage.get();
    }

    /**
     * The failure of the engine, though it answers, at work for one job that it is asked for again; empty where there
     * is none.
     */
    public Optional<EngineOutage> failing(JobId job) {
        return Optional.ofNullable(failing.get(job));
    }

    /** The time that each try at what jobs were owed took, by what it was. */
    public Map<Class<? extends OfRun>, Latencies> work() {
        return Map.copyOf(work);
    }

    /** The number of tries that failed, by what ailed the engine. */
    public Map<Kind, LongAdder> failures() {
        return Map.copyOf(failures);
    }

    /**
     * The time by the steady clock since which what the job is owed is being done: what an earlier server or an earlier
     * try had begun, as the time that a program has to end, begins anew.
     */
    Instant servedSince(JobId job) {
        return unreachable.getOrDefault(job, began);
    }

    /** The work, with its failures kept for questions about the job. */
    BooleanSupplier watching(OfRun effect, BooleanSupplier task) {
        JobId job = effect.job();
        return () -> {
            Instant asked = clock.steady().instant();
            try {
                boolean done = task.getAsBoolean();
                failing.remove(job);
                if (done) {
                    unreachable.remove(job);
                }
                return done;
            } catch (EngineException e) {
                Objects.requireNonNull(failures.get(e.kind())).increment();
                if (e.kind() == Kind.UNREACHABLE) {
                    unreachable.put(job, clock.steady().instant());
                }
                if (SHOWN.contains(e.kind())) {
                    failing.merge(
                            job,
                            new EngineOutage(clock.instant(), e.sentence()),
                            (before, now) -> new EngineOutage(before.since(), now.sentence()));
                }
                throw e;
            } finally {
                work.computeIfAbsent(effect.getClass(), _ -> new Latencies())
                        .observe(Duration.between(asked, clock.steady().instant()));
            }
        };
    }
}
