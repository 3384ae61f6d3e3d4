package dev.berth.server.loop;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.GpuId;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.JobState;
import dev.berth.core.job.JobState.Creating;
import dev.berth.core.job.JobState.Live;
import dev.berth.core.job.Program;
import dev.berth.core.job.SubmitKey;
import dev.berth.core.job.Submitter;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Capacity;
import dev.berth.core.machine.Drain;
import dev.berth.core.machine.Durations;
import dev.berth.core.machine.Effect;
import dev.berth.core.machine.Found;
import dev.berth.core.machine.Input;
import dev.berth.core.machine.JobEvent;
import dev.berth.core.machine.JobEvent.CancelRequested;
import dev.berth.core.machine.JobEvent.DeviceLost;
import dev.berth.core.machine.JobEvent.HoldRequested;
import dev.berth.core.machine.JobEvent.ReleaseRequested;
import dev.berth.core.machine.Lane;
import dev.berth.core.machine.Machine;
import dev.berth.core.machine.QueueWindow;
import dev.berth.core.machine.Recovery;
import dev.berth.core.machine.Scheduler;
import dev.berth.core.machine.Sighting;
import dev.berth.core.machine.Step;
import dev.berth.core.machine.Step.Reply;
import dev.berth.server.log.Signal;
import dev.berth.server.loop.Message.Asked;
import dev.berth.server.loop.Remains.Boot;
import dev.berth.server.store.JobStore;
import dev.berth.server.store.JobWarning;
import dev.berth.server.store.Rows;
import dev.berth.server.time.Clocks;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Input, step, commit, act, in that order and on one thread. A batch of inputs shares one commit. Whoever asked is
 * answered after the commit, so that what was acknowledged survives.
 */
public final class SchedulingLoop {
    private static final Logger LOG = LoggerFactory.getLogger(SchedulingLoop.class);
    private static final Duration FOREVER = Duration.ofDays(1);
    /** More than a clock that is steered to the right time strays from one look to the next. */
    private static final Duration DATE_WAS_SET = Duration.ofSeconds(1);

    /** What is to be done once the transaction is committed. */
    private record Owed(Message message, Step step) {}

    private final Signal changes = new Signal();
    private final TransitionLog log;
    private final Inbox inbox;
    private final JobStore store;
    private final Consumer<Effect> effects;
    private final Clocks clock;

    /** As far as stepped; this thread's own. */
    private Machine machine;

    /** As far as committed; for everybody. */
    private volatile Machine committed;

    private volatile boolean ending;

    /** What the turn that is under way took out of the inbox; this thread's own. */
    private List<Message> current = List.of();

    /**
     * A loop on a store.
     *
     * @param effects takes each effect on at once, on this thread
     */
    public SchedulingLoop(Capacity capacity, JobStore store, Inbox inbox, Consumer<Effect> effects, Clocks clock) {
        this.inbox = inbox;
        this.store = store;
        this.effects = effects;
        this.clock = clock;
        this.log = new TransitionLog(capacity);
        this.machine = Machine.idle(capacity, store.lastId())
                .with(store.starts())
                .with(store.gpus())
                .withDateAhead(store.dateAhead());
        this.committed = machine;
    }

    /** The state as last committed. */
    public Machine machine() {
        return committed;
    }

    /** Raised after each commit that changed something. */
    public Signal changes() {
        return changes;
    }

    /** Hands a job in, however many wait; answered once it is durable. */
    public CompletableFuture<Reply> submit(
            JobSpec spec, Program program, Submitter submitter, @Nullable SubmitKey key) {
        return submit(spec, program, submitter, key, Room.UNBOUNDED);
    }

    /**
     * Hands a job in; answered once it is durable.
     *
     * @param room how much the submitter's jobs may take. It is counted where the job is accepted, so that requests of
     *     the same instant cannot pass a bound together
     */
    public CompletableFuture<Reply> submit(
            JobSpec spec, Program program, Submitter submitter, @Nullable SubmitKey key, Room room) {
        return ask(new Message.Submit(spec, program, submitter, key, room, new CompletableFuture<>()));
    }

    /** Asks for a job's end. */
    public CompletableFuture<Reply> cancel(JobId job, String by) {
        return ask(new Message.Request(job, new CancelRequested(by), new CompletableFuture<>()));
    }

