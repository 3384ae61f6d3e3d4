package dev.berth.core.machine;

import static dev.berth.core.job.OutcomeReason.CANCELLED_BY_USER;
import static dev.berth.core.job.OutcomeReason.CONTAINER_LOST;
import static dev.berth.core.job.OutcomeReason.DEVICE_LOST;
import static dev.berth.core.job.OutcomeReason.ENGINE_STOPPED;
import static dev.berth.core.job.OutcomeReason.IMAGE_UNAVAILABLE;
import static dev.berth.core.job.OutcomeReason.MACHINE_REBOOTED;
import static dev.berth.core.job.OutcomeReason.START_FAILED;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.ImageState;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobState.Creating;
import dev.berth.core.job.JobState.Deferred;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.JobState.HandedOver;
import dev.berth.core.job.JobState.Held;
import dev.berth.core.job.JobState.Live;
import dev.berth.core.job.JobState.Packed;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.JobState.Running;
import dev.berth.core.job.JobState.Starting;
import dev.berth.core.job.JobState.Stopping;
import dev.berth.core.job.Outcome;
import dev.berth.core.job.OutcomeReason;
import dev.berth.core.job.Place.OnHost;
import dev.berth.core.job.SignalState;
import dev.berth.core.job.StateName;
import dev.berth.core.job.StopCause;
import dev.berth.core.job.Unmet;
import dev.berth.core.machine.Effect.AbandonImage;
import dev.berth.core.machine.Effect.CreateRun;
import dev.berth.core.machine.Effect.FetchImage;
import dev.berth.core.machine.Effect.HoldRun;
import dev.berth.core.machine.Effect.ReleaseRun;
import dev.berth.core.machine.Effect.SignalRun;
import dev.berth.core.machine.Effect.StartRun;
import dev.berth.core.machine.Effect.StopRun;
import dev.berth.core.machine.JobEvent.Allocated;
import dev.berth.core.machine.JobEvent.CancelRequested;
import dev.berth.core.machine.JobEvent.DeviceLost;
import dev.berth.core.machine.JobEvent.EngineStopped;
import dev.berth.core.machine.JobEvent.GpusTaken;
import dev.berth.core.machine.JobEvent.HoldRequested;
import dev.berth.core.machine.JobEvent.ImageArrived;
import dev.berth.core.machine.JobEvent.ImageRefused;
import dev.berth.core.machine.JobEvent.LaunchPutOff;
import dev.berth.core.machine.JobEvent.LaunchRefused;
import dev.berth.core.machine.JobEvent.MachineRebooted;
import dev.berth.core.machine.JobEvent.RunCreated;
import dev.berth.core.machine.JobEvent.RunEnded;
import dev.berth.core.machine.JobEvent.RunExited;
import dev.berth.core.machine.JobEvent.RunStarted;
import dev.berth.core.machine.JobEvent.SignalDue;
import dev.berth.core.machine.JobEvent.StartLost;
import dev.berth.core.machine.Transition.Ignored;
import dev.berth.core.machine.Transition.Moved;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The moves that the lines of {@link JobMachine} make: the next state, and the effects that are owed with it. */
final class JobMoves {
    /**
     * The number of attempts that a job may need in all by no fault of its own: where the machine lost it, nothing could be
     * started, or its image went away. One number for all, as one cause must not be counted as another.
     */
    static final int MAX_ATTEMPTS = 10;

    private JobMoves() {}

    static Transition imageArrived(Queued queued, ImageArrived event) {
        return queued.image() instanceof ImageState.Ready
                ? new Ignored("the image is known")
                : Moved.to(new Queued(queued.attempt(), new ImageState.Ready(event.imageId())));
    }

    static Transition imageRefused(Queued queued, ImageRefused event, Instant at) {
        return queued.image() instanceof ImageState.Ready
                ? new Ignored("the image was here")
                : Moved.to(ended(
                        queued.attempt() - 1,
                        null,
                        at,
                        outcome(StateName.FAILED, IMAGE_UNAVAILABLE, event.sentence())));
    }

