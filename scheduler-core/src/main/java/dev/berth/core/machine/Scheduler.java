package dev.berth.core.machine;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.Dependency;
import dev.berth.core.job.GpuId;
import dev.berth.core.job.ImageState;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.JobState;
import dev.berth.core.job.JobState.Deferred;
import dev.berth.core.job.JobState.Dispatched;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.JobState.Held;
import dev.berth.core.job.JobState.Live;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.JobState.Starting;
import dev.berth.core.job.Signal;
import dev.berth.core.job.StateName;
import dev.berth.core.job.TaskSet;
import dev.berth.core.job.Unmet;
import dev.berth.core.machine.Effect.AbandonImage;
import dev.berth.core.machine.Effect.CleanGpus;
import dev.berth.core.machine.Effect.FetchImage;
import dev.berth.core.machine.Input.ArrayRead;
import dev.berth.core.machine.Input.DatesReached;
import dev.berth.core.machine.Input.DependentsRead;
import dev.berth.core.machine.Input.DrainGpu;
import dev.berth.core.machine.Input.EngineSeen;
import dev.berth.core.machine.Input.GpusCleaned;
import dev.berth.core.machine.Input.GpusRefused;
import dev.berth.core.machine.Input.GpusSeen;
import dev.berth.core.machine.Input.JobHappening;
import dev.berth.core.machine.Input.OrphanEnded;
import dev.berth.core.machine.Input.PairsEnded;
import dev.berth.core.machine.Input.PauseStarts;
import dev.berth.core.machine.Input.QueueRead;
import dev.berth.core.machine.Input.ResumeGpu;
import dev.berth.core.machine.Input.ResumeStarts;
import dev.berth.core.machine.Input.StopEverything;
import dev.berth.core.machine.Input.SubmitJob;
import dev.berth.core.machine.Input.TaskAwaited;
import dev.berth.core.machine.Input.TaskHappening;
import dev.berth.core.machine.Input.TimePassed;
import dev.berth.core.machine.JobEvent.Allocated;
import dev.berth.core.machine.JobEvent.ArrayEnded;
import dev.berth.core.machine.JobEvent.BeginReached;
import dev.berth.core.machine.JobEvent.CancelRequested;
import dev.berth.core.machine.JobEvent.DependencyEnded;
import dev.berth.core.machine.JobEvent.FoundTooLarge;
import dev.berth.core.machine.JobEvent.GpusConfirmed;
import dev.berth.core.machine.JobEvent.GpusTaken;
import dev.berth.core.machine.JobEvent.HoldRequested;
import dev.berth.core.machine.JobEvent.RunStarted;
import dev.berth.core.machine.JobEvent.SignalDue;
import dev.berth.core.machine.JobEvent.StartFailed;
import dev.berth.core.machine.JobEvent.TimeLimitReached;
import dev.berth.core.machine.Step.Reply;
import dev.berth.core.machine.Transition.Ignored;
import dev.berth.core.machine.Transition.Moved;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Strict first in, first out: each input is applied, then the head of each lane is started as long as it fits. A head
 * that does not fit holds up everything behind it, and so does one that was given GPUs until it is known that it can have
 * them.
 */
public final class Scheduler {
    private Scheduler() {}

    /** The state, the writes, the effects and the answer that follow from one input. */
    public static Step step(Machine machine, Input input) {
        return input instanceof SubmitJob submit && isNowOrNever(submit)
                ? tryNow(machine, submit)
                : made(machine, input);
    }

    private static boolean isNowOrNever(SubmitJob submit) {
        return submit.spec().isNowOrNever();
    }

