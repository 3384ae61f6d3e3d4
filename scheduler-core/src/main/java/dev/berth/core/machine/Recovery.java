package dev.berth.core.machine;

import dev.berth.core.job.GpuId;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState.Creating;
import dev.berth.core.job.JobState.Deferred;
import dev.berth.core.job.JobState.Dispatched;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.JobState.HandedOver;
import dev.berth.core.job.JobState.Held;
import dev.berth.core.job.JobState.Live;
import dev.berth.core.job.JobState.Packed;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.JobState.Running;
import dev.berth.core.job.JobState.Starting;
import dev.berth.core.job.JobState.Stopping;
import dev.berth.core.job.JobState.Waiting;
import dev.berth.core.job.LimitSignal;
import dev.berth.core.job.SignalState;
import dev.berth.core.machine.Effect.AdoptRun;
import dev.berth.core.machine.Effect.CreateRun;
import dev.berth.core.machine.Effect.HoldRun;
import dev.berth.core.machine.Effect.ReadPack;
import dev.berth.core.machine.Effect.ReleaseRun;
import dev.berth.core.machine.Effect.SignalRun;
import dev.berth.core.machine.Effect.StartRun;
import dev.berth.core.machine.Effect.StopRun;
import dev.berth.core.machine.Effect.SweepRun;
import dev.berth.core.machine.Found.Condition;
import dev.berth.core.machine.JobEvent.EngineStopped;
import dev.berth.core.machine.JobEvent.GpusTaken;
import dev.berth.core.machine.JobEvent.GpusWithdrawn;
import dev.berth.core.machine.JobEvent.MachineRebooted;
import dev.berth.core.machine.JobEvent.RunGone;
import dev.berth.core.machine.JobEvent.RunStarted;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The events and effects that a server owes after it, or the engine, was away: the stored state held against the
 * containers that are there. The answers are the events and effects of normal running, so there is no second way of
 * doing anything.
 *
 * @param events what happened meanwhile, by job
 * @param effects what is owed before any new input
 * @param orphans the containers that no job owns, with the GPUs of those whose program runs, or may
 */
public record Recovery(List<Happening> events, List<Effect> effects, SortedMap<Attempt, List<GpuId>> orphans) {

    /** By then the containers of an ended job are removed; one that is still there was forgotten. */
    private static final Duration RELEASED = Duration.ofMinutes(10);

    /** An event for a job. */
    public record Happening(JobId job, JobEvent event) {}

    public Recovery {
        events = List.copyOf(events);
        effects = List.copyOf(effects);
        orphans = Collections.unmodifiableSortedMap(new TreeMap<>(orphans));
    }

    /**
     * The recovery that follows from the live jobs of the store and the containers of the engine when a server begins.
     *
     * @param capacity what it allocates; the last one may have allocated more
     * @param bootedAt when the machine came up, if that was after the last server; else null
     */
    public static Recovery plan(
            Capacity capacity, Collection<Job> live, Collection<Sighting> sightings, @Nullable Instant bootedAt) {
        Plan plan = new Plan(capacity);
        sightings.forEach(plan::sort);
        live.forEach(job -> plan.take(job, bootedAt));
        return plan.made();
    }

    /**
     * The recovery that follows once the engine is seen again while the server went on.
     *
     * @param running the attempts that ran before anybody looked: a container that was made meanwhile may not be seen
     */
    public static Recovery look(
            Machine machine, Collection<Attempt> running, Collection<Sighting> sightings, Instant now) {
        Plan plan = new Plan(machine.capacity());
        for (Sighting sighting : sightings) {
            boolean isForgotten = isForgotten(sighting, now);
            if (!(sighting.found().condition() instanceof Condition.FilesLeft)) {
                plan.there.put(sighting.attempt(), sighting);
                if (isForgotten && !machine.orphans().containsKey(sighting.attempt())) {
                    plan.sweep(sighting);
                }
            } else if (isForgotten && sighting.isOfFinished()) {
                plan.release(sighting);
            }
        }
        machine.live().values().forEach(job -> plan.look(job, running.contains(Attempt.of(job))));
        return plan.made();
    }

    private static boolean isForgotten(Sighting sighting, Instant now) {
        Job owner = sighting.owner();
        return owner == null
                // Of a time that a store which was brought back knows nothing of.
                || sighting.attempt().number() > owner.state().attempt()
                || (owner.state() instanceof Finished end
                        && end.endedAt().plus(RELEASED).isBefore(now));
    }

    /** The plan in the making. */
    private static final class Plan {
        private final Capacity capacity;
        private final Map<Attempt, Sighting> there = new HashMap<>();
        private final List<Happening> events = new ArrayList<>();
        private final List<Effect> effects = new ArrayList<>();
        private final SortedMap<Attempt, List<GpuId>> orphans = new TreeMap<>();

        Plan(Capacity capacity) {
            this.capacity = capacity;
        }