    static Transition start(Job job, Queued queued, Allocated event) {
        if (!(queued.image() instanceof ImageState.Ready(String imageId))) {
            throw new IllegalStateException("job " + job.id() + " was given its turn before its image was here");
        }
        Creating creating = new Creating(event.attempt(), imageId, event.allocation());
        return Moved.to(creating, new CreateRun(job.with(creating), imageId, event.allocation()));
    }

    static Transition cancelQueued(Job job, Queued queued, CancelRequested event, Instant at) {
        return leave(job, queued, at, outcome(StateName.CANCELLED, CANCELLED_BY_USER, cancelled(job, event)));
    }

    /** The sentence about a job that is cancelled while it waits for its turn. */
    static String cancelled(Job job, CancelRequested event) {
        return "cancelled by " + event.by() + " before " + (job.retried() == 0 ? "it started" : job.retryInWords());
    }

    static Transition hold(Job job, Queued queued, HoldRequested event, Instant at) {
        Held held = new Held(queued.attempt(), queued.image(), event.by(), at);
        return queued.image() instanceof ImageState.Pending
                ? Moved.to(held, new AbandonImage(job.id(), job.spec().image()))
                : Moved.to(held);
    }

    /** Anyone who holds what the server has set aside does not want it to go on by itself. */
    static Transition holdAgain(Held held, HoldRequested event, Instant at) {
        boolean isTakenOver = held.isByServer() && !event.by().equals(Held.BY_SERVER);
        return isTakenOver
                ? Moved.to(new Held(held.attempt(), held.image(), event.by(), at))
                : new Ignored("it is held already");
    }

    static Transition cancelHeld(Held held, CancelRequested event, Instant at) {
        String sentence = "cancelled by " + event.by() + " while it was held";
        return Moved.to(ended(held.attempt() - 1, null, at, outcome(StateName.CANCELLED, CANCELLED_BY_USER, sentence)));
    }

    static FetchImage fetch(Job job) {
        return new FetchImage(
                job.id(),
                job.owner().uid(),
                job.spec().image(),
                job.spec().place().pull(),
                !job.spec().gpus().isNone());
    }

    /** Out of the queue without a start; an image on its way to it is wanted no more. */
    static Transition leave(Job job, Queued queued, Instant at, Outcome outcome) {
        Finished end = ended(queued.attempt() - 1, null, at, outcome);
        return queued.image() instanceof ImageState.Pending
                ? Moved.to(end, new AbandonImage(job.id(), job.spec().image()))
                : Moved.to(end);
    }

    static Transition fetchAgain(Job job, Creating creating, Instant at) {
        String image = job.spec().image();
        if (isLastWithoutFault(job, creating.attempt())) {
            String sentence = "image " + image + " was removed from this machine before its start in attempt "
                    + creating.attempt() + ", its last; keep the image and submit again";
            return release(
                    job, ended(creating.attempt(), null, at, outcome(StateName.FAILED, IMAGE_UNAVAILABLE, sentence)));
        }
        return waitAgain(job, creating);
    }

    /** Back to its place, where it waits without GPUs, and for its image where it needs one here. */
    static Transition waitAgain(Job job, Creating creating) {
        int next = creating.attempt() + 1;
        return job.spec().needsNoImage()
                ? Moved.to(new Queued(next, new ImageState.Ready("")), new ReleaseRun(job))
                : Moved.to(new Queued(next, new ImageState.Pending()), new ReleaseRun(job), fetch(job));
    }

    static Transition putOff(Job job, Creating creating, LaunchPutOff event, Instant at) {
        if (isLastWithoutFault(job, creating.attempt())) {
            String sentence =
                    "in attempt " + creating.attempt() + ", its last, no container was started: " + event.sentence();
            return release(job, ended(creating.attempt(), null, at, outcome(StateName.FAILED, START_FAILED, sentence)));
        }
        return waitAgain(job, creating);
    }

