package dev.berth.server.simulation;

import dev.berth.server.simulation.Stage.Scenery;

/** Many days one after the other, until a law breaks. */
public final class SeedRun {
    private SeedRun() {}

    /**
     * Plays the days of the seeds from 0 on.
     *
     * @return the first seed that breaks a law, a space, and the law with what happened; empty where all of them hold
     */
    public static String firstViolation(int seeds, int steps) {
        try (Scenery scenery = Scenery.build()) {
            for (int seed = 0; seed < seeds; seed++) {
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
