package dev.berth.core.machine;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.GpuId;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobState.Live;
import dev.berth.core.machine.Effect.CleanGpus;
import dev.berth.core.machine.Input.GpusCleaned;
import dev.berth.core.machine.Input.GpusSeen;
import dev.berth.core.machine.JobEvent.GpusTaken;
import dev.berth.core.machine.JobEvent.RunStarted;
import dev.berth.core.machine.JobEvent.StartFailed;
import dev.berth.core.machine.Step.Reply;
import java.time.Instant;
import java.util.List;

/** The part of a step that concerns the state of the GPUs: which are to be looked at, drained or in service again. */
final class GpuSteps {
    private final StepBuilder step;

    GpuSteps(StepBuilder step) {
        this.step = step;
    }

    /** Takes the GPUs that a job leaves. What was used is looked at before anybody else has it. */
    void leave(Instant at, Job before, Job next, JobEvent event) {
        boolean wasUsed = before.state() instanceof Live live
                && !live.allocation().isNone()
                && !(next.state() instanceof Live)
                && !(event instanceof GpusTaken);
        if (wasUsed && step.machine().capacity().rules().cleans()) {
            Attempt attempt = Attempt.of(before);
            Allocation left = Machine.allocation(before);
            step.updateGpus(conditions -> conditions.withCleaning(attempt, left));
            step.add(new Change.CleaningBegun(at, attempt, left));
            step.add(new CleanGpus(attempt, left));
        }
    }

    /** A GPU on which one start after the other fails would take a whole queue down. */
    void countStart(Instant at, Job subject, JobEvent event) {
        if (!(subject.state() instanceof Live live)) {
            return;
        }
        if (event instanceof RunStarted) {
            step.updateGpus(
                    conditions -> conditions.afterStart(live.allocation().gpus(), false));
        } else if (event instanceof StartFailed failure) {
            List<GpuId> failed = live.allocation().gpus().stream()
                    .filter(gpu -> failure.faults().containsKey(gpu))
                    .toList();
            step.updateGpus(conditions -> conditions.afterStart(failed, true));
            failed.forEach(gpu -> drainFailing(at, gpu, failure.faults().getOrDefault(gpu, "")));
        }
    }

    /**
     * Drains a GPU on which starts fail. What is told of it to everybody is of Berth's own container: a job's
     * failure bears its submitter's words.
     */
    private void drainFailing(Instant at, GpuId gpu, String fault) {
        int most = step.machine().capacity().rules().maxFailedStarts();
        if (step.machine().gpus().failedStarts().getOrDefault(gpu, 0) >= most) {
            drain(
                    at,
                    gpu,
                    Drain.BERTH,
                    most + " starts in a row failed on it, and so did Berth's own test container: " + fault);
        }
    }

    Reply see(GpusSeen seen) {
        step.updateGpus(conditions -> conditions.with(seen.obstacles(), seen.lock()));
        return new Reply.None();
    }

    Reply clean(GpusCleaned cleaned) {
        Attempt attempt = cleaned.attempt();
        cleaned.drained().forEach((gpu, reason) -> drain(cleaned.at(), gpu, Drain.BERTH, reason));
        if (step.machine().gpus().cleaning().containsKey(attempt)) {
            step.updateGpus(conditions -> conditions.withoutCleaning(attempt));
            step.add(new Change.CleaningEnded(cleaned.at(), attempt));
        }
        return new Reply.None();
    }

    Reply drain(Instant at, GpuId gpu, String by, String reason) {
        Drain known = step.machine().gpus().drains().get(gpu);
        Drain drain = known == null ? new Drain(by, reason, at) : known.and(by, reason);
        if (!drain.equals(known)) {
            step.updateGpus(conditions -> conditions.with(gpu, drain));
            step.add(new Change.GpuDrained(at, gpu, drain));
        }
        return new Reply.None();
    }

    Reply resume(Instant at, GpuId gpu, String by) {
        if (step.machine().gpus().drains().containsKey(gpu)) {
            step.updateGpus(conditions -> conditions.with(gpu, null));
            step.add(new Change.GpuResumed(at, gpu, by));
        }
        return new Reply.None();
    }
}