    /** Back to its place; one that was to start at once or not at all is finished. */
    static Transition gpusTaken(Job job, Creating creating, GpusTaken event, Instant at) {
        if (job.spec().isNowOrNever()) {
            String sentence = "it was not to wait, and its GPUs cannot be had: " + event.sentence();
            return release(job, ended(creating.attempt(), null, at, outcome(StateName.FAILED, START_FAILED, sentence)));
        }
        return Moved.to(new Queued(creating.attempt(), new ImageState.Ready(creating.imageId())));
    }

    /** The state of a job whose start is owed, once this is committed. */
    static Transition created(Job job, String imageId, Allocation allocation, RunCreated event) {
        return Moved.to(
                new Starting(event.attempt(), imageId, allocation, event.engine()), new StartRun(job, event.engine()));
    }

    /** Nobody was asked to start it yet, and it is another run of the engine that will be. */
    static Transition createdAgain(Job job, Starting starting, RunCreated event) {
        return event.engine().equals(starting.engine())
                ? new Ignored("its container is made")
                : created(job, starting.imageId(), starting.allocation(), event);
    }

    /** Refused by the engine; nothing of it is left. */
    static Transition refused(Job job, int attempt, LaunchRefused event, Instant at) {
        return release(job, ended(attempt, null, at, outcome(StateName.FAILED, START_FAILED, event.sentence())));
    }

    /** Finished before anybody told of its start. */
    static Transition exitedUnseen(Job job, int attempt, RunExited event, Instant at) {
        Instant startedAt = event.startedAt() == null ? event.endedAt() : event.startedAt();
        return over(job, ended(attempt, startedAt, event.endedAt(), Outcomes.ofExit(job, event)), at);
    }

    static Transition stop(Job job, Live live, StopCause cause) {
        Stopping next = new Stopping(live.attempt(), live.allocation(), live.startedAt(), cause);
        return Moved.to(next, new StopRun(job.with(next)));
    }

    static Transition signalDue(Job job, Running running, SignalDue event) {
        return running.signal() == SignalState.NOT_DUE
                ? Moved.to(running.with(SignalState.DUE), new SignalRun(job, event.signal()))
                : new Ignored("it has had its signal");
    }

    static Transition signalSent(Running running) {
        return running.signal() == SignalState.DUE
                ? Moved.to(running.with(SignalState.SENT))
                : new Ignored("it is known to have had its signal");
    }

    static Transition startedWhileStopping(Stopping stopping, RunStarted event) {
        return stopping.startedAt() == null
                ? Moved.to(new Stopping(stopping.attempt(), stopping.allocation(), event.startedAt(), stopping.cause()))
                : new Ignored("it is known to have run");
    }

    /** A refusal that contradicts a known start must not free GPUs on which the program may run. */
    static Transition refusedWhileStopping(Job job, Stopping stopping, Instant at) {
        return stopping.startedAt() == null
                ? stopped(job, stopping, at, null, at)
                : new Ignored("it is known to have run");
    }

    static Transition stopped(Job job, Stopping stopping, Instant endedAt, @Nullable RunExited exit, Instant at) {
        Integer exitCode = exit == null ? null : exit.exitCode();
        Instant startedAt = stopping.startedAt() == null && exit != null ? exit.startedAt() : stopping.startedAt();
        return over(
                job,
                ended(stopping.attempt(), startedAt, endedAt, Outcomes.ofStop(job, stopping.cause(), exitCode)),
                at);
    }

    /** A limit counts from a start of which it turns out that nobody knows whether it was one. */
    static Transition lostWhileStopping(Job job, Stopping stopping, StartLost event, Instant at) {
        return switch (stopping.cause()) {
            case StopCause.TimeLimit _, StopCause.Idle _ -> startLost(job, event, stopping.startedAt(), at);
            case StopCause.Cancelled _, StopCause.DeviceLost _ -> stopped(job, stopping, at, null, at);
        };
    }

    /** A job that would begin once more after its stop does not; the stop itself is under way. */
    static Transition cancelStopping(Job job, Stopping stopping, CancelRequested event) {
        boolean mayBeginAgain = switch (stopping.cause()) {
            case StopCause.DeviceLost _ -> true;
            case StopCause.TimeLimit _, StopCause.Idle _ -> job.spec().requeue() || job.hasRetriesLeft();
            case StopCause.Cancelled _ -> false;
        };
        return mayBeginAgain
                ? Moved.to(new Stopping(
                        stopping.attempt(),
                        stopping.allocation(),
                        stopping.startedAt(),
                        new StopCause.Cancelled(event.by())))
                : new Ignored("it is being stopped already");
    }

