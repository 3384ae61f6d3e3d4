package dev.berth.core.machine;

import dev.berth.core.job.Gpu;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import java.util.List;
import java.util.stream.Stream;

/**
 * The result of one input.
 *
 * @param machine the state after it
 * @param changes to be written in one transaction, in this order
 * @param effects to be carried out once that is committed, in this order
 * @param reply what the sender of the input is told once it is committed
 */
public record Step(Machine machine, List<Change> changes, List<Effect> effects, Reply reply) {
    public Step {
        changes = List.copyOf(changes);
        effects = List.copyOf(effects);
    }

    /** Nothing followed. */
    public static Step nothing(Machine machine) {
        return new Step(machine, List.of(), List.of(), new Reply.None());
    }

    /** This and what followed from it; the answer is this one's. */
    public Step then(Step next) {
        return new Step(
                next.machine,
                Stream.concat(changes.stream(), next.changes.stream()).toList(),
                Stream.concat(effects.stream(), next.effects.stream()).toList(),
                reply);
    }

    /** The same with another answer. */
    public Step replying(Reply other) {
        return new Step(machine, changes, effects, other);
    }

    /** The answer to an input. */
    public sealed interface Reply {
        /** The submitted job, as accepted. */
        record Accepted(Job job) implements Reply {}

        /** The jobs of a pipeline, as accepted, in its order. */
        record AcceptedAll(List<Job> jobs) implements Reply {
            public AcceptedAll {
                jobs = List.copyOf(jobs);
            }
        }

        /** The jobs that an earlier try of the same pipeline made, but for those deleted since. */
        record RepeatedAll(List<Job> jobs) implements Reply {
            public RepeatedAll {
                jobs = List.copyOf(jobs);
            }
        }

        /**
         * One job of a pipeline cannot be accepted, and so none was.
         *
         * @param stage its place, from 0
         * @param why what its submit would be answered
         */
        record RefusedStage(int stage, Reply why) implements Reply {}

        /** The job that an earlier try of the same submit made. */
        record Repeated(Job job) implements Reply {}

        /** The key of the submit belongs to another request's job. */
        record KeyTaken(Job job) implements Reply {}

        /**
         * The queue is full for the submitter, of whom only so many jobs may wait; nothing was changed.
         *
         * @param waiting jobs that wait already
         * @param asked jobs that were submitted at once
         */
        record QueueFull(long waiting, int asked) implements Reply {}

        /**
         * The submitted job finds no room beside what the submitter's other jobs take that have not ended; nothing was
         * changed.
         *
         * @param taken bytes of theirs
         * @param asked bytes of the submitted one
         */
        record NoRoom(long taken, long asked) implements Reply {}

        /** The submitted job can never run here; nothing was changed. */
        record Refused(String sentence) implements Reply {}

        /** The submitted job was to wait for one that is not there any more; nothing was changed. */
        record NoSuchDependency(JobId job) implements Reply {}

        /**
         * The submitted job was to start at once or not at all, and cannot start now; nothing was changed.
         *
         * @param free the GPUs that nobody has, by index
         * @param isPassing whether that is for a moment: somebody else's start is being decided
         */
        record NotNow(String sentence, List<Gpu> free, boolean isPassing) implements Reply {
            public NotNow {
                free = List.copyOf(free);
            }
        }

        /** The job as it stands after the event. */
        record Took(Job job) implements Reply {}

        /** The event changed nothing. */
        record Ignored(Job job, String reason) implements Reply {}

        /** Nobody asked. */
        record None() implements Reply {}
    }
}
