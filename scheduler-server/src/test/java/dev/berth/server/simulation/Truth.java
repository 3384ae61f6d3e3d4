package dev.berth.server.simulation;

import dev.berth.core.job.Dependency;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.OutcomeReason;
import dev.berth.core.job.PullPolicy;
import dev.berth.core.job.StateName;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.JobEvent.GpusWithdrawn;
import dev.berth.core.machine.Lane;
import dev.berth.server.simulation.Fate.End;
import dev.berth.server.simulation.RetryTruth.Place;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** The laws, held at the end of a day against what happened and not against what Berth believes. */
final class Truth {
    private final World world;
    private final Ground ground;

    /** The number of the event by which each job has ended. */
    private final Map<Long, Long> ends;

    /** What may have had a turn. */
    private final SortedMap<Long, JobSpec> jobs;

    private final ArrayTruth arrays;
    private final PackTruth packs;
    private final RetryTruth retries;

    Truth(World world) {
        this.world = world;
        this.ground = world.ground;
        this.jobs = world.clients.withParts();
        this.ends = new HashMap<>(world.books.pairs("SELECT job, min(sequence) FROM job_event WHERE to_state NOT IN"
                + " ('QUEUED', 'HELD', 'STARTING', 'RUNNING', 'STOPPING') GROUP BY job"));
        world.books.endsWithoutTurns().forEach(ends::putIfAbsent);
        this.arrays = new ArrayTruth(world, ends, this::isBroken);
        this.packs = new PackTruth(world);
        this.retries = new RetryTruth(world, jobs);
    }

    void check() {
        nothingIsLeft();
        retries.requireKept();
        ready();
        inOrder();
        noneInFrontOfWhoCameBack();
        signalsAreTrue();
        if (!world.disk.wasRestored()) {
            // A container of a time that the books know nothing of takes GPUs from jobs that had their turn long ago.
            nobodyPassed();
        }
        world.clients.acknowledged().forEach((id, spec) -> {
            Job job = world.store()
                    .find(new JobId(id))
                    .orElseThrow(() -> new Violation(Law.DURABLE, "job " + id + " is not there", null));
            Finished end = endOf(job);
            if (job.isArray()) {
                arrays.check(job, end, parts(job));
            } else {
                check(job, end);
            }
        });
    }

    private Finished endOf(Job job) {
        Law.COMES_TO_REST.require(job.state() instanceof Finished, () -> "job " + job.number() + " is " + job.state());
        Law.OWN_JOBS.require(
                job.owner().equals(world.clients.ownerOf(job.id())),
                () -> "job " + job.number() + " of " + job.owner());
        Finished end = (Finished) job.state();
        Law.TRUE_END.require(!end.outcome().sentence().isBlank(), () -> "job " + job.number() + " has no sentence");
        return end;
    }

    private void check(Job job, Finished end) {
        List<Fate> attempts = ground.of(job.id());
        if (attempts.stream().noneMatch(fate -> fate.forgotten) && !packs.isForgotten(job.id())) {
            checkEnd(job.spec(), job, end, attempts);
            retries.check(job, end, attempts, row -> checkEnd(job.spec(), job, row, attempts));
            new LogTruth(world.server().logs()).check(job.id(), attempts);
        }
    }

    /** The tasks and packs of an array that are jobs of their own, each of which has ended as its program did. */
    private List<Job> parts(Job array) {
        List<Job> parts = LongStream.rangeClosed(array.id().value() + 1, array.lastId())
                .mapToObj(JobId::new)
                .flatMap(id -> world.store().find(id).stream())
                .toList();
        parts.forEach(part -> check(part, endOf(part)));
        return parts;
    }