    /**
     * The end of a program that lost its GPUs. Only a new container has GPUs again: worth an end where the job may
     * begin once more, and not where it may not.
     */
    static Transition deviceLost(Job job, Running running, DeviceLost event) {
        return mayBeginAgain(job, running.attempt(), outcome(StateName.LOST, DEVICE_LOST, event.sentence()))
                ? stop(job, running, new StopCause.DeviceLost(event.sentence()))
                : new Ignored("it may not be started anew, and the program may go on without its GPUs");
    }

    /** Nobody knows how the program ended. */
    static Transition lost(Job job, int attempt, @Nullable Instant startedAt, Instant at) {
        String sentence = switch (RunnerKind.of(job)) {
            case CONTAINER ->
                "its container is gone, so nobody knows how the program ended: somebody removed it, or Berth"
                        + " itself did, as it gave up a broken start or before its database was restored from a"
                        + " backup";
            case HOST ->
                isShell(job)
                        ? "its shell ended while no server was there, so nobody knows how"
                        : "its berth run was gone, or silent, when the program ended, so nobody knows how; Berth ended"
                                + " what was left of it";
            case TARGET -> "its target does not have it";
        };
        return over(job, ended(attempt, startedAt, at, outcome(StateName.LOST, CONTAINER_LOST, sentence)), at);
    }

    /**
     * The end of a job whose start was lost. What an engine says of a start in whose middle it ended is no proof that
     * nothing ran.
     */
    static Transition startLost(Job job, StartLost event, @Nullable Instant startedAt, Instant at) {
        String sentence =
                "the container engine, a part of it or the connection to it ended while it was to start the program, so"
                        + " nobody knows whether it ran"
                        + (event.said() == null ? "" : " (it said: " + event.said() + ")")
                        + wayOut(job, event.attempt());
        return over(job, ended(event.attempt(), startedAt, at, outcome(StateName.LOST, ENGINE_STOPPED, sentence)), at);
    }

    static Transition rebooted(Job job, int attempt, @Nullable Instant startedAt, MachineRebooted event, Instant at) {
        String sentence = "the machine was restarted while it ran"
                + switch (RunnerKind.of(job)) {
                    case CONTAINER, TARGET -> wayOut(job, attempt);
                    case HOST ->
                        "; to run it again, give its berth " + (isShell(job) ? "lease" : "run") + " command again";
                };
        return over(
                job,
                ended(attempt, startedAt, event.bootedAt(), outcome(StateName.LOST, MACHINE_REBOOTED, sentence)),
                at);
    }

    static Transition endedWithEngine(
            Job job, int attempt, @Nullable Instant startedAt, EngineStopped event, Instant at) {
        String what = event.exitCode() == EngineStopped.UNKNOWN_EXIT
                ? "the container engine was away when its program ended, and does not know how: it says 255, or nothing"
                : "the container engine was stopped while it ran, and ended its program (exit code " + event.exitCode()
                        + ")";
        String sentence = what + wayOut(job, attempt);
        return over(
                job, ended(attempt, startedAt, event.endedAt(), outcome(StateName.LOST, ENGINE_STOPPED, sentence)), at);
    }

    /** In the queue of the target's engine. */
    static Transition setAside(Job job, HandedOver handed, boolean isHeld) {
        return handed.isHeld() == isHeld
                ? new Ignored(isHeld ? "it is held already" : "it is not held")
                : Moved.to(new HandedOver(handed.attempt(), isHeld), new HoldRun(job, isHeld));
    }

    static Transition endedAtTarget(Job job, Live live, RunEnded event, Instant at) {
        Instant startedAt = live.startedAt() == null ? event.startedAt() : live.startedAt();
        return over(job, ended(live.attempt(), startedAt, event.endedAt(), event.outcome()), at);
    }