    /** The step with the job where that starts in it, else without. */
    private static Step tryNow(Machine machine, SubmitJob submit) {
        Step step = made(machine, submit);
        if (!(step.reply() instanceof Reply.Accepted(Job job))
                || step.machine().live().containsKey(job.id())) {
            return step;
        }
        Step without = made(machine, new TimePassed(submit.at()));
        Machine now = without.machine();
        boolean isFirst = now.next(now.laneOf(job)).isEmpty();
        String why = isFirst || !now.isStarting()
                ? Waiting.of(now.with(job), job, 0, Optional.empty()).sentence()
                : "jobs wait already, and none of them is overtaken";
        List<GpuId> free = now.freeGpus();
        return new Step(
                now,
                without.changes(),
                without.effects(),
                new Reply.NotNow(
                        why,
                        now.capacity().gpus().stream()
                                .filter(gpu -> free.contains(gpu.id()))
                                .toList(),
                        now.undecided(now.laneOf(job)).isPresent()
                                || now.deferred().areUnread()));
    }

    private static Step made(Machine machine, Input input) {
        Work work = new Work(machine);
        Reply reply = switch (input) {
            case SubmitJob submit -> work.submit(submit);
            case JobHappening happening -> work.apply(happening.at(), happening.subject(), happening.event());
            case TaskHappening happening -> work.applyToTask(happening);
            case TaskAwaited awaited -> work.await(awaited);
            case PairsEnded pairs -> work.endPairs(pairs);
            case ArrayRead read -> work.endArray(read);
            case TimePassed(Instant at) -> work.endOverdue(at);
            case DependentsRead read -> work.endDependencies(read);
            case DatesReached reached -> work.begin(reached);
            case QueueRead read -> work.extend(read);
            case StopEverything(Instant at, String by) -> work.stopEverything(at, by);
            case PauseStarts(Instant at, String by) -> work.pause(at, by);
            case ResumeStarts(Instant at, String _) -> work.resume(at);
            case EngineSeen seen -> work.lookAgain(seen);
            case OrphanEnded(Instant _, Attempt attempt) -> work.forget(attempt);
            case GpusRefused refused -> work.refuse(refused);
            case GpusSeen seen -> work.see(seen);
            case GpusCleaned cleaned -> work.clean(cleaned);
            case DrainGpu(Instant at, GpuId gpu, String by, String reason) -> work.drain(at, gpu, by, reason);
            case ResumeGpu(Instant at, GpuId gpu, String by) -> work.resume(at, gpu, by);
        };
        work.startHeads(input.at());
        Invariants.check(work.machine);
        return new Step(work.machine, work.changes, work.effects, work.asItIs(reply));
    }

    /** The step in the making; lives on one thread for the length of one call. */
    private static final class Work {
        private final List<Change> changes = new ArrayList<>();
        private final List<Effect> effects = new ArrayList<>();
        private Machine machine;

        Work(Machine machine) {
            this.machine = machine;
        }

        /** A job that has come to the front by what was asked, and was set aside there, is told of as that. */
        Reply asItIs(Reply reply) {
            if (reply instanceof Reply.Took(Job asked) && asked.state() instanceof Queued) {
                for (Change change : changes.reversed()) {
                    if (change instanceof Change.Advanced last
                            && last.job().id().equals(asked.id())) {
                        return last.job().state() instanceof Held ? new Reply.Took(last.job()) : reply;
                    }
                }
            }
            return reply;
        }

        Reply submit(SubmitJob submit) {
            Optional<String> refusal = machine.capacity().refusal(submit.spec());
            if (refusal.isPresent()) {
                return new Reply.Refused(refusal.get());
            }
            Job job = new Job(
                    new JobId(machine.lastId() + 1), submit.spec(), submit.submitter(), submit.at(), accepted(submit));
            machine = machine.with(job);
            changes.add(new Change.Accepted(submit.at(), job, submit.program(), submit.key()));
            if (job.state() instanceof Deferred deferred) {
                return new Reply.Accepted(deferred(submit, job, deferred));
            }
            if (!Machine.hasImage(job)) {
                carryOut(JobMoves.fetch(job));
            }
            return new Reply.Accepted(job);
        }

        private static JobState accepted(SubmitJob submit) {
            Set<Dependency> met = submit.spec().prerequisites().dependencies().stream()
                    .filter(dependency -> submit.ended().containsKey(dependency.job())
                            && dependency.kind().isMetBy(submit.ended().get(dependency.job())))
                    .collect(Collectors.toUnmodifiableSet());
            Unmet unmet = Unmet.of(submit.spec().prerequisites(), met, submit.at());
            return unmet.isEmpty() ? new Queued(1, image(submit.spec())) : new Deferred(1, unmet);
        }

