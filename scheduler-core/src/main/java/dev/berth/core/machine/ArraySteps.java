package dev.berth.core.machine;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobState;
import dev.berth.core.job.JobState.Dispatched;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.TaskSet;
import dev.berth.core.machine.Effect.AbandonImage;
import dev.berth.core.machine.Effect.ReleaseRun;
import dev.berth.core.machine.Input.ArrayRead;
import dev.berth.core.machine.Input.PackRead;
import dev.berth.core.machine.Input.TaskAwaited;
import dev.berth.core.machine.Input.TaskHappening;
import dev.berth.core.machine.JobEvent.ArrayEnded;
import dev.berth.core.machine.JobEvent.CancelRequested;
import dev.berth.core.machine.JobEvent.PackEnded;
import dev.berth.core.machine.Step.Reply;
import dev.berth.core.machine.Transition.Ignored;
import java.time.Instant;
import java.util.List;

/** The part of a step that makes tasks of an array jobs of their own, and ends arrays. */
final class ArraySteps {
    private final StepBuilder step;
    private final JobSteps jobs;

    ArraySteps(StepBuilder step, JobSteps jobs) {
        this.step = step;
        this.jobs = jobs;
    }

    /** Asks something of one task of an array, which becomes a job of its own by that. */
    Reply applyToTask(TaskHappening happening) {
        Job array = happening.array();
        Job task = array.task(happening.index());
        if (JobMachine.on(task, happening.event(), happening.at()) instanceof Ignored(String reason)) {
            return new Reply.Ignored(task, reason);
        }
        if (array.isTaskByTask() && !(happening.event() instanceof CancelRequested)) {
            return new Reply.Refused(unpaired(task) + "; ask it of the whole array");
        }
        if (isScattered(array, happening.index(), happening.open())) {
            return new Reply.Refused("too many single tasks of array " + array.id()
                    + " were cancelled, held or waited for alone; ask it of the whole array");
        }
        return jobs.apply(happening.at(), single(happening.at(), array, happening.index()), happening.event());
    }

    /** What waits for a task is told of its end, which only jobs have. */
    Reply await(TaskAwaited awaited) {
        if (awaited.array().isTaskByTask()) {
            return new Reply.Refused(unpaired(awaited.array().task(awaited.index())) + "; wait for the array");
        }
        if (isScattered(awaited.array(), awaited.index(), awaited.open())) {
            return new Reply.Refused("it would wait for too many single tasks of array "
                    + awaited.array().id() + "; wait for the array");
        }
        Job task = single(awaited.at(), awaited.array(), awaited.index());
        if (task.state() instanceof Queued && !Machine.hasImage(task)) {
            step.addInWindow(JobMoves.fetch(task));
        }
        return new Reply.None();
    }

    /** What a task waits for alone must have an end that it can be told of. */
    private static String unpaired(Job task) {
        return "task " + task.number()
                + " waits for the end of a task of another array (aftercorr), and is no job of"
                + " its own before that";
    }

    /** Each takes a row, and what is asked of the array is asked of each of them in one turn. */
    private static boolean isScattered(Job array, int index, long open) {
        return open >= TaskSet.MAX_RANGES
                || array.without(index).waiting().ranges().size() > TaskSet.MAX_RANGES;
    }

    /** Makes the next task of an array, or its next pack of them, a job of its own. */
    Job takeNext(Instant at, Job array) {
        return array.isPacked()
                ? pack(at, array)
                : single(at, array, array.waiting().first());
    }

    private Job pack(Instant at, Job array) {
        Job pack = array.nextPack();
        List<Job> tasks = pack.packed().indices().stream()
                .map(index -> array.task(index).with(JobState.Packed.WAITING))
                .toList();
        Job rest = array.without(pack.packed());
        step.update(machine -> machine.with(rest).with(pack));
        step.add(new Change.Packed(at, array, rest, pack, tasks));
        return pack;
    }

    /** Ends the tasks that a pack has left behind, or has them have a turn of their own; then nothing needs its files any more. */
    Reply endPack(PackRead read) {
        Job pack = read.pack();
        if (pack.state() instanceof Finished end) {
            boolean hasBegun = read.tasks().stream().anyMatch(ArraySteps::hasBegunInPack);
            PackEnded event = new PackEnded(end, hasBegun, read.isKnown());
            read.tasks().stream()
                    .filter(task -> task.state() instanceof JobState.Packed)
                    .forEach(task -> jobs.apply(read.at(), task, event));
            step.add(new ReleaseRun(RunnerKind.of(pack), read.attempt()));
            step.updateDeferred(deferred -> deferred.withoutPack(pack.id()));
        }
        return new Reply.None();
    }

    /** A task that has another attempt had one in its pack. */
    private static boolean hasBegunInPack(Job task) {
        return task.state().startedAt() != null || task.state().attempt() > JobState.Packed.WAITING.attempt();
    }

    /** Makes a task of an array a job of its own, in the array's state. */
    Job single(Instant at, Job array, int index) {
        Job task = array.task(index);
        Job rest = array.without(index);
        step.update(machine -> machine.with(rest).with(task));
        step.add(new Change.Singled(at, array, rest, task));
        if (rest.state() instanceof Dispatched && array.state() instanceof Queued && !Machine.hasImage(array)) {
            step.add(new AbandonImage(array.id(), array.spec().image()));
        }
        return task;
    }

    Reply endArray(ArrayRead read) {
        Job array = read.array();
        step.updateDeferred(deferred -> deferred.withoutArray(array.id()));
        if (array.state() instanceof Dispatched && !read.isOpen()) {
            jobs.apply(read.at(), array, new ArrayEnded(read.tasks()));
        }
        return new Reply.None();
    }
}
