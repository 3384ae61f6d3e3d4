package dev.berth.server.simulation;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState.Launching;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.machine.DateClock;
import dev.berth.core.machine.Machine;
import dev.berth.core.machine.Starts;
import dev.berth.server.ServerAssembly;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The times by which jobs were said to start at the latest. All of them are void once something has happened that no forecast
 * knows of.
 */
final class GivenForecasts {
    /** What forecasts rest on, beside time limits and the order of the queue. */
    private record Premises(
            Starts starts,
            Map<?, ?> drains,
            Map<?, ?> obstacles,
            @Nullable String lock,
            Map<?, ?> orphans,
            DateClock clock,
            boolean isAway,
            boolean isHanging) {
        static Premises of(World world) {
            Machine machine = world.machine();
            return new Premises(
                    machine.starts(),
                    machine.gpus().drains(),
                    machine.gpus().obstacles(),
                    machine.gpus().lock(),
                    machine.orphans(),
                    machine.clock(),
                    world.engine.weather.isAway(),
                    world.engine.isHanging());
        }
    }

    private final World world;

    /** Until when each of these jobs is to have started, by the time that has passed in all. */
    private final Map<JobId, Duration> due = new HashMap<>();

    private final Set<JobId> queued = new HashSet<>();
    private Duration passed = Duration.ZERO;
    private long lastId;
    private @Nullable ServerAssembly server;
    private @Nullable Premises premises;

    /** The jobs that were not ready, and become that by themselves. */
    private Map<Long, Long> deferred = Map.of();

    GivenForecasts(World world) {
        this.world = world;
    }

    /** Time passes, before which all was done that was to be done. */
    void pass(Duration time) {
        passed = passed.plus(time);
    }

    /** The time until the first of the jobs should have started. */
    Optional<Duration> untilNext() {
        return due.values().stream()
                .min(Duration::compareTo)
                .map(end -> end.minus(passed).plusMillis(1));
    }

    /** Holds what was said against what has come, and asks for more. */
    void look() {
        Premises now = Premises.of(world);
        Machine machine = world.machine();
        List<Job> waiting = waiting(machine).toList();
        boolean isBack = waiting.stream()
                .anyMatch(job -> job.id().value() <= lastId
                        && !queued.contains(job.id())
                        && !deferred.containsKey(job.id().value()));
        deferred = world.books.pairs("SELECT id, 0 FROM job WHERE state = 'DEFERRED'"
                + " AND NOT EXISTS (SELECT 1 FROM dependency WHERE job = job.id AND broken = 1)");
        if (isBack || !world.server().equals(server) || !now.equals(premises)) {
            world.tally.add("forecasts that rest on something that has changed", due.size());
            due.clear();
        }
        server = world.server();
        premises = now;
        lastId = machine.lastId();
        queued.clear();
        waiting.forEach(job -> queued.add(job.id()));
        due.entrySet().removeIf(entry -> hasStarted(machine, entry.getKey(), entry.getValue()));
        if (!now.isHanging()) {
            waiting.forEach(job -> ask(machine, job));
        }
    }

    private boolean hasStarted(Machine machine, JobId id, Duration end) {
        boolean isWaiting = machine.find(id)
                        .filter(job -> job.state() instanceof Queued || job.state() instanceof Launching)
                        .isPresent()
                || waiting(machine).anyMatch(job -> isNext(job, id));
        Law.FORECAST.require(
                !isWaiting || passed.compareTo(end) <= 0,
                () -> "job " + id + " was to start " + passed.minus(end) + " ago: " + machine);
        if (!isWaiting) {
            world.tally.count("forecasts that came true");
        }
        return !isWaiting;
    }

    private static Stream<Job> waiting(Machine machine) {
        return machine.queue().values().stream().flatMap(window -> window.jobs().stream());
    }

    /** Whether a number is that of a task, or a pack, of an array that waits with it. */
    private static boolean isNext(Job job, JobId part) {
        Integer index = job.indexOf(part);
        boolean isPack = index == null && job.isArray() && part.value() <= job.lastId();
        return index != null
                ? job.waiting().contains(index)
                : isPack && !job.waiting().isEmpty() && part.value() >= job.place();
    }

    /** What is foretold of an array is when the next of its tasks starts. */
    private void ask(Machine machine, Job job) {
        Instant date = world.time.instant();
        JobId id = job.isArray() ? new JobId(job.place()) : job.id();
        world.server().forecasts().latestStart(machine, job.id(), date).ifPresent(latest -> {
            Law.FORECAST.require(latest.isAfter(date), () -> "job " + id + " is foretold for " + latest);
            due.merge(
                    id,
                    passed.plus(Duration.between(date, latest)),
                    (one, other) -> one.compareTo(other) < 0 ? one : other);
        });
    }
}
