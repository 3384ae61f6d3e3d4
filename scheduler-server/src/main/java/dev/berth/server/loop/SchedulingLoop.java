package dev.berth.server.loop;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState;
import dev.berth.core.job.JobState.Creating;
import dev.berth.core.job.JobState.Live;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Capacity;
import dev.berth.core.machine.DeferredJobs;
import dev.berth.core.machine.Durations;
import dev.berth.core.machine.Effect;
import dev.berth.core.machine.Found;
import dev.berth.core.machine.Input;
import dev.berth.core.machine.Input.SubmitJob;
import dev.berth.core.machine.JobEvent;
import dev.berth.core.machine.JobEvent.ReleaseRequested;
import dev.berth.core.machine.Lane;
import dev.berth.core.machine.Machine;
import dev.berth.core.machine.QueueWindow;
import dev.berth.core.machine.Recovery;
import dev.berth.core.machine.Sighting;
import dev.berth.core.machine.Step;
import dev.berth.core.machine.Step.Reply;
import dev.berth.server.loop.FoundAtStart.Boot;
import dev.berth.server.store.JobStore;
import dev.berth.server.store.Renaming;
import dev.berth.server.store.Rows;
import dev.berth.server.time.Clocks;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Input, step, commit, act, in that order and on one thread. A batch of inputs shares one commit. The sender is
 * answered after the commit, so that what was acknowledged survives.
 */
public final class SchedulingLoop {
    private static final Logger LOG = LoggerFactory.getLogger(SchedulingLoop.class);
    private static final Duration FOREVER = Duration.ofDays(1);

    /** The longest time in which a date that was set is noticed where a job waits for one. */
    private static final Duration DATE_LOOK = Duration.ofSeconds(30);

    /** A step whose effects are owed after the commit; the answer is null where nobody waits for one. */
    private record Owed(@Nullable CompletableFuture<Reply> answer, Step step) {}

    private final TransitionLog log;
    private final Scheduling scheduling;
    private final JobStore store;
    private final Consumer<List<Effect>> effects;
    private final Clocks clock;

    private final StoredMachine machine;
    private final Steps steps;
    private final JobEvents events;
    private final JobSubmits jobs;
    private final PipelineSubmits pipelines;

    /** The messages that the turn under way took; this thread's own. */
    private List<Message> current = List.of();

    /**
     * A loop on a store.
     *
     * @param effects takes the effects of each commit on at once, on this thread
     */
    public SchedulingLoop(Scheduling scheduling, JobStore store, Consumer<List<Effect>> effects, Clocks clock) {
        this.scheduling = scheduling;
        this.store = store;
        this.effects = effects;
        this.clock = clock;
        this.log = new TransitionLog(scheduling.machine().capacity());
        this.machine = new StoredMachine(scheduling.machine(), store);
        this.steps = new Steps(machine, store);
        this.events = new JobEvents(machine, steps, store);
        AwaitedJobs awaited = new AwaitedJobs(machine, store);
        this.jobs = new JobSubmits(machine, steps, awaited, store);
        this.pipelines = new PipelineSubmits(machine, jobs, awaited, store);
    }