        Recovery made() {
            return new Recovery(events, effects, orphans);
        }

        /**
         * Sorts a container by whose it is: the current attempt's, an ended attempt's whose release is owed, or
         * nobody's.
         */
        void sort(Sighting sighting) {
            Attempt attempt = sighting.attempt();
            Job owner = sighting.owner();
            int current = owner == null ? 0 : owner.state().attempt();
            boolean isLive = owner != null && owner.state() instanceof Live;
            // To release it closes the job's log, which a later attempt may be writing by now.
            boolean hasBegunAgain = owner != null && isLive && !(owner.state() instanceof Creating);
            boolean isOver = (attempt.number() < current && !hasBegunAgain)
                    || (attempt.number() == current && sighting.isOfFinished());
            if (sighting.found().condition() instanceof Condition.FilesLeft) {
                // Those beside a later attempt wait for its end. A job in the queue makes use of none: its turn was
                // taken back, or a restored store does not know of that turn. A container that is owed may never be
                // made. A target may have what is owed already, and does not take it twice as long as it knows of it.
                boolean isOfWaiting = owner != null && owner.state() instanceof Waiting;
                boolean isOfOwed = attempt.number() == current
                        && isLive
                        && !hasBegunAgain
                        && sighting.found().runner() != RunnerKind.TARGET;
                if (isOver || isOfWaiting || isOfOwed || sighting.isOfFinished()) {
                    release(sighting);
                }
            } else if (isLive && attempt.number() == current && !isOfAnotherTurn(owner, sighting.found())) {
                there.put(attempt, sighting);
            } else if (isOver && !(sighting.found().condition() instanceof Condition.Alive)) {
                release(sighting);
            } else {
                sweep(sighting);
            }
        }

        void release(Sighting sighting) {
            Job owner = sighting.owner();
            RunnerKind runner = sighting.found().runner();
            // It may not have been told of all its tasks, and is released after that. An earlier attempt, of a time
            // that a
            // store which was brought back knows nothing of, has other files.
            boolean isToBeRead = owner != null
                    && owner.isPack()
                    && sighting.isOfFinished()
                    && sighting.attempt().equals(Attempt.of(owner));
            effects.add(
                    isToBeRead ? new ReadPack(runner, sighting.attempt()) : new ReleaseRun(runner, sighting.attempt()));
        }

        /**
         * Whether a program runs on other GPUs than its job was given: after an older copy of the store was brought back,
         * which knows of an earlier turn of the same attempt alone.
         */
        private static boolean isOfAnotherTurn(@Nullable Job owner, Found found) {
            return owner != null
                    && owner.state() instanceof Creating creating
                    && found.condition() instanceof Condition.Alive
                    && !found.gpus().equals(creating.allocation().gpus());
        }

        void sweep(Sighting sighting) {
            Attempt attempt = sighting.attempt();
            orphans.put(
                    attempt,
                    // An engine that was killed may not know that it started one.
                    sighting.found().condition() instanceof Condition.Exited
                            ? List.of()
                            : sighting.found().gpus());
            effects.add(new SweepRun(sighting.found().runner(), attempt));
        }

        void take(Job job, @Nullable Instant bootedAt) {
            if (RunnerKind.of(job) == RunnerKind.TARGET) {
                takeOver(job);
                return;
            }
            int attempt = job.state().attempt();
            Sighting sighting = there.get(Attempt.of(job));
            switch (sighting == null ? null : sighting.found().condition()) {
                case null -> absent(job, bootedAt);
                case Condition.Created _ -> created(job, bootedAt);
                case Condition.FilesLeft _ -> throw new IllegalStateException("files are no run of job " + job.id());
                case Condition.Alive(Instant startedAt) -> {
                    tell(job, new RunStarted(attempt, startedAt));
                    effects.add(new AdoptRun(job));
                    if (job.state() instanceof Stopping) {
                        effects.add(new StopRun(job));
                    }
                    signal(job);
                }
                case Condition.Exited exited ->
                    tell(
                            job,
                            bootedAt != null && isOfTheBoot(exited, bootedAt)
                                    ? new MachineRebooted(attempt, bootedAt)
                                    : exited.of(attempt));
            }
        }

        /** Whatever became of it meanwhile is told by the target's engine, which outlives this machine. */
        private void takeOver(Job job) {
            if (job.state() instanceof Creating creating) {
                effects.add(new CreateRun(job, creating.imageId(), creating.allocation()));
                return;
            }
            effects.add(new AdoptRun(job));
            if (job.state() instanceof HandedOver handed && handed.isHeld()) {
                // Not the other way round: somebody may have set it aside at the target since.
                effects.add(new HoldRun(job, true));
            } else if (job.state() instanceof Stopping) {
                effects.add(new StopRun(job));
            }
            signal(job);
        }

