package dev.berth.server.loop;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState;
import dev.berth.core.job.JobState.Deferred;
import dev.berth.core.job.JobState.Held;
import dev.berth.core.machine.Change;
import dev.berth.core.machine.Input;
import dev.berth.core.machine.Machine;
import dev.berth.core.machine.Scheduler;
import dev.berth.core.machine.Step;
import dev.berth.core.machine.Step.Reply;
import dev.berth.server.store.JobStore;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * The machine as far as stepped, and its jobs as they are by that. Each step is written to the store at once, and is durable
 * with the next commit. Lives on the scheduling thread.
 */
final class StoredMachine {
    private final JobStore store;
    private Machine state;

    StoredMachine(Machine state, JobStore store) {
        this.state = state;
        this.store = store;
    }

    Machine state() {
        return state;
    }

    void update(UnaryOperator<Machine> next) {
        state = next.apply(state);
    }

    /** Steps, and nothing more: what follows for those who wait for a job is made by {@link Steps}. */
    Step step(Input input) {
        Step step = Scheduler.step(state, input);
        store.write(step.changes());
        state = step.machine();
        if (step.changes().stream().anyMatch(StoredMachine::isOfDeferred)) {
            state = state.with(state.deferred().with(store.earliestDeferred()));
        }
        return step;
    }

    /** Whether a change is one of the jobs that are not ready. */
    private static boolean isOfDeferred(Change change) {
        return switch (change) {
            case Change.Accepted accepted -> isDeferred(accepted.job().state());
            case Change.Singled singled -> isDeferred(singled.job().state());
            case Change.Advanced advanced ->
                isDeferred(advanced.before().state())
                        || isDeferred(advanced.job().state());
            case Change.DependenciesMet _ -> true;
            default -> false;
        };
    }

    private static boolean isDeferred(JobState state) {
        return state instanceof Deferred
                || (state instanceof Held held && !held.unmet().isEmpty());
    }

    Step nothing() {
        return Step.nothing(state);
    }

    Step answered(Reply reply) {
        return new Step(state, List.of(), List.of(), reply);
    }

    /** A job by its number; empty where there is none of its own with it. */
    Optional<Job> find(JobId id) {
        return state.find(id).or(() -> store.find(id));
    }

    /** A job of the store as the machine has it, where it does. */
    Job latest(Job stored) {
        return state.find(stored.id()).orElse(stored);
    }

    /** The array of a task that may be no job of its own yet. */
    Optional<Job> arrayOf(JobId task) {
        return store.arrayOf(task).map(this::latest);
    }
}
