package dev.berth.core.machine;

import static dev.berth.core.job.OutcomeReason.CANCELLED_BY_USER;
import static dev.berth.core.job.OutcomeReason.CONTAINER_LOST;
import static dev.berth.core.job.OutcomeReason.IMAGE_UNAVAILABLE;
import static dev.berth.core.job.OutcomeReason.NEVER_FITS;
import static dev.berth.core.job.OutcomeReason.START_FAILED;

import dev.berth.core.job.ImageState;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobState;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.JobState.Held;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.JobState.Running;
import dev.berth.core.job.JobState.Starting;
import dev.berth.core.job.JobState.Stopping;
import dev.berth.core.job.Outcome;
import dev.berth.core.job.OutcomeReason;
import dev.berth.core.job.StateName;
import dev.berth.core.job.StopCause;
import dev.berth.core.machine.Effect.AbandonImage;
import dev.berth.core.machine.Effect.FetchImage;
import dev.berth.core.machine.Effect.ReleaseContainer;
import dev.berth.core.machine.Effect.StartContainer;
import dev.berth.core.machine.Effect.StopContainer;
import dev.berth.core.machine.JobEvent.Allocated;
import dev.berth.core.machine.JobEvent.CancelRequested;
import dev.berth.core.machine.JobEvent.ContainerExited;
import dev.berth.core.machine.JobEvent.ContainerGone;
import dev.berth.core.machine.JobEvent.ContainerStarted;
import dev.berth.core.machine.JobEvent.FoundTooLarge;
import dev.berth.core.machine.JobEvent.HoldRequested;
import dev.berth.core.machine.JobEvent.ImageArrived;
import dev.berth.core.machine.JobEvent.ImageRefused;
import dev.berth.core.machine.JobEvent.ImageVanished;
import dev.berth.core.machine.JobEvent.LaunchRefused;
import dev.berth.core.machine.JobEvent.OfAttempt;
import dev.berth.core.machine.JobEvent.ReleaseRequested;
import dev.berth.core.machine.JobEvent.TimeLimitReached;
import dev.berth.core.machine.Transition.Ignored;
import dev.berth.core.machine.Transition.Moved;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The life of one job: every state's answer to every event, and nothing else. Events from outside may come late,
 * twice or out of order and are ignored then; what only a bug of our own can cause throws.
 */
public final class JobMachine {
    /** How often a launch is tried again because the image went away under it. */
    static final int MAX_IMAGE_ATTEMPTS = 3;

    /** How often a job that asked for it is started in all when the machine loses it again and again. */
    static final int MAX_REQUEUE_ATTEMPTS = 10;

    private JobMachine() {}

    private record On(JobState state, JobEvent event) {}