    /**
     * Takes up where the store left off: what the containers tell, what is owed, and the front of the queue. To be
     * called once, before {@link #run}, on the thread that will run it.
     */
    public void recover(FoundAtStart remains) {
        Instant now = readClock();
        Instant bootedAt = bootedAt(remains.boot());
        Machine restored = restored(remains.highestId());
        Recovery plan =
                Recovery.plan(restored.capacity(), restored.live().values(), sightings(remains.containers()), bootedAt);
        machine.update(_ -> restored.withOrphans(plan.orphans()));
        machine.update(state -> state.with(deferred(state)));
        for (Lane lane : restored.capacity().lanes()) {
            // A job that comes back to the queue waits until it is known who stands before it.
            machine.update(state -> state.withUnreadQueue(lane));
        }
        List<Owed> owed = new ArrayList<>();
        List<Effect> cleaning = cleaningOwed(owed, now);
        plan.events()
                .forEach(happening ->
                        owed.add(new Owed(null, events.happenToJob(happening.job(), happening.event(), now))));
        Boot boot = remains.boot();
        if (boot != null) {
            // Together with what follows from it: else a crash in between would hide that the machine was down.
            store.keepBoot(boot.id());
        }
        store.commit();
        List<Effect> left = new ArrayList<>(plan.effects());
        store.packsToRead().forEach(pack -> left.add(new Effect.ReadPack(pack)));
        left.forEach(this::noteRead);
        left.addAll(stopsInPacks());
        left.addAll(cleaning);
        effects.accept(left);
        act(owed);
        // All this may have taken its time.
        Instant ready = readClock();
        while (areDatesDue(ready)) {
            commit(List.of(new Owed(null, tellDates(ready))));
        }
        releaseFitting(ready);
        readQueues(ready);
    }

    /** Nobody knows any more whom the last server told of what targets have. */
    private DeferredJobs deferred(Machine state) {
        DeferredJobs deferred =
                DeferredJobs.of(store.hasDependents(), store.endedAndAwaited(), store.earliestDeferred());
        for (Job job : state.live().values()) {
            if (state.capacity().keepsDependencies(job.spec())) {
                deferred = deferred.withHandedOver(job.id());
            }
        }
        return deferred;
    }

    private void noteRead(Effect effect) {
        if (effect instanceof Effect.ReadPack read) {
            machine.update(state -> state.with(state.deferred().withPack(read.job())));
        }
    }

    /** The ends of tasks of packs that were asked for alone, which the last server may not have come to. */
    private List<Effect> stopsInPacks() {
        List<Effect> stops = new ArrayList<>();
        for (Job task : store.cancelledInPacks()) {
            Job pack = machine.state().live().get(task.pack());
            if (pack != null && !(pack.state() instanceof JobState.Stopping)) {
                stops.add(new Effect.StopTask(pack, task));
            }
        }
        return stops;
    }

    /** The machine with the jobs that the store has on it, before anything is known of their containers. */
    private Machine restored(long highestId) {
        long lastTurn = store.lastTurn();
        Machine restored = machine.state().withIdsAbove(highestId);
        for (Job job : store.live()) {
            Job known = countedAnew(job);
            restored = restored.restored(job.id().value() == lastTurn ? inQuestion(known) : known);
        }
        return restored;
    }

    /** A steady clock begins with the date: what the one before it said is said in the date that it stood at last. */
    private Job countedAnew(Job job) {
        Instant began = job.state() instanceof Live live ? live.countedFrom() : null;
        return began == null ? job : job.with(((Live) job.state()).countedFrom(began.plus(store.aheadBefore())));
    }

    /**
     * Its GPUs may have been looked at long ago; nobody was given anything since, so that it may go back to its place.
     */
    private static Job inQuestion(Job lastTurn) {
        return lastTurn.state() instanceof Creating(int attempt, String imageId, Allocation allocation, boolean _)
                ? lastTurn.with(new Creating(attempt, imageId, allocation))
                : lastTurn;
    }

    /**
     * Releases held jobs. What an earlier server set aside, as it could not run it, goes on where this one can, or
     * comes to its end where that is wished; a piece at a time. Its image is looked for when the window comes to it.
     */
    private void releaseFitting(Instant now) {
        Capacity capacity = machine.state().capacity();
        List<Job> held = store.heldByServer(0, QueueWindow.MAX_JOBS);
        while (!held.isEmpty()) {
            List<Owed> released = new ArrayList<>();
            for (Job job : held) {
                if (capacity.refusal(job.spec()).isEmpty() || capacity.order().dropsUnfit()) {
                    Step step = apply(new Input.JobHappening(now, job, new ReleaseRequested(JobState.Held.BY_SERVER)));
                    released.add(new Owed(null, new Step(machine.state(), step.changes(), List.of(), step.reply())));
                }
            }
            commit(released);
            held = store.heldByServer(held.getLast().id().value(), QueueWindow.MAX_JOBS);
        }
    }