    private void nothingIsLeft() {
        ground.fates().forEach(fate -> {
            boolean there = ground.condition(fate.name).isPresent();
            if (fate.server.equals(World.SERVER)) {
                Law.NOTHING_LEFT.require(!there, () -> fate.toString());
            } else {
                Law.OTHERS_ALONE.require(there, () -> fate.toString());
            }
        });
        for (String files : world.filesOfRuns()) {
            JobId job = new JobId(Long.parseLong(files.substring(0, files.indexOf('.'))));
            // Those of a time that the books know nothing of are left to whom brings that time back.
            boolean isUnknown =
                    world.store().find(job).isEmpty() || ground.of(job).stream().anyMatch(fate -> fate.forgotten);
            Law.NOTHING_LEFT.require(isUnknown, () -> "the files " + files);
        }
    }

    /**
     * The first turns of each lane's jobs came in the order of their acceptance, and those of jobs that a retry has put at the
     * end behind all that were accepted before that; but of those that were set aside, and of those that were passed while
     * their image was not here.
     */
    private void inOrder() {
        Map<Lane, List<Place>> before = new EnumMap<>(Lane.class);
        for (Place place : places()) {
            List<Place> earlier = before.computeIfAbsent(
                    laneOf(Objects.requireNonNull(jobs.get(place.job()))), _ -> new ArrayList<>());
            long turn = place.turn();
            for (Place other : earlier) {
                Law.IN_ORDER.require(
                        other.turn() < turn
                                || other.ready() > turn
                                || arrays.isThrottled(other.job(), turn)
                                || (world.rules(turn).passesPulling() && other.arrival() > turn),
                        () -> "job " + place.job() + " had its turn before job " + other.job() + ", accepted earlier");
            }
            earlier.add(place);
        }
    }

    /** The places that have led to turns, the first one first. */
    private List<Place> places() {
        Map<Long, Long> turns = firstTurns();
        Map<Long, Long> arrivals = arrivals();
        Map<Long, Long> readiness = readiness();
        List<Place> places = new ArrayList<>(retries.placesAtEnd());
        jobs.keySet().stream()
                .filter(turns::containsKey)
                .map(id ->
                        retries.place(id, turns.get(id), readiness.getOrDefault(id, 0L), arrivals.getOrDefault(id, 0L)))
                .forEach(places::add);
        Collections.sort(places);
        return places;
    }

    /** Nothing had its turn while an earlier job was back in the queue, which had had one. */
    private void noneInFrontOfWhoCameBack() {
        Map<Long, Boolean> back = new TreeMap<>();
        Map<Long, Long> subjects = world.books.pairs("SELECT sequence, job FROM job_event");
        Map<Long, Long> turns = world.books.pairs("SELECT sequence, 0 FROM job_event WHERE event = 'Allocated'");
        Map<Long, Long> packed = world.books.pairs("SELECT sequence, 0 FROM job_event WHERE event = 'TaskPacked'");
        Map<Long, Long> queued = world.books.pairs("SELECT sequence, 0 FROM job_event WHERE to_state = 'QUEUED'");
        new TreeMap<>(subjects).forEach((event, job) -> {
            JobSpec spec = jobs.get(job);
            if (spec != null && turns.containsKey(event)) {
                back.forEach((earlier, isBack) -> Law.IN_ORDER.require(
                        !isBack
                                || !retries.isBefore(earlier, job, event)
                                || retries.isDelayed(earlier, event)
                                || laneOf(jobs.get(earlier)) != laneOf(spec)
                                || world.rules(event).passesPulling()
                                || arrays.isThrottled(earlier, event),
                        () -> "job " + job + " had its turn while job " + earlier + " was back in the queue"));
                back.put(job, false);
            } else if (spec != null && packed.containsKey(event)) {
                // Its turn is that of its pack.
                back.put(job, false);
            } else if (back.containsKey(job)) {
                back.put(job, queued.containsKey(event));
            }
        });
    }

    private boolean isBroken(Dependency dependency) {
        JobId id = dependency.job();
        return world.store()
                .find(id)
                .or(() -> world.store().arrayOf(id).flatMap(array -> array.task(id)))
                .filter(other -> other.state() instanceof Finished end && !isMet(dependency, end.name()))
                .isPresent();
    }