    /** Asks to set a queued job aside. */
    public CompletableFuture<Reply> hold(JobId job, String by) {
        return ask(new Message.Request(job, new HoldRequested(by), new CompletableFuture<>()));
    }

    /** Asks to let a held job go on. */
    public CompletableFuture<Reply> release(JobId job, String by) {
        return ask(new Message.Request(job, new ReleaseRequested(by), new CompletableFuture<>()));
    }

    /** Starts nothing new for the time being, also after a restart; what runs goes on. */
    public CompletableFuture<Reply> pause(String by) {
        return ask(new Message.Pause(true, by, new CompletableFuture<>()));
    }

    /** Starts again what has its turn. */
    public CompletableFuture<Reply> resume(String by) {
        return ask(new Message.Pause(false, by, new CompletableFuture<>()));
    }

    /** Takes a GPU out of service; a job that holds it goes on. */
    public CompletableFuture<Reply> drain(GpuId gpu, String by, String reason) {
        return ask(new Message.Service(gpu, by, reason, new CompletableFuture<>()));
    }

    /** Takes a GPU that is sick out of service. */
    public void drainSick(GpuId gpu, String reason) {
        inbox.insist(new Message.Service(gpu, Drain.BERTH, reason, new CompletableFuture<>()));
    }

    /** Takes a GPU back into service. */
    public CompletableFuture<Reply> resumeGpu(GpuId gpu, String by) {
        return ask(new Message.Service(gpu, by, null, new CompletableFuture<>()));
    }

    /** GPUs that an attempt was given cannot be had; nothing was made, and the job waits again. */
    public void gpusRefused(Attempt attempt, Obstacles obstacles, String sentence) {
        inbox.tell(new Message.GpusRefused(attempt, obstacles, sentence));
    }

    /** What is in the way of giving GPUs out from now on, and nothing else is. */
    public void gpusSeen(Obstacles obstacles) {
        inbox.tell(new Message.GpusSeen(obstacles));
    }

    /**
     * What an attempt has left was looked at.
     *
     * @param drained why single GPUs of it cannot be given out, for people; the others are free
     */
    public void gpusCleaned(Attempt attempt, SortedMap<GpuId, String> drained) {
        inbox.tell(new Message.GpusCleaned(attempt, drained));
    }

    /** Starts nothing new from now on, and stops what runs; what waits keeps its place. */
    public CompletableFuture<Reply> stopAll(String by) {
        return ask(new Message.StopAll(by, new CompletableFuture<>()));
    }

    /** Writes what no scheduling follows from; answered once it is durable. What {@code work} throws ends the server. */
    public CompletableFuture<Reply> write(Consumer<JobStore> work) {
        return ask(new Message.Write(work, new CompletableFuture<>()));
    }

    private CompletableFuture<Reply> ask(Asked message) {
        if (ending || !inbox.ask(message)) {
            throw ending ? BusyException.stopping() : BusyException.full(inbox.maxAsked());
        }
        return message.answer();
    }

    /**
     * Takes up where the store left off: what the containers tell, what is owed, and the front of the queue. To be
     * called once, before {@link #run}, on the thread that will run it.
     */
    public void recover(Remains remains) {
        Instant now = readClock();
        Machine restored = machine.withIdsAbove(remains.highestKnownId());
        long lastTurn = store.lastTurn();
        Instant bootedAt = bootedAt(remains.boot());
        for (Job job : store.live()) {
            Job known = countedAnew(job);
            restored = restored.restored(job.id().value() == lastTurn ? inQuestion(known) : known);
        }
        Recovery plan =
                Recovery.plan(machine.capacity(), restored.live().values(), sightings(remains.containers()), bootedAt);
        machine = restored.withOrphans(plan.orphans());
        for (Lane lane : machine.capacity().lanes()) {
            // Whoever comes back to the queue waits until it is known who stands before it.
            machine = machine.withUnreadQueue(lane);
        }
        List<Owed> owed = new ArrayList<>();
        List<Effect> cleaning = cleaningOwed(owed, now);
        plan.events().forEach(happening -> owed.add(happen(happening, now)));
        Boot boot = remains.boot();
        if (boot != null) {
            // Together with what follows from it: else a crash in between would hide that the machine was down.
            store.keepBoot(boot.id());
        }
        store.commit();
        plan.effects().forEach(effects);
        cleaning.forEach(effects);
        owed.forEach(this::act);
        releaseFitting(now);
        readQueues();
    }