    private static boolean isShell(Job job) {
        return job.spec().place() instanceof OnHost host && host.shell();
    }

    /**
     * The end of the sentence about an attempt that was lost by no fault of its own; empty where another one follows, and for a
     * pack, whose tasks are told it.
     */
    static String wayOut(Job job, int attempt) {
        if (job.isPack() || mayBeginAgain(job, attempt, outcome(StateName.LOST, ENGINE_STOPPED, ""))) {
            return "";
        }
        return "; berth resubmit " + job.number()
                + " starts it anew, and submit --requeue lets Berth do that by itself";
    }

    /** The end by the engine's stop as an exit, for a job whose end was asked for anyway. */
    static RunExited exitOf(EngineStopped event) {
        return new RunExited(event.attempt(), event.exitCode(), false, null, event.endedAt());
    }

    /**
     * The end of an attempt, and of its job where that asks for no other one. Lost by no fault of its own, it goes back to its
     * place; a retry may have to wait before that.
     */
    static Transition over(Job job, Finished end, Instant at) {
        if (!mayBeginAgain(job, end.attempt(), end.outcome())) {
            return release(job, last(job, end));
        }
        boolean isRetry = !isRequeued(job, end.attempt(), end.outcome());
        Duration delay = isRetry ? job.spec().retry().delay(job.retried()) : Duration.ZERO;
        List<Effect> effects = new ArrayList<>(released(job));
        if (delay.isZero()) {
            if (job.spec().needsNoImage()) {
                return new Moved(new Queued(end.attempt() + 1, new ImageState.Ready("")), effects, end, isRetry);
            }
            effects.add(fetch(job));
            return new Moved(new Queued(end.attempt() + 1, new ImageState.Pending()), effects, end, isRetry);
        }
        Unmet unmet = new Unmet(at.plus(delay), new TreeSet<>(), new TreeSet<>());
        return new Moved(new Deferred(end.attempt() + 1, unmet), effects, end, isRetry);
    }

    /** What is to be done with what an attempt leaves; that of a task in a pack is its pack's. */
    private static List<Effect> released(Job job) {
        return job.state() instanceof Packed ? List.of() : List.of(new ReleaseRun(job));
    }

    /** The end of a job that says how often it was tried. */
    private static Finished last(Job job, Finished end) {
        Outcome outcome = end.outcome();
        int used = job.retried();
        if (used == 0 || outcome.state() == StateName.CANCELLED) {
            return end;
        }
        String sentence = "after " + (used == 1 ? "one retry" : used + " retries") + ": " + outcome.sentence();
        return new Finished(
                end.attempt(),
                end.startedAt(),
                end.endedAt(),
                end.ran(),
                new Outcome(outcome.state(), outcome.reason(), sentence, outcome.exitCode()));
    }

    private static boolean mayBeginAgain(Job job, int attempt, Outcome end) {
        return isRequeued(job, attempt, end)
                || (!job.isPack() && job.spec().retry().follows(end, job.retried()));
    }

    private static boolean isRequeued(Job job, int attempt, Outcome end) {
        return end.state() == StateName.LOST && job.spec().requeue() && !isLastWithoutFault(job, attempt);
    }

    /** Whether a job that needs another attempt by no fault of its own gets none. */
    private static boolean isLastWithoutFault(Job job, int attempt) {
        return attempt - job.retried() >= MAX_ATTEMPTS;
    }

    static Transition release(Job job, Finished end) {
        // A pack that has ended is read first.
        return new Moved(end, job.isPack() ? List.of() : released(job), null, false);
    }

    static Finished ended(int attempt, @Nullable Instant startedAt, Instant endedAt, Outcome outcome) {
        // An engine may write a start down after the end of a program that ended at once.
        boolean isAtOnce =
                startedAt != null && startedAt.isAfter(endedAt) && startedAt.isBefore(endedAt.plus(DateClock.JITTER));
        return new Finished(attempt, isAtOnce ? endedAt : startedAt, endedAt, outcome);
    }

    static Outcome outcome(StateName state, OutcomeReason reason, String sentence) {
        return new Outcome(state, reason, sentence, null);
    }
}
