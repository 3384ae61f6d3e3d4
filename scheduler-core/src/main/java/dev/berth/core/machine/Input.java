package dev.berth.core.machine;

import dev.berth.core.job.GpuId;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.Program;
import dev.berth.core.job.StateName;
import dev.berth.core.job.SubmitKey;
import dev.berth.core.job.Submitter;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** An input of the scheduler, with the time at which it came. */
public sealed interface Input {
    Instant at();

    /**
     * Somebody wants this to run; the key, if there is one, is new. The program is passed on to the store.
     *
     * @param ended those of the jobs that it waits for that have ended, with how
     */
    record SubmitJob(
            Instant at,
            JobSpec spec,
            Program program,
            Submitter submitter,
            @Nullable SubmitKey key,
            SortedMap<JobId, StateName> ended)
            implements Input {
        public SubmitJob {
            ended = Collections.unmodifiableSortedMap(new TreeMap<>(ended));
        }

        /** Makes the input of a job that waits for none that has ended. */
        public SubmitJob(Instant at, JobSpec spec, Program program, Submitter submitter, @Nullable SubmitKey key) {
            this(at, spec, program, submitter, key, new TreeMap<>());
        }

        /** The input of a job that waits for some that have ended. */
        public SubmitJob with(SortedMap<JobId, StateName> others) {
            return new SubmitJob(at, spec, program, submitter, key, others);
        }
    }

    /**
     * Something happened to a job.
     *
     * @param subject the job as it stands: from the machine where it is there, else from the store
     */
    record JobHappening(Instant at, Job subject, JobEvent event) implements Input {}

    /**
     * Something is asked of a task of an array that is no job of its own.
     *
     * @param array as it stands, as {@link JobHappening#subject}
     * @param open how many of its tasks are jobs of their own and have had no turn
     */
    record TaskHappening(Instant at, Job array, int index, long open, JobEvent event) implements Input {}

    /**
     * A job is to wait for a task of an array that is no job of its own, and is submitted next.
     *
     * @param array as it stands
     */
    record TaskAwaited(Instant at, Job array, int index, long open) implements Input {}

    /**
     * Tasks of an array have ended, for which the tasks of another wait, each for that of its own index.
     *
     * @param array the one whose tasks wait, as it stands; it has the indices of the other
     * @param other the one whose tasks have ended
     * @param ended how they have, by their indices
     */
    record PairsEnded(Instant at, Job array, JobId other, SortedMap<Integer, StateName> ended) implements Input {
        public PairsEnded {
            ended = Collections.unmodifiableSortedMap(new TreeMap<>(ended));
        }
    }

    /**
     * An array of which a task has ended was looked at.
     *
     * @param array as it stands
     * @param isOpen whether one of its tasks is a job of its own and has not ended
     * @param tasks how many of those that are have ended in which state
     */
    record ArrayRead(Instant at, Job array, boolean isOpen, SortedMap<StateName, Long> tasks) implements Input {
        public ArrayRead {
            tasks = Collections.unmodifiableSortedMap(new TreeMap<>(tasks));
        }
    }

    /**
     * A pack has ended, and all that is known of its tasks is told.
     *
     * @param pack as it stands
     * @param attempt the one that was read
     * @param isKnown whether it is known of each task that has not told of its begin that it has not begun
     * @param tasks those that it was made of, as they stand
     */
    record PackRead(Instant at, Job pack, Attempt attempt, boolean isKnown, List<Job> tasks) implements Input {
        public PackRead {
            tasks = List.copyOf(tasks);
        }
    }

    /** Time has passed. */
    record TimePassed(Instant at) implements Input {}

    /**
     * Start nothing new, and stop what runs.
     *
     * @param by who asked
     */
    record StopEverything(Instant at, String by) implements Input {}

    /** Start nothing new for the time being; what runs goes on. */
    record PauseStarts(Instant at, String by) implements Input {}

    /** Start again what has its turn. */
    record ResumeStarts(Instant at, String by) implements Input {}

    /**
     * The engine was out of sight, and has been looked at again.
     *
     * @param running the attempts that ran before anybody looked
     */
    record EngineSeen(Instant at, Set<Attempt> running, List<Sighting> sightings) implements Input {}

    /** A container that no job owned has ended, or is gone: whatever it held is free. */
    record OrphanEnded(Instant at, Attempt attempt) implements Input {}

    /** These jobs wait for one that has ended, and either for nothing else, or for another end of it. */
    record DependentsRead(Instant at, JobId ended, List<Job> dependents, Told told) implements Input {}

    /** These jobs wait for one that a target has whose engine keeps dependencies. */
    record DependentsOrdered(Instant at, JobId other, List<Job> dependents) implements Input {
        public DependentsOrdered {
            dependents = List.copyOf(dependents);
        }
    }

    /** Who knows of the end of a job then. */
    enum Told {
        /** There may be others who wait for it. */
        SOME,
        ALL,
        NOBODY_WAITED
    }

    /**
     * These jobs are not to start before a date that has come.
     *
     * @param more whether there are others
     */
    record DatesReached(Instant at, List<Job> due, boolean more) implements Input {}

    /** The store holds these queued jobs behind a lane's window. */
    record QueueRead(Instant at, Lane lane, List<Job> behind, boolean more) implements Input {}

    /**
     * GPUs that were given to a job's attempt are in somebody else's hands; nothing was made.
     *
     * @param obstacles all that is known to be in the way now
     * @param lock who holds the lock, in a sentence, or null
     * @param sentence why, for the job's history
     */
    record GpusRefused(
            Instant at,
            Attempt attempt,
            SortedMap<GpuId, Obstacle> obstacles,
            @Nullable String lock,
            String sentence) implements Input {}

    /** The obstacles to allocating GPUs now; there are no others. */
    record GpusSeen(
            Instant at,
            SortedMap<GpuId, Obstacle> obstacles,
            @Nullable String lock) implements Input {}

    /**
     * Nothing of an ended attempt is on the GPUs it has left, but on those that are drained for it.
     *
     * @param drained why a GPU is not to be allocated, for people
     */
    record GpusCleaned(Instant at, Attempt attempt, SortedMap<GpuId, String> drained) implements Input {}

    /** Allocate nothing more on a GPU; a job that holds it goes on. */
    record DrainGpu(Instant at, GpuId gpu, String by, String reason) implements Input {}

    /** Allocate a drained GPU again. */
    record ResumeGpu(Instant at, GpuId gpu, String by) implements Input {}
}