    /** A steady clock begins with the date: what the one before it said is said in the date that it stood at last. */
    private Job countedAnew(Job job) {
        Instant began = job.state() instanceof Live live ? live.countedFrom() : null;
        return began == null ? job : job.with(((Live) job.state()).countedFrom(began.plus(store.aheadBefore())));
    }

    /** Its GPUs may have been looked at long ago; nobody was given anything since, so that it may go back to its place. */
    private static Job inQuestion(Job lastTurn) {
        return lastTurn.state() instanceof Creating(int attempt, String imageId, Allocation allocation, boolean _)
                ? lastTurn.with(new Creating(attempt, imageId, allocation))
                : lastTurn;
    }

    /**
     * What an earlier server set aside, as it could not run it, goes on where this one can, or comes to its end where that
     * is wished; a piece at a time. Its image is looked for when the window comes to it.
     */
    private void releaseFitting(Instant now) {
        Capacity capacity = machine.capacity();
        List<Job> held = store.heldByServer(0, QueueWindow.MAX_JOBS);
        while (!held.isEmpty()) {
            List<Owed> released = new ArrayList<>();
            for (Job job : held) {
                if (capacity.refusal(job.spec()).isEmpty() || capacity.order().dropsUnfit()) {
                    Owed owed = apply(
                            new Message.Wake(),
                            new Input.JobHappening(now, job, new ReleaseRequested(JobState.Held.BY_SERVER)));
                    Step step = owed.step();
                    released.add(new Owed(owed.message(), new Step(machine, step.changes(), List.of(), step.reply())));
                }
            }
            commit(released);
            held = store.heldByServer(held.getLast().id().value(), QueueWindow.MAX_JOBS);
        }
    }

    /** What the last server did not come to look at; a server that cannot look gives it on as it is. */
    private List<Effect> cleaningOwed(List<Owed> owed, Instant now) {
        boolean cleans = machine.capacity().rules().cleans();
        List<Effect> cleaning = new ArrayList<>();
        for (Map.Entry<Attempt, Allocation> left : machine.gpus().cleaning().entrySet()) {
            Attempt attempt = left.getKey();
            if (cleans) {
                cleaning.add(new Effect.CleanGpus(attempt.job(), attempt.number(), left.getValue()));
            } else {
                owed.add(apply(new Message.Wake(), new Input.GpusCleaned(now, attempt)));
            }
        }
        return cleaning;
    }

    /** When the machine came up again, where that was after the last server; else null. */
    private @Nullable Instant bootedAt(@Nullable Boot boot) {
        return boot == null
                        || store.boot().filter(last -> !last.equals(boot.id())).isEmpty()
                ? null
                : boot.at();
    }

    private List<Sighting> sightings(List<Found> containers) {
        return containers.stream()
                .map(found -> new Sighting(found, known(found.job()).orElse(null)))
                .toList();
    }

    private Optional<Job> known(JobId id) {
        return machine.find(id).or(() -> store.find(id));
    }

    /** The engine was out of sight and has been looked at; {@code running} are the attempts that ran before it. */
    public void seen(Set<Attempt> running, List<Found> containers) {
        inbox.tell(new Message.Seen(running, containers));
    }

    /** Turns until {@link #end}; what it throws is a reason to end the process. */
    public void run() throws InterruptedException {
        while (!ending) {
            turn(patience());
        }
        inbox.close(BusyException.stopping());
    }

    /** Tells all who wait that {@link #run} threw this, and so nothing of theirs is acknowledged. On that thread. */
    public void abandon(Throwable reason) {
        RuntimeException why = reason instanceof RuntimeException known ? known : new IllegalStateException(reason);
        for (Message message : current) {
            if (message instanceof Asked waiting) {
                waiting.answer().completeExceptionally(why);
            }
        }
        inbox.close(why);
    }

    /** Ends the loop after the step it is in; from here on whoever asks is refused. */
    public void end() {
        ending = true;
        inbox.tell(new Message.Wake());
    }