        /** Tells a job that was accepted of those that have ended otherwise than it asks for. */
        private Job deferred(SubmitJob submit, Job accepted, Deferred deferred) {
            if (!deferred.unmet().pending().isEmpty()) {
                machine = machine.with(machine.deferred().awaiting());
            }
            Job job = accepted;
            for (Map.Entry<JobId, StateName> ended : submit.ended().entrySet()) {
                boolean waits =
                        job.state() instanceof Deferred now && now.unmet().waitsFor(ended.getKey());
                if (waits
                        && apply(submit.at(), job, ended(job, ended.getKey(), ended.getValue()))
                                instanceof Reply.Took(Job next)) {
                    job = next;
                }
            }
            return job;
        }

        private static DependencyEnded ended(Job waiting, JobId other, StateName end) {
            return DependencyEnded.of(waiting.state().unmet(), other, end);
        }

        Reply endDependencies(DependentsRead read) {
            StateName end = machine.deferred().ended().get(read.ended());
            if (end == null) {
                throw new IllegalStateException("who waits for job " + read.ended() + " was read before its end");
            }
            for (Job job : read.dependents()) {
                apply(read.at(), job, ended(job, read.ended(), end));
            }
            if (read.told() != Input.Told.SOME) {
                machine = machine.with(machine.deferred().withoutEnded(read.ended()));
            }
            if (read.told() == Input.Told.ALL) {
                changes.add(new Change.DependenciesMet(read.at(), read.ended()));
            }
            return new Reply.None();
        }

        Reply begin(DatesReached reached) {
            reached.due().forEach(job -> apply(reached.at(), job, new BeginReached()));
            machine = machine.with(machine.deferred().withDatesUnread(reached.more()));
            return new Reply.None();
        }

        /** Further back in the queue an image can wait until the window comes to it. */
        private void carryOut(Effect effect) {
            if (!(effect instanceof FetchImage) || machine.find(effect.job()).isPresent()) {
                effects.add(effect);
            }
        }

        /** A program of the machine itself needs none. */
        private static ImageState image(JobSpec spec) {
            return spec.isHost() ? new ImageState.Ready("") : new ImageState.Pending();
        }

        Reply apply(Instant at, Job subject, JobEvent event) {
            return switch (JobMachine.on(subject, event, at)) {
                case Ignored(String reason) -> new Reply.Ignored(subject, reason);
                case Moved moved -> {
                    Job moves = withItsTasks(subject, counted(at, subject.state(), moved.next()));
                    Job next = moved.isRetry() ? moves.retriedOnceMore(new JobId(machine.lastId() + 1)) : moves;
                    machine = machine.with(next);
                    changes.add(
                            event instanceof GpusConfirmed confirmed
                                    ? new Change.AllocationDecided(at, new Attempt(next.id(), confirmed.attempt()))
                                    : new Change.Advanced(
                                            at, subject, next, event, ended(at, subject, moved.attempt())));
                    moved.effects().forEach(this::carryOut);
                    noteEnd(next);
                    leave(at, subject, next, event);
                    countStart(at, subject, event);
                    yield new Reply.Took(next);
                }
            };
        }

        /** Asks something of one task of an array, which becomes a job of its own by that. */
        Reply applyToTask(TaskHappening happening) {
            Job array = happening.array();
            Job task = array.task(happening.index());
            if (JobMachine.on(task, happening.event(), happening.at()) instanceof Ignored(String reason)) {
                return new Reply.Ignored(task, reason);
            }
            if (array.isTaskByTask() && !(happening.event() instanceof CancelRequested)) {
                return new Reply.Refused(unpaired(task) + "; ask it of the whole array");
            }
            if (isScattered(array, happening.index(), happening.open())) {
                return new Reply.Refused("too many single tasks of array " + array.id()
                        + " were cancelled, held or waited for alone; ask it of the whole array");
            }
            return apply(happening.at(), single(happening.at(), array, happening.index()), happening.event());
        }

