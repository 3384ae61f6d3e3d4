package dev.berth.server.simulation;

import dev.berth.server.simulation.Stage.Scenery;
import java.util.stream.LongStream;

/** Many days one after the other, until a law breaks. */
public final class SeedRun {
    private SeedRun() {}

    /**
     * Plays the day of a likely seed, and then those of the seeds from 0 on.
     *
     * @return the first seed that breaks a law, a space, and the law with what happened; empty where all of them hold
     */
    public static String firstViolation(long likely, int seeds, int steps) {
        long[] all = LongStream.concat(LongStream.of(likely), LongStream.range(0, seeds))
                .toArray();
        try (Scenery scenery = Scenery.build()) {
            for (long seed : all) {
                try {
                    Tally _ = Simulation.play(scenery, seed, steps, false);
                } catch (Violation violation) {
                    return seed + " " + violation.getMessage();
                }
            }
            return "";
        }
    }
}
