package dev.berth.core.machine;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.GpuId;
import dev.berth.core.job.GpuRequest;
import dev.berth.core.job.ImageState;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.machine.Effect.FetchImage;
import dev.berth.core.machine.Input.EngineSeen;
import dev.berth.core.machine.Input.JobHappening;
import dev.berth.core.machine.Input.OrphanEnded;
import dev.berth.core.machine.Input.PauseStarts;
import dev.berth.core.machine.Input.QueueRead;
import dev.berth.core.machine.Input.ResumeStarts;
import dev.berth.core.machine.Input.StopEverything;
import dev.berth.core.machine.Input.SubmitJob;
import dev.berth.core.machine.Input.TimePassed;
import dev.berth.core.machine.JobEvent.Allocated;
import dev.berth.core.machine.JobEvent.CancelRequested;
import dev.berth.core.machine.JobEvent.FoundTooLarge;
import dev.berth.core.machine.JobEvent.TimeLimitReached;
import dev.berth.core.machine.Step.Reply;
import dev.berth.core.machine.Transition.Ignored;
import dev.berth.core.machine.Transition.Moved;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Strict first in, first out: each input is applied, then the head of each lane is started as long as it fits. A head
 * that does not fit holds up everything behind it.
 */
public final class Scheduler {
    private Scheduler() {}

    /** The state, the writes, the effects and the answer that follow from one input. */
    public static Step step(Machine machine, Input input) {
        Work work = new Work(machine);
        Reply reply = switch (input) {
            case SubmitJob submit -> work.submit(submit);
            case JobHappening happening -> work.apply(happening.at(), happening.subject(), happening.event());
            case TimePassed(Instant at) -> work.endOverdue(at);
            case QueueRead read -> work.extend(read);
            case StopEverything(Instant at, String by) -> work.stopEverything(at, by);
            case PauseStarts(Instant at, String by) -> work.pause(at, by);
            case ResumeStarts(Instant at, String _) -> work.resume(at);
            case EngineSeen seen -> work.lookAgain(seen);
            case OrphanEnded(Instant _, Attempt attempt) -> work.forget(attempt);
        };
        work.startHeads(input.at());
        Invariants.check(work.machine);
        return new Step(work.machine, work.changes, work.effects, reply);
    }

    /** The step in the making; lives on one thread for the length of one call. */
    private static final class Work {
        private final List<Change> changes = new ArrayList<>();
        private final List<Effect> effects = new ArrayList<>();
        private Machine machine;

        Work(Machine machine) {
            this.machine = machine;
        }

        Reply submit(SubmitJob submit) {
            Optional<String> refusal = machine.capacity().refusal(submit.spec().gpus());
            if (refusal.isPresent()) {
                return new Reply.Refused(refusal.get());
            }
            Job job = new Job(
                    new JobId(machine.lastId() + 1),
                    submit.spec(),
                    submit.submitter(),
                    submit.at(),
                    new Queued(1, new ImageState.Pending()));
            machine = machine.with(job);
            changes.add(new Change.Accepted(submit.at(), job, submit.key()));
            // Further back in the queue an image can wait until the window comes to it.
            if (machine.find(job.id()).isPresent()) {
                effects.add(fetch(job));
            }
            return new Reply.Accepted(job);
        }

        Reply apply(Instant at, Job subject, JobEvent event) {
            return switch (JobMachine.on(subject, event, at)) {
                case Ignored(String reason) -> new Reply.Ignored(subject, reason);
                case Moved moved -> {
                    Job next = subject.with(moved.next());
                    machine = machine.with(next);
                    changes.add(new Change.Advanced(at, subject, next, event));
                    effects.addAll(moved.effects());
                    yield new Reply.Took(next);
                }
            };
        }

        Reply endOverdue(Instant at) {
            for (Job job : List.copyOf(machine.live().values())) {
                if (Machine.deadline(job)
                        .filter(deadline -> !deadline.isAfter(at))
                        .isPresent()) {
                    apply(at, job, new TimeLimitReached(job.state().attempt()));
                }
            }
            return new Reply.None();
        }

        Reply extend(QueueRead read) {
            machine = machine.with(read.lane(), machine.window(read.lane()).extended(read.behind(), read.more()));
            read.behind().stream()
                    .filter(job -> job.state() instanceof Queued(int _, ImageState.Pending _))
                    .forEach(job -> effects.add(fetch(job)));
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

        private static FetchImage fetch(Job job) {
            return new FetchImage(
                    job.id(), job.spec().image(), job.spec().options().pull());
        }

        void startHeads(Instant at) {
            if (!machine.isStarting()) {
                return;
            }
            for (Lane lane : machine.capacity().lanes()) {
                while (startHead(at, lane)) {
                    // Each turn takes one job off the window's front, so this ends.
                }
            }
        }

        /** Whether the head left the queue, so that there is a new one to look at. */
        private boolean startHead(Instant at, Lane lane) {
            Optional<Job> front = machine.window(lane).head();
            if (front.isEmpty()) {
                return false;
            }
            Job head = front.get();
            Optional<String> refusal = machine.capacity().refusal(head.spec().gpus());
            if (refusal.isPresent()) {
                apply(at, head, new FoundTooLarge(refusal.get()));
                return true;
            }
            boolean imageHere = ((Queued) head.state()).image() instanceof ImageState.Ready;
            if (!imageHere || machine.busyWorkers(lane) >= machine.capacity().workers(lane)) {
                return false;
            }
            Optional<Allocation> allocation = allocate(head.spec().gpus());
            allocation.ifPresent(granted -> apply(at, head, new Allocated(machine.nextAttempt(head), granted)));
            return allocation.isPresent();
        }

        private Optional<Allocation> allocate(GpuRequest request) {
            List<GpuId> free = machine.freeGpus();
            return free.size() < request.count()
                    ? Optional.empty()
                    : Optional.of(Allocation.whole(free.subList(0, request.count())));
        }
    }
}
