package dev.berth.server.loop;

import dev.berth.core.job.Dependency;
import dev.berth.core.job.DependencyKind;
import dev.berth.core.job.JobId;
import dev.berth.core.job.Prerequisites;
import dev.berth.core.job.StateName;
import dev.berth.core.machine.Input.SubmitJob;
import dev.berth.core.machine.Step.Reply;
import dev.berth.server.store.JobStore;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** The jobs that a submitted one is to wait for, as they stand; some may be tasks that are no jobs of their own yet. */
final class AwaitedJobs {
    private final StoredMachine machine;
    private final JobStore store;

    AwaitedJobs(StoredMachine machine, JobStore store) {
        this.machine = machine;
        this.store = store;
    }

    /** The states of the jobs that it waits for, those left out that are no jobs of their own. */
    SortedMap<JobId, StateName> states(SubmitJob submit) {
        List<JobId> others = jobs(submit);
        return others.isEmpty()
                ? new TreeMap<>()
                : store.states(submit.submitter().uid(), others);
    }

    private static List<JobId> jobs(SubmitJob submit) {
        return submit.spec().prerequisites().dependencies().stream()
                .map(Dependency::job)
                .toList();
    }

    /** Those that it waits for and that are no jobs of their own. */
    static List<JobId> tasks(SubmitJob submit, SortedMap<JobId, StateName> states) {
        return jobs(submit).stream()
                .filter(other -> !states.containsKey(other))
                .distinct()
                .toList();
    }

    /** The arrays for whose tasks those of a submitted one are to wait. */
    static List<JobId> taskByTask(SubmitJob submit) {
        return submit.spec().prerequisites().dependencies().stream()
                .filter(dependency -> dependency.kind() == DependencyKind.AFTER_CORR)
                .map(Dependency::job)
                .toList();
    }

    /** Those that it waits for and that have ended, with how. */
    SortedMap<JobId, StateName> ended(SubmitJob submit, SortedMap<JobId, StateName> known) {
        SortedMap<JobId, StateName> states = new TreeMap<>(known);
        for (JobId task : tasks(submit, known)) {
            taskState(submit, task).ifPresent(state -> states.put(task, state));
        }
        states.values().removeIf(state -> !state.isFinal());
        return states;
    }

    private Optional<StateName> taskState(SubmitJob submit, JobId task) {
        return machine.arrayOf(task)
                .filter(array -> array.owner().uid() == submit.submitter().uid())
                .flatMap(array -> array.task(task))
                .map(found -> found.state().name());
    }

    /** The refusal of a job that is to wait for one that is not there. */
    Optional<Reply> missingTask(SubmitJob submit, SortedMap<JobId, StateName> states) {
        for (JobId task : tasks(submit, states)) {
            if (taskState(submit, task).isEmpty()) {
                return Optional.of(new Reply.NoSuchDependency(task));
            }
        }
        return Optional.empty();
    }

    /**
     * The refusal of an array whose tasks are to wait for those of one for which enough others do.
     *
     * @param pairs how many arrays before it in the request are to wait task by task for one
     */
    Optional<Reply> pairsRefusal(SubmitJob submit, Map<JobId, Integer> pairs) {
        for (JobId other : taskByTask(submit)) {
            int before = pairs.getOrDefault(other, 0);
            if (store.pairsOf(other) + before >= Prerequisites.MAX_PAIRS) {
                return Optional.of(new Reply.Refused("the tasks of " + Prerequisites.MAX_PAIRS
                        + " arrays wait for those of array " + other + " already (aftercorr)"
                        + (before == 0 ? "" : ", with those of the jobs before it in the request")
                        + ", as many as may"));
            }
        }
        return Optional.empty();
    }
}