    /** The date of now, once the machine knows how it stands to the time that has passed. */
    private Instant readClock() {
        Instant now = clock.instant();
        Duration ahead = clock.ahead(now);
        machine = machine.withDateAhead(ahead);
        Duration set = ahead.minus(store.dateAhead());
        if (set.abs().compareTo(DATE_WAS_SET) >= 0) {
            store.keepDateAhead(ahead);
            LOG.warn(
                    "the machine's date was set {} {}, or the machine slept; time limits count on by the time that passes",
                    Durations.inWords(set.abs()),
                    set.isNegative() ? "back" : "ahead");
        }
        return now;
    }

    private Duration patience() {
        return machine.nextDeadline()
                .map(deadline -> Duration.between(clock.steady().instant(), deadline))
                .map(left -> left.isNegative() ? Duration.ZERO : left)
                .orElse(FOREVER);
    }

    /** One batch: waits for it, steps through it, commits, acts. */
    public void turn(Duration patience) throws InterruptedException {
        List<Message> batch = inbox.take(patience);
        current = batch;
        Instant now = readClock();
        List<Owed> owed = new ArrayList<>();
        Instant passed = now.minus(machine.clock().ahead());
        if (machine.nextDeadline().filter(deadline -> !deadline.isAfter(passed)).isPresent()) {
            owed.add(apply(new Message.Wake(), new Input.TimePassed(now)));
        }
        batch.forEach(message -> owed.add(step(message, now)));
        commit(owed);
        readQueues();
    }

    private void commit(List<Owed> owed) {
        store.commit();
        committed = machine;
        owed.forEach(this::act);
        boolean hasTold = store.takeTold();
        if (hasTold || owed.stream().anyMatch(done -> !done.step().changes().isEmpty())) {
            changes.raise();
        }
    }

    private void readQueues() {
        for (Lane lane : machine.capacity().lanes()) {
            while (machine.window(lane).isLow()) {
                List<Job> jobs = machine.window(lane).jobs();
                long last = jobs.isEmpty() ? 0 : jobs.getLast().id().value();
                int room = QueueWindow.MAX_JOBS - jobs.size();
                boolean everything = machine.capacity().cpuWorkers() == 0;
                Rows<Job> behind = store.queuedBehind(lane, everything, last, room, QueueWindow.MAX_BYTES);
                commit(List.of(apply(
                        new Message.Wake(),
                        new Input.QueueRead(clock.instant(), lane, behind.items(), behind.more()))));
            }
        }
    }

    private Owed step(Message message, Instant now) {
        return switch (message) {
            case Message.Submit submit -> submit(submit, now);
            case Message.Request request -> happen(message, request.job(), request.event(), now);
            case Message.Pause(boolean paused, String by, CompletableFuture<Reply> _) ->
                apply(message, paused ? new Input.PauseStarts(now, by) : new Input.ResumeStarts(now, by));
            case Message.News news -> news(news, now);
            case Message.Seen(Set<Attempt> running, List<Found> containers) ->
                apply(message, new Input.EngineSeen(now, running, sightings(containers)));
            case Message.StopAll stop -> apply(message, new Input.StopEverything(now, stop.by()));
            case Message.Service service -> apply(message, service(service, now));
            case Message.GpusSeen(Obstacles obstacles) ->
                apply(message, new Input.GpusSeen(now, obstacles.gpus(), obstacles.lock()));
            case Message.GpusRefused refused -> refused(refused, now);
            case Message.GpusCleaned cleaned -> cleaned(cleaned, now);
            case Message.Write write -> {
                write.work().accept(store);
                yield new Owed(message, Step.nothing(machine));
            }
            case Message.Wake _ -> new Owed(message, Step.nothing(machine));
        };
    }

    private static Input service(Message.Service service, Instant now) {
        String reason = service.reason();
        return reason == null
                ? new Input.ResumeGpu(now, service.gpu(), service.by())
                : new Input.DrainGpu(now, service.gpu(), service.by(), reason);
    }

    private Owed refused(Message.GpusRefused refused, Instant now) {
        Obstacles obstacles = refused.obstacles();
        Attempt attempt = refused.attempt();
        return known(attempt.job())
                .map(job -> apply(
                        refused,
                        new Input.GpusRefused(
                                now, job, attempt.number(), obstacles.gpus(), obstacles.lock(), refused.sentence())))
                .orElseGet(() -> apply(refused, new Input.GpusSeen(now, obstacles.gpus(), obstacles.lock())));
    }