    /**
     * What {@code event} does to {@code job} at the instant {@code at}.
     *
     * @throws IllegalStateException for an event that only the scheduler itself can have sent wrongly
     */
    public static Transition on(Job job, JobEvent event, Instant at) {
        if (event instanceof OfAttempt news && news.attempt() != job.state().attempt()) {
            return new Ignored("news of attempt %d, the job is at attempt %d"
                    .formatted(news.attempt(), job.state().attempt()));
        }
        return switch (new On(job.state(), event)) {
            case On(Queued q, ImageArrived e) -> imageArrived(q, e);
            case On(Queued q, ImageRefused e) -> imageRefused(q, e, at);
            case On(Queued q, Allocated e) -> start(job, q, e);
            case On(Queued q, FoundTooLarge e) ->
                leave(job, q, at, outcome(StateName.FAILED, NEVER_FITS, e.sentence()));
            case On(Queued q, CancelRequested e) -> cancelQueued(job, q, e, at);
            case On(Queued q, HoldRequested e) -> hold(job, q, e, at);
            case On(Queued _, ReleaseRequested _) -> new Ignored("it is not held");
            case On(Queued _, ContainerStarted _) -> new Ignored("no attempt has begun");
            case On(Queued _, LaunchRefused e) -> impossible(job, e);
            case On(Queued _, ImageVanished e) -> impossible(job, e);
            case On(Queued _, ContainerExited _) -> new Ignored("no attempt has begun");
            case On(Queued _, ContainerGone _) -> new Ignored("no attempt has begun");
            case On(Queued _, TimeLimitReached e) -> impossible(job, e);

            case On(Held _, ImageArrived _) -> new Ignored("its image is looked for at its release");
            case On(Held _, ImageRefused _) -> new Ignored("its image is looked for at its release");
            case On(Held _, Allocated e) -> impossible(job, e);
            case On(Held _, FoundTooLarge e) -> impossible(job, e);
            case On(Held h, CancelRequested e) -> cancelHeld(h, e, at);
            case On(Held _, HoldRequested _) -> new Ignored("it is held already");
            case On(Held h, ReleaseRequested _) -> requeue(job, h.attempt(), h.image());
            case On(Held _, ContainerStarted _) -> new Ignored("no attempt has begun");
            case On(Held _, LaunchRefused e) -> impossible(job, e);
            case On(Held _, ImageVanished e) -> impossible(job, e);
            case On(Held _, ContainerExited _) -> new Ignored("no attempt has begun");
            case On(Held _, ContainerGone _) -> new Ignored("no attempt has begun");
            case On(Held _, TimeLimitReached e) -> impossible(job, e);

            case On(Starting _, ImageArrived _) -> new Ignored("the image is known");
            case On(Starting _, ImageRefused _) -> new Ignored("the image was here");
            case On(Starting _, Allocated e) -> impossible(job, e);
            case On(Starting _, FoundTooLarge e) -> impossible(job, e);
            case On(Starting s, CancelRequested e) ->
                stop(job, new Stopping(s.attempt(), s.allocation(), null, new StopCause.Cancelled(e.by())));
            case On(Starting _, HoldRequested _) -> new Ignored("it has left the queue");
            case On(Starting _, ReleaseRequested _) -> new Ignored("it is not held");
            case On(Starting s, ContainerStarted e) ->
                Moved.to(new Running(s.attempt(), s.allocation(), e.startedAt()));
            case On(Starting s, LaunchRefused e) ->
                release(job, ended(s.attempt(), null, at, outcome(StateName.FAILED, START_FAILED, e.sentence())));
            case On(Starting s, ImageVanished _) -> fetchAgain(job, s, at);
            case On(Starting s, ContainerExited e) ->
                release(job, ended(s.attempt(), e.endedAt(), e.endedAt(), Outcomes.ofExit(e)));
            case On(Starting s, ContainerGone _) -> lost(job, s.attempt(), null, at);
            case On(Starting _, TimeLimitReached _) -> new Ignored("the program does not run yet");

            case On(Running _, ImageArrived _) -> new Ignored("the image is known");
            case On(Running _, ImageRefused _) -> new Ignored("the image was here");
            case On(Running _, Allocated e) -> impossible(job, e);
            case On(Running _, FoundTooLarge e) -> impossible(job, e);
            case On(Running r, CancelRequested e) ->
                stop(job, new Stopping(r.attempt(), r.allocation(), r.startedAt(), new StopCause.Cancelled(e.by())));
            case On(Running _, HoldRequested _) -> new Ignored("it has left the queue");
            case On(Running _, ReleaseRequested _) -> new Ignored("it is not held");
            case On(Running _, ContainerStarted _) -> new Ignored("it is known to run");
            case On(Running _, LaunchRefused _) -> new Ignored("it is known to run");
            case On(Running _, ImageVanished _) -> new Ignored("it is known to run");
            case On(Running r, ContainerExited e) ->
                release(job, ended(r.attempt(), r.startedAt(), e.endedAt(), Outcomes.ofExit(e)));
            case On(Running r, ContainerGone _) -> lost(job, r.attempt(), r.startedAt(), at);
            case On(Running r, TimeLimitReached _) ->
                stop(job, new Stopping(r.attempt(), r.allocation(), r.startedAt(), new StopCause.TimeLimit()));

            case On(Stopping _, ImageArrived _) -> new Ignored("the image is known");
            case On(Stopping _, ImageRefused _) -> new Ignored("the image was here");
            case On(Stopping _, Allocated e) -> impossible(job, e);
            case On(Stopping _, FoundTooLarge e) -> impossible(job, e);
            case On(Stopping _, CancelRequested _) -> new Ignored("it is being stopped already");
            case On(Stopping _, HoldRequested _) -> new Ignored("it has left the queue");
            case On(Stopping _, ReleaseRequested _) -> new Ignored("it is not held");
            case On(Stopping s, ContainerStarted e) -> startedWhileStopping(s, e);
            case On(Stopping s, LaunchRefused _) -> refusedWhileStopping(job, s, at);
            case On(Stopping s, ImageVanished _) -> refusedWhileStopping(job, s, at);
            case On(Stopping s, ContainerExited e) -> stopped(job, s, e.endedAt(), e);
            case On(Stopping s, ContainerGone _) -> stopped(job, s, at, null);
            case On(Stopping _, TimeLimitReached _) -> new Ignored("it is being stopped already");

            case On(Finished _, Allocated e) -> impossible(job, e);
            case On(Finished _, ImageArrived _) -> new Ignored("the job has ended");
            case On(Finished _, ImageRefused _) -> new Ignored("the job has ended");
            case On(Finished _, FoundTooLarge e) -> impossible(job, e);
            case On(Finished _, CancelRequested _) -> new Ignored("the job has ended");
            case On(Finished _, HoldRequested _) -> new Ignored("the job has ended");
            case On(Finished _, ReleaseRequested _) -> new Ignored("the job has ended");
            case On(Finished _, ContainerStarted _) -> new Ignored("the job has ended");
            case On(Finished _, LaunchRefused _) -> new Ignored("the job has ended");
            case On(Finished _, ImageVanished _) -> new Ignored("the job has ended");
            case On(Finished _, ContainerExited _) -> new Ignored("the job has ended");
            case On(Finished _, ContainerGone _) -> new Ignored("the job has ended");
            case On(Finished _, TimeLimitReached _) -> new Ignored("the job has ended");
        };
    }

