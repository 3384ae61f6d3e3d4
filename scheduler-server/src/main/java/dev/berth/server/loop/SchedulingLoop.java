package dev.berth.server.loop;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.Dependency;
import dev.berth.core.job.DependencyKind;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState;
import dev.berth.core.job.JobState.Creating;
import dev.berth.core.job.JobState.Deferred;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.JobState.Held;
import dev.berth.core.job.JobState.Live;
import dev.berth.core.job.Part;
import dev.berth.core.job.Prerequisites;
import dev.berth.core.job.StateName;
import dev.berth.core.job.SubmitKey;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Capacity;
import dev.berth.core.machine.Change;
import dev.berth.core.machine.DeferredJobs;
import dev.berth.core.machine.Durations;
import dev.berth.core.machine.Effect;
import dev.berth.core.machine.Found;
import dev.berth.core.machine.Input;
import dev.berth.core.machine.Input.SubmitJob;
import dev.berth.core.machine.JobEvent;
import dev.berth.core.machine.JobEvent.DeviceLost;
import dev.berth.core.machine.JobEvent.ReleaseRequested;
import dev.berth.core.machine.Lane;
import dev.berth.core.machine.Machine;
import dev.berth.core.machine.QueueWindow;
import dev.berth.core.machine.Recovery;
import dev.berth.core.machine.Scheduler;
import dev.berth.core.machine.Sighting;
import dev.berth.core.machine.Step;
import dev.berth.core.machine.Step.Reply;
import dev.berth.server.loop.FoundAtStart.Boot;
import dev.berth.server.store.JobStore;
import dev.berth.server.store.JobWarning;
import dev.berth.server.store.Rows;
import dev.berth.server.time.Clocks;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.IntStream;
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
    private final Consumer<Effect> effects;
    private final Clocks clock;

    /** As far as stepped; this thread's own. */
    private Machine machine;

    /** The last of those who wait for a job that were told of its end, where not all have been; this thread's own. */
    private final Map<JobId, JobId> toldUpTo = new HashMap<>();

    /** How many ends of jobs were looked at, and jobs told of them, in this turn; this thread's own. */
    private int told;

    /** The messages that the turn under way took; this thread's own. */
    private List<Message> current = List.of();

    /**
     * A loop on a store.
     *
     * @param effects takes each effect on at once, on this thread
     */
    public SchedulingLoop(Scheduling scheduling, JobStore store, Consumer<Effect> effects, Clocks clock) {
        this.scheduling = scheduling;
        this.store = store;
        this.effects = effects;
        this.clock = clock;
        this.machine = scheduling.machine();
        this.log = new TransitionLog(machine.capacity());
    }

    /**
     * Takes up where the store left off: what the containers tell, what is owed, and the front of the queue. To be
     * called once, before {@link #run}, on the thread that will run it.
     */
    public void recover(FoundAtStart remains) {
        Instant now = readClock();
        long lastTurn = store.lastTurn();
        Instant bootedAt = bootedAt(remains.boot());
        Machine restored = machine.withIdsAbove(remains.highestId());
        for (Job job : store.live()) {
            Job known = countedAnew(job);
            restored = restored.restored(job.id().value() == lastTurn ? inQuestion(known) : known);
        }
        Recovery plan =
                Recovery.plan(machine.capacity(), restored.live().values(), sightings(remains.containers()), bootedAt);
        machine = restored.withOrphans(plan.orphans());
        machine =
                machine.with(DeferredJobs.of(store.hasDependents(), store.endedAndAwaited(), store.earliestDeferred()));
        for (Lane lane : machine.capacity().lanes()) {
            // A job that comes back to the queue waits until it is known who stands before it.
            machine = machine.withUnreadQueue(lane);
        }
        List<Owed> owed = new ArrayList<>();
        List<Effect> cleaning = cleaningOwed(owed, now);
        plan.events()
                .forEach(happening -> owed.add(new Owed(null, happenToJob(happening.job(), happening.event(), now))));
        Boot boot = remains.boot();
        if (boot != null) {
            // Together with what follows from it: else a crash in between would hide that the machine was down.
            store.keepBoot(boot.id());
        }
        store.commit();
        plan.effects().forEach(effects);
        cleaning.forEach(effects);
        owed.forEach(this::act);
        // All this may have taken its time.
        Instant ready = readClock();
        while (areDatesDue(ready)) {
            commit(List.of(new Owed(null, tellDates(ready))));
        }
        releaseFitting(ready);
        readQueues(ready);
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
        Capacity capacity = machine.capacity();
        List<Job> held = store.heldByServer(0, QueueWindow.MAX_JOBS);
        while (!held.isEmpty()) {
            List<Owed> released = new ArrayList<>();
            for (Job job : held) {
                if (capacity.refusal(job.spec()).isEmpty() || capacity.order().dropsUnfit()) {
                    Step step = apply(new Input.JobHappening(now, job, new ReleaseRequested(JobState.Held.BY_SERVER)));
                    released.add(new Owed(null, new Step(machine, step.changes(), List.of(), step.reply())));
                }
            }
            commit(released);
            held = store.heldByServer(held.getLast().id().value(), QueueWindow.MAX_JOBS);
        }
    }

    /** The effects for what the last server did not come to look at; a server that cannot look gives it on as it is. */
    private List<Effect> cleaningOwed(List<Owed> owed, Instant now) {
        boolean cleans = machine.capacity().rules().cleans();
        List<Effect> cleaning = new ArrayList<>();
        for (Map.Entry<Attempt, Allocation> left : machine.gpus().cleaning().entrySet()) {
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
                .map(found -> new Sighting(found, known(found.of().job()).orElse(null)))
                .toList();
    }

    private Optional<Job> known(JobId id) {
        return machine.find(id).or(() -> store.find(id));
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
        machine = machine.withDateAhead(ahead);
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
        return isDue || machine.deferred().areDatesUnread();
    }

    /** The date at which the next job may start that waits for one; empty where none does. */
    private Optional<Instant> nextBegin() {
        return Optional.ofNullable(machine.deferred().earliest().begin());
    }

    /** Tells some of those whose date has come; nothing starts before all know. */
    private Step tellDates(Instant now) {
        Rows<Job> due = store.due(now, QueueWindow.MAX_JOBS, QueueWindow.MAX_BYTES);
        return apply(new Input.DatesReached(now, due.items(), due.more()));
    }

    private Duration patience() {
        if (machine.deferred().areUnread()) {
            return Duration.ZERO;
        }
        Duration toDeadline = machine.nextDeadline()
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
        Instant now = readClock();
        told = 0;
        List<Owed> owed = new ArrayList<>();
        if (areDatesDue(now)) {
            owed.add(new Owed(null, tellDates(now)));
        }
        Instant passed = now.minus(machine.clock().ahead());
        if (machine.nextDeadline().filter(deadline -> !deadline.isAfter(passed)).isPresent()) {
            owed.add(new Owed(null, apply(new Input.TimePassed(now))));
        }
        if (!machine.deferred().ended().isEmpty()) {
            // More wait for a job that has ended than are told at a time.
            owed.add(new Owed(null, apply(new Input.TimePassed(now))));
        }
        batch.forEach(
                message -> owed.add(new Owed(message.answer(), message.work().on(this, now))));
        commit(owed);
        readQueues(now);
    }

    private void commit(List<Owed> owed) {
        store.commit();
        scheduling.publish(machine);
        owed.forEach(this::act);
        boolean hasTold = store.takeTold();
        if (hasTold || owed.stream().anyMatch(done -> !done.step().changes().isEmpty())) {
            scheduling.changes().raise();
        }
    }

    /** As of one moment: a job whose date comes later than that is not before those that start by it. */
    private void readQueues(Instant now) {
        for (Lane lane : machine.capacity().lanes()) {
            for (int room = machine.room(lane); room > 0; room = machine.room(lane)) {
                List<Job> jobs = machine.window(lane).jobs();
                long last = jobs.isEmpty() ? 0 : jobs.getLast().turn().value();
                boolean everything = machine.capacity().cpuWorkers() == 0;
                Rows<Job> behind = store.queuedBehind(lane, everything, last, room, QueueWindow.MAX_BYTES);
                Step read = apply(new Input.QueueRead(now, lane, behind.items(), behind.more()));
                commit(List.of(new Owed(null, read)));
            }
        }
    }

    /** A retry is told of the job that the first try made. */
    Step submit(SubmitJob submit, Room room) {
        SubmitKey key = submit.key();
        Optional<JobStore.Submitted> earlier = key == null
                ? Optional.empty()
                : store.findSubmitted(submit.submitter().uid(), key.key());
        if (key == null || earlier.isEmpty()) {
            return refusal(submit, room).map(this::answered).orElseGet(() -> accept(submit));
        }
        Job job = earlier.get().job();
        return answered(
                earlier.get().digest().equals(key.digest())
                        ? new Reply.Repeated(machine.find(job.id()).orElse(job))
                        : new Reply.KeyTaken(job));
    }

    /** Accepts a job, once it is known which of those that it waits for have ended. */
    private Step accept(SubmitJob submit) {
        SortedMap<JobId, StateName> states = states(submit);
        Step before = readied(submit, states);
        if (!(before.reply() instanceof Reply.None)) {
            return before;
        }
        Step accepted = acceptReadied(submit, states);
        return replying(before.then(accepted), accepted.reply());
    }

    private Step acceptReadied(SubmitJob submit, SortedMap<JobId, StateName> known) {
        List<JobId> pairs = taskByTask(submit);
        SortedMap<JobId, StateName> states = ended(submit, known);
        // Of an array that has ended otherwise some tasks may have completed, and are told of first.
        SortedMap<JobId, StateName> later = new TreeMap<>(states);
        later.keySet().retainAll(pairs);
        later.values().removeIf(state -> state == StateName.COMPLETED);
        states.keySet().removeAll(later.keySet());
        Step accepted = apply(submit.with(states));
        if (pairs.isEmpty() || !(accepted.reply() instanceof Reply.Accepted(Job job))) {
            return accepted;
        }
        Step all = accepted.then(tellOfEndedPairs(job.id(), pairs, later, submit.at()));
        return replying(all, new Reply.Accepted(known(job.id()).orElse(job)));
    }

    /** Accepts all jobs of a pipeline in one commit, or none: whatever may refuse one of them is looked at before. */
    Step submit(Pipeline pipeline, Instant now, Room room) {
        Optional<Reply> known = earlier(pipeline).or(() -> refusal(pipeline, room));
        if (known.isPresent()) {
            return answered(known.get());
        }
        List<SortedMap<JobId, StateName>> states = IntStream.range(
                        0, pipeline.stages().size())
                .mapToObj(stage -> states(pipeline.submit(now, stage, List.of())))
                .toList();
        Optional<Reply> refusal = stageRefusal(pipeline, states, now);
        if (refusal.isPresent()) {
            return answered(refusal.get());
        }
        Step all = nothing();
        for (int stage = 0; stage < pipeline.stages().size(); stage++) {
            Step ready = single(pipeline.submit(now, stage, List.of()), states.get(stage));
            all = all.then(ready);
            if (!(ready.reply() instanceof Reply.None)) {
                return replying(all, new Reply.RefusedStage(stage, ready.reply()));
            }
        }
        Step accepted = acceptAll(pipeline, states, now);
        return replying(all.then(accepted), accepted.reply());
    }

    /** The refusal of the first of them that is not accepted; nothing is changed for those before it. */
    private Optional<Reply> stageRefusal(Pipeline pipeline, List<SortedMap<JobId, StateName>> states, Instant now) {
        Map<JobId, Integer> pairs = new HashMap<>();
        for (int stage = 0; stage < pipeline.stages().size(); stage++) {
            SubmitJob submit = pipeline.submit(now, stage, List.of());
            Optional<Reply> misfit = machine.capacity().refusal(submit.spec()).map(Reply.Refused::new);
            SortedMap<JobId, StateName> own = states.get(stage);
            Optional<Reply> refusal = misfit.or(() -> missingTask(submit, own)).or(() -> pairsRefusal(submit, pairs));
            if (refusal.isPresent()) {
                return Optional.of(new Reply.RefusedStage(stage, refusal.get()));
            }
            taskByTask(submit).forEach(other -> pairs.merge(other, 1, Integer::sum));
        }
        return Optional.empty();
    }

    private Step acceptAll(Pipeline pipeline, List<SortedMap<JobId, StateName>> states, Instant now) {
        List<Job> accepted = new ArrayList<>();
        Step all = nothing();
        for (int stage = 0; stage < pipeline.stages().size(); stage++) {
            SubmitJob submit =
                    pipeline.submit(now, stage, accepted.stream().map(Job::id).toList());
            Step step = acceptReadied(submit, states.get(stage));
            if (!(step.reply() instanceof Reply.Accepted(Job job))) {
                throw new IllegalStateException("stage " + stage + " of a pipeline was answered with " + step.reply());
            }
            accepted.add(job);
            all = all.then(step);
        }
        return replying(all, new Reply.AcceptedAll(accepted));
    }

    /** The answer to a pipeline that was accepted before; empty where it was not. */
    private Optional<Reply> earlier(Pipeline pipeline) {
        List<Job> jobs = new ArrayList<>();
        long uid = pipeline.submitter().uid();
        for (int stage = 0; stage < pipeline.stages().size(); stage++) {
            SubmitKey key = pipeline.keyOf(stage);
            Optional<JobStore.Submitted> found = key == null ? Optional.empty() : store.findSubmitted(uid, key.key());
            if (key != null && found.isPresent()) {
                Job job = found.get().job();
                if (!found.get().digest().equals(key.digest())) {
                    return Optional.of(new Reply.KeyTaken(job));
                }
                jobs.add(machine.find(job.id()).orElse(job));
            }
        }
        return jobs.isEmpty() ? Optional.empty() : Optional.of(new Reply.RepeatedAll(jobs));
    }

    /** The refusal where there is no room for all of them. */
    private Optional<Reply> refusal(Pipeline pipeline, Room room) {
        long uid = pipeline.submitter().uid();
        long waiting = store.waiting(uid);
        long taken = store.bytes(uid);
        long asked = pipeline.stages().stream().mapToLong(Pipeline.Stage::bytes).sum();
        if (waiting > room.jobs() - pipeline.stages().size()) {
            return Optional.of(new Reply.QueueFull(waiting, pipeline.stages().size()));
        }
        return taken > room.bytes() - asked ? Optional.of(new Reply.NoRoom(taken, asked)) : Optional.empty();
    }

    /**
     * Makes the tasks that a job is to wait for jobs of their own, where the machine could run it. An answer is why it is
     * not accepted.
     */
    private Step readied(SubmitJob submit, SortedMap<JobId, StateName> states) {
        Optional<Reply> missing = missingTask(submit, states);
        if (missing.isPresent()) {
            return answered(missing.get());
        }
        if (machine.capacity().refusal(submit.spec()).isPresent()) {
            return nothing();
        }
        Optional<Reply> tooMany = pairsRefusal(submit, Map.of());
        return tooMany.isPresent() ? answered(tooMany.get()) : single(submit, states);
    }

    /** The refusal of a job that is to wait for one that is not there. */
    private Optional<Reply> missingTask(SubmitJob submit, SortedMap<JobId, StateName> states) {
        for (JobId task : awaitedTasks(submit, states)) {
            if (taskState(submit, task).isEmpty()) {
                return Optional.of(new Reply.NoSuchDependency(task));
            }
        }
        return Optional.empty();
    }

    /**
     * The refusal of an array whose tasks are to wait for those of one for which enough others do.
     *
     * @param pairs how many arrays before it in the request are to wait task by task for one
     */
    private Optional<Reply> pairsRefusal(SubmitJob submit, Map<JobId, Integer> pairs) {
        for (JobId other : taskByTask(submit)) {
            int before = pairs.getOrDefault(other, 0);
            if (store.pairsOf(other) + before >= Prerequisites.MAX_PAIRS) {
                return Optional.of(new Reply.Refused("the tasks of " + Prerequisites.MAX_PAIRS
                        + " arrays wait for those of array " + other + " already (aftercorr)"
                        + (before == 0 ? "" : ", with those of the jobs before it in the request")
                        + ", as many as may"));
            }
        }
        return Optional.empty();
    }

    private static List<JobId> awaited(SubmitJob submit) {
        return submit.spec().prerequisites().dependencies().stream()
                .map(Dependency::job)
                .toList();
    }

    /** The states of the jobs that it waits for, those left out that are no jobs of their own. */
    private SortedMap<JobId, StateName> states(SubmitJob submit) {
        List<JobId> others = awaited(submit);
        return others.isEmpty()
                ? new TreeMap<>()
                : store.states(submit.submitter().uid(), others);
    }

    /** Those that it waits for and that are no jobs of their own. */
    private static List<JobId> awaitedTasks(SubmitJob submit, SortedMap<JobId, StateName> states) {
        return awaited(submit).stream()
                .filter(other -> !states.containsKey(other))
                .distinct()
                .toList();
    }

    private Optional<StateName> taskState(SubmitJob submit, JobId task) {
        return arrayOf(task)
                .filter(array -> array.owner().uid() == submit.submitter().uid())
                .flatMap(array -> array.task(task))
                .map(found -> found.state().name());
    }

    /** Those that it waits for and that have ended, with how. */
    private SortedMap<JobId, StateName> ended(SubmitJob submit, SortedMap<JobId, StateName> known) {
        SortedMap<JobId, StateName> states = new TreeMap<>(known);
        for (JobId task : awaitedTasks(submit, known)) {
            taskState(submit, task).ifPresent(state -> states.put(task, state));
        }
        states.values().removeIf(state -> !state.isFinal());
        return states;
    }

    private static Step replying(Step step, Reply reply) {
        return new Step(step.machine(), step.changes(), step.effects(), reply);
    }

    /** The arrays for whose tasks those of a submitted one are to wait. */
    private static List<JobId> taskByTask(SubmitJob submit) {
        return submit.spec().prerequisites().dependencies().stream()
                .filter(dependency -> dependency.kind() == DependencyKind.AFTER_CORR)
                .map(Dependency::job)
                .toList();
    }

    /** Tells the tasks of an array that was accepted of those others that have ended before. */
    private Step tellOfEndedPairs(JobId array, List<JobId> others, SortedMap<JobId, StateName> ended, Instant at) {
        Step all = nothing();
        for (JobId other : others) {
            SortedMap<Integer, StateName> tasks = new TreeMap<>();
            for (Job task : store.tasks(other, Prerequisites.MAX_TASK_BY_TASK)) {
                if (task.state() instanceof Finished end && task.part() instanceof Part.Task(JobId _, int index)) {
                    tasks.put(index, end.name());
                }
            }
            all = all.then(apply(new Input.PairsEnded(at, known(array).orElseThrow(), other, tasks)));
            StateName end = ended.get(other);
            if (end != null) {
                machine = machine.with(machine.deferred().withEnded(other, end));
                all = all.then(tellOfEnds(at));
            }
        }
        return all;
    }

    /** Makes tasks that a job is to wait for jobs of their own, where they have not ended: those are told of. */
    private Step single(SubmitJob submit, SortedMap<JobId, StateName> states) {
        Step all = nothing();
        for (JobId task : awaitedTasks(submit, states)) {
            Optional<Job> array = arrayOf(task).filter(found -> found.state() instanceof JobState.Waiting);
            Integer index = array.map(found -> found.indexOf(task)).orElse(null);
            if (array.isPresent() && index != null && array.get().waiting().contains(index)) {
                Step step = apply(new Input.TaskAwaited(submit.at(), array.get(), index, open(array.get())));
                all = all.then(step);
                if (step.reply() instanceof Reply.Refused) {
                    return new Step(all.machine(), all.changes(), all.effects(), step.reply());
                }
            }
        }
        return all;
    }

    private Optional<Job> arrayOf(JobId task) {
        return store.arrayOf(task).map(found -> machine.find(found.id()).orElse(found));
    }

    /** The refusal where there is no room for another job of the submitter's. */
    private Optional<Reply> refusal(SubmitJob submit, Room room) {
        long uid = submit.submitter().uid();
        long waiting = store.waiting(uid);
        if (waiting >= room.jobs()) {
            return Optional.of(new Reply.QueueFull(waiting, 1));
        }
        long asked = submit.spec().bytes() + submit.program().bytes();
        long taken = store.bytes(uid);
        return taken > room.bytes() - asked ? Optional.of(new Reply.NoRoom(taken, asked)) : Optional.empty();
    }

    Step write(Consumer<JobStore> work) {
        work.accept(store);
        return nothing();
    }

    /** News of a container that no job owns is no news of a job's. */
    Step happen(JobId job, JobEvent event, Instant now) {
        if (event instanceof JobEvent.OfAttempt of) {
            Attempt attempt = new Attempt(job, of.attempt());
            boolean isOver = of instanceof JobEvent.RunExited || of instanceof JobEvent.RunGone;
            if (isOver && machine.orphans().containsKey(attempt)) {
                return apply(new Input.OrphanEnded(now, attempt));
            }
        }
        return happenToJob(job, event, now);
    }

    private Step happenToJob(JobId id, JobEvent event, Instant now) {
        Optional<Job> subject = known(id);
        if (subject.isEmpty()) {
            return happenToTask(id, event, now);
        }
        if (subject.get().isArray() && event instanceof JobEvent.Request request) {
            return happenToArray(subject.get(), request, now);
        }
        if (event instanceof DeviceLost lost && !isLoss(subject.get(), lost, now)) {
            return nothing();
        }
        Step step = apply(new Input.JobHappening(now, subject.get(), event));
        if (step.reply() instanceof Reply.Ignored(Job _, String reason)) {
            LOG.debug("job={} {} ignored: {}", id, event, reason);
        }
        return step;
    }

    /** Something may be asked of a task before its turn. */
    private Step happenToTask(JobId id, JobEvent event, Instant now) {
        Optional<Job> array = arrayOf(id);
        Integer index = array.map(found -> found.indexOf(id)).orElse(null);
        if (array.isEmpty() || index == null || !(event instanceof JobEvent.Request)) {
            LOG.warn("job={} {} for a job that is not known", id, event.name());
            return nothing();
        }
        return apply(new Input.TaskHappening(now, array.get(), index, open(array.get()), event));
    }

    private long open(Job array) {
        return store.singleTasks(array.id());
    }

    /**
     * What is asked of an array is asked of those of its tasks, too, that are jobs of their own; in one commit, and before
     * anything starts.
     */
    private Step happenToArray(Job array, JobEvent.Request event, Instant now) {
        machine = machine.with(machine.deferred().withArray(array.id()));
        Step asked = step(new Input.JobHappening(now, array, event));
        Step all = asked.then(happenToTasks(array.id(), event, now));
        boolean isIgnored =
                asked.reply() instanceof Reply.Ignored && all.changes().isEmpty();
        Step told = all.then(tellOfEnds(now));
        Reply reply =
                isIgnored ? asked.reply() : new Reply.Took(known(array.id()).orElse(array));
        return new Step(told.machine(), told.changes(), told.effects(), reply);
    }

    private Step happenToTasks(JobId array, JobEvent.Request event, Instant now) {
        List<Change> changes = new ArrayList<>();
        List<Effect> owed = new ArrayList<>();
        List<Job> tasks = store.openTasks(array, 0, QueueWindow.MAX_JOBS);
        while (!tasks.isEmpty()) {
            for (Job task : tasks) {
                Job known = machine.find(task.id()).orElse(task);
                Step step = step(new Input.JobHappening(now, known, event));
                changes.addAll(step.changes());
                owed.addAll(step.effects());
            }
            tasks = store.openTasks(array, tasks.getLast().id().value(), QueueWindow.MAX_JOBS);
        }
        return new Step(machine, changes, owed, new Reply.None());
    }

    /** Whether a job has lost GPUs: then it is marked. Anybody may write such words who has none. */
    private boolean isLoss(Job job, DeviceLost lost, Instant now) {
        boolean has = job.state() instanceof JobState.Running running
                && running.attempt() == lost.attempt()
                && !running.allocation().isNone();
        if (has) {
            store.warn(
                    new JobWarning(job.id(), lost.attempt(), JobWarning.DEVICE_LOST, "", lost.sentence(), now, null));
            LOG.warn("job={} {}", job.id(), lost.sentence());
        }
        return has;
    }

    /** Steps, and tells those who wait for a job that has ended in it: before anything starts. */
    Step apply(Input input) {
        return step(input).then(tellOfEnds(input.at()));
    }

    /** Ends the arrays whose last task has ended, and tells those who wait for a job that has; of whom some may end by it. */
    private Step tellOfEnds(Instant at) {
        Step all = nothing();
        while (areEndsToTell()) {
            if (!machine.deferred().arrays().isEmpty()) {
                all = all.then(step(readArray(at, machine.deferred().arrays().first())));
            } else {
                // Those who waited for the last of them have the highest numbers: what ends with it is told of first.
                Map.Entry<JobId, StateName> ended = machine.deferred().ended().lastEntry();
                all = all.then(tellPairs(at, ended.getKey(), ended.getValue()));
                all = all.then(step(tellDependents(at, ended.getKey(), ended.getValue())));
                told++;
            }
        }
        return all;
    }

    /** Tells the tasks with the index of a task that has ended which wait for that one of all. */
    private Step tellPairs(Instant at, JobId ended, StateName end) {
        Step all = nothing();
        for (Job array : store.pairs(ended)) {
            if (known(ended).orElseThrow().part() instanceof Part.Task(JobId other, int index)
                    && array.waiting().contains(index)) {
                all = all.then(step(new Input.PairsEnded(at, array, other, new TreeMap<>(Map.of(index, end)))));
                told++;
            }
        }
        return all;
    }

    /** An array is looked at at once: nobody knows of it after a restart. Of the others there may be too many for one turn. */
    private boolean areEndsToTell() {
        return !machine.deferred().arrays().isEmpty()
                || (!machine.deferred().ended().isEmpty() && told < QueueWindow.MAX_JOBS);
    }

    private Input readArray(Instant at, JobId id) {
        Job array = known(id).orElseThrow(() -> new IllegalStateException("array " + id + " is gone"));
        return new Input.ArrayRead(at, array, store.hasOpenTasks(id), store.endedTasks(id));
    }

    /**
     * Tells the next of those who wait for a job that has ended. One that waited for something else, too, may have been
     * passed: so they are all told only once nobody is found from the first one on.
     */
    private Input tellDependents(Instant at, JobId ended, StateName end) {
        JobId after = toldUpTo.get(ended);
        if (after == null && !store.isAwaited(ended)) {
            return new Input.DependentsRead(at, ended, List.of(), Input.Told.NOBODY_WAITED);
        }
        Rows<Job> waiting = store.dependents(ended, end, after, QueueWindow.MAX_JOBS, QueueWindow.MAX_BYTES);
        told += waiting.items().size();
        boolean isAll = after == null && !waiting.more();
        if (isAll || waiting.items().isEmpty()) {
            toldUpTo.remove(ended);
        } else {
            toldUpTo.put(ended, waiting.items().getLast().id());
        }
        return new Input.DependentsRead(at, ended, waiting.items(), isAll ? Input.Told.ALL : Input.Told.SOME);
    }

    private Step step(Input input) {
        Step step = Scheduler.step(machine, input);
        store.write(step.changes());
        machine = step.machine();
        if (step.changes().stream().anyMatch(SchedulingLoop::isOfDeferred)) {
            machine = machine.with(machine.deferred().with(store.earliestDeferred()));
        }
        return step;
    }

    /** Whether a change is one of the jobs that are not ready. */
    private static boolean isOfDeferred(Change change) {
        return switch (change) {
            case Change.Accepted accepted -> isDeferred(accepted.job().state());
            case Change.Singled singled -> isDeferred(singled.job().state());
            case Change.Advanced advanced ->
                isDeferred(advanced.before().state())
                        || isDeferred(advanced.job().state());
            case Change.DependenciesMet _ -> true;
            default -> false;
        };
    }

    private static boolean isDeferred(JobState state) {
        return state instanceof Deferred
                || (state instanceof Held held && !held.unmet().isEmpty());
    }

    Step nothing() {
        return Step.nothing(machine);
    }

    private Step answered(Reply reply) {
        return new Step(machine, List.of(), List.of(), reply);
    }

    private void act(Owed owed) {
        owed.step().changes().forEach(log::tell);
        if (owed.answer() != null) {
            owed.answer().complete(owed.step().reply());
        }
        owed.step().effects().forEach(effects);
    }
}