        /** What waits for a task is told of its end, which only jobs have. */
        Reply await(TaskAwaited awaited) {
            if (awaited.array().isTaskByTask()) {
                return new Reply.Refused(unpaired(awaited.array().task(awaited.index())) + "; wait for the array");
            }
            if (isScattered(awaited.array(), awaited.index(), awaited.open())) {
                return new Reply.Refused("it would wait for too many single tasks of array "
                        + awaited.array().id() + "; wait for the array");
            }
            Job task = single(awaited.at(), awaited.array(), awaited.index());
            if (task.state() instanceof Queued && !Machine.hasImage(task)) {
                carryOut(JobMoves.fetch(task));
            }
            return new Reply.None();
        }

        /** What a task waits for alone must have an end that it can be told of. */
        private static String unpaired(Job task) {
            return "task " + task.number()
                    + " waits for the end of a task of another array (aftercorr), and is no job of"
                    + " its own before that";
        }

        /** The tasks become jobs of their own, and are told as others who wait for a job are. */
        Reply endPairs(PairsEnded pairs) {
            Job left = pairs.array();
            for (Map.Entry<Integer, StateName> ended : pairs.ended().entrySet()) {
                int index = ended.getKey();
                if (left.isTaskByTask() && left.waiting().contains(index)) {
                    Job task = single(pairs.at(), left, index);
                    left = left.without(index);
                    apply(pairs.at(), task, ended(task, left.pairOf(pairs.other(), index), ended.getValue()));
                }
            }
            return new Reply.None();
        }

        /** Each takes a row, and what is asked of the array is asked of each of them in one turn. */
        private static boolean isScattered(Job array, int index, long open) {
            return open >= TaskSet.MAX_RANGES
                    || array.without(index).waiting().ranges().size() > TaskSet.MAX_RANGES;
        }

        /** Makes a task of an array a job of its own, in the array's state. */
        private Job single(Instant at, Job array, int index) {
            Job task = array.task(index);
            Job rest = array.without(index);
            machine = machine.with(rest).with(task);
            changes.add(new Change.Singled(at, array, rest, task));
            if (rest.state() instanceof Dispatched && array.state() instanceof Queued && !Machine.hasImage(array)) {
                effects.add(new AbandonImage(array.id(), array.spec().image()));
            }
            return task;
        }

        Reply endArray(ArrayRead read) {
            Job array = read.array();
            machine = machine.with(machine.deferred().withoutArray(array.id()));
            if (array.state() instanceof Dispatched && !read.isOpen()) {
                apply(read.at(), array, new ArrayEnded(read.tasks()));
            }
            return new Reply.None();
        }

        /** An array ends with the last of its tasks that had their turn. */
        private static Job withItsTasks(Job subject, JobState next) {
            boolean hadTurns = subject.isArray()
                    && !(subject.state() instanceof Dispatched)
                    && subject.spec().tasks() != null
                    && !subject.waiting().equals(subject.spec().tasks().all());
            return subject.with(
                    hadTurns && next instanceof Finished rest
                            ? new Dispatched(subject.state().attempt(), rest)
                            : next);
        }

        /** Keeps who is to be told of an end, before anything starts. */
        private void noteEnd(Job next) {
            if (next.state() instanceof Finished end) {
                machine = machine.with(machine.deferred().withEnded(next.id(), end.name()));
                JobId array = next.array();
                if (array != null) {
                    machine = machine.with(machine.deferred().withArray(array));
                }
            } else if (next.state() instanceof Dispatched) {
                machine = machine.with(machine.deferred().withArray(next.id()));
            }
        }

        private @Nullable Finished ended(Instant at, Job subject, @Nullable Finished attempt) {
            return attempt != null && counted(at, subject.state(), attempt) instanceof Finished end ? end : null;
        }