    /** The effects for what the last server did not come to look at; a server that cannot look gives it on as it is. */
    private List<Effect> cleaningOwed(List<Owed> owed, Instant now) {
        boolean cleans = machine.state().capacity().rules().cleans();
        List<Effect> cleaning = new ArrayList<>();
        for (Map.Entry<Attempt, Allocation> left :
                machine.state().gpus().cleaning().entrySet()) {
            Attempt attempt = left.getKey();
            if (cleans) {
                cleaning.add(new Effect.CleanGpus(attempt, left.getValue()));
            } else {
                owed.add(new Owed(null, apply(new Input.GpusCleaned(now, attempt, new TreeMap<>()))));
            }
        }
        return cleaning;
    }

    /** The time when the machine came up again, where that was after the last server; else null. */
    private @Nullable Instant bootedAt(@Nullable Boot boot) {
        return boot == null
                        || store.boot().filter(last -> !last.equals(boot.id())).isEmpty()
                ? null
                : boot.at();
    }

    List<Sighting> sightings(List<Found> containers) {
        return containers.stream()
                .map(found -> new Sighting(found, machine.find(found.of().job()).orElse(null)))
                .toList();
    }

    /** Turns until {@link Scheduling#end}; what it throws is a reason to end the process. */
    public void run() throws InterruptedException {
        while (!scheduling.isEnding()) {
            turn(patience());
        }
        scheduling.close(List.of(), BusyException.stopping());
    }

    /** Tells all who wait that {@link #run} threw this, and so nothing of theirs is acknowledged. On that thread. */
    public void abandon(Throwable reason) {
        scheduling.close(current, reason instanceof RuntimeException known ? known : new IllegalStateException(reason));
    }

    /** The date of now, once the machine knows how it stands to the time that has passed. */
    private Instant readClock() {
        Instant now = clock.instant();
        Duration ahead = clock.ahead(now);
        machine.update(state -> state.withDateAhead(ahead));
        Duration set = ahead.minus(store.dateAhead());
        if (Clocks.wasSet(set)) {
            store.keepDateAhead(ahead);
            LOG.warn(
                    "the machine's date was set {} {}, or the machine slept; time limits count on by the time that"
                            + " passes",
                    Durations.inWords(set.abs()),
                    set.isNegative() ? "back" : "ahead");
        }
        return now;
    }

    /** Whether a date has come, or came before the date was set back, of which not all who wait for it know. */
    private boolean areDatesDue(Instant now) {
        boolean isDue = nextBegin().filter(begin -> !begin.isAfter(now)).isPresent();
        return isDue || machine.state().deferred().areDatesUnread();
    }

    /** The date at which the next job may start that waits for one; empty where none does. */
    private Optional<Instant> nextBegin() {
        return Optional.ofNullable(machine.state().deferred().earliest().begin());
    }

    /** Tells some of those whose date has come; nothing starts before all know. */
    private Step tellDates(Instant now) {
        Rows<Job> due = store.due(now, QueueWindow.MAX_JOBS, QueueWindow.MAX_BYTES);
        return apply(new Input.DatesReached(now, due.items(), due.more()));
    }

    private Duration patience() {
        if (machine.state().deferred().areUnread()) {
            return Duration.ZERO;
        }
        Duration toDeadline = machine.state()
                .nextDeadline()
                .map(deadline -> Duration.between(clock.steady().instant(), deadline))
                .orElse(FOREVER);
        Duration toBegin = nextBegin()
                .map(begin -> Duration.between(clock.instant(), begin))
                .map(left -> left.compareTo(DATE_LOOK) < 0 ? left : DATE_LOOK)
                .orElse(FOREVER);
        Duration least = toDeadline.compareTo(toBegin) < 0 ? toDeadline : toBegin;
        return least.isNegative() ? Duration.ZERO : least;
    }

