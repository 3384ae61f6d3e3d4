package dev.berth.core.machine;

import static dev.berth.core.job.OutcomeReason.NEVER_FITS;
import static dev.berth.core.machine.ArrayMoves.arrayEnded;
import static dev.berth.core.machine.ArrayMoves.cancelDispatched;
import static dev.berth.core.machine.JobMoves.cancelHeld;
import static dev.berth.core.machine.JobMoves.cancelQueued;
import static dev.berth.core.machine.JobMoves.cancelStopping;
import static dev.berth.core.machine.JobMoves.created;
import static dev.berth.core.machine.JobMoves.createdAgain;
import static dev.berth.core.machine.JobMoves.deviceLost;
import static dev.berth.core.machine.JobMoves.ended;
import static dev.berth.core.machine.JobMoves.endedAtTarget;
import static dev.berth.core.machine.JobMoves.endedWithEngine;
import static dev.berth.core.machine.JobMoves.exitOf;
import static dev.berth.core.machine.JobMoves.exitedUnseen;
import static dev.berth.core.machine.JobMoves.fetchAgain;
import static dev.berth.core.machine.JobMoves.gpusTaken;
import static dev.berth.core.machine.JobMoves.hold;
import static dev.berth.core.machine.JobMoves.holdAgain;
import static dev.berth.core.machine.JobMoves.imageArrived;
import static dev.berth.core.machine.JobMoves.imageRefused;
import static dev.berth.core.machine.JobMoves.leave;
import static dev.berth.core.machine.JobMoves.lost;
import static dev.berth.core.machine.JobMoves.lostWhileStopping;
import static dev.berth.core.machine.JobMoves.outcome;
import static dev.berth.core.machine.JobMoves.over;
import static dev.berth.core.machine.JobMoves.putOff;
import static dev.berth.core.machine.JobMoves.rebooted;
import static dev.berth.core.machine.JobMoves.refused;
import static dev.berth.core.machine.JobMoves.refusedWhileStopping;
import static dev.berth.core.machine.JobMoves.setAside;
import static dev.berth.core.machine.JobMoves.signalDue;
import static dev.berth.core.machine.JobMoves.signalSent;
import static dev.berth.core.machine.JobMoves.start;
import static dev.berth.core.machine.JobMoves.startLost;
import static dev.berth.core.machine.JobMoves.startedWhileStopping;
import static dev.berth.core.machine.JobMoves.stop;
import static dev.berth.core.machine.JobMoves.stopped;
import static dev.berth.core.machine.JobMoves.waitAgain;
import static dev.berth.core.machine.Readiness.beginReached;
import static dev.berth.core.machine.Readiness.cancelDeferred;
import static dev.berth.core.machine.Readiness.dependenciesHandedOver;
import static dev.berth.core.machine.Readiness.dependencyEnded;
import static dev.berth.core.machine.Readiness.holdDeferred;
import static dev.berth.core.machine.Readiness.releaseDeferred;
import static dev.berth.core.machine.Readiness.releaseHeld;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobState;
import dev.berth.core.job.JobState.Creating;
import dev.berth.core.job.JobState.Deferred;
import dev.berth.core.job.JobState.Dispatched;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.JobState.HandedOver;
import dev.berth.core.job.JobState.Held;
import dev.berth.core.job.JobState.Launching;
import dev.berth.core.job.JobState.Live;
import dev.berth.core.job.JobState.Packed;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.JobState.Running;
import dev.berth.core.job.JobState.Starting;
import dev.berth.core.job.JobState.Stopping;
import dev.berth.core.job.JobState.Waiting;
import dev.berth.core.job.StateName;
import dev.berth.core.job.StopCause;
import dev.berth.core.machine.JobEvent.Allocated;
import dev.berth.core.machine.JobEvent.ArrayEnded;
import dev.berth.core.machine.JobEvent.BeginReached;
import dev.berth.core.machine.JobEvent.CancelRequested;
import dev.berth.core.machine.JobEvent.Decision;
import dev.berth.core.machine.JobEvent.DependenciesHandedOver;
import dev.berth.core.machine.JobEvent.DependencyEnded;
import dev.berth.core.machine.JobEvent.DeviceLost;
import dev.berth.core.machine.JobEvent.EngineStopped;
import dev.berth.core.machine.JobEvent.FoundTooLarge;
import dev.berth.core.machine.JobEvent.GpusConfirmed;
import dev.berth.core.machine.JobEvent.GpusTaken;
import dev.berth.core.machine.JobEvent.GpusWithdrawn;
import dev.berth.core.machine.JobEvent.HoldRequested;
import dev.berth.core.machine.JobEvent.HoldSeen;
import dev.berth.core.machine.JobEvent.IdleTimeoutReached;
import dev.berth.core.machine.JobEvent.ImageArrived;
import dev.berth.core.machine.JobEvent.ImageNews;
import dev.berth.core.machine.JobEvent.ImageRefused;
import dev.berth.core.machine.JobEvent.ImageVanished;
import dev.berth.core.machine.JobEvent.LaunchFailed;
import dev.berth.core.machine.JobEvent.LaunchNews;
import dev.berth.core.machine.JobEvent.LaunchPutOff;
import dev.berth.core.machine.JobEvent.LaunchRefused;
import dev.berth.core.machine.JobEvent.MachineRebooted;
import dev.berth.core.machine.JobEvent.OfAttempt;
import dev.berth.core.machine.JobEvent.PackEnded;
import dev.berth.core.machine.JobEvent.ReadinessNews;
import dev.berth.core.machine.JobEvent.ReleaseRequested;
import dev.berth.core.machine.JobEvent.RunCreated;
import dev.berth.core.machine.JobEvent.RunEnded;
import dev.berth.core.machine.JobEvent.RunExited;
import dev.berth.core.machine.JobEvent.RunGone;
import dev.berth.core.machine.JobEvent.RunHandedOver;
import dev.berth.core.machine.JobEvent.RunStarted;
import dev.berth.core.machine.JobEvent.SignalDue;
import dev.berth.core.machine.JobEvent.SignalSent;
import dev.berth.core.machine.JobEvent.StartLost;
import dev.berth.core.machine.JobEvent.StopReason;
import dev.berth.core.machine.JobEvent.TasksTold;
import dev.berth.core.machine.JobEvent.TimeLimitReached;
import dev.berth.core.machine.JobEvent.Vanished;
import dev.berth.core.machine.Transition.Ignored;
import dev.berth.core.machine.Transition.Moved;
import java.time.Instant;