    /** Said here once more: what is to be found may be in the place where Berth says it. */
    private static boolean isMet(Dependency dependency, StateName end) {
        boolean isOk = end == StateName.COMPLETED;
        return switch (dependency.kind()) {
            case AFTER_OK, AFTER_CORR -> isOk;
            case AFTER_NOT_OK -> !isOk;
            case AFTER_ANY -> true;
        };
    }

    /** No job had its turn before it was ready, but where somebody released one that kept waiting for what had failed. */
    private void ready() {
        Map<Long, Long> turns =
                world.books.pairs("SELECT job, min(sequence) FROM job_event WHERE event = 'Allocated' GROUP BY job");
        // The date may have been set back since.
        Map<Long, Long> dates = world.books.pairs("""
            SELECT job.id, max(before.at) FROM job JOIN job_event before ON before.job IN (job.id, abs(job.array))
                WHERE before.sequence <= (SELECT min(sequence) FROM job_event turn
                    WHERE turn.job = job.id AND turn.event = 'Allocated') GROUP BY job.id\
            """);
        Map<Long, Long> released = released();
        jobs.forEach((id, spec) -> {
            Long turn = turns.get(id);
            if (turn == null) {
                return;
            }
            boolean mayBeBroken = spec.prerequisites().keepWaiting() && released.containsKey(id);
            Instant begin = spec.prerequisites().begin();
            Law.READY.require(
                    begin == null || ChronoUnit.MICROS.between(Instant.EPOCH, begin) <= dates.get(id),
                    () -> "job " + id + " had its turn before " + begin);
            for (Dependency dependency : spec.prerequisites().dependencies()) {
                Law.READY.require(
                        ends.getOrDefault(dependency.job().value(), Long.MAX_VALUE) < turn
                                && (mayBeBroken || !isBroken(dependency)),
                        () -> "job " + id + " had its turn before " + dependency);
            }
        });
    }

    private Map<Long, Long> released() {
        return last("ReleaseRequested");
    }

    /** When each job was ready, of those that waited for others or for a date. */
    private Map<Long, Long> readiness() {
        Map<Long, Long> begun = last("BeginReached");
        Map<Long, Long> released = released();
        Map<Long, Long> singled = world.books.pairs("SELECT job, sequence FROM job_event WHERE event = 'TaskSingled'");
        Map<Long, Long> ready = new HashMap<>();
        jobs.forEach((id, spec) -> {
            Instant begin = spec.prerequisites().begin();
            // A date that nobody set has come where anything is of it, whatever the server knew.
            long reached = begin == null || world.time.wasSet() ? begun.getOrDefault(id, 0L) : firstEventOf(begin);
            boolean wasDecided = spec.prerequisites().keepWaiting();
            long last = Math.max(reached, wasDecided ? released.getOrDefault(id, 0L) : 0L);
            if (world.clients.packOf(new JobId(id)).isPresent()) {
                // Before somebody asked something of it alone it was behind the packs of the tasks before it.
                last = Math.max(last, singled.getOrDefault(id, 0L));
            }
            for (Dependency dependency : spec.prerequisites().dependencies()) {
                last = Math.max(last, ends.getOrDefault(dependency.job().value(), 0L));
            }
            ready.put(id, last);
        });
        return ready;
    }

    /** The last event of this name of each job, or of the array that it is a task of. */
    private Map<Long, Long> last(String event) {
        return world.books.pairs("""
            SELECT job.id, max(sequence) FROM job JOIN job_event ON job_event.job IN (job.id, abs(job.array))
                WHERE event = '%s' GROUP BY job.id\
            """.formatted(event));
    }

    private long firstEventOf(Instant date) {
        return world.books.firstEventSince(ChronoUnit.MICROS.between(Instant.EPOCH, date));
    }

    /** Of each job, when its image was here for the last time before its first turn. */
    private Map<Long, Long> arrivals() {
        return world.books.pairs("""
            SELECT job.id, max(arrived.sequence) FROM job JOIN job_event arrived ON arrived.job IN (job.id, abs(job.array))
                WHERE arrived.event = 'ImageArrived' AND arrived.sequence < (SELECT min(sequence) FROM job_event
                    WHERE job_event.job = job.id AND event = 'Allocated') GROUP BY job.id\
            """);
    }