    /** Runs one batch: waits for it, steps through it, commits, acts. */
    public void turn(Duration patience) throws InterruptedException {
        List<Message> batch = scheduling.take(patience);
        current = batch;
        scheduling.figures().beginTurn(clock.steady().instant());
        Instant now = readClock();
        steps.beginTurn();
        List<Owed> owed = new ArrayList<>();
        if (areDatesDue(now)) {
            owed.add(new Owed(null, tellDates(now)));
        }
        Instant passed = now.minus(machine.state().clock().ahead());
        if (machine.state()
                .nextDeadline()
                .filter(deadline -> !deadline.isAfter(passed))
                .isPresent()) {
            owed.add(new Owed(null, apply(new Input.TimePassed(now))));
        }
        if (!machine.state().deferred().ended().isEmpty()) {
            // More wait for a job that has ended than are told at a time.
            owed.add(new Owed(null, apply(new Input.TimePassed(now))));
        }
        batch.forEach(
                message -> owed.add(new Owed(message.answer(), message.work().on(this, now))));
        commit(owed);
        readQueues(now);
        scheduling.figures().endTurn(clock.steady().instant());
    }

    private void commit(List<Owed> owed) {
        makeDurable();
        scheduling.publish(machine.state());
        act(owed);
        boolean hasTold = store.takeTold();
        if (hasTold || owed.stream().anyMatch(done -> !done.step().changes().isEmpty())) {
            scheduling.changes().raise();
        }
    }

    /** Commits, and measures how long that took. */
    private void makeDurable() {
        Instant began = clock.steady().instant();
        store.commit();
        scheduling
                .figures()
                .commits()
                .observe(Duration.between(began, clock.steady().instant()));
    }

    /** As of one moment: a job whose date comes later than that is not before those that start by it. */
    private void readQueues(Instant now) {
        for (Lane lane : machine.state().capacity().lanes()) {
            for (int room = machine.state().room(lane);
                    room > 0;
                    room = machine.state().room(lane)) {
                List<Job> jobs = machine.state().window(lane).jobs();
                long last = jobs.isEmpty() ? 0 : jobs.getLast().turn().value();
                boolean everything = machine.state().capacity().cpuWorkers() == 0;
                Rows<Job> behind = store.queuedBehind(lane, everything, last, room, QueueWindow.MAX_BYTES);
                Step read = apply(new Input.QueueRead(now, lane, behind.items(), behind.more()));
                commit(List.of(new Owed(null, read)));
            }
        }
    }

    Step submit(SubmitJob submit, Room room) {
        return jobs.submit(submit, room);
    }

    Step submit(Pipeline pipeline, Instant now, Room room) {
        return pipelines.submit(pipeline, now, room);
    }

    Step happen(JobId job, JobEvent event, Instant now) {
        return events.happen(job, event, now);
    }

    Step apply(Input input) {
        return steps.apply(input);
    }

    Step write(Consumer<JobStore> work) {
        work.accept(store);
        return nothing();
    }

    Step rename(Renaming renaming) {
        store.rename(renaming);
        machine.update(state -> state.withProject(renaming.to(), renaming::moves));
        return nothing();
    }

    Step nothing() {
        return machine.nothing();
    }

    private void act(List<Owed> owed) {
        owed.forEach(this::tell);
        effects.accept(
                owed.stream().flatMap(done -> done.step().effects().stream()).toList());
    }

    private void tell(Owed done) {
        done.step().changes().forEach(log::tell);
        done.step().changes().forEach(scheduling.figures()::count);
        if (done.answer() != null) {
            done.answer().complete(done.step().reply());
        }
    }
}
