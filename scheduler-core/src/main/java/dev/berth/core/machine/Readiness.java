package dev.berth.core.machine;

import dev.berth.core.job.Dependency;
import dev.berth.core.job.ImageState;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobState.Deferred;
import dev.berth.core.job.JobState.Held;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.JobState.Waiting;
import dev.berth.core.job.OutcomeReason;
import dev.berth.core.job.StateName;
import dev.berth.core.job.Unmet;
import dev.berth.core.machine.JobEvent.CancelRequested;
import dev.berth.core.machine.JobEvent.DependencyEnded;
import dev.berth.core.machine.JobEvent.HoldRequested;
import dev.berth.core.machine.Transition.Ignored;
import dev.berth.core.machine.Transition.Moved;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;

/** The moves of jobs that are not ready: they wait for other jobs, for a date, or for their release. */
final class Readiness {
    private Readiness() {}

    /** Released, it may still wait for something else, and for a second release where that cannot be met any more. */
    static Transition releaseHeld(Job job, Held held, Instant at) {
        Unmet unmet = held.unmet().at(at);
        if (!unmet.isEmpty()) {
            return Moved.to(new Deferred(held.attempt(), unmet));
        }
        return held.image() instanceof ImageState.Ready
                ? Moved.to(new Queued(held.attempt(), held.image()))
                : queue(job, held.attempt());
    }

    /** A release that comes twice must not let a job pass what it waits for. */
    static Transition releaseDeferred(Job job, Deferred deferred) {
        Unmet unmet = deferred.unmet().withoutBroken();
        if (unmet.equals(deferred.unmet())) {
            return new Ignored("it is not held");
        }
        return unmet.isEmpty() ? queue(job, deferred.attempt()) : Moved.to(new Deferred(deferred.attempt(), unmet));
    }

    static Transition holdDeferred(Deferred deferred, HoldRequested event, Instant at) {
        return Moved.to(new Held(deferred.attempt(), new ImageState.Pending(), deferred.unmet(), event.by(), at));
    }

    static Transition cancelDeferred(Job job, Deferred deferred, CancelRequested event, Instant at) {
        String sentence = JobMoves.cancelled(job, event);
        return Moved.to(JobMoves.ended(
                deferred.attempt() - 1,
                null,
                at,
                JobMoves.outcome(StateName.CANCELLED, OutcomeReason.CANCELLED_BY_USER, sentence)));
    }

    /** Takes its turn from here on, as old as its place. A program of the machine itself, or of a target, needs no image here. */
    static Transition queue(Job job, int attempt) {
        return job.spec().needsNoImage()
                ? Moved.to(new Queued(attempt, new ImageState.Ready("")))
                : Moved.to(new Queued(attempt, new ImageState.Pending()), JobMoves.fetch(job));
    }

    static Transition beginReached(Job job, Deferred deferred, Instant at) {
        Unmet unmet = deferred.unmet().at(at);
        if (unmet.equals(deferred.unmet())) {
            return new Ignored("it waits for no date that has come");
        }
        return unmet.isEmpty() ? queue(job, deferred.attempt()) : Moved.to(new Deferred(deferred.attempt(), unmet));
    }

    /** From here on its target's engine knows what it waits for. */
    static Transition dependenciesHandedOver(Job job, Deferred deferred) {
        boolean isOrdered = job.spec().isAtTarget()
                && deferred.unmet().begin() == null
                && deferred.unmet().broken().isEmpty();
        return isOrdered ? queue(job, deferred.attempt()) : new Ignored("it waits for something else, too");
    }

    static Transition dependencyEnded(Job job, Deferred deferred, DependencyEnded event, Instant at) {
        return afterEnd(
                job,
                deferred,
                deferred.unmet(),
                event,
                at,
                unmet -> unmet.isEmpty()
                        ? queue(job, deferred.attempt())
                        : Moved.to(new Deferred(deferred.attempt(), unmet)));
    }

    static Transition dependencyEnded(Job job, Held held, DependencyEnded event, Instant at) {
        return afterEnd(
                job,
                held,
                held.unmet(),
                event,
                at,
                unmet -> Moved.to(new Held(held.attempt(), held.image(), unmet, held.by(), held.since())));
    }

    private static Transition afterEnd(
            Job job, Waiting state, Unmet before, DependencyEnded event, Instant at, Function<Unmet, Transition> next) {
        if (!before.waitsFor(event.other())) {
            return new Ignored("it does not wait for that job");
        }
        Unmet unmet = before.after(event.other(), event.end());
        boolean isBroken = unmet.broken().size() > before.broken().size();
        if (!isBroken || job.spec().prerequisites().keepWaiting()) {
            return next.apply(unmet);
        }
        List<Dependency> failed = unmet.broken().stream()
                .filter(dependency -> dependency.job().equals(event.other()))
                .toList();
        return Moved.to(
                JobMoves.ended(state.attempt() - 1, null, at, Dependency.failed(job.number(), failed, event.end())));
    }
}
