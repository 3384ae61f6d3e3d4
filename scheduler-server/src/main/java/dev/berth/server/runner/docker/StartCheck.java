package dev.berth.server.runner.docker;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.GpuId;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;

/**
 * A check of whose fault a failed start is, by a start of which nothing is a submitter's: what the engine says of a
 * job's container bears the submitter's words, and those of an image and a registry, and decides nothing. Safe for any
 * thread.
 */
public interface StartCheck {
    /** Knows nothing of anything. */
    StartCheck NONE = new StartCheck() {
        @Override
        public Verdict engine() {
            return new Verdict.Unknown();
        }

        @Override
        public SortedMap<GpuId, String> faults(Allocation allocation) {
            return Collections.emptySortedMap();
        }

        @Override
        public Optional<String> complaint() {
            return Optional.empty();
        }
    };

    /** The result of the start of Berth's own container. */
    sealed interface Verdict {
        /** The container was started. */
        record Well() implements Verdict {}

        /**
         * The container was not started.
         *
         * @param sentence what the engine said of it
         */
        record Failing(String sentence) implements Verdict {}

        /** Nothing is known: its image is not here, or it could be neither looked for nor removed. */
        record Unknown() implements Verdict {}
    }

    /**
     * Whether the engine starts containers at all.
     *
     * @throws EngineException where it does not answer
     */
    Verdict engine();

    /**
     * To be called when the engine has failed at a start: that it started containers before says nothing of it. Else
     * the jobs that are started while its containerd is replaced would fail.
     */
    default void doubt() {
        // Where nothing is kept there is nothing to forget.
    }

    /**
     * The GPUs of an allocation on which Berth's own container does not start although one without GPUs does, and what
     * the engine said of it. The caller holds them, and has nothing running on them.
     *
     * @throws EngineException where the engine does not answer
     */
    SortedMap<GpuId, String> faults(Allocation allocation);

    /** The reason why the engine starts no container, where that was found and is still so. */
    Optional<String> complaint();
}