    /**
     * Nobody held anything that was allocated behind one of which it turned out that it could not have its GPUs; but for one
     * whose GPUs the next server does not allocate.
     */
    private void nobodyPassed() {
        String passed = """
            SELECT later.sequence, taken.sequence FROM job_event taken JOIN job_event later ON later.event = 'Allocated'
                WHERE taken.event = 'GpusTaken' AND taken.sentence <> '%s'
                    AND later.job <> taken.job AND later.sequence < taken.sequence AND later.sequence > (SELECT max(sequence)
                        FROM job_event WHERE job = taken.job AND event = 'Allocated' AND sequence < taken.sequence)
                    AND NOT EXISTS (SELECT 1 FROM job_event over WHERE over.job = later.job
                        AND over.sequence > later.sequence AND over.sequence < taken.sequence AND over.event NOT IN
                            ('ContainerCreated', 'ContainerStarted', 'CancelRequested', 'TimeLimitReached', 'SignalDue',
                                'SignalSent'))\
            """.formatted(new GpusWithdrawn(0).sentence());
        Map<Long, Long> subjects = world.books.pairs("SELECT sequence, job FROM job_event");
        for (List<Long> pair : world.books.rows(passed)) {
            long later = subjects.get(pair.getFirst());
            long taken = subjects.get(pair.getLast());
            JobSpec first = jobs.get(taken);
            JobSpec second = jobs.get(later);
            Law.IN_ORDER.require(
                    first == null
                            || second == null
                            || laneOf(first) != laneOf(second)
                            || !retries.isBefore(taken, later, pair.getFirst()),
                    () -> "job " + later + " had its turn while it was not known whether job " + taken
                            + " gets its GPUs");
        }
    }

    /** What the books call sent was. */
    private void signalsAreTrue() {
        for (Fate fate : ground.fates()) {
            Law.ONE_SIGNAL.require(
                    fate.forgotten
                            || !fate.server.equals(World.SERVER)
                            || fate.signals > 0
                            || !world.books.isSignalled(new Attempt(fate.job, fate.attempt)),
                    () -> fate + " was sent no signal, and the books say that it was");
        }
    }

    private Lane laneOf(JobSpec spec) {
        return world.capacity.laneOf(spec.gpus());
    }

    private Map<Long, Long> firstTurns() {
        String turns = """
            SELECT job.id, min(sequence) FROM job JOIN job_event ON job_event.job = job.id WHERE event = 'Allocated'
                AND NOT EXISTS (SELECT 1 FROM job_event held
                    WHERE held.event = 'HoldRequested' AND held.job IN (job.id, abs(job.array)))
                AND NOT EXISTS (SELECT 1 FROM job_event packed
                    WHERE packed.event = 'TaskPacked' AND packed.job = job.id) GROUP BY job.id\
            """;
        return world.books.pairs(turns);
    }

