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
import dev.berth.core.job.JobState.Held;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.Signal;
import dev.berth.core.job.Unmet;
import dev.berth.core.machine.Input.ArrayRead;
import dev.berth.core.machine.Input.DatesReached;
import dev.berth.core.machine.Input.DependentsOrdered;
import dev.berth.core.machine.Input.DependentsRead;
import dev.berth.core.machine.Input.DrainGpu;
import dev.berth.core.machine.Input.EngineSeen;
import dev.berth.core.machine.Input.GpusCleaned;
import dev.berth.core.machine.Input.GpusRefused;
import dev.berth.core.machine.Input.GpusSeen;
import dev.berth.core.machine.Input.JobHappening;
import dev.berth.core.machine.Input.OrphanEnded;
import dev.berth.core.machine.Input.PackRead;
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
import dev.berth.core.machine.JobEvent.CancelRequested;
import dev.berth.core.machine.JobEvent.FoundTooLarge;
import dev.berth.core.machine.JobEvent.GpusTaken;
import dev.berth.core.machine.JobEvent.HoldRequested;
import dev.berth.core.machine.JobEvent.SignalDue;
import dev.berth.core.machine.JobEvent.TimeLimitReached;
import dev.berth.core.machine.Step.Reply;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Strict first in, first out: each input is applied, then the head of each lane is started as long as it fits. A head
 * that does not fit holds up everything behind it, and so does one that was given GPUs until it is known that it can have
 * them.
 */
public final class Scheduler {
    private final StepBuilder step;
    private final GpuSteps gpus;
    private final JobSteps jobs;
    private final ArraySteps arrays;
    private final DependencySteps dependencies;

