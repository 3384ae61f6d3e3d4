package dev.berth.core.machine;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState;
import dev.berth.core.job.JobState.Creating;
import dev.berth.core.job.JobState.Dispatched;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.JobState.HandedOver;
import dev.berth.core.job.JobState.Live;
import dev.berth.core.job.JobState.Packed;
import dev.berth.core.job.JobState.Starting;
import dev.berth.core.job.JobState.Stopping;
import dev.berth.core.job.StopCause;
import dev.berth.core.machine.Effect.ReadPack;
import dev.berth.core.machine.Effect.StopTask;
import dev.berth.core.machine.JobEvent.DependenciesHandedOver;
import dev.berth.core.machine.JobEvent.GpusConfirmed;
import dev.berth.core.machine.JobEvent.RunGone;
import dev.berth.core.machine.Step.Reply;
import dev.berth.core.machine.Transition.Ignored;
import dev.berth.core.machine.Transition.Moved;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The part of a step in which an event happens to a job, and what follows for the machine from its next state. */
final class JobSteps {
    private final StepBuilder step;
    private final GpuSteps gpus;

    JobSteps(StepBuilder step, GpuSteps gpus) {
        this.step = step;
        this.gpus = gpus;
    }

    Reply apply(Instant at, Job subject, JobEvent event) {
        return switch (JobMachine.on(subject, event, at)) {
            case Ignored(String reason) -> new Reply.Ignored(subject, reason);
            case Moved moved -> {
                Job moves = withItsTasks(subject, counted(at, subject.state(), moved.next()));
                Job next = moved.isRetry()
                        ? moves.retriedOnceMore(new JobId(step.machine().lastId() + 1))
                        : moves;
                step.update(machine -> machine.with(next));
                step.add(
                        event instanceof GpusConfirmed confirmed
                                ? new Change.AllocationDecided(at, new Attempt(next.id(), confirmed.attempt()))
                                : new Change.Advanced(at, subject, next, event, ended(at, subject, moved.attempt())));
                moved.effects().forEach(step::addInWindow);
                if (next.isPack() && next.state() instanceof Finished) {
                    step.add(new ReadPack(RunnerKind.of(next), Attempt.of(subject)));
                    step.updateDeferred(deferred -> deferred.withPack(next.id()));
                }
                noteEnd(next);
                gpus.leave(at, subject, next, event);
                gpus.countStart(at, subject, event);
                noteHandOver(subject, next);
                yield stopInPack(at, subject, order(at, next));
            }
        };
    }

    /** Lets a job that waits for nothing but what its target has go there, too. */
    Job order(Instant at, Job job) {
        return step.machine().isOrderedByTarget(job)
                        && apply(at, job, new DependenciesHandedOver()) instanceof Reply.Took(Job next)
                ? next
                : job;
    }

    /** Keeps whose dependents may go to the target that has it now. */
    private void noteHandOver(Job subject, Job next) {
        boolean isNew = next.state() instanceof HandedOver && subject.state() instanceof Creating;
        if (isNew && step.machine().capacity().keepsDependencies(next.spec())) {
            step.updateDeferred(deferred -> deferred.withHandedOver(next.id()));
        }
    }

    /**
     * A task that is asked to end is ended by its pack. Where nothing of that can have begun there is nothing to wait for, and
     * the next attempt of the pack is not to have it. One that has ended is still to be read.
     */
    private Reply stopInPack(Instant at, Job subject, Job next) {
        if (!isCancelledInPack(next) || isCancelledInPack(subject)) {
            return new Reply.Took(next);
        }
        Optional<Job> pack = Optional.ofNullable(step.machine().live().get(next.pack()));
        pack.filter(running -> !(running.state() instanceof Stopping))
                .ifPresent(running -> step.add(new StopTask(running, next)));
        boolean mayHaveBegun =
                pack.filter(running -> !(running.state() instanceof Creating)).isPresent()
                        || step.machine().deferred().packs().contains(next.pack());
        return mayHaveBegun
                ? new Reply.Took(next)
                : apply(at, next, new RunGone(next.state().attempt()));
    }

    private static boolean isCancelledInPack(Job job) {
        return job.state() instanceof Packed packed && packed.stop() instanceof StopCause.Cancelled;
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
            step.updateDeferred(deferred -> deferred.withEnded(next.id(), end.name()));
            JobId array = next.array();
            if (array != null) {
                step.updateDeferred(deferred -> deferred.withArray(array));
            }
        } else if (next.state() instanceof Dispatched) {
            step.updateDeferred(deferred -> deferred.withArray(next.id()));
        }
    }

    private @Nullable Finished ended(Instant at, Job subject, @Nullable Finished attempt) {
        return attempt != null && counted(at, subject.state(), attempt) instanceof Finished end ? end : null;
    }

    /** The next state, where the time that a program runs is counted by the steady clock. */
    private JobState counted(Instant at, JobState before, JobState next) {
        DateClock clock = step.machine().clock();
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
}