        /** The next state, where the time that a program runs is counted by the steady clock. */
        private JobState counted(Instant at, JobState before, JobState next) {
            DateClock clock = machine.clock();
            Instant startedAt = next.startedAt();
            if (next instanceof Starting starting) {
                return starting.countedFrom(clock.steady(at));
            }
            if (startedAt == null) {
                return next;
            }
            Instant known = before instanceof Live live ? live.countedFrom() : null;
            Instant began = known != null && before.startedAt() != null ? known : clock.began(startedAt, known, at);
            return switch (next) {
                case Live live -> live.countedFrom(began);
                case Finished end -> end.lasting(clock.lasted(began, end.endedAt(), at));
                default -> next;
            };
        }

        /** Takes the GPUs that a job leaves. What was used is looked at before anybody else has it. */
        private void leave(Instant at, Job before, Job next, JobEvent event) {
            boolean wasUsed = before.state() instanceof Live live
                    && !live.allocation().isNone()
                    && !(next.state() instanceof Live)
                    && !(event instanceof GpusTaken);
            if (wasUsed && machine.capacity().rules().cleans()) {
                Attempt attempt = Attempt.of(before);
                Allocation left = Machine.allocation(before);
                machine = machine.with(machine.gpus().withCleaning(attempt, left));
                changes.add(new Change.CleaningBegun(at, attempt, left));
                effects.add(new CleanGpus(attempt, left));
            }
        }

        /** A GPU on which one start after the other fails would take a whole queue down. */
        private void countStart(Instant at, Job subject, JobEvent event) {
            if (!(subject.state() instanceof Live live)) {
                return;
            }
            if (event instanceof RunStarted) {
                machine =
                        machine.with(machine.gpus().afterStart(live.allocation().gpus(), false));
            } else if (event instanceof StartFailed failure) {
                List<GpuId> failed = live.allocation().gpus().stream()
                        .filter(gpu -> failure.faults().containsKey(gpu))
                        .toList();
                machine = machine.with(machine.gpus().afterStart(failed, true));
                failed.forEach(gpu -> drainFailing(at, gpu, failure.faults().getOrDefault(gpu, "")));
            }
        }

        /**
         * Drains a GPU on which starts fail. What is told of it to everybody is of Berth's own container: a job's
         * failure bears its submitter's words.
         */
        private void drainFailing(Instant at, GpuId gpu, String fault) {
            int most = machine.capacity().rules().maxFailedStarts();
            if (machine.gpus().failedStarts().getOrDefault(gpu, 0) >= most) {
                drain(
                        at,
                        gpu,
                        Drain.BERTH,
                        most + " starts in a row failed on it, and so did Berth's own test container: " + fault);
            }
        }

        Reply refuse(GpusRefused refused) {
            machine = machine.with(machine.gpus().with(refused.obstacles(), refused.lock()));
            Attempt attempt = refused.attempt();
            Job subject = machine.live().get(attempt.job());
            return subject == null
                    ? new Reply.None()
                    : apply(refused.at(), subject, new GpusTaken(attempt.number(), refused.sentence()));
        }

        Reply see(GpusSeen seen) {
            machine = machine.with(machine.gpus().with(seen.obstacles(), seen.lock()));
            return new Reply.None();
        }

        Reply clean(GpusCleaned cleaned) {
            Attempt attempt = cleaned.attempt();
            cleaned.drained().forEach((gpu, reason) -> drain(cleaned.at(), gpu, Drain.BERTH, reason));
            if (machine.gpus().cleaning().containsKey(attempt)) {
                machine = machine.with(machine.gpus().withoutCleaning(attempt));
                changes.add(new Change.CleaningEnded(cleaned.at(), attempt));
            }
            return new Reply.None();
        }

        Reply drain(Instant at, GpuId gpu, String by, String reason) {
            Drain known = machine.gpus().drains().get(gpu);
            Drain drain = known == null ? new Drain(by, reason, at) : known.and(by, reason);
            if (!drain.equals(known)) {
                machine = machine.with(machine.gpus().with(gpu, drain));
                changes.add(new Change.GpuDrained(at, gpu, drain));
            }
            return new Reply.None();
        }

        Reply resume(Instant at, GpuId gpu, String by) {
            if (machine.gpus().drains().containsKey(gpu)) {
                machine = machine.with(machine.gpus().with(gpu, null));
                changes.add(new Change.GpuResumed(at, gpu, by));
            }
            return new Reply.None();
        }