    private static Transition imageArrived(Queued queued, ImageArrived event) {
        return queued.image() instanceof ImageState.Ready
                ? new Ignored("the image is known")
                : Moved.to(new Queued(queued.attempt(), new ImageState.Ready(event.imageId())));
    }

    private static Transition imageRefused(Queued queued, ImageRefused event, Instant at) {
        return queued.image() instanceof ImageState.Ready
                ? new Ignored("the image was here")
                : Moved.to(ended(
                        queued.attempt() - 1,
                        null,
                        at,
                        outcome(StateName.FAILED, IMAGE_UNAVAILABLE, event.sentence())));
    }

    private static Transition start(Job job, Queued queued, Allocated event) {
        if (!(queued.image() instanceof ImageState.Ready(String imageId))) {
            throw new IllegalStateException("job " + job.id() + " was given its turn before its image was here");
        }
        return Moved.to(
                new Starting(queued.attempt(), imageId, event.allocation()),
                new StartContainer(job, queued.attempt(), imageId, event.allocation()));
    }

    private static Transition cancelQueued(Job job, Queued queued, CancelRequested event, Instant at) {
        String sentence = "cancelled by " + event.by() + " before it started";
        return leave(job, queued, at, outcome(StateName.CANCELLED, CANCELLED_BY_USER, sentence));
    }

    private static Transition hold(Job job, Queued queued, HoldRequested event, Instant at) {
        Held held = new Held(queued.attempt(), queued.image(), event.by(), at);
        return queued.image() instanceof ImageState.Pending
                ? Moved.to(held, new AbandonImage(job.id(), job.spec().image()))
                : Moved.to(held);
    }

    private static Transition cancelHeld(Held held, CancelRequested event, Instant at) {
        String sentence = "cancelled by " + event.by() + " while it was held";
        return Moved.to(ended(held.attempt() - 1, null, at, outcome(StateName.CANCELLED, CANCELLED_BY_USER, sentence)));
    }

