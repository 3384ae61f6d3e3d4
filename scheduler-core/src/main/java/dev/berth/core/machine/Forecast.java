package dev.berth.core.machine;

import dev.berth.core.job.GpuShare;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState.Creating;
import dev.berth.core.job.JobState.HandedOver;
import dev.berth.core.job.JobState.Live;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.JobState.Running;
import dev.berth.core.job.JobState.Starting;
import dev.berth.core.job.JobState.Stopping;
import dev.berth.core.job.StopCause;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The latest time at which a queued job's program starts: the queue is played through as if every program ran as long as
 * it may, and everything around it took as long as it can. Where something that has no bound comes first, there is none:
 * a program without a time limit, an earlier job that waits for another or for a date that comes before, one that may be
 * retried at its place, an image that is not here, an array with a throttle, arrays of more than a thousand tasks, an engine
 * that is away, GPUs that somebody else has, that are drained or being looked at.
 *
 * <p>It holds as long as nothing happens that it does not know of: a machine or an engine that fails, somebody who comes
 * to a GPU, pauses the server or releases an earlier job.
 *
 * <p>What running programs tell of their ends gives an expected start in the same way, which is no promise.
 */
public final class Forecast {
    /** The longest time from a job's turn until its program runs. The command of a host job has as long to start it. */
    static final Duration LAUNCH = Duration.ofMinutes(1);

    /** The most tasks of earlier arrays that are played through. */
    private static final int MAX_TASKS = 1_000;

    /** The longest time that a look at the GPUs of a job takes, before which nobody behind it has a turn. */
    static final Duration LOOK = Duration.ofSeconds(5);

    /**
     * The facts beside the machine's state on which a forecast rests.
     *
     * @param freeing how long it takes at most from the end of a time limit until others can have the GPUs
     * @param isServed whether a job is started and stopped where that is asked for now
     * @param servedSince since when a job is, by the steady clock: what was asked for before is begun anew then
     */
    public record Assumptions(Duration freeing, Predicate<Job> isServed, Function<JobId, Instant> servedSince) {}

    /** The GPUs and workers that become free when a program ends. */
    private record Release(int gpus, int workers) {
        Release and(Release other) {
            return new Release(gpus + other.gpus, workers + other.workers);
        }
    }

    private final NavigableMap<Instant, Release> releases = new TreeMap<>(Comparator.naturalOrder());
    private final Machine machine;
    private final Assumptions assumptions;
    private final Instant asked;
    private final Lane lane;

    /** When programs that run are expected to end, where that is before they have to; none where only the latest counts. */
    private final Map<JobId, Instant> expectedEnds;

    /** When the turn of the next job comes at the latest. */
    private Instant turn;

    private int freeGpus;
    private int freeWorkers;

    private Forecast(
            Machine machine, Lane lane, Instant now, Assumptions assumptions, Map<JobId, Instant> expectedEnds) {
        this.machine = machine;
        this.expectedEnds = expectedEnds;
        this.assumptions = assumptions;
        this.asked = now;
        this.lane = lane;
        this.turn = now;
        this.freeGpus = machine.freeGpus().size();
        this.freeWorkers = Math.toIntExact(machine.capacity().workers(lane) - machine.busyWorkers(lane));
        machine.live().values().forEach(job -> endOf(job).ifPresent(end -> add(end, ofLive(job))));
    }

    /** The latest start of a job that waits in the window; empty where nobody can tell. */
    public static Optional<Instant> latestStart(Machine machine, JobId id, Instant now, Assumptions assumptions) {
        return foreseen(machine, id)
                .filter(job -> !mayBePreceded(machine, job))
                .flatMap(job -> start(machine, job, now, assumptions, Map.of()));
    }

