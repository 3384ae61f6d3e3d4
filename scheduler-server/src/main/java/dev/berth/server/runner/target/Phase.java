package dev.berth.server.runner.target;

import dev.berth.core.job.Outcome;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** How far an engine is with an attempt that was handed over. */
public sealed interface Phase {
    /**
     * The engine does not know it (any more).
     *
     * @param outcome how it ended if it never ran, where the engine's other records tell that; else null
     */
    record Unknown(@Nullable Outcome outcome) implements Phase {
        /** Of which the engine knows nothing at all. */
        public Unknown() {
            this(null);
        }
    }

    /**
     * It has its place in the engine's queue.
     *
     * @param id what the engine calls it: {@code 4711}
     * @param isHeld whether somebody set it aside there
     * @param words the engine's own words for why it waits, in a sentence that goes on from "QUEUED: ":
     *     {@code Slurm waits for Resources (job 4711, place unknown)}
     */
    record Waiting(String id, boolean isHeld, String words) implements Phase {}

    /**
     * Its program runs.
     *
     * @param node where, for people
     */
    record Alive(String id, Instant startedAt, String node) implements Phase {}

    /**
     * It has ended and nothing of it runs.
     *
     * @param end how
     * @param startedAt when its program began; null where it never did
     * @param used what it used, where the engine keeps account of that; else null
     */
    record Over(
            String id,
            End end,
            @Nullable Instant startedAt,
            Instant endedAt,
            @Nullable Used used) implements Phase {
        /** The same of a program whose end is known better. */
        public Over endedWith(End other) {
            return new Over(id, other, startedAt, endedAt, used);
        }
    }

    /** How a program ended. */
    sealed interface End {
        /**
         * By itself, or by a signal.
         *
         * @param exitCode 128 + n for signal n
         */
        record Exited(int exitCode, boolean outOfMemory) implements End {}

        /** The engine ended it, or never started it, for a reason of its own: a time limit, a node that is lost, an operator. */
        record ByEngine(Outcome outcome) implements End {}

        /**
         * Its program never began, as its image is not where it was to run.
         *
         * @param words what goes on from the image's name: {@code is not on its node; check the path}
         */
        record NoImage(String words) implements End {
            /** The sentence about that image. */
            public String sentence(String image) {
                return "image " + image + " " + words;
            }
        }
    }

    /**
     * What an attempt used, by the engine's account.
     *
     * @param cpuTime of all its processes
     * @param maxMemoryBytes the most memory at one time; 0 where it is not known
     */
    record Used(Duration cpuTime, long maxMemoryBytes) {}
}