    private static Transition requeue(Job job, int attempt, ImageState image) {
        return image instanceof ImageState.Pending
                ? Moved.to(new Queued(attempt, image), fetch(job))
                : Moved.to(new Queued(attempt, image));
    }

    private static FetchImage fetch(Job job) {
        return new FetchImage(job.id(), job.spec().image(), job.spec().options().pull());
    }

    /** Out of the queue without a start; an image on its way to it is wanted no more. */
    private static Transition leave(Job job, Queued queued, Instant at, Outcome outcome) {
        Finished end = ended(queued.attempt() - 1, null, at, outcome);
        return queued.image() instanceof ImageState.Pending
                ? Moved.to(end, new AbandonImage(job.id(), job.spec().image()))
                : Moved.to(end);
    }

    private static Transition fetchAgain(Job job, Starting starting, Instant at) {
        String image = job.spec().image();
        if (starting.attempt() >= MAX_IMAGE_ATTEMPTS) {
            String sentence = "image " + image + " was removed from this machine before each of " + MAX_IMAGE_ATTEMPTS
                    + " starts; keep it and submit again";
            return release(
                    job, ended(starting.attempt(), null, at, outcome(StateName.FAILED, IMAGE_UNAVAILABLE, sentence)));
        }
        return Moved.to(
                new Queued(starting.attempt() + 1, new ImageState.Pending()),
                new ReleaseContainer(job.id(), starting.attempt()),
                fetch(job));
    }

    private static Transition stop(Job job, Stopping stopping) {
        return Moved.to(stopping, new StopContainer(job.id(), stopping.attempt()));
    }

    private static Transition startedWhileStopping(Stopping stopping, ContainerStarted event) {
        return stopping.startedAt() == null
                ? Moved.to(new Stopping(stopping.attempt(), stopping.allocation(), event.startedAt(), stopping.cause()))
                : new Ignored("it is known to have run");
    }

    /** A refusal that contradicts a known start must not free GPUs on which the program may run. */
    private static Transition refusedWhileStopping(Job job, Stopping stopping, Instant at) {
        return stopping.startedAt() == null ? stopped(job, stopping, at, null) : new Ignored("it is known to have run");
    }

    private static Transition stopped(Job job, Stopping stopping, Instant at, @Nullable ContainerExited exit) {
        Integer exitCode = exit == null ? null : exit.exitCode();
        return release(
                job, ended(stopping.attempt(), stopping.startedAt(), at, Outcomes.ofStop(job, stopping, exitCode)));
    }

    /** Lost by no fault of its own; where its submitter said so, it goes back to its place and is started once more. */
    private static Transition lost(Job job, int attempt, @Nullable Instant startedAt, Instant at) {
        if (job.spec().options().requeue() && attempt < MAX_REQUEUE_ATTEMPTS) {
            return Moved.to(
                    new Queued(attempt + 1, new ImageState.Pending()),
                    new ReleaseContainer(job.id(), attempt),
                    fetch(job));
        }
        String sentence = "its container disappeared: somebody removed it behind Berth's back, so nobody knows how the"
                + " program ended";
        return release(job, ended(attempt, startedAt, at, outcome(StateName.LOST, CONTAINER_LOST, sentence)));
    }

    private static Transition release(Job job, Finished end) {
        return Moved.to(end, new ReleaseContainer(job.id(), end.attempt()));
    }

    private static Finished ended(int attempt, @Nullable Instant startedAt, Instant endedAt, Outcome outcome) {
        return new Finished(attempt, startedAt, endedAt, outcome);
    }

    private static Outcome outcome(StateName state, OutcomeReason reason, String sentence) {
        return new Outcome(state, reason, sentence, null);
    }

    private static Transition impossible(Job job, JobEvent event) {
        throw new IllegalStateException("job " + job.id() + " is " + job.state().name() + " and cannot have "
                + event.name() + ": the scheduler contradicts itself");
    }
}
