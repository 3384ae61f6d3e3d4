package dev.berth.core.machine;

import static dev.berth.core.job.OutcomeReason.NEVER_FITS;
import static dev.berth.core.machine.JobMoves.cancelHeld;
import static dev.berth.core.machine.JobMoves.cancelQueued;
import static dev.berth.core.machine.JobMoves.cancelStopping;
import static dev.berth.core.machine.JobMoves.created;
import static dev.berth.core.machine.JobMoves.createdAgain;
import static dev.berth.core.machine.JobMoves.deviceLost;
import static dev.berth.core.machine.JobMoves.ended;
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
import static dev.berth.core.machine.JobMoves.outcome;
import static dev.berth.core.machine.JobMoves.putOff;
import static dev.berth.core.machine.JobMoves.rebooted;
import static dev.berth.core.machine.JobMoves.refused;
import static dev.berth.core.machine.JobMoves.refusedWhileStopping;
import static dev.berth.core.machine.JobMoves.release;
import static dev.berth.core.machine.JobMoves.requeue;
import static dev.berth.core.machine.JobMoves.start;
import static dev.berth.core.machine.JobMoves.startLost;
import static dev.berth.core.machine.JobMoves.startedWhileStopping;
import static dev.berth.core.machine.JobMoves.stop;
import static dev.berth.core.machine.JobMoves.stopped;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobState;
import dev.berth.core.job.JobState.Creating;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.JobState.Held;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.JobState.Running;
import dev.berth.core.job.JobState.Starting;
import dev.berth.core.job.JobState.Stopping;
import dev.berth.core.job.StateName;
import dev.berth.core.job.StopCause;
import dev.berth.core.machine.JobEvent.Allocated;
import dev.berth.core.machine.JobEvent.CancelRequested;
import dev.berth.core.machine.JobEvent.ContainerCreated;
import dev.berth.core.machine.JobEvent.ContainerExited;
import dev.berth.core.machine.JobEvent.ContainerGone;
import dev.berth.core.machine.JobEvent.ContainerStarted;
import dev.berth.core.machine.JobEvent.DeviceLost;
import dev.berth.core.machine.JobEvent.EngineStopped;
import dev.berth.core.machine.JobEvent.FoundTooLarge;
import dev.berth.core.machine.JobEvent.GpusConfirmed;
import dev.berth.core.machine.JobEvent.GpusTaken;
import dev.berth.core.machine.JobEvent.HoldRequested;
import dev.berth.core.machine.JobEvent.IdleTimeoutReached;
import dev.berth.core.machine.JobEvent.ImageArrived;
import dev.berth.core.machine.JobEvent.ImageRefused;
import dev.berth.core.machine.JobEvent.ImageVanished;
import dev.berth.core.machine.JobEvent.LaunchPutOff;
import dev.berth.core.machine.JobEvent.LaunchRefused;
import dev.berth.core.machine.JobEvent.MachineRebooted;
import dev.berth.core.machine.JobEvent.OfAttempt;
import dev.berth.core.machine.JobEvent.ReleaseRequested;
import dev.berth.core.machine.JobEvent.StartLost;
import dev.berth.core.machine.JobEvent.TimeLimitReached;
import dev.berth.core.machine.Transition.Ignored;
import dev.berth.core.machine.Transition.Moved;
import java.time.Instant;

/**
 * The life of one job: every state's answer to every event, and nothing else. Events from outside may come late,
 * twice or out of order and are ignored then; what only a bug of our own can cause throws.
 */
public final class JobMachine {
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
            case On(Queued _, ContainerCreated _) -> new Ignored("no attempt has begun");
            case On(Queued _, GpusConfirmed _) -> new Ignored("no attempt has begun");
            case On(Queued _, GpusTaken _) -> new Ignored("no attempt has begun");
            case On(Queued _, ContainerStarted _) -> new Ignored("no attempt has begun");
            case On(Queued _, LaunchRefused e) -> impossible(job, e);
            case On(Queued _, ImageVanished e) -> impossible(job, e);
            case On(Queued _, LaunchPutOff e) -> impossible(job, e);
            case On(Queued _, ContainerExited _) -> new Ignored("no attempt has begun");
            case On(Queued _, StartLost _) -> new Ignored("no attempt has begun");
            case On(Queued _, ContainerGone _) -> new Ignored("no attempt has begun");
            case On(Queued _, MachineRebooted _) -> new Ignored("no attempt has begun");
            case On(Queued _, EngineStopped _) -> new Ignored("no attempt has begun");
            case On(Queued _, DeviceLost _) -> new Ignored("no attempt has begun");
            case On(Queued _, IdleTimeoutReached _) -> new Ignored("no attempt has begun");
            case On(Queued _, TimeLimitReached e) -> impossible(job, e);

