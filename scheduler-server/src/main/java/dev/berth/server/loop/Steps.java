package dev.berth.server.loop;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.Part;
import dev.berth.core.job.StateName;
import dev.berth.core.machine.Input;
import dev.berth.core.machine.QueueWindow;
import dev.berth.core.machine.Step;
import dev.berth.server.store.JobStore;
import dev.berth.server.store.Rows;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Steps together with what follows from them for others, before anything starts: those who wait for a job are told of its end,
 * and an array ends with the last of its tasks. Lives on the scheduling thread.
 */
final class Steps {
    private final StoredMachine machine;
    private final JobStore store;

    /** The last of those who wait for a job that were told of its end, where not all have been. */
    private final Map<JobId, JobId> toldUpTo = new HashMap<>();

    /** How many ends of jobs were looked at, and jobs told of them, in this turn. */
    private int told;

    Steps(StoredMachine machine, JobStore store) {
        this.machine = machine;
        this.store = store;
    }

    /** Begins a turn, in which only so many are told. */
    void beginTurn() {
        told = 0;
    }

    /** Steps, and tells those who wait for a job that has ended in it: before anything starts. */
    Step apply(Input input) {
        return machine.step(input).then(tellOthers(input.at()));
    }

    /** Tells those who wait for jobs of what has become of these: they have ended, or a target has them. */
    Step tellOthers(Instant at) {
        return tellOfEnds(at).then(tellOfHandOvers(at));
    }

    /** Lets those go on that wait for a job that a target has now; of many, the others wait here for its end. */
    private Step tellOfHandOvers(Instant at) {
        Step all = machine.nothing();
        while (!machine.state().deferred().handedOver().isEmpty()) {
            JobId other = machine.state().deferred().handedOver().first();
            List<Job> waiting = store.waitingFor(other, QueueWindow.MAX_JOBS, QueueWindow.MAX_BYTES);
            all = all.then(machine.step(new Input.DependentsOrdered(at, other, waiting)));
        }
        return all;
    }

    /** Ends the arrays whose last task has ended, and tells those who wait for a job that has; of whom some may end by it. */
    private Step tellOfEnds(Instant at) {
        Step all = machine.nothing();
        while (areEndsToTell()) {
            if (!machine.state().deferred().arrays().isEmpty()) {
                all = all.then(machine.step(
                        readArray(at, machine.state().deferred().arrays().first())));
            } else {
                // Those who waited for the last of them have the highest numbers: what ends with it is told of first.
                Map.Entry<JobId, StateName> ended =
                        machine.state().deferred().ended().lastEntry();
                all = all.then(tellPairs(at, ended.getKey(), ended.getValue()));
                all = all.then(machine.step(tellDependents(at, ended.getKey(), ended.getValue())));
                told++;
            }
        }
        return all;
    }

    /** An array is looked at at once: nobody knows of it after a restart. Of the others there may be too many for one turn. */
    private boolean areEndsToTell() {
        return !machine.state().deferred().arrays().isEmpty()
                || (!machine.state().deferred().ended().isEmpty() && told < QueueWindow.MAX_JOBS);
    }

    /** Tells the tasks with the index of a task that has ended which wait for that one of all. */
    private Step tellPairs(Instant at, JobId ended, StateName end) {
        Step all = machine.nothing();
        for (Job array : store.pairs(ended)) {
            if (machine.find(ended).orElseThrow().part() instanceof Part.Task(JobId other, int index)
                    && array.waiting().contains(index)) {
                all = all.then(machine.step(new Input.PairsEnded(at, array, other, new TreeMap<>(Map.of(index, end)))));
                told++;
            }
        }
        return all;
    }

    private Input readArray(Instant at, JobId id) {
        Job array = machine.find(id).orElseThrow(() -> new IllegalStateException("array " + id + " is gone"));
        return new Input.ArrayRead(at, array, store.hasOpenTasks(id), store.endedTasks(id));
    }

    /**
     * Tells the next of those who wait for a job that has ended. One that waited for something else, too, may have been
     * passed: so they are all told only once nobody is found from the first one on.
     */
    private Input tellDependents(Instant at, JobId ended, StateName end) {
        JobId after = toldUpTo.get(ended);
        if (after == null && !store.isAwaited(ended)) {
            return new Input.DependentsRead(at, ended, List.of(), Input.Told.NOBODY_WAITED);
        }
        Rows<Job> waiting = store.dependents(ended, end, after, QueueWindow.MAX_JOBS, QueueWindow.MAX_BYTES);
        told += waiting.items().size();
        boolean isAll = after == null && !waiting.more();
        if (isAll || waiting.items().isEmpty()) {
            toldUpTo.remove(ended);
        } else {
            toldUpTo.put(ended, waiting.items().getLast().id());
        }
        return new Input.DependentsRead(at, ended, waiting.items(), isAll ? Input.Told.ALL : Input.Told.SOME);
    }
}