        /** A signal that was sent as the server ended may come a second time: one that does not come loses more. */
        private void signal(Job job) {
            LimitSignal due = job.spec().limits().signal();
            if (due != null && job.state() instanceof Running running && running.signal() == SignalState.DUE) {
                effects.add(new SignalRun(job, due.signal()));
            }
        }

        /** After a power cut the files that a container was made with may not be whole, and a start may have begun. */
        private void created(Job job, @Nullable Instant bootedAt) {
            boolean mayHaveBegun = job.state() instanceof Starting || job.state() instanceof Running;
            if (bootedAt != null && mayHaveBegun) {
                tell(job, new MachineRebooted(job.state().attempt(), bootedAt));
            } else {
                owed(job, true);
            }
        }

        /**
         * Nobody saw it end, or it was ended together with everything else; where it ended by itself, that counts. By what
         * it ended with rather than by when: the date of a machine that has just come up may be set once more.
         */
        private static boolean isOfTheBoot(Condition.Exited exited, Instant bootedAt) {
            boolean isUnseen = exited.isUnknown() || !exited.endedAt().isAfter(Instant.EPOCH);
            boolean isCalledOver = exited.exitCode() == EngineStopped.UNKNOWN_EXIT
                    && !exited.endedAt().isBefore(bootedAt);
            return isUnseen || isCalledOver || exited.isBySignal();
        }

        private void absent(Job job, @Nullable Instant bootedAt) {
            int attempt = job.state().attempt();
            if (job.state() instanceof Creating) {
                owed(job, false);
            } else if (bootedAt != null) {
                tell(job, new MachineRebooted(attempt, bootedAt));
            } else {
                tell(job, new RunGone(attempt));
            }
        }

        /** Adds what the stored state implies for a job whose program never ran. */
        private void owed(Job job, boolean created) {
            switch (job.state()) {
                case Creating c -> create(job, c, created);
                case Starting s -> effects.add(new StartRun(job, s.engine()));
                case HandedOver _ -> throw new IllegalStateException("job " + job.id() + " is its target's");
                case Stopping _ -> effects.add(new StopRun(job));
                case Running _ -> effects.add(new StopRun(job));
                case Deferred _ ->
                    throw new IllegalStateException("job " + job.id() + " is not ready and has a container");
                case Queued _ -> throw new IllegalStateException("job " + job.id() + " waits and has a container");
                case Held _ -> throw new IllegalStateException("job " + job.id() + " is held and has a container");
                case Packed _ -> throw new IllegalStateException("task " + job.id() + " of a pack has a container");
                case Dispatched _ -> throw new IllegalStateException("array " + job.id() + " has a container");
                case Finished _ -> throw new IllegalStateException("job " + job.id() + " is finished");
            }
        }

        /**
         * The last server may have allocated GPUs that this one does not, and after an older copy of the store was brought
         * back somebody may run where it says that nobody does.
         */
        private void create(Job job, Creating creating, boolean created) {
            List<GpuId> gpus = creating.allocation().gpus();
            if (created) {
                // It may have been made of other files, or with other GPUs.
                effects.add(new ReleaseRun(job));
            }
            boolean isNameTaken = orphans.containsKey(Attempt.of(job));
            if (isNameTaken || orphans.values().stream().flatMap(List::stream).anyMatch(gpus::contains)) {
                tell(
                        job,
                        new GpusTaken(
                                creating.attempt(), "a container that no job owns runs on the GPUs it was given"));
            } else if (!gpus.stream().allMatch(gpu -> capacity.gpu(gpu).isPresent())) {
                GpusWithdrawn withdrawn = new GpusWithdrawn(creating.attempt());
                // A container that was made, or still is, is that of an earlier attempt from now on.
                tell(
                        job,
                        switch (RunnerKind.of(job)) {
                            case CONTAINER, TARGET -> withdrawn;
                            case HOST -> new GpusTaken(creating.attempt(), withdrawn.sentence());
                        });
            } else {
                effects.add(new CreateRun(job, creating.imageId(), creating.allocation()));
            }
        }

        void look(Job job, boolean ranBefore) {
            if (RunnerKind.of(job) == RunnerKind.TARGET) {
                return;
            }
            int attempt = job.state().attempt();
            Sighting sighting = there.get(Attempt.of(job));
            boolean runs = job.state() instanceof Running;
            if (sighting == null && runs && ranBefore) {
                tell(job, new RunGone(attempt));
            } else if (sighting != null && sighting.found().condition() instanceof Condition.Exited exited) {
                tell(job, exited.of(attempt));
            } else if (sighting != null && runs && sighting.found().condition() instanceof Condition.Alive) {
                effects.add(new AdoptRun(job));
            } else if (sighting != null && runs && ranBefore) {
                // The engine was killed before it had written down that it started it.
                effects.add(new StopRun(job));
            }
        }

        private void tell(Job job, JobEvent event) {
            events.add(new Happening(job.id(), event));
        }
    }
}
