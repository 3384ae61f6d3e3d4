package dev.berth.server.loop;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.Part;
import dev.berth.core.job.Prerequisites;
import dev.berth.core.job.StateName;
import dev.berth.core.job.SubmitKey;
import dev.berth.core.machine.Input;
import dev.berth.core.machine.Input.SubmitJob;
import dev.berth.core.machine.Step;
import dev.berth.core.machine.Step.Reply;
import dev.berth.server.store.JobStore;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Submits of single jobs: each is accepted, or refused before anything is changed. */
final class JobSubmits {
    private final StoredMachine machine;
    private final Steps steps;
    private final AwaitedJobs awaited;
    private final JobStore store;

    JobSubmits(StoredMachine machine, Steps steps, AwaitedJobs awaited, JobStore store) {
        this.machine = machine;
        this.steps = steps;
        this.awaited = awaited;
        this.store = store;
    }

    /** A retry is told of the job that the first try made. */
    Step submit(SubmitJob submit, Room room) {
        SubmitKey key = submit.key();
        Optional<JobStore.Submitted> earlier = key == null
                ? Optional.empty()
                : store.findSubmitted(submit.submitter().uid(), key.key());
        if (key == null || earlier.isEmpty()) {
            return refusal(submit, room).map(machine::answered).orElseGet(() -> accept(submit));
        }
        Job job = earlier.get().job();
        return machine.answered(
                earlier.get().digest().equals(key.digest())
                        ? new Reply.Repeated(machine.latest(job))
                        : new Reply.KeyTaken(job));
    }

    /** Accepts a job, once it is known which of those that it waits for have ended. */
    private Step accept(SubmitJob submit) {
        SortedMap<JobId, StateName> states = awaited.states(submit);
        Step before = readied(submit, states);
        if (!(before.reply() instanceof Reply.None)) {
            return before;
        }
        Step accepted = acceptReadied(submit, states);
        return before.then(accepted).replying(accepted.reply());
    }

    /** Accepts a job; the tasks that it waits for are jobs of their own by now. */
    Step acceptReadied(SubmitJob submit, SortedMap<JobId, StateName> known) {
        List<JobId> pairs = AwaitedJobs.taskByTask(submit);
        SortedMap<JobId, StateName> states = awaited.ended(submit, known);
        // Of an array that has ended otherwise some tasks may have completed, and are told of first.
        SortedMap<JobId, StateName> later = new TreeMap<>(states);
        later.keySet().retainAll(pairs);
        later.values().removeIf(state -> state == StateName.COMPLETED);
        states.keySet().removeAll(later.keySet());
        Step accepted = steps.apply(submit.with(states));
        if (pairs.isEmpty() || !(accepted.reply() instanceof Reply.Accepted(Job job))) {
            return accepted;
        }
        Step all = accepted.then(tellOfEndedPairs(job.id(), pairs, later, submit.at()));
        return all.replying(new Reply.Accepted(machine.find(job.id()).orElse(job)));
    }

    /**
     * Makes the tasks that a job is to wait for jobs of their own, where the machine could run it. An answer is why it is
     * not accepted.
     */
    private Step readied(SubmitJob submit, SortedMap<JobId, StateName> states) {
        Optional<Reply> missing = awaited.missingTask(submit, states);
        if (missing.isPresent()) {
            return machine.answered(missing.get());
        }
        if (machine.state().capacity().refusal(submit.spec()).isPresent()) {
            return machine.nothing();
        }
        Optional<Reply> tooMany = awaited.pairsRefusal(submit, Map.of());
        return tooMany.isPresent() ? machine.answered(tooMany.get()) : single(submit, states);
    }

    /** Tells the tasks of an array that was accepted of those others that have ended before. */
    private Step tellOfEndedPairs(JobId array, List<JobId> others, SortedMap<JobId, StateName> ended, Instant at) {
        Step all = machine.nothing();
        for (JobId other : others) {
            SortedMap<Integer, StateName> tasks = new TreeMap<>();
            for (Job task : store.tasks(other, Prerequisites.MAX_TASK_BY_TASK)) {
                if (task.state() instanceof Finished end && task.part() instanceof Part.Task(JobId _, int index)) {
                    tasks.put(index, end.name());
                }
            }
            all = all.then(
                    steps.apply(new Input.PairsEnded(at, machine.find(array).orElseThrow(), other, tasks)));
            StateName end = ended.get(other);
            if (end != null) {
                machine.update(state -> state.with(state.deferred().withEnded(other, end)));
                all = all.then(steps.tellOthers(at));
            }
        }
        return all;
    }

    /** Makes tasks that a job is to wait for jobs of their own, where they have not ended: those are told of. */
    Step single(SubmitJob submit, SortedMap<JobId, StateName> states) {
        Step all = machine.nothing();
        for (JobId task : AwaitedJobs.tasks(submit, states)) {
            Optional<Job> array = machine.arrayOf(task).filter(found -> found.state() instanceof JobState.Waiting);
            Integer index = array.map(found -> found.indexOf(task)).orElse(null);
            if (array.isPresent() && index != null && array.get().waiting().contains(index)) {
                Step step = steps.apply(new Input.TaskAwaited(
                        submit.at(),
                        array.get(),
                        index,
                        store.singleTasks(array.get().id())));
                all = all.then(step);
                if (step.reply() instanceof Reply.Refused) {
                    return all.replying(step.reply());
                }
            }
        }
        return all;
    }

    /** The refusal where there is no room for another job of the submitter's. */
    private Optional<Reply> refusal(SubmitJob submit, Room room) {
        long uid = submit.submitter().uid();
        long waiting = store.waiting(uid);
        if (waiting >= room.jobs()) {
            return Optional.of(new Reply.QueueFull(waiting, 1));
        }
        long asked = submit.spec().bytes() + submit.program().bytes();
        long taken = store.bytes(uid);
        return taken > room.bytes() - asked ? Optional.of(new Reply.NoRoom(taken, asked)) : Optional.empty();
    }
}
