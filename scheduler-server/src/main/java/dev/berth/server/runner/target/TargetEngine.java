package dev.berth.server.runner.target;

import dev.berth.core.job.JobSpec;
import dev.berth.core.job.Program;
import dev.berth.core.job.Signal;
import dev.berth.core.job.Submitter;
import dev.berth.server.runner.EngineException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * An engine with a queue of its own, to which jobs are handed over. Each call has a deadline, may be made by any thread and
 * repeated from its beginning, and ends in an {@link EngineException} where it could not be done: {@code UNREACHABLE} where the
 * engine does not answer, {@code REFUSED} where it said no and would say so again, {@code FAILING} where it may not fail the next
 * time. Its sentence is for people: the engine's name, its own words, the way out.
 */
public interface TargetEngine {
    /** What this engine can and cannot do. Asks nobody. */
    Abilities abilities();

    /** The health of the engine, and what it can hold, by asking it. */
    Health health();

    /**
     * What somebody should be told of this target once, before a job is handed over: each thing that is missing, and how it is mended.
     *
     * @param who as whom the engine is asked, where each user comes to it with keys of their own
     */
    List<Finding> examine(Submitter who);

    /**
     * The reason why it takes no such job of this owner, whatever it has now; empty where it does. Asks nobody.
     *
     * @param directory what the job is submitted with; empty where it has none
     */
    Optional<String> refusal(JobSpec spec, Program program, Submitter owner, Optional<Snapshot> directory);

    /**
     * The engine's own command that tells operators more of a job that has ended there, also when it is {@linkplain #discard discarded}.
     *
     * @param id as in {@link Phase.Over}
     */
    String inspection(Handed handed, String id);

    /** The image of a job of Berth's own that proves the target; empty where it has none of its own. */
    Optional<String> trialImage();

    /**
     * Hands a job over, unless the engine has, or had, one of its name: a program is never handed over twice. Its output is kept from
     * now on, until {@link #discard}.
     *
     * @throws EngineException {@code REFUSED} where the engine does not take such a job
     */
    void handOver(Handover handover);

    /**
     * The same of tasks of one array, in one hand-over: all of them, or none. They have one name, each its own number.
     *
     * @param tasks in their order; more than one only where the engine has arrays
     */
    default void handOver(List<Handover> tasks) {
        tasks.forEach(this::handOver);
    }

    /**
     * How far the engine is with these, by as few calls as it takes. One of which nothing can be said now is left out; it is
     * {@code Unknown} only where the engine says that it has none of its name.
     */
    Map<Handed, Phase> look(Collection<Handed> handed);

    /** What programs that are over have used, of those of which the engine has come to know it. */
    default Map<Handed, Phase.Used> used(Collection<Handed> handed) {
        return Map.of();
    }

    /**
     * Takes what these programs have written, of each behind what is known already, a bounded part at a time.
     *
     * @return whether there may be more to take at once
     */
    boolean collect(Collection<Reading> readings);

    /** Ends it: TERM, the grace, KILL; whether it waits or runs. Nothing where the engine does not have it. */
    void cancel(Handed handed, Duration grace);

    /** Sends its program a signal; whether it runs, so that there is somebody to get it. */
    boolean signal(Handed handed, Signal signal);

    /** Sets it aside in the engine's queue, or lets it go on. Nothing where it does not wait there, or is so already. */
    void hold(Handed handed, boolean isHeld);

    /**
     * Brings what a program that is over has left in its output directory ({@code $BERTH_OUTPUT_DIR}) into a directory of this
     * machine, with the rights of its owner, whose that is. Does nothing where the engine keeps none.
     */
    void fetch(Handed handed, Path into);

    /** Removes all that is left of one that is over, its output with it. */
    void discard(Handed handed);

    /**
     * What an engine can do.
     *
     * @param kind {@code Slurm} or {@code Kubernetes}, for people
     * @param order how jobs follow each other there, in a sentence
     */
    record Abilities(String kind, String order, Set<Ability> all) {
        public Abilities {
            all = Set.copyOf(all);
        }

        /** Whether it can do this. */
        public boolean has(Ability one) {
            return all.contains(one);
        }
    }

    /** What some engines can do and others cannot. */
    enum Ability {
        /** Jobs are set aside in its queue. */
        HOLDS,
        /** A program is sent a signal. */
        SIGNALS,
        /** A program has the time of its own job from TERM to KILL. */
        GRACE,
        /** A program has a container of its own, and so an image. */
        CONTAINERS,
        /** A program begins in the directory of its container that the job names. */
        WORKING_DIRECTORY,
        /** Tasks of an array are handed over as one, and dependencies with a job. */
        ARRAYS,
        /** Nodes are chosen by labels and tolerations. */
        NODE_TRAITS,
        /** What programs leave in their output directories is brought here. */
        OUTPUTS
    }

    /**
     * How an engine is.
     *
     * @param isWell whether it answers and can run jobs; one that does not answer has none to tell
     * @param sentence what it is, and what is the matter
     * @param capacity what it can hold, in words: "2 nodes, 16 cores, 4 GPUs"; empty where it does not say
     * @param order how jobs follow each other there, in a sentence
     */
    record Health(boolean isWell, String sentence, String capacity, String order) {}

    /**
     * A thing that was looked at.
     *
     * @param sentence what is the matter
     * @param remedy the command or setting that mends it; empty where nothing is to be mended
     */
    record Finding(String name, Verdict verdict, String sentence, Optional<String> remedy) {
        /** How a thing is. */
        public enum Verdict {
            WELL,
            /** Jobs run; not all of them, or not as one may expect. */
            WARNING,
            /** No job is to be tried before this is mended. */
            FAILURE
        }

        public static Finding well(String name, String sentence) {
            return new Finding(name, Verdict.WELL, sentence, Optional.empty());
        }

        public static Finding warning(String name, String sentence, String remedy) {
            return new Finding(name, Verdict.WARNING, sentence, Optional.of(remedy));
        }

        /** Where the sentence has all that can be done. */
        public static Finding failure(String name, String sentence) {
            return new Finding(name, Verdict.FAILURE, sentence, Optional.empty());
        }

        public static Finding failure(String name, String sentence, String remedy) {
            return new Finding(name, Verdict.FAILURE, sentence, Optional.of(remedy));
        }

        public boolean isWell() {
            return verdict == Verdict.WELL;
        }
    }

    /** What an attempt has written, and where it goes. */
    interface Reading {
        Handed handed();

        /** How many bytes are known of a stream. */
        long known(Stream stream);

        /** Takes the bytes that follow the known ones. */
        void take(Stream stream, byte[] bytes) throws IOException;

        /** The streams of a program, and the file that it writes its metrics to ({@code $BERTH_TRACK}). */
        enum Stream {
            OUTPUT,
            ERROR,
            TRACK
        }
    }
}