    /**
     * The expected start of a job that waits in the window, where programs that run tell enough of their ends to expect another
     * one than their time limits give, and nothing fails; else empty.
     *
     * @param expectedEnds of those that run, by what they tell
     */
    public static Optional<Instant> expectedStart(
            Machine machine, JobId id, Instant now, Assumptions assumptions, Map<JobId, Instant> expectedEnds) {
        if (expectedEnds.isEmpty()) {
            return Optional.empty();
        }
        return foreseen(machine, id).flatMap(job -> {
            Optional<Instant> bound = start(machine, job, now, assumptions, Map.of());
            return start(machine, job, now, assumptions, expectedEnds)
                    .filter(expected -> bound.isEmpty() || expected.isBefore(bound.get()))
                    // A launch takes that long in bad times alone.
                    .map(expected -> expected.minus(LAUNCH));
        });
    }

    private static Optional<Job> foreseen(Machine machine, JobId id) {
        boolean isCounted = machine.live().values().stream()
                .noneMatch(job -> job.spec().gpus().isShare());
        return machine.isStarting() && isCounted && !machine.deferred().areUnread()
                ? machine.find(id)
                        .filter(job ->
                                job.state() instanceof Queued && !job.spec().isAtTarget())
                : Optional.empty();
    }

    private static Optional<Instant> start(
            Machine machine, Job job, Instant now, Assumptions assumptions, Map<JobId, Instant> expectedEnds) {
        return new Forecast(machine, machine.laneOf(job), now, assumptions, expectedEnds)
                .startOf(job.id())
                .filter(start -> !machine.deferred().mayPrecede(new JobId(job.place()), start));
    }

    /** Whether one that has its turn before a job, or a task of such a pack, may fail and be back at its place before that. */
    private static boolean mayBePreceded(Machine machine, Job job) {
        return Stream.concat(machine.live().values().stream(), machine.inTurn(machine.laneOf(job)))
                .filter(other -> other.place() < job.place())
                .anyMatch(other -> other.mayBeRetried() && !other.spec().retry().atEnd());
    }

    private Optional<Instant> startOf(JobId id) {
        if (!isDecidedInTime()) {
            return Optional.empty();
        }
        int tasks = 0;
        for (Job job : machine.inTurn(lane).toList()) {
            boolean isAsked = job.id().equals(id);
            tasks += isAsked ? 0 : job.waiting().size();
            if (!isForeseeable(job) || tasks > MAX_TASKS) {
                return Optional.empty();
            }
            for (Job next : isAsked ? List.of(job) : turns(job)) {
                if (!hasRoomFor(next)) {
                    return Optional.empty();
                }
                if (isAsked) {
                    return Optional.of(turn.plus(LAUNCH));
                }
                take(next);
            }
        }
        return Optional.empty();
    }

    /** What has a turn of its own before the next job has: each task of an array, or each pack of them. */
    private static List<Job> turns(Job job) {
        if (!job.isPacked()) {
            return Collections.nCopies(job.isArray() ? job.waiting().size() : 1, job);
        }
        List<Job> packs = new ArrayList<>();
        for (Job left = job;
                !left.waiting().isEmpty();
                left = left.without(packs.getLast().packed())) {
            packs.add(left.nextPack());
        }
        return packs;
    }

    /** Gives a job, a task or a pack its turn. */
    private void take(Job job) {
        int gpus = job.spec().gpus().count();
        freeGpus -= gpus;
        freeWorkers--;
        Duration limit = job.spec().timeLimit();
        if (limit != null) {
            add(turn.plus(LAUNCH).plus(limit).plus(freeing(job)), new Release(gpus, 1));
        }
        turn = turn.plus(untilNext(job));
    }

    /** Lets the job pass that has had its turn, where one is in question; false where nobody knows for how long it is. */
    private boolean isDecidedInTime() {
        Optional<Job> before = machine.undecided(lane);
        before.ifPresent(job -> turn = turn.plus(untilNext(job)));
        return before.filter(job -> !assumptions.isServed().test(job)).isEmpty();
    }

    /** The time from a job's turn to that of the next one, where that is not held up. */
    private Duration untilNext(Job job) {
        if (machine.capacity().order().startsOneByOne()) {
            return LAUNCH;
        }
        return job.spec().gpus().isNone() ? Duration.ZERO : LOOK;
    }