    /** Out of service before they are free: nobody is to be given them in between. */
    private Owed cleaned(Message.GpusCleaned cleaned, Instant now) {
        List<Step> steps = new ArrayList<>();
        cleaned.drained()
                .forEach((gpu, reason) -> steps.add(apply(cleaned, new Input.DrainGpu(now, gpu, Drain.BERTH, reason))
                        .step()));
        Step last =
                apply(cleaned, new Input.GpusCleaned(now, cleaned.attempt())).step();
        steps.add(last);
        return new Owed(
                cleaned,
                new Step(
                        last.machine(),
                        steps.stream().flatMap(step -> step.changes().stream()).toList(),
                        steps.stream().flatMap(step -> step.effects().stream()).toList(),
                        last.reply()));
    }

    /** A retry is told of the job that the first try made. */
    private Owed submit(Message.Submit submit, Instant now) {
        SubmitKey key = submit.key();
        Optional<JobStore.Submitted> earlier = key == null
                ? Optional.empty()
                : store.findSubmitted(submit.submitter().uid(), key.key());
        if (key == null || earlier.isEmpty()) {
            return accept(submit, now);
        }
        Job job = earlier.get().job();
        Reply reply = earlier.get().digest().equals(key.digest())
                ? new Reply.Repeated(machine.find(job.id()).orElse(job))
                : new Reply.KeyTaken(job);
        return new Owed(submit, new Step(machine, List.of(), List.of(), reply));
    }

    /** News of a container that no job owns is no news of a job's. */
    private Owed news(Message.News news, Instant now) {
        if (news.event() instanceof JobEvent.OfAttempt of) {
            Attempt attempt = new Attempt(news.job(), of.attempt());
            boolean isOver = of instanceof JobEvent.ContainerExited || of instanceof JobEvent.ContainerGone;
            if (isOver && machine.orphans().containsKey(attempt)) {
                return apply(news, new Input.OrphanEnded(now, attempt));
            }
        }
        return happen(news, news.job(), news.event(), now);
    }

    private Owed happen(Recovery.Happening happening, Instant now) {
        return happen(new Message.News(happening.job(), happening.event()), happening.job(), happening.event(), now);
    }

    private Owed accept(Message.Submit submit, Instant now) {
        Optional<Reply> refusal = refusal(submit);
        if (refusal.isPresent()) {
            return new Owed(submit, new Step(machine, List.of(), List.of(), refusal.get()));
        }
        return apply(
                submit, new Input.SubmitJob(now, submit.spec(), submit.program(), submit.submitter(), submit.key()));
    }

    /** Where there is no room for another job of the submitter's. */
    private Optional<Reply> refusal(Message.Submit submit) {
        long uid = submit.submitter().uid();
        long waiting = store.waiting(uid);
        if (waiting >= submit.room().jobs()) {
            return Optional.of(new Reply.QueueFull(waiting));
        }
        long asked = submit.spec().bytes() + submit.program().bytes();
        long taken = store.bytes(uid);
        return taken > submit.room().bytes() - asked ? Optional.of(new Reply.NoRoom(taken, asked)) : Optional.empty();
    }

    private Owed happen(Message message, JobId id, JobEvent event, Instant now) {
        Optional<Job> subject = known(id);
        if (subject.isEmpty()) {
            LOG.warn("job={} {} for a job that is not known", id, event.name());
            return new Owed(message, Step.nothing(machine));
        }
        if (event instanceof DeviceLost lost && !isLoss(subject.get(), lost, now)) {
            return new Owed(message, Step.nothing(machine));
        }
        return apply(message, new Input.JobHappening(now, subject.get(), event));
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

    private Owed apply(Message message, Input input) {
        Step step = Scheduler.step(machine, input);
        store.write(step.changes());
        machine = step.machine();
        return new Owed(message, step);
    }

    private void act(Owed owed) {
        owed.step().changes().forEach(log::tell);
        if (owed.step().reply() instanceof Reply.Ignored(Job job, String reason)) {
            LOG.debug("job={} {} ignored: {}", job.id(), owed.message(), reason);
        }
        if (owed.message() instanceof Asked asked) {
            asked.answer().complete(owed.step().reply());
        }
        owed.step().effects().forEach(effects);
    }
}