/**
 * The life of one job: every state's answer to every event, and nothing else. A row for a group of states or of events stands
 * below the rows for single ones of them, which it leaves to those. Events from outside may come late, twice or out of order
 * and are ignored then; what only a bug of our own can cause throws.
 */
public final class JobMachine {
    private JobMachine() {}

    private record On(JobState state, JobEvent event) {}

    /**
     * The transition that {@code event} brings about in {@code job} at the instant {@code at}.
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

            case On(Deferred d, DependencyEnded e) -> dependencyEnded(job, d, e, at);
            case On(Deferred d, DependenciesHandedOver _) -> dependenciesHandedOver(job, d);
            case On(Deferred d, BeginReached _) -> beginReached(job, d, at);
            case On(Deferred _, ImageNews _) -> new Ignored("its image is looked for once it is ready");
            case On(Deferred d, CancelRequested e) -> cancelDeferred(job, d, e, at);
            case On(Deferred d, HoldRequested e) -> holdDeferred(d, e, at);
            case On(Deferred d, ReleaseRequested _) -> releaseDeferred(job, d);

            case On(Held h, DependencyEnded e) -> dependencyEnded(job, h, e, at);
            case On(JobState _, ReadinessNews _) -> new Ignored("it does not wait for that");

            case On(Held _, ImageNews _) -> new Ignored("its image is looked for at its release");
            case On(Held h, CancelRequested e) -> cancelHeld(h, e, at);
            case On(Held h, HoldRequested e) -> holdAgain(h, e, at);
            case On(Held h, ReleaseRequested _) -> releaseHeld(job, h, at);

            case On(Waiting _, LaunchFailed e) -> impossible(job, e);
            case On(Waiting _, TimeLimitReached e) -> impossible(job, e);
            case On(Waiting _, SignalDue e) -> impossible(job, e);
            case On(Waiting _, OfAttempt _) -> new Ignored("no attempt has begun");

            case On(Dispatched d, ArrayEnded e) -> arrayEnded(job, d, e, at);
            case On(JobState _, Decision e) -> impossible(job, e);
            case On(Finished _, JobEvent _) -> new Ignored("the job has ended");

            case On(Dispatched d, CancelRequested e) -> cancelDispatched(d, e, at);
            case On(Dispatched _, HoldRequested _) -> new Ignored("all its tasks have had their turn");
            case On(Dispatched _, ReleaseRequested _) -> new Ignored("it is not held");
            case On(Dispatched _, JobEvent _) -> new Ignored("its tasks have it");

            case On(JobState _, TasksTold _) -> new Ignored("it is no pack that has ended");
            case On(Packed p, RunStarted e) -> PackMoves.started(p, e);
            case On(Packed p, RunExited e) -> PackMoves.exited(job, p, e, at);
            case On(Packed p, RunGone _) -> PackMoves.skipped(job, p, at);
            case On(Packed p, TimeLimitReached _) -> PackMoves.limitReached(p);
            case On(Packed p, CancelRequested e) -> PackMoves.cancel(p, e);
            case On(Packed p, PackEnded e) -> PackMoves.packEnded(job, p, e, at);
            case On(Packed _, JobEvent _) -> new Ignored("its pack has it");
            case On(JobState _, PackEnded _) -> new Ignored("it is in no pack");

            case On(Stopping s, CancelRequested e) -> cancelStopping(job, s, e);
            case On(Stopping s, RunStarted e) -> startedWhileStopping(s, e);
            case On(Stopping s, LaunchFailed _) -> refusedWhileStopping(job, s, at);
            case On(Stopping s, RunExited e) -> stopped(job, s, e.endedAt(), e, at);
            case On(Stopping s, RunEnded e) -> stopped(job, s, e.endedAt(), null, at);
            case On(Stopping s, StartLost e) -> lostWhileStopping(job, s, e, at);
            case On(Stopping s, Vanished _) -> stopped(job, s, at, null, at);
            case On(Stopping s, MachineRebooted e) -> stopped(job, s, e.bootedAt(), null, at);
            case On(Stopping s, EngineStopped e) -> stopped(job, s, e.endedAt(), exitOf(e), at);
            case On(Stopping _, OfAttempt _) -> new Ignored("it is being stopped already");

            case On(Creating c, RunCreated e) -> created(job, c.imageId(), c.allocation(), e);
            case On(Creating c, GpusConfirmed _) ->
                c.isDecided() ? new Ignored("its GPUs are its own already") : Moved.to(c.decided());
            case On(Creating c, GpusTaken e) -> gpusTaken(job, c, e, at);
            case On(Creating c, ImageVanished _) -> fetchAgain(job, c, at);
            case On(Creating c, LaunchPutOff e) -> putOff(job, c, e, at);
            case On(Creating c, GpusWithdrawn _) -> waitAgain(job, c);
            case On(Creating _, Vanished _) -> new Ignored("its container is not made yet");

            case On(Creating c, RunHandedOver _) -> Moved.to(new HandedOver(c.attempt(), false));
            case On(Creating _, HoldSeen _) -> new Ignored("its target does not have it yet");
            case On(HandedOver h, HoldSeen e) ->
                h.isHeld() == e.isHeld()
                        ? new Ignored("that is known")
                        : Moved.to(new HandedOver(h.attempt(), e.isHeld()));
            case On(HandedOver h, HoldRequested _) -> setAside(job, h, true);
            case On(HandedOver h, ReleaseRequested _) -> setAside(job, h, false);

            case On(Starting s, RunCreated e) -> createdAgain(job, s, e);

            case On(Launching l, RunStarted e) -> Moved.to(new Running(l.attempt(), l.allocation(), e.startedAt()));
            case On(Launching l, LaunchRefused e) -> refused(job, l.attempt(), e, at);
            case On(Launching l, RunExited e) -> exitedUnseen(job, l.attempt(), e, at);
            case On(HandedOver _, LaunchNews _) -> new Ignored("its target has it");
            case On(Launching _, LaunchNews _) -> new Ignored("its container is made");
            case On(Launching _, StopReason _) -> new Ignored("the program does not run yet");
            case On(Launching _, SignalDue _) -> new Ignored("the program does not run yet");
            case On(Launching _, SignalSent _) -> new Ignored("the program does not run yet");

            case On(Running _, LaunchNews _) -> new Ignored("it is known to run");
            case On(Running r, RunExited e) ->
                over(job, ended(r.attempt(), r.startedAt(), e.endedAt(), Outcomes.ofExit(job, e)), at);
            case On(Running r, DeviceLost e) -> deviceLost(job, r, e);
            case On(Running r, IdleTimeoutReached e) -> stop(job, r, new StopCause.Idle(e.sentence()));
            case On(Running r, TimeLimitReached _) -> stop(job, r, new StopCause.TimeLimit());
            case On(Running r, SignalDue e) -> signalDue(job, r, e);
            case On(Running r, SignalSent _) -> signalSent(r);

            case On(Live _, ImageArrived _) -> new Ignored("the image is known");
            case On(Live _, ImageRefused _) -> new Ignored("the image was here");
            case On(Live l, CancelRequested e) -> stop(job, l, new StopCause.Cancelled(e.by()));
            case On(Live _, HoldRequested _) -> new Ignored("it has left the queue");
            case On(Live _, ReleaseRequested _) -> new Ignored("it is not held");
            case On(Live l, RunEnded e) -> endedAtTarget(job, l, e, at);
            case On(Live l, StartLost e) -> startLost(job, e, l.startedAt(), at);
            case On(Live l, RunGone _) -> lost(job, l.attempt(), l.startedAt(), at);
            case On(Live l, MachineRebooted e) -> rebooted(job, l.attempt(), l.startedAt(), e, at);
            case On(Live l, EngineStopped e) -> endedWithEngine(job, l.attempt(), l.startedAt(), e, at);
        };
    }

    private static Transition impossible(Job job, JobEvent event) {
        throw new IllegalStateException("job " + job.id() + " is " + job.state().name() + " and cannot have "
                + event.name() + ": the scheduler contradicts itself");
    }
}