    private void checkEnd(JobSpec spec, Job job, Finished end, List<Fate> attempts) {
        if (spec.isHost()) {
            world.commands.checkEnd(spec, job, end, attempts);
            return;
        }
        if (packs.endedInPack(job, end)) {
            packs.checkEnd(spec, job, end, attempts);
            return;
        }
        Optional<Fate> last = attempts.stream()
                .filter(fate -> fate.attempt == end.attempt() && fate.starts > 0)
                .findFirst();
        String what = job.id() + " " + end + " with " + attempts;
        switch (end.outcome().reason()) {
            case EXITED, EXITED_NONZERO, OUT_OF_MEMORY -> endedAsItDid(world, end, last.orElse(null), what);
            case TIME_LIMIT -> {
                Duration limit = spec.timeLimit();
                Law.TRUE_END.require(limit != null && last.isPresent(), () -> what);
                Law.TRUE_END.require(
                        limit == null
                                || last.isEmpty()
                                || last.get().end != End.STOP
                                || last.get().ran.compareTo(limit) >= 0,
                        () -> what + " ran for " + last.get().ran);
            }
            case CANCELLED_BY_USER -> Law.TRUE_END.require(world.clients.wantedTheEndOf(job.id()), () -> what);
            case IMAGE_UNAVAILABLE ->
                Law.TRUE_END.require(
                        (last.isEmpty() || retries.wasOver(job.id(), end.attempt())) && couldLack(spec), () -> what);
            case START_FAILED -> Law.TRUE_END.require(last.isEmpty() && couldNotStart(job, end), () -> what);
            case CONTAINER_LOST ->
                Law.LOST_IS_LOST.require(
                        attempts.stream().anyMatch(fate -> fate.attempt == end.attempt() && fate.isNowhere()),
                        () -> what);
            case MACHINE_REBOOTED ->
                Law.LOST_IS_LOST.require(
                        attempts.stream()
                                .anyMatch(fate -> fate.attempt == end.attempt() && (fate.wentDown() || fate.takenAway)),
                        () -> what);
            case ENGINE_STOPPED ->
                Law.LOST_IS_LOST.require(
                        attempts.stream()
                                .anyMatch(fate -> fate.attempt == end.attempt()
                                        && fate.sawEngineEnd
                                        && (fate.starts == 0
                                                || fate.wasForgotten
                                                || fate.wentDown()
                                                || fate.isEndUnknown())),
                        () -> what);
            case IDLE_TIMEOUT, DEVICE_LOST ->
                throw new Violation(Law.TRUE_END, what + ": nobody looks at GPUs here", null);
            case DEPENDENCY_FAILED ->
                Law.TRUE_END.require(
                        last.isEmpty()
                                && !spec.prerequisites().keepWaiting()
                                && spec.prerequisites().dependencies().stream().anyMatch(this::isBroken),
                        () -> what);
            case NODE_LOST, PREEMPTED, CANCELLED_AT_TARGET, TARGET_LOST ->
                throw new Violation(Law.TRUE_END, what + ": no job goes to a target here", null);
            case NEVER_FITS, TASKS_FAILED -> throw new Violation(Law.TRUE_END, what, null);
        }
        boolean needsARun = end.name() == StateName.COMPLETED || end.outcome().exitCode() != null;
        Law.TRUE_END.require(!needsARun || last.isPresent(), () -> what + " never ran");
    }

    static void endedAsItDid(World world, Finished end, @Nullable Fate fate, String what) {
        Law.TRUE_END.require(fate != null, () -> what + " never ran");
        boolean same = fate != null
                && fate.exitCode != null
                && fate.exitCode.equals(end.outcome().exitCode())
                && fate.end != End.STOP
                && fate.end != End.REBOOT
                && !fate.isEndUnknown()
                && end.startedAt() != null
                && fate.endedAt != null
                && (fate.endedAt.truncatedTo(ChronoUnit.MICROS).equals(end.endedAt())
                        // The date of a file may come to lie ahead of the server's.
                        || (fate.pack != null && world.time.wasSet()))
                // Where it was, nobody can tell of news that come late under which date they were written.
                && (fate.ran.equals(end.ran()) || world.time.wasSet())
                && fate.outOfMemory == (end.outcome().reason() == OutcomeReason.OUT_OF_MEMORY);
        Law.TRUE_END.require(same, () -> what + " at " + (fate == null ? null : fate.endedAt));
    }

    private boolean couldLack(JobSpec spec) {
        return spec.image().equals("nowhere")
                || spec.place().pull() != PullPolicy.MISSING
                || ground.hasRemovedImage(spec.image())
                || ground.hasRefused("pull", spec.image());
    }

    private boolean couldNotStart(Job job, Finished end) {
        String container = "berth-" + World.SERVER + "-" + job.id() + "-" + end.attempt();
        return ground.hasRemovedImage(job.spec().image())
                || ground.hasRefused("create", container)
                || ground.hasRefused("start", container)
                || ground.find(container).filter(fate -> fate.takenAway).isPresent();
    }
}
