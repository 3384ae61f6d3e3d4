package dev.berth.core.machine;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.EngineRun;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.PullPolicy;

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

    /**
     * Find the image, pull it as the policy says; answered by ImageArrived or ImageRefused.
     *
     * @param owner the user id of who waits for it, whose share of pulls it takes
     * @param onGpus whether the job is to run on GPUs, whose driver the image then has to suit
     */
    record FetchImage(JobId job, long owner, String image, PullPolicy pull, boolean onGpus) implements Effect {}

    /** Nobody waits for this job's image any more. */
    record AbandonImage(JobId job, String image) implements Effect {}

    /**
     * Make the container; answered by RunCreated, LaunchRefused, LaunchPutOff or ImageVanished. May be carried out again after
     * a crash: the container's name derives from job and attempt.
     */
    record CreateRun(Job launch, String imageId, Allocation allocation) implements OfAttempt {
        @Override
        public Attempt attempt() {
            return Attempt.of(launch);
        }
    }

    /**
     * Start the container that was made; answered by RunStarted, LaunchRefused, StartLost or RunGone. May be
     * carried out again after a crash: a container that runs, or has run, is not started again.
     *
     * @param engine the run of the engine that may be asked more than once
     */
    record StartRun(Job launch, EngineRun engine) implements OfAttempt {
        @Override
        public Attempt attempt() {
            return Attempt.of(launch);
        }
    }

    /** TERM, grace, KILL; answered by RunExited or RunGone. */
    record StopRun(Attempt attempt) implements OfAttempt {}

    /** Take a container over that was started before this server was: follow its log again. */
    record AdoptRun(Attempt attempt) implements OfAttempt {}

    /** Keep the rest of the log, then remove the container and its workspace. Needs no answer. */
    record ReleaseRun(Attempt attempt) implements OfAttempt {}

    /**
     * After a grace time stop and remove a container that no job owns; logs and workspaces are left alone. Answered by
     * RunGone.
     */
    record SweepRun(Attempt attempt) implements OfAttempt {}

    /** See that nothing of the attempt is left on the GPUs it has left; answered by GpusCleaned. */
    record CleanGpus(Attempt attempt, Allocation allocation) implements OfAttempt {}
}
