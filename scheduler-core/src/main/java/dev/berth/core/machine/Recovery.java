package dev.berth.core.machine;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.JobState.Held;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.JobState.Running;
import dev.berth.core.job.JobState.Starting;
import dev.berth.core.job.JobState.Stopping;
import dev.berth.core.machine.Effect.AdoptContainer;
import dev.berth.core.machine.Effect.ReleaseContainer;
import dev.berth.core.machine.Effect.StartContainer;
import dev.berth.core.machine.Effect.StopContainer;
import dev.berth.core.machine.JobEvent.ContainerExited;
import dev.berth.core.machine.JobEvent.ContainerGone;
import dev.berth.core.machine.JobEvent.ContainerStarted;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a server owes after it was away: the stored state held against the containers that are there. The answers are
 * the events and effects of normal running, so there is no second way of doing anything.
 *
 * @param events what happened meanwhile, by job
 * @param effects what is owed before any new input
 */
public record Recovery(List<Happening> events, List<Effect> effects) {

    /** One event for one job. */
    public record Happening(JobId job, JobEvent event) {}

    /**
     * A container with this server's labels.
     *
     * @param attempt the attempt it was made for
     */
    public record Found(JobId job, int attempt, Condition condition) {}

    /** In what condition a container was found. */
    public sealed interface Condition {
        /** Created and never started. */
        record Created() implements Condition {}

        /** Its program runs. */
        record Alive(Instant startedAt) implements Condition {}

        /** Its program has ended. */
        record Exited(int exitCode, boolean outOfMemory, Instant endedAt) implements Condition {}
    }

    public Recovery {
        events = List.copyOf(events);
        effects = List.copyOf(effects);
    }

    private record Key(JobId job, int attempt) {}

    /** What follows from the live jobs of the store and the containers of the engine. */
    public static Recovery plan(Collection<Job> live, Collection<Found> containers) {
        Map<Key, Condition> there = new HashMap<>();
        containers.forEach(found -> there.put(new Key(found.job(), found.attempt()), found.condition()));
        Set<Key> current = new HashSet<>();
        List<Happening> events = new ArrayList<>();
        List<Effect> effects = new ArrayList<>();
        for (Job job : live) {
            Key key = new Key(job.id(), job.state().attempt());
            current.add(key);
            plan(job, there.get(key), events, effects);
        }
        for (Found found : containers) {
            if (!current.contains(new Key(found.job(), found.attempt()))) {
                effects.add(new ReleaseContainer(found.job(), found.attempt()));
            }
        }
        return new Recovery(events, effects);
    }

    private static void plan(Job job, @Nullable Condition condition, List<Happening> events, List<Effect> effects) {
        int attempt = job.state().attempt();
        switch (condition) {
            case null -> absent(job, events, effects);
            case Condition.Created() -> owed(job, effects);
            case Condition.Alive(Instant startedAt) -> {
                events.add(new Happening(job.id(), new ContainerStarted(attempt, startedAt)));
                effects.add(new AdoptContainer(job.id(), attempt));
                if (job.state() instanceof Stopping) {
                    effects.add(new StopContainer(job.id(), attempt));
                }
            }
            case Condition.Exited(int exitCode, boolean outOfMemory, Instant endedAt) ->
                events.add(new Happening(job.id(), new ContainerExited(attempt, exitCode, outOfMemory, endedAt)));
        }
    }

    private static void absent(Job job, List<Happening> events, List<Effect> effects) {
        if (job.state() instanceof Starting) {
            owed(job, effects);
        } else {
            events.add(new Happening(job.id(), new ContainerGone(job.state().attempt())));
        }
    }

    /** What the stored state implies for a job whose program never ran. */
    private static void owed(Job job, List<Effect> effects) {
        switch (job.state()) {
            case Starting s -> effects.add(new StartContainer(job, s.attempt(), s.imageId(), s.allocation()));
            case Stopping s -> effects.add(new StopContainer(job.id(), s.attempt()));
            case Running r -> effects.add(new StopContainer(job.id(), r.attempt()));
            case Queued _ -> throw new IllegalStateException("job " + job.id() + " waits and has a container");
            case Held _ -> throw new IllegalStateException("job " + job.id() + " is held and has a container");
            case Finished _ -> throw new IllegalStateException("job " + job.id() + " is over");
        }
    }
}
