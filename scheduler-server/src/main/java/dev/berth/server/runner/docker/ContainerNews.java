package dev.berth.server.runner.docker;

import dev.berth.core.job.EngineRun;
import dev.berth.core.job.JobState.Running;
import dev.berth.core.job.JobState.Starting;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Found;
import dev.berth.core.machine.Found.Condition.Exited;
import dev.berth.core.machine.JobEvent.RunGone;
import dev.berth.core.machine.JobEvent.RunStarted;
import dev.berth.core.machine.JobEvent.StartLost;
import dev.berth.core.machine.Machine;
import dev.berth.core.machine.RunnerKind;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.Notices;
import dev.berth.server.runner.docker.ContainerEngine.ContainerListener;
import dev.berth.server.upkeep.Tasks;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes starts and exits on to the loop, and looks for itself after the engine was out of sight.
 *
 * @param givenUp whether Berth ends an attempt itself, as its start was lost
 */
public record ContainerNews(
        ContainerEngine engine,
        String server,
        Notices notices,
        Supplier<Machine> machine,
        Predicate<Attempt> givenUp,
        Look look)
        implements ContainerListener {

    private static final Logger LOG = LoggerFactory.getLogger(ContainerNews.class);

    /** The time after which an engine has made what an earlier server asked for, or never will. */
    private static final Duration LATEST_CREATION = Duration.ofMinutes(5);

    /** The receiver of a look at the whole engine: the loop. */
    @FunctionalInterface
    public interface Look {
        /**
         * Called after each look, at all containers or at one.
         *
         * @param running the attempts that ran before it
         */
        void took(Set<Attempt> running, List<Found> containers);
    }

    /** An engine carries a creation out whose asker is gone: what then belongs to nobody is found by one more look. */
    public void lookAgainLater(Tasks tasks) {
        tasks.runAfter(LATEST_CREATION, () -> lookAgain(tasks));
    }

    private void lookAgain(Tasks tasks) {
        try {
            resumed();
        } catch (EngineException e) {
            LOG.debug("the containers cannot be looked at: {}", e.sentence());
            if (e.kind() != EngineException.Kind.INTERRUPTED) {
                lookAgainLater(tasks);
            }
        }
    }

    @Override
    public void started(Attempt attempt, Instant at) {
        notices.post(attempt.job(), new RunStarted(attempt.number(), at));
    }

    @Override
    public void exited(Attempt attempt, Exited end) {
        boolean isOfLostStart = end.isBySignal() && (givenUp.test(attempt) || wasStartLost(attempt));
        notices.post(attempt.job(), isOfLostStart ? new StartLost(attempt.number()) : end.of(attempt.number()));
    }

    /**
     * Whether the engine has ended since it was asked for the start. It may have begun the program all the same, which Berth
     * then ends as it gives the start up: nobody knows what else may have ended it.
     */
    private boolean wasStartLost(Attempt attempt) {
        return machine.get()
                .find(attempt.job())
                .filter(job -> job.state() instanceof Starting starting
                        && starting.attempt() == attempt.number()
                        && hasEnded(starting.engine()))
                .isPresent();
    }

    private boolean hasEnded(EngineRun asked) {
        try {
            return !engine.run().equals(asked);
        } catch (EngineException e) {
            LOG.debug("the run of the engine is not known: {}", e.sentence());
            return false;
        }
    }

    @Override
    public void removed(Attempt attempt) {
        notices.post(attempt.job(), new RunGone(attempt.number()));
    }

    @Override
    public void unheard(Found container) {
        look.took(Set.of(container.of()), withoutGivenUp(List.of(container)));
    }

    @Override
    public void resumed() {
        Set<Attempt> running = machine.get().live().values().stream()
                .filter(job -> job.state() instanceof Running && RunnerKind.of(job) == RunnerKind.CONTAINER)
                .map(Attempt::of)
                .collect(Collectors.toUnmodifiableSet());
        look.took(running, withoutGivenUp(engine.list(server)));
    }

    /** Whoever gives a start up tells of it: its end by Berth's own signal says nothing of the program. */
    private List<Found> withoutGivenUp(List<Found> containers) {
        return containers.stream()
                .filter(found ->
                        !(found.condition() instanceof Exited end && end.isBySignal() && givenUp.test(found.of())))
                .toList();
    }
}
