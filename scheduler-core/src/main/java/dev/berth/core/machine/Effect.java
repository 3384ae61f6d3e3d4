package dev.berth.core.machine;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.EngineRun;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState.Stopping;
import dev.berth.core.job.PullPolicy;
import dev.berth.core.job.Signal;
import dev.berth.core.job.StopCause;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Something the world owes a job, to be carried out only after the state that implies it is committed. */
public sealed interface Effect {
    JobId job();

    /** Of one attempt of a job. */
    sealed interface OfAttempt extends Effect {
        Attempt attempt();

        @Override
        default JobId job() {
            return attempt().job();
        }
    }

    /** An effect on an image that a job waits for. */
    sealed interface OfImage extends Effect {}

    /** An effect on the run of one attempt, for the runner of its kind. */
    sealed interface OfRun extends OfAttempt {
        RunnerKind runner();
    }

    /** An effect on the run of a job that the loop hands over as it is then. */
    sealed interface OfLaunch extends OfRun {
        Job launch();

        @Override
        default Attempt attempt() {
            return Attempt.of(launch());
        }

        @Override
        default RunnerKind runner() {
            return RunnerKind.of(launch());
        }
    }

    /**
     * Find the image, pull it as the policy says; answered by ImageArrived or ImageRefused.
     *
     * @param owner the user id of who waits for it, whose share of pulls it takes
     * @param onGpus whether the job is to run on GPUs, whose driver the image then has to suit
     */
    record FetchImage(JobId job, long owner, String image, PullPolicy pull, boolean onGpus) implements OfImage {}

    /** Nobody waits for this job's image any more. */
    record AbandonImage(JobId job, String image) implements OfImage {}

    /**
     * Make the run, as a container, or hand it over; answered by RunCreated, RunHandedOver, LaunchRefused, LaunchPutOff or
     * ImageVanished. May be carried out again after a crash: a run's name derives from job and attempt.
     */
    record CreateRun(Job launch, String imageId, Allocation allocation) implements OfLaunch {}

    /**
     * Start the run that was made; answered by RunStarted, LaunchRefused, StartLost or RunGone. May be carried out again after
     * a crash: a program that runs, or has run, is not started again.
     *
     * @param engine the run of the engine that may be asked more than once
     */
    record StartRun(Job launch, EngineRun engine) implements OfLaunch {}

    /**
     * TERM, grace, KILL; answered by RunExited or RunGone.
     *
     * @param grace the job's own, or null for the server's
     */
    record StopRun(
            RunnerKind runner, Attempt attempt, @Nullable Duration grace) implements OfRun {
        /** The stop of a job in the state that it has by its stop: a grace of its own is for its limits alone. */
        public StopRun(Job job) {
            this(
                    RunnerKind.of(job),
                    Attempt.of(job),
                    isAtLimit(job) ? job.spec().limits().grace() : null);
        }

        /** The grace of the job's own, else the server's. */
        public Duration graceOr(Duration usual) {
            return grace == null ? usual : grace;
        }

        private static boolean isAtLimit(Job job) {
            return job.state() instanceof Stopping stopping
                    && switch (stopping.cause()) {
                        case StopCause.TimeLimit _, StopCause.Idle _ -> true;
                        case StopCause.Cancelled _, StopCause.DeviceLost _ -> false;
                    };
        }
    }

    /**
     * Send the program a signal, once more after a crash where nobody knows whether it was sent; answered by SignalSent, or by
     * nothing where the program does not run any more, or is to be stopped.
     */
    record SignalRun(RunnerKind runner, Attempt attempt, Signal signal) implements OfRun {
        public SignalRun(Job job, Signal signal) {
            this(RunnerKind.of(job), Attempt.of(job), signal);
        }
    }

    /**
     * Set a job aside in the queue of its target's engine, or let it go on there, as far as it waits there; needs no answer.
     */
    record HoldRun(RunnerKind runner, Attempt attempt, boolean isHeld) implements OfRun {
        public HoldRun(Job job, boolean isHeld) {
            this(RunnerKind.of(job), Attempt.of(job), isHeld);
        }
    }

    /** Take a run over that was started before this server was: follow its log again. */
    record AdoptRun(RunnerKind runner, Attempt attempt) implements OfRun {
        public AdoptRun(Job job) {
            this(RunnerKind.of(job), Attempt.of(job));
        }
    }

    /** Keep the rest of the log, then remove what is left of the run, as its container and its workspace. Needs no answer. */
    record ReleaseRun(RunnerKind runner, Attempt attempt) implements OfRun {
        public ReleaseRun(Job job) {
            this(RunnerKind.of(job), Attempt.of(job));
        }
    }

    /**
     * Tell what a pack that has ended left of its tasks, before it is released; answered by RunExited, RunGone and the like of each
     * task, and then by TasksTold of the pack.
     */
    record ReadPack(RunnerKind runner, Attempt attempt) implements OfRun {
        public ReadPack(Job pack) {
            this(RunnerKind.of(pack), Attempt.of(pack));
        }
    }

    /**
     * End one task of a pack that runs, or see that it does not begin; answered by RunExited or RunGone of the task.
     *
     * @param attempt the pack's
     * @param task the task
     */
    record StopTask(RunnerKind runner, Attempt attempt, JobId task) implements OfRun {
        /** The stop of a task in a pack as that stands. */
        public StopTask(Job pack, Job task) {
            this(RunnerKind.of(pack), Attempt.of(pack), task.id());
        }
    }

    /**
     * After a grace time stop and remove a run that no job owns; logs and workspaces are left alone. Answered by RunGone.
     */
    record SweepRun(RunnerKind runner, Attempt attempt) implements OfRun {}

    /** See that nothing of the attempt is left on the GPUs it has left; answered by GpusCleaned. */
    record CleanGpus(Attempt attempt, Allocation allocation) implements OfAttempt {}
}
