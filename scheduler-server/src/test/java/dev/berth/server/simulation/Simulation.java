package dev.berth.server.simulation;

import dev.berth.server.simulation.Stage.Scenery;
import java.util.SplittableRandom;

/** One random day in the life of a server, the same for the same seed. */
final class Simulation {
    private Simulation() {}

    /**
     * Plays it.
     *
     * @return what happened, by kind
     * @throws Violation where a law is broken
     */
    static Tally play(Scenery scenery, long seed, int steps, boolean traced) {
        try (Stage stage = new Stage(scenery);
                World world = new World(stage, seed, traced)) {
            Day day = new Day(world);
            for (int step = 0; step < steps; step++) {
                world.trace.step(step);
                day.step();
            }
            new CalmHours(world, new SplittableRandom(~seed)).play();
            day.settle();
            new Truth(world).check();
            world.tally.add("steps", steps);
            world.tally.add("jobs acknowledged", world.clients.acknowledged().size());
            return world.tally;
        }
    }
}
