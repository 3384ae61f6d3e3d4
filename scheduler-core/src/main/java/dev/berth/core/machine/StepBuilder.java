package dev.berth.core.machine;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobState.Held;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.machine.Effect.FetchImage;
import dev.berth.core.machine.Step.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** A step in the making: the machine as far as changed, and what was added on the way. Lives on one thread for one step. */
final class StepBuilder {
    private final List<Change> changes = new ArrayList<>();
    private final List<Effect> effects = new ArrayList<>();
    private Machine machine;

    StepBuilder(Machine machine) {
        this.machine = machine;
    }

    /** The machine as far as changed. */
    Machine machine() {
        return machine;
    }

    void update(UnaryOperator<Machine> next) {
        machine = next.apply(machine);
    }

    void updateDeferred(UnaryOperator<DeferredJobs> next) {
        machine = machine.with(next.apply(machine.deferred()));
    }

    void updateGpus(UnaryOperator<GpuConditions> next) {
        machine = machine.with(next.apply(machine.gpus()));
    }

    void add(Change change) {
        changes.add(change);
    }

    void add(Effect effect) {
        effects.add(effect);
    }

    /** Adds an effect, but for the fetch of an image that can wait until the window comes to its job. */
    void addInWindow(Effect effect) {
        if (!(effect instanceof FetchImage) || machine.find(effect.job()).isPresent()) {
            effects.add(effect);
        }
    }

    /** The step, once nothing more follows; a broken invariant ends it. */
    Step build(Reply reply) {
        Invariants.check(machine);
        return new Step(machine, changes, effects, asItIs(reply));
    }

    /** A job that has come to the front by what was asked, and was set aside there, is told of as that. */
    private Reply asItIs(Reply reply) {
        if (reply instanceof Reply.Took(Job asked) && asked.state() instanceof Queued) {
            for (Change change : changes.reversed()) {
                if (change instanceof Change.Advanced last && last.job().id().equals(asked.id())) {
                    return last.job().state() instanceof Held ? new Reply.Took(last.job()) : reply;
                }
            }
        }
        return reply;
    }
}
