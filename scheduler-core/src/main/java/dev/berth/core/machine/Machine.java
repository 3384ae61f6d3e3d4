package dev.berth.core.machine;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.DependencyKind;
import dev.berth.core.job.Gpu;
import dev.berth.core.job.GpuId;
import dev.berth.core.job.GpuShare;
import dev.berth.core.job.ImageState;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState.Creating;
import dev.berth.core.job.JobState.Deferred;
import dev.berth.core.job.JobState.HandedOver;
import dev.berth.core.job.JobState.Live;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.JobState.Running;
import dev.berth.core.job.JobState.Starting;
import dev.berth.core.job.LimitSignal;
import dev.berth.core.job.SignalState;
import dev.berth.core.job.Tasks;
import dev.berth.core.job.Unmet;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All that scheduling needs to know: what there is, who holds what, who is next. Immutable.
 *
 * @param live the jobs that hold a worker
 * @param queue the front of each lane
 * @param lastId the highest id ever assigned, 0 before the first
 * @param starts whether anything is started at all
 * @param orphans the containers that no job owns, with the GPUs they hold until they are gone
 * @param gpus what is known of the GPUs beside that
 * @param clock how the dates of inputs stand to the time that passes
 * @param deferred what is known of the jobs that are not ready
 */
public record Machine(
        Capacity capacity,
        SortedMap<JobId, Job> live,
        Map<Lane, QueueWindow> queue,
        long lastId,
        Starts starts,
        SortedMap<Attempt, List<GpuId>> orphans,
        GpuConditions gpus,
        DateClock clock,
        DeferredJobs deferred) {
    public Machine {
        orphans = Collections.unmodifiableSortedMap(new TreeMap<>(orphans));
        live = Collections.unmodifiableSortedMap(new TreeMap<>(live));
        queue = Collections.unmodifiableMap(new EnumMap<>(queue));
    }

    /** A machine on which nothing runs and nothing waits. */
    public static Machine idle(Capacity capacity, long lastId) {
        Map<Lane, QueueWindow> queue = new EnumMap<>(Lane.class);
        capacity.lanes().forEach(lane -> queue.put(lane, QueueWindow.EMPTY));
        return new Machine(
                capacity,
                new TreeMap<>(),
                queue,
                lastId,
                new Starts.Allowed(),
                new TreeMap<>(),
                GpuConditions.GOOD,
                DateClock.NEVER_SET,
                DeferredJobs.NONE);
    }

    public QueueWindow window(Lane lane) {
        return queue.getOrDefault(lane, QueueWindow.EMPTY);
    }

    public Lane laneOf(Job job) {
        return capacity.laneOf(job.spec());
    }

    /** The job of the lane that is to start next, which may be an array; empty where none waits that may start. */
    public Optional<Job> next(Lane lane) {
        Optional<Job> head = startable(lane).findFirst();
        return capacity.order().passesPulling()
                ? startable(lane).filter(Machine::hasImage).findFirst().or(() -> head)
                : head;
    }

    /** Those in the order of turns that are not passed over. */
    private Stream<Job> startable(Lane lane) {
        Predicate<Job> isPassedOver = passedOver(lane);
        return inTurn(lane).filter(job -> !isPassedOver.test(job) && !mayFollowUnread(job, lane));
    }

    /** Whether tasks of an array that are back in the queue may stand behind the window. */
    private boolean mayFollowUnread(Job job, Lane lane) {
        QueueWindow window = window(lane);
        return job.isArray() && window.more() && window.jobs().getLast().id().equals(job.id());
    }

    /** How many more of a lane's jobs should be read from the store, behind the last one that is known. */
    public int room(Lane lane) {
        return window(lane).room(passedOver(lane));
    }

    /** The front of a lane in the order of turns: a task that is back in the queue comes before the later ones of its array. */
    public Stream<Job> inTurn(Lane lane) {
        List<Job> jobs = window(lane).jobs();
        return jobs.stream().noneMatch(Job::isArray)
                ? jobs.stream()
                : jobs.stream().sorted(Comparator.comparingLong(Job::place));
    }

    /** The jobs of a lane that others may start before, without that they hold them up. */
    Predicate<Job> passedOver(Lane lane) {
        if (lane != Lane.TARGET) {
            return this::isThrottled;
        }
        Set<String> full = capacity.targets().entrySet().stream()
                .filter(target -> atTarget(target.getKey()) >= target.getValue().atOnce())
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
        return job -> full.contains(String.valueOf(job.spec().target())) || isThrottled(job);
    }

    /** Whether the target of a job has as many jobs of this server as it may have; one that is not set up has room. */
    public boolean isTargetFull(Job job) {
        String target = job.spec().target();
        TargetRules rules = target == null ? null : capacity.targets().get(target);
        return target != null && rules != null && atTarget(target) >= rules.atOnce();
    }

    /** Whether a job waits for nothing but others that its own target has, whose engine keeps them in order. */
    boolean isOrderedByTarget(Job job) {
        if (!capacity.keepsDependencies(job.spec())
                || !(job.state() instanceof Deferred(int _, Unmet unmet))
                || job.spec().prerequisites().keepWaiting()) {
            return false;
        }
        return unmet.begin() == null
                && unmet.broken().isEmpty()
                && job.spec().prerequisites().dependencies().stream()
                        .noneMatch(dependency -> dependency.kind() == DependencyKind.AFTER_CORR)
                && unmet.pending().stream().allMatch(dependency -> isFor(job, live.get(dependency.job())));
    }

    /** Whether a job is with the target of another for the last time: of the next attempt that engine would know nothing. */
    private static boolean isFor(Job waiting, @Nullable Job other) {
        return other != null
                && String.valueOf(waiting.spec().target()).equals(other.spec().target())
                && (other.state() instanceof HandedOver || other.state() instanceof Running)
                && !other.mayBeRetried()
                && !other.spec().requeue();
    }

    /** The number of jobs that a target has, or is about to have. */
    public long atTarget(String target) {
        return live.values().stream()
                .filter(job -> target.equals(job.spec().target()))
                .count();
    }

    /** Whether as many tasks of a job's array hold a worker as may at the same time; it is passed over then. */
    public boolean isThrottled(Job job) {
        Tasks tasks = job.spec().tasks();
        return tasks != null && tasks.atOnce() > 0 && busyTasks(job) + job.width() > tasks.atOnce();
    }

    /** The number of tasks of a job's array that run on a worker. */
    long busyTasks(Job job) {
        return busy(job).mapToLong(Job::width).sum();
    }

    /** The tasks and packs of a job's array that hold a worker. */
    public Stream<Job> busy(Job job) {
        JobId array = job.isArray() ? job.id() : job.arrayOfTurn();
        return live.values().stream()
                .filter(other ->
                        other.arrayOfTurn() != null && other.arrayOfTurn().equals(array));
    }

    /** Whether the image of a queued job is here. */
    static boolean hasImage(Job job) {
        return job.state() instanceof Queued(int _, ImageState.Ready _);
    }

    /**
     * The job of the lane that has had its turn and that the next one has to wait for: it is not known yet whether it gets
     * its GPUs, or its program has not started where each waits for that.
     */
    public Optional<Job> undecided(Lane lane) {
        boolean oneByOne = lane != Lane.TARGET && capacity.order().startsOneByOne();
        return live.values().stream()
                .filter(job -> laneOf(job) == lane)
                .filter(job -> (job.state() instanceof Creating creating && (oneByOne || !creating.isDecided()))
                        || (oneByOne && job.state() instanceof Starting))
                .findFirst();
    }

    /** A job that runs or stands at the front of a queue; empty for one further back, or ended. */
    public Optional<Job> find(JobId id) {
        Job running = live.get(id);
        return running != null
                ? Optional.of(running)
                : queue.values().stream()
                        .flatMap(window -> window.find(id).stream())
                        .findFirst();
    }

    /**
     * What people call a job, also one that has ended: {@code 42_7} for a task of an array that still has tasks without a
     * turn, the front of a queue being all that is known here.
     */
    String number(JobId id) {
        return find(id).or(() -> endedTask(id)).map(Job::number).orElseGet(id::toString);
    }

    private Optional<Job> endedTask(JobId id) {
        return queue.values().stream()
                .flatMap(window -> window.jobs().stream())
                .filter(job -> job.indexOf(id) != null)
                .map(array -> array.task(Objects.requireNonNull(array.indexOf(id))))
                .findFirst();
    }

    /** The number of jobs of the lane that hold a worker. */
    public long busyWorkers(Lane lane) {
        return live.values().stream().filter(job -> laneOf(job) == lane).count();
    }

    /** Whether a job of the lane could be taken on. */
    boolean hasWorker(Lane lane) {
        return busyWorkers(lane) < capacity.workers(lane);
    }

    /** Thousandths of the GPU that jobs hold, or have left without that anybody has looked since. */
    public int heldMilli(GpuId gpu) {
        return Stream.concat(live.values().stream().map(Machine::allocation), gpus.cleaning().values().stream())
                .flatMap(allocation -> allocation.shares().stream())
                .filter(share -> share.gpu().equals(gpu))
                .mapToInt(GpuShare::milli)
                .sum();
    }

    /** The number of jobs that hold something of the GPU. */
    int holders(GpuId gpu) {
        return Math.toIntExact(
                Stream.concat(live.values().stream().map(Machine::allocation), gpus.cleaning().values().stream())
                        .filter(allocation -> allocation.gpus().contains(gpu))
                        .count());
    }

    /** The allocation of a job that runs. */
    static Allocation allocation(Job job) {
        return ((Live) job.state()).allocation();
    }

    /** Whether a container that no job owns is on the GPU. */
    boolean hasOrphan(GpuId gpu) {
        return orphans.values().stream().anyMatch(held -> held.contains(gpu));
    }

    /** GPUs of which nobody holds anything and that nothing is the matter with, in index order. */
    public List<GpuId> freeGpus() {
        return capacity.gpus().stream()
                .map(Gpu::id)
                .filter(id -> heldMilli(id) == 0 && !hasOrphan(id) && gpus.isOpen(id))
                .toList();
    }

    /** The cores that jobs hold. */
    public Set<Integer> heldCpus() {
        return live.values().stream()
                .flatMap(job -> allocation(job).cpus().stream())
                .collect(Collectors.toUnmodifiableSet());
    }

    /** The memory in bytes that is set aside for jobs. */
    public long heldMemory() {
        return live.values().stream()
                .mapToLong(job -> capacity.memory(job.spec()))
                .sum();
    }

    /** The allocation that a queued job would get if it were first now; empty where it would have to wait. */
    public Optional<Allocation> wouldGet(Job job) {
        return Allotment.of(this, job) instanceof Allotment.Granted(Allocation granted)
                ? Optional.of(granted)
                : Optional.empty();
    }

    /** The time when the next running job reaches its time limit, or is due a signal before it, by the steady clock. */
    public Optional<Instant> nextDeadline() {
        return live.values().stream()
                .flatMap(job -> Stream.concat(deadline(job).stream(), signalDue(job).stream()))
                .min(Comparator.naturalOrder());
    }

    /** The date at which a job reaches its time limit; empty where it does not run, or has none. */
    public Optional<Instant> endOf(Job job) {
        return deadline(job).map(clock::date);
    }

    static Optional<Instant> deadline(Job job) {
        return job.state() instanceof Running running && job.spec().timeLimit() != null
                ? Optional.of(running.countedFrom().plus(job.spec().timeLimit()))
                : Optional.empty();
    }

    /** When a job is to be sent the signal before its time limit; empty where none is to come any more. */
    static Optional<Instant> signalDue(Job job) {
        LimitSignal signal = job.spec().limits().signal();
        return signal != null && job.state() instanceof Running running && running.signal() == SignalState.NOT_DUE
                ? deadline(job).map(limit -> limit.minus(signal.before()))
                : Optional.empty();
    }

    /** The machine with a live job of the store. */
    public Machine restored(Job job) {
        if (!(job.state() instanceof Live)) {
            throw new IllegalArgumentException(
                    "job " + job.id() + " is " + job.state().name());
        }
        return with(job);
    }

    /** The machine before anybody has looked at what the store holds of a lane's queue. */
    public Machine withUnreadQueue(Lane lane) {
        return with(lane, new QueueWindow(List.of(), true));
    }

    /** The machine under another rule about starts. */
    public Machine with(Starts next) {
        return new Machine(capacity, live, queue, lastId, next, orphans, gpus, clock, deferred);
    }

    /** The machine where the date is so far ahead of the steady clock. */
    public Machine withDateAhead(Duration ahead) {
        return new Machine(capacity, live, queue, lastId, starts, orphans, gpus, clock.then(ahead), deferred);
    }

    /** The machine, assigning no id up to this one: something of a job of that number is still there. */
    public Machine withIdsAbove(long id) {
        return new Machine(capacity, live, queue, Math.max(lastId, id), starts, orphans, gpus, clock, deferred);
    }

    /** The machine under another knowledge of the jobs that are not ready. */
    public Machine with(DeferredJobs next) {
        return new Machine(capacity, live, queue, lastId, starts, orphans, gpus, clock, next);
    }

    /** The machine with more containers that no job owns. */
    public Machine withOrphans(Map<Attempt, List<GpuId>> more) {
        SortedMap<Attempt, List<GpuId>> next = new TreeMap<>(orphans);
        next.putAll(more);
        return new Machine(capacity, live, queue, lastId, starts, next, gpus, clock, deferred);
    }

    /** The machine under other conditions of its GPUs. */
    public Machine with(GpuConditions next) {
        return new Machine(capacity, live, queue, lastId, starts, orphans, next, clock, deferred);
    }

    /**
     * The number of a queued job's next attempt. A number that a container of nobody's bears is passed over: after an
     * older copy of the store was brought back, the name of the next container might be taken by what runs.
     */
    int nextAttempt(Job job) {
        int number = job.state().attempt();
        while (orphans.containsKey(new Attempt(job.id(), number))) {
            number++;
        }
        return number;
    }

    Machine withoutOrphan(Attempt attempt) {
        SortedMap<Attempt, List<GpuId>> next = new TreeMap<>(orphans);
        next.remove(attempt);
        return new Machine(capacity, live, queue, lastId, starts, next, gpus, clock, deferred);
    }

    /** Whether anything is started at all. */
    public boolean isStarting() {
        return starts instanceof Starts.Allowed;
    }

    /** The machine with this job where its state puts it. */
    Machine with(Job job) {
        SortedMap<JobId, Job> nextLive = new TreeMap<>(live);
        Map<Lane, QueueWindow> nextQueue = new EnumMap<>(queue);
        Lane lane = laneOf(job);
        nextLive.remove(job.id());
        if (job.state() instanceof Queued) {
            nextQueue.put(lane, window(lane).with(job));
        } else {
            nextQueue.put(lane, window(lane).without(job.id()));
        }
        if (job.state() instanceof Live) {
            nextLive.put(job.id(), job);
        }
        return new Machine(
                capacity, nextLive, nextQueue, Math.max(lastId, job.lastId()), starts, orphans, gpus, clock, deferred);
    }

    /** The machine where some jobs are in another project, which nothing is scheduled by. */
    public Machine withProject(String project, Predicate<Job> moved) {
        UnaryOperator<Job> change = job -> moved.test(job) ? job.of(project) : job;
        SortedMap<JobId, Job> nextLive = new TreeMap<>(live);
        nextLive.replaceAll((_, job) -> change.apply(job));
        Map<Lane, QueueWindow> nextQueue = new EnumMap<>(queue);
        nextQueue.replaceAll((_, window) -> window.with(change));
        return new Machine(capacity, nextLive, nextQueue, lastId, starts, orphans, gpus, clock, deferred);
    }

    Machine with(Lane lane, QueueWindow window) {
        Map<Lane, QueueWindow> nextQueue = new EnumMap<>(queue);
        nextQueue.put(lane, window);
        return new Machine(capacity, live, nextQueue, lastId, starts, orphans, gpus, clock, deferred);
    }
}