            case On(Held _, ImageArrived _) -> new Ignored("its image is looked for at its release");
            case On(Held _, ImageRefused _) -> new Ignored("its image is looked for at its release");
            case On(Held _, Allocated e) -> impossible(job, e);
            case On(Held _, FoundTooLarge e) -> impossible(job, e);
            case On(Held h, CancelRequested e) -> cancelHeld(h, e, at);
            case On(Held h, HoldRequested e) -> holdAgain(h, e, at);
            case On(Held h, ReleaseRequested _) -> requeue(job, h.attempt(), h.image());
            case On(Held _, ContainerCreated _) -> new Ignored("no attempt has begun");
            case On(Held _, GpusConfirmed _) -> new Ignored("no attempt has begun");
            case On(Held _, GpusTaken _) -> new Ignored("no attempt has begun");
            case On(Held _, ContainerStarted _) -> new Ignored("no attempt has begun");
            case On(Held _, LaunchRefused e) -> impossible(job, e);
            case On(Held _, ImageVanished e) -> impossible(job, e);
            case On(Held _, LaunchPutOff e) -> impossible(job, e);
            case On(Held _, ContainerExited _) -> new Ignored("no attempt has begun");
            case On(Held _, StartLost _) -> new Ignored("no attempt has begun");
            case On(Held _, ContainerGone _) -> new Ignored("no attempt has begun");
            case On(Held _, MachineRebooted _) -> new Ignored("no attempt has begun");
            case On(Held _, EngineStopped _) -> new Ignored("no attempt has begun");
            case On(Held _, DeviceLost _) -> new Ignored("no attempt has begun");
            case On(Held _, IdleTimeoutReached _) -> new Ignored("no attempt has begun");
            case On(Held _, TimeLimitReached e) -> impossible(job, e);

            case On(Creating _, ImageArrived _) -> new Ignored("the image is known");
            case On(Creating _, ImageRefused _) -> new Ignored("the image was here");
            case On(Creating _, Allocated e) -> impossible(job, e);
            case On(Creating _, FoundTooLarge e) -> impossible(job, e);
            case On(Creating c, CancelRequested e) ->
                stop(job, new Stopping(c.attempt(), c.allocation(), null, new StopCause.Cancelled(e.by())));
            case On(Creating _, HoldRequested _) -> new Ignored("it has left the queue");
            case On(Creating _, ReleaseRequested _) -> new Ignored("it is not held");
            case On(Creating c, ContainerCreated e) -> created(job, c.imageId(), c.allocation(), e);
            case On(Creating c, GpusConfirmed _) ->
                c.isDecided() ? new Ignored("its GPUs are its own already") : Moved.to(c.decided());
            case On(Creating c, GpusTaken e) -> gpusTaken(job, c, e, at);
            case On(Creating c, ContainerStarted e) ->
                Moved.to(new Running(c.attempt(), c.allocation(), e.startedAt()));
            case On(Creating c, LaunchRefused e) -> refused(job, c.attempt(), e, at);
            case On(Creating c, ImageVanished _) -> fetchAgain(job, c, at);
            case On(Creating c, LaunchPutOff e) -> putOff(job, c, e, at);
            case On(Creating c, ContainerExited e) -> exitedUnseen(job, c.attempt(), e);
            case On(Creating _, StartLost _) -> new Ignored("its container is not made yet");
            case On(Creating _, ContainerGone _) -> new Ignored("its container is not made yet");
            case On(Creating c, MachineRebooted e) -> rebooted(job, c.attempt(), null, e);
            case On(Creating c, EngineStopped e) -> endedWithEngine(job, c.attempt(), null, e);
            case On(Creating _, DeviceLost _) -> new Ignored("the program does not run yet");
            case On(Creating _, IdleTimeoutReached _) -> new Ignored("the program does not run yet");
            case On(Creating _, TimeLimitReached _) -> new Ignored("the program does not run yet");