        Reply endOverdue(Instant at) {
            Instant steady = machine.clock().steady(at);
            for (Job job : List.copyOf(machine.live().values())) {
                if (isReached(Machine.deadline(job), steady)) {
                    apply(at, job, new TimeLimitReached(job.state().attempt()));
                } else if (isReached(Machine.signalDue(job), steady)) {
                    apply(at, job, signalDue(job, steady));
                }
            }
            return new Reply.None();
        }

        private static boolean isReached(Optional<Instant> due, Instant steady) {
            return due.filter(time -> !time.isAfter(steady)).isPresent();
        }

        private static SignalDue signalDue(Job job, Instant steady) {
            Signal signal = Objects.requireNonNull(job.spec().limits().signal()).signal();
            Instant limit = Machine.deadline(job).orElseThrow();
            return new SignalDue(job.state().attempt(), signal, Duration.between(steady, limit));
        }

        Reply extend(QueueRead read) {
            machine = machine.with(read.lane(), machine.window(read.lane()).extended(read.behind(), read.more()));
            read.behind().stream()
                    .filter(job -> !Machine.hasImage(job))
                    .forEach(job -> effects.add(JobMoves.fetch(job)));
            return new Reply.None();
        }

        Reply stopEverything(Instant at, String by) {
            machine = machine.with(new Starts.Stopping());
            for (Job job : List.copyOf(machine.live().values())) {
                apply(at, job, new CancelRequested(by));
            }
            return new Reply.None();
        }

        Reply lookAgain(EngineSeen seen) {
            Recovery found = Recovery.look(machine, seen.running(), seen.sightings(), seen.at());
            machine = machine.withOrphans(found.orphans());
            effects.addAll(found.effects());
            for (Recovery.Happening happening : found.events()) {
                machine.find(happening.job()).ifPresent(job -> apply(seen.at(), job, happening.event()));
            }
            return new Reply.None();
        }

        Reply forget(Attempt orphan) {
            machine = machine.withoutOrphan(orphan);
            return new Reply.None();
        }

        Reply pause(Instant at, String by) {
            if (machine.isStarting()) {
                change(at, new Starts.Paused(by, at));
            }
            return new Reply.None();
        }

        Reply resume(Instant at) {
            if (machine.starts() instanceof Starts.Paused) {
                change(at, new Starts.Allowed());
            }
            return new Reply.None();
        }

        private void change(Instant at, Starts starts) {
            machine = machine.with(starts);
            changes.add(new Change.StartsChanged(at, starts));
        }

        void startHeads(Instant at) {
            if (!machine.isStarting() || machine.deferred().areUnread()) {
                return;
            }
            for (Lane lane : machine.capacity().lanes()) {
                while (startHead(at, lane)) {
                    // Each turn takes one job, or a task, off the window's front, so this ends.
                }
            }
        }

        /** Whether the head left the queue, so that there is a new one to look at. */
        private boolean startHead(Instant at, Lane lane) {
            Optional<Job> next = machine.next(lane);
            if (next.isEmpty()) {
                return false;
            }
            Job head = next.get();
            Optional<String> refusal = machine.capacity().refusal(head.spec());
            if (refusal.isPresent()) {
                apply(
                        at,
                        head,
                        machine.capacity().order().dropsUnfit()
                                ? new FoundTooLarge(refusal.get())
                                : new HoldRequested(Held.BY_SERVER, Waiting.cannotRun(refusal.get())));
                return true;
            }
            boolean isUndecided = machine.undecided(lane).isPresent();
            if (isUndecided || !Machine.hasImage(head) || !machine.hasWorker(lane)) {
                return false;
            }
            if (!(Allotment.of(machine, head) instanceof Allotment.Granted(Allocation granted))) {
                return false;
            }
            Job first = head.isArray() ? single(at, head, head.waiting().first()) : head;
            apply(at, first, new Allocated(machine.nextAttempt(first), granted));
            return true;
        }
    }
}