    /** Whether all that a queued job waits for beside earlier ones is a number of GPUs and a worker. */
    private boolean isForeseeable(Job job) {
        Capacity capacity = machine.capacity();
        return Machine.hasImage(job)
                && (job.spec().tasks() == null || job.spec().tasks().atOnce() == 0)
                && assumptions.isServed().test(job)
                && (job.spec().gpus().isNone() || machine.gpus().lock() == null)
                && !job.spec().gpus().isShare()
                && capacity.gpus().stream().allMatch(gpu -> capacity.suits(gpu, job.spec()))
                && capacity.cores(job.spec()) == 0
                && (capacity.memory(job.spec()) == 0 || capacity.memoryBytes() == Long.MAX_VALUE);
    }

    /** Lets time go on until the job fits; false where no end that is known makes it fit. */
    private boolean hasRoomFor(Job job) {
        while (freeGpus < job.spec().gpus().count() || freeWorkers < 1) {
            Map.Entry<Instant, Release> first = releases.pollFirstEntry();
            if (first == null) {
                return false;
            }
            turn = later(turn, first.getKey());
            freeGpus += first.getValue().gpus();
            freeWorkers += first.getValue().workers();
        }
        return true;
    }

    private static Instant later(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }

    private void add(Instant end, Release release) {
        releases.merge(end, release, Release::and);
    }

    /** GPUs are everybody's, workers are a lane's. A GPU that nobody can have then is no matter. */
    private Release ofLive(Job job) {
        long gpus = Machine.allocation(job).shares().stream()
                .map(GpuShare::gpu)
                .filter(gpu -> machine.capacity().gpu(gpu).isPresent()
                        && machine.gpus().isOpen(gpu)
                        && !machine.hasOrphan(gpu))
                .count();
        return new Release(Math.toIntExact(gpus), machine.laneOf(job) == lane ? 1 : 0);
    }

    /** The end of a job that has had its turn, as expected where that is, else the latest; empty where nobody knows one. */
    private Optional<Instant> endOf(Job job) {
        Optional<Instant> latest = latestEndOf(job);
        Instant expected =
                job.state() instanceof Running && assumptions.isServed().test(job) ? expectedEnds.get(job.id()) : null;
        return expected == null || latest.filter(expected::isAfter).isPresent() ? latest : Optional.of(expected);
    }

    /** The latest end of a job that has had its turn; empty where nobody knows one, or it should be over by now. */
    private Optional<Instant> latestEndOf(Job job) {
        Duration limit = job.spec().timeLimit();
        if (limit == null || !assumptions.isServed().test(job)) {
            return Optional.empty();
        }
        Instant served = machine.clock().date(assumptions.servedSince().apply(job.id()));
        return latestBegin((Live) job.state(), served)
                .map(begin -> later(begin.plus(limit), served).plus(freeing(job)))
                .filter(end -> end.isAfter(asked));
    }

    /** A grace of its own comes in place of the server's, which is counted all the same. */
    private Duration freeing(Job job) {
        Duration grace = job.spec().limits().grace();
        return grace == null ? assumptions.freeing() : assumptions.freeing().plus(grace);
    }

    private Optional<Instant> latestBegin(Live live, Instant served) {
        Instant counted = live.countedFrom();
        Optional<Instant> known = Optional.ofNullable(counted).map(machine.clock()::date);
        return switch (live) {
            case HandedOver _ -> Optional.empty();
            case Creating _ -> Optional.of(asked.plus(LAUNCH));
            case Starting _ ->
                Optional.of(
                        known.map(begin -> later(begin, served)).orElse(asked).plus(LAUNCH));
            case Running _ -> known;
            // It goes back to its place, before all that wait.
            case Stopping stopping when stopping.cause() instanceof StopCause.DeviceLost -> Optional.empty();
            case Stopping _ -> known;
        };
    }
}