    private Scheduler(Machine machine) {
        step = new StepBuilder(machine);
        gpus = new GpuSteps(step);
        jobs = new JobSteps(step, gpus);
        arrays = new ArraySteps(step, jobs);
        dependencies = new DependencySteps(step, jobs, arrays);
    }

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
        Scheduler scheduler = new Scheduler(machine);
        Reply reply = scheduler.take(input);
        scheduler.startHeads(input.at());
        return scheduler.step.build(reply);
    }

    private Reply take(Input input) {
        return switch (input) {
            case SubmitJob submit -> submit(submit);
            case JobHappening happening -> jobs.apply(happening.at(), happening.subject(), happening.event());
            case TaskHappening happening -> arrays.applyToTask(happening);
            case TaskAwaited awaited -> arrays.await(awaited);
            case PairsEnded pairs -> dependencies.endPairs(pairs);
            case ArrayRead read -> arrays.endArray(read);
            case PackRead read -> arrays.endPack(read);
            case TimePassed(Instant at) -> endOverdue(at);
            case DependentsOrdered read -> dependencies.order(read);
            case DependentsRead read -> dependencies.endDependencies(read);
            case DatesReached reached -> dependencies.begin(reached);
            case QueueRead read -> extend(read);
            case StopEverything(Instant at, String by) -> stopEverything(at, by);
            case PauseStarts(Instant at, String by) -> pause(at, by);
            case ResumeStarts(Instant at, String _) -> resume(at);
            case EngineSeen seen -> lookAgain(seen);
            case OrphanEnded(Instant _, Attempt attempt) -> forget(attempt);
            case GpusRefused refused -> refuse(refused);
            case GpusSeen seen -> gpus.see(seen);
            case GpusCleaned cleaned -> gpus.clean(cleaned);
            case DrainGpu(Instant at, GpuId gpu, String by, String reason) -> gpus.drain(at, gpu, by, reason);
            case ResumeGpu(Instant at, GpuId gpu, String by) -> gpus.resume(at, gpu, by);
        };
    }

    private Reply submit(SubmitJob submit) {
        Optional<String> refusal = step.machine().capacity().refusal(submit.spec());
        if (refusal.isPresent()) {
            return new Reply.Refused(refusal.get());
        }
        Job job = new Job(
                new JobId(step.machine().lastId() + 1),
                submit.spec(),
                submit.submitter(),
                submit.at(),
                accepted(submit));
        step.update(machine -> machine.with(job));
        step.add(new Change.Accepted(submit.at(), job, submit.program(), submit.key()));
        if (job.state() instanceof Deferred deferred) {
            return new Reply.Accepted(dependencies.deferred(submit, job, deferred));
        }
        if (!Machine.hasImage(job)) {
            step.addInWindow(JobMoves.fetch(job));
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

    /** A program of the machine itself needs none. */
    private static ImageState image(JobSpec spec) {
        return spec.needsNoImage() ? new ImageState.Ready("") : new ImageState.Pending();
    }

    private Reply refuse(GpusRefused refused) {
        step.updateGpus(conditions -> conditions.with(refused.obstacles(), refused.lock()));
        Attempt attempt = refused.attempt();
        Job subject = step.machine().live().get(attempt.job());
        return subject == null
                ? new Reply.None()
                : jobs.apply(refused.at(), subject, new GpusTaken(attempt.number(), refused.sentence()));
    }

    private Reply endOverdue(Instant at) {
        Instant steady = step.machine().clock().steady(at);
        for (Job job : List.copyOf(step.machine().live().values())) {
            if (isReached(Machine.deadline(job), steady)) {
                jobs.apply(at, job, new TimeLimitReached(job.state().attempt()));
            } else if (isReached(Machine.signalDue(job), steady)) {
                jobs.apply(at, job, signalDue(job, steady));
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

    private Reply extend(QueueRead read) {
        step.update(
                machine -> machine.with(read.lane(), machine.window(read.lane()).extended(read.behind(), read.more())));
        read.behind().stream().filter(job -> !Machine.hasImage(job)).forEach(job -> step.add(JobMoves.fetch(job)));
        return new Reply.None();
    }

    private Reply stopEverything(Instant at, String by) {
        step.update(machine -> machine.with(new Starts.Stopping()));
        for (Job job : List.copyOf(step.machine().live().values())) {
            jobs.apply(at, job, new CancelRequested(by));
        }
        return new Reply.None();
    }

    private Reply lookAgain(EngineSeen seen) {
        Recovery found = Recovery.look(step.machine(), seen.running(), seen.sightings(), seen.at());
        step.update(machine -> machine.withOrphans(found.orphans()));
        found.effects().forEach(step::add);
        for (Recovery.Happening happening : found.events()) {
            step.machine().find(happening.job()).ifPresent(job -> jobs.apply(seen.at(), job, happening.event()));
        }
        return new Reply.None();
    }

    private Reply forget(Attempt orphan) {
        step.update(machine -> machine.withoutOrphan(orphan));
        return new Reply.None();
    }

    private Reply pause(Instant at, String by) {
        if (step.machine().isStarting()) {
            change(at, new Starts.Paused(by, at));
        }
        return new Reply.None();
    }

    private Reply resume(Instant at) {
        if (step.machine().starts() instanceof Starts.Paused) {
            change(at, new Starts.Allowed());
        }
        return new Reply.None();
    }

    private void change(Instant at, Starts starts) {
        step.update(machine -> machine.with(starts));
        step.add(new Change.StartsChanged(at, starts));
    }

    private void startHeads(Instant at) {
        if (!step.machine().isStarting() || step.machine().deferred().areUnread()) {
            return;
        }
        for (Lane lane : step.machine().capacity().lanes()) {
            while (startHead(at, lane)) {
                // Each turn takes one job, or a task, off the window's front, so this ends.
            }
        }
    }

    /** Whether the head left the queue, so that there is a new one to look at. */
    private boolean startHead(Instant at, Lane lane) {
        Optional<Job> next = step.machine().next(lane);
        if (next.isEmpty()) {
            return false;
        }
        Job head = next.get();
        Optional<String> refusal = step.machine().capacity().refusal(head.spec());
        if (refusal.isPresent()) {
            jobs.apply(
                    at,
                    head,
                    step.machine().capacity().order().dropsUnfit()
                            ? new FoundTooLarge(refusal.get())
                            : new HoldRequested(Held.BY_SERVER, Waiting.cannotRun(refusal.get())));
            return true;
        }
        boolean isUndecided = step.machine().undecided(lane).isPresent();
        if (isUndecided || !Machine.hasImage(head) || !step.machine().hasWorker(lane)) {
            return false;
        }
        if (!(Allotment.of(step.machine(), head) instanceof Allotment.Granted(Allocation granted))) {
            return false;
        }
        Job first = head.isArray() ? arrays.takeNext(at, head) : head;
        jobs.apply(at, first, new Allocated(step.machine().nextAttempt(first), granted));
        return true;
    }
}
