package dev.berth.core.machine;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState.Deferred;
import dev.berth.core.job.StateName;
import dev.berth.core.machine.Input.DatesReached;
import dev.berth.core.machine.Input.DependentsOrdered;
import dev.berth.core.machine.Input.DependentsRead;
import dev.berth.core.machine.Input.PairsEnded;
import dev.berth.core.machine.Input.SubmitJob;
import dev.berth.core.machine.JobEvent.BeginReached;
import dev.berth.core.machine.JobEvent.DependencyEnded;
import dev.berth.core.machine.Step.Reply;
import java.util.Map;

/** The part of a step in which jobs learn that what they wait for has come: the end of another job, or a date. */
final class DependencySteps {
    private final StepBuilder step;
    private final JobSteps jobs;
    private final ArraySteps arrays;

    DependencySteps(StepBuilder step, JobSteps jobs, ArraySteps arrays) {
        this.step = step;
        this.jobs = jobs;
        this.arrays = arrays;
    }

    /** Tells a job that was accepted of those that have ended otherwise than it asks for. */
    Job deferred(SubmitJob submit, Job accepted, Deferred deferred) {
        if (!deferred.unmet().pending().isEmpty()) {
            step.updateDeferred(DeferredJobs::awaiting);
        }
        Job job = accepted;
        for (Map.Entry<JobId, StateName> ended : submit.ended().entrySet()) {
            boolean waits = job.state() instanceof Deferred now && now.unmet().waitsFor(ended.getKey());
            if (waits
                    && jobs.apply(submit.at(), job, ended(job, ended.getKey(), ended.getValue()))
                            instanceof Reply.Took(Job next)) {
                job = next;
            }
        }
        return jobs.order(submit.at(), job);
    }

    Reply endDependencies(DependentsRead read) {
        StateName end = step.machine().deferred().ended().get(read.ended());
        if (end == null) {
            throw new IllegalStateException("who waits for job " + read.ended() + " was read before its end");
        }
        for (Job job : read.dependents()) {
            jobs.apply(read.at(), job, ended(job, read.ended(), end));
        }
        if (read.told() != Input.Told.SOME) {
            step.updateDeferred(deferred -> deferred.withoutEnded(read.ended()));
        }
        if (read.told() == Input.Told.ALL) {
            step.add(new Change.DependenciesMet(read.at(), read.ended()));
        }
        return new Reply.None();
    }

    /** Lets those go on that wait for nothing but what their target has. */
    Reply order(DependentsOrdered read) {
        step.updateDeferred(deferred -> deferred.withoutHandedOver(read.other()));
        read.dependents().forEach(job -> jobs.order(read.at(), job));
        return new Reply.None();
    }

    /** The tasks become jobs of their own, and are told as others who wait for a job are. */
    Reply endPairs(PairsEnded pairs) {
        Job left = pairs.array();
        for (Map.Entry<Integer, StateName> ended : pairs.ended().entrySet()) {
            int index = ended.getKey();
            if (left.isTaskByTask() && left.waiting().contains(index)) {
                Job task = arrays.single(pairs.at(), left, index);
                left = left.without(index);
                jobs.apply(pairs.at(), task, ended(task, left.pairOf(pairs.other(), index), ended.getValue()));
            }
        }
        return new Reply.None();
    }

    private static DependencyEnded ended(Job waiting, JobId other, StateName end) {
        return DependencyEnded.of(waiting.state().unmet(), other, end);
    }

    Reply begin(DatesReached reached) {
        reached.due().forEach(job -> jobs.apply(reached.at(), job, new BeginReached()));
        step.updateDeferred(deferred -> deferred.withDatesUnread(reached.more()));
        return new Reply.None();
    }
}