            case On(Starting _, ImageArrived _) -> new Ignored("the image is known");
            case On(Starting _, ImageRefused _) -> new Ignored("the image was here");
            case On(Starting _, Allocated e) -> impossible(job, e);
            case On(Starting _, FoundTooLarge e) -> impossible(job, e);
            case On(Starting s, CancelRequested e) ->
                stop(job, new Stopping(s.attempt(), s.allocation(), null, new StopCause.Cancelled(e.by())));
            case On(Starting _, HoldRequested _) -> new Ignored("it has left the queue");
            case On(Starting _, ReleaseRequested _) -> new Ignored("it is not held");
            case On(Starting s, ContainerCreated e) -> createdAgain(job, s, e);
            case On(Starting _, GpusConfirmed _) -> new Ignored("its container is made");
            case On(Starting _, GpusTaken _) -> new Ignored("its container is made");
            case On(Starting s, ContainerStarted e) ->
                Moved.to(new Running(s.attempt(), s.allocation(), e.startedAt()));
            case On(Starting s, LaunchRefused e) -> refused(job, s.attempt(), e, at);
            case On(Starting _, ImageVanished _) -> new Ignored("its container is made");
            case On(Starting _, LaunchPutOff _) -> new Ignored("its container is made");
            case On(Starting s, ContainerExited e) -> exitedUnseen(job, s.attempt(), e);
            case On(Starting s, StartLost e) -> startLost(job, e, null, at);
            case On(Starting s, ContainerGone _) -> lost(job, s.attempt(), null, at);
            case On(Starting s, MachineRebooted e) -> rebooted(job, s.attempt(), null, e);
            case On(Starting s, EngineStopped e) -> endedWithEngine(job, s.attempt(), null, e);
            case On(Starting _, DeviceLost _) -> new Ignored("the program does not run yet");
            case On(Starting _, IdleTimeoutReached _) -> new Ignored("the program does not run yet");
            case On(Starting _, TimeLimitReached _) -> new Ignored("the program does not run yet");

            case On(Running _, ImageArrived _) -> new Ignored("the image is known");
            case On(Running _, ImageRefused _) -> new Ignored("the image was here");
            case On(Running _, Allocated e) -> impossible(job, e);
            case On(Running _, FoundTooLarge e) -> impossible(job, e);
            case On(Running r, CancelRequested e) ->
                stop(job, new Stopping(r.attempt(), r.allocation(), r.startedAt(), new StopCause.Cancelled(e.by())));
            case On(Running _, HoldRequested _) -> new Ignored("it has left the queue");
            case On(Running _, ReleaseRequested _) -> new Ignored("it is not held");
            case On(Running _, ContainerCreated _) -> new Ignored("it is known to run");
            case On(Running _, GpusConfirmed _) -> new Ignored("it is known to run");
            case On(Running _, GpusTaken _) -> new Ignored("it is known to run");
            case On(Running _, ContainerStarted _) -> new Ignored("it is known to run");
            case On(Running _, LaunchRefused _) -> new Ignored("it is known to run");
            case On(Running _, ImageVanished _) -> new Ignored("it is known to run");
            case On(Running _, LaunchPutOff _) -> new Ignored("it is known to run");
            case On(Running r, ContainerExited e) ->
                release(job, ended(r.attempt(), r.startedAt(), e.endedAt(), Outcomes.ofExit(job, e)));
            case On(Running r, StartLost e) -> startLost(job, e, r.startedAt(), at);
            case On(Running r, ContainerGone _) -> lost(job, r.attempt(), r.startedAt(), at);
            case On(Running r, MachineRebooted e) -> rebooted(job, r.attempt(), r.startedAt(), e);
            case On(Running r, EngineStopped e) -> endedWithEngine(job, r.attempt(), r.startedAt(), e);
            case On(Running r, DeviceLost e) -> deviceLost(job, r, e);
            case On(Running r, IdleTimeoutReached e) ->
                stop(job, new Stopping(r.attempt(), r.allocation(), r.startedAt(), new StopCause.Idle(e.sentence())));
            case On(Running r, TimeLimitReached _) ->
                stop(job, new Stopping(r.attempt(), r.allocation(), r.startedAt(), new StopCause.TimeLimit()));

