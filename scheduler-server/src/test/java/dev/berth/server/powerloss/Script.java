package dev.berth.server.powerloss;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobState;
import dev.berth.core.machine.Change;
import dev.berth.server.example.Jobs;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * What a server does in the recorded run, a commit each: it takes jobs in, and every second one runs and ends.
 *
 * @param job as it is afterwards
 * @param changes what is written for that
 */
record Script(Job job, List<Change> changes) {

    static List<Script> of(long firstId, int jobs) {
        List<Script> all = new ArrayList<>();
        for (long id = firstId; id < firstId + jobs; id++) {
            Job queued = Jobs.queued(id, 1);
            all.add(new Script(queued, Jobs.upTo(queued)));
            if (id % 2 == 0) {
                Job starting = advance(all, queued, Jobs.startingOn(0));
                Job running = advance(all, starting, Jobs.runningOn(0));
                Job _ = advance(all, running, Jobs.completed());
            }
        }
        return all;
    }

    private static Job advance(List<Script> all, Job before, JobState state) {
        Job after = new Job(before.id(), before.spec(), before.owner(), before.submittedAt(), state);
        all.add(new Script(after, List.of(Jobs.advance(before, state))));
        return after;
    }

    /** The states of all jobs after so many commits, as {@code id|state}. */
    static List<String> after(List<Script> script, int commits) {
        TreeMap<Long, String> states = new TreeMap<>();
        for (Script step : script.subList(0, commits)) {
            states.put(
                    step.job().id().value(),
                    step.job().id() + "|" + step.job().state().name());
        }
        return List.copyOf(states.values());
    }
}