            case On(Stopping _, ImageArrived _) -> new Ignored("the image is known");
            case On(Stopping _, ImageRefused _) -> new Ignored("the image was here");
            case On(Stopping _, Allocated e) -> impossible(job, e);
            case On(Stopping _, FoundTooLarge e) -> impossible(job, e);
            case On(Stopping s, CancelRequested e) -> cancelStopping(s, e);
            case On(Stopping _, HoldRequested _) -> new Ignored("it has left the queue");
            case On(Stopping _, ReleaseRequested _) -> new Ignored("it is not held");
            case On(Stopping _, ContainerCreated _) -> new Ignored("it is being stopped already");
            case On(Stopping _, GpusConfirmed _) -> new Ignored("it is being stopped already");
            case On(Stopping _, GpusTaken _) -> new Ignored("it is being stopped already");
            case On(Stopping s, ContainerStarted e) -> startedWhileStopping(s, e);
            case On(Stopping s, LaunchRefused _) -> refusedWhileStopping(job, s, at);
            case On(Stopping s, ImageVanished _) -> refusedWhileStopping(job, s, at);
            case On(Stopping s, LaunchPutOff _) -> refusedWhileStopping(job, s, at);
            case On(Stopping s, ContainerExited e) -> stopped(job, s, e.endedAt(), e);
            case On(Stopping s, StartLost _) -> stopped(job, s, at, null);
            case On(Stopping s, ContainerGone _) -> stopped(job, s, at, null);
            case On(Stopping s, MachineRebooted e) -> stopped(job, s, e.bootedAt(), null);
            case On(Stopping s, EngineStopped e) -> stopped(job, s, e.endedAt(), exitOf(e));
            case On(Stopping _, DeviceLost _) -> new Ignored("it is being stopped already");
            case On(Stopping _, IdleTimeoutReached _) -> new Ignored("it is being stopped already");
            case On(Stopping _, TimeLimitReached _) -> new Ignored("it is being stopped already");

            case On(Finished _, Allocated e) -> impossible(job, e);
            case On(Finished _, ImageArrived _) -> new Ignored("the job has ended");
            case On(Finished _, ImageRefused _) -> new Ignored("the job has ended");
            case On(Finished _, FoundTooLarge e) -> impossible(job, e);
            case On(Finished _, CancelRequested _) -> new Ignored("the job has ended");
            case On(Finished _, HoldRequested _) -> new Ignored("the job has ended");
            case On(Finished _, ReleaseRequested _) -> new Ignored("the job has ended");
            case On(Finished _, ContainerCreated _) -> new Ignored("the job has ended");
            case On(Finished _, GpusConfirmed _) -> new Ignored("the job has ended");
            case On(Finished _, GpusTaken _) -> new Ignored("the job has ended");
            case On(Finished _, ContainerStarted _) -> new Ignored("the job has ended");
            case On(Finished _, LaunchRefused _) -> new Ignored("the job has ended");
            case On(Finished _, ImageVanished _) -> new Ignored("the job has ended");
            case On(Finished _, LaunchPutOff _) -> new Ignored("the job has ended");
            case On(Finished _, ContainerExited _) -> new Ignored("the job has ended");
            case On(Finished _, StartLost _) -> new Ignored("the job has ended");
            case On(Finished _, ContainerGone _) -> new Ignored("the job has ended");
            case On(Finished _, MachineRebooted _) -> new Ignored("the job has ended");
            case On(Finished _, EngineStopped _) -> new Ignored("the job has ended");
            case On(Finished _, DeviceLost _) -> new Ignored("the job has ended");
            case On(Finished _, IdleTimeoutReached _) -> new Ignored("the job has ended");
            case On(Finished _, TimeLimitReached _) -> new Ignored("the job has ended");
        };
    }

    private static Transition impossible(Job job, JobEvent event) {
        throw new IllegalStateException("job " + job.id() + " is " + job.state().name() + " and cannot have "
                + event.name() + ": the scheduler contradicts itself");
    }
}
