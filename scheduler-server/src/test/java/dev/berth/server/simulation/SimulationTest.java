package dev.berth.server.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.server.simulation.Stage.Scenery;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Random days in the life of a server, many at a time: the first ones, those that find planted bugs, and fresh ones. A
 * failure names its seed; {@code -Dberth.simulation.seed=N} plays it again and tells what happens,
 * {@code -Dberth.simulation.seeds=N} plays that many fresh ones, {@code -Dberth.simulation.steps=N} longer ones.
 */
class SimulationTest {
    private static final int STEPS = Integer.getInteger("berth.simulation.steps", 400);
    private static final int FIRST_SEEDS = 100;
    private static final int FRESH_SEEDS = 20;
    private static final int MAX_FAILURES = 5;

    private final Tally tally = new Tally();
    private final List<String> failures = new CopyOnWriteArrayList<>();

    private static Queue<Long> seeds() {
        Long count = Long.getLong("berth.simulation.seeds");
        SplittableRandom fresh = new SplittableRandom();
        Queue<Long> seeds = new ConcurrentLinkedQueue<>();
        if (count == null) {
            LongStream.concat(
                            LongStream.range(0, FIRST_SEEDS),
                            PlantedBugs.ALL.stream().mapToLong(PlantedBug::likelySeed))
                    .distinct()
                    .forEach(seeds::add);
        }
        LongStream.generate(fresh::nextLong)
                .limit(count == null ? FRESH_SEEDS : count)
                .forEach(seeds::add);
        return seeds;
    }

    @Test
    void nothingIsLostNothingIsStartedTwiceNoGpuIsShared() throws Exception {
        Long one = Long.getLong("berth.simulation.seed");
        try (Scenery scenery = Scenery.build()) {
            if (one != null) {
                System.out.println(Simulation.play(scenery, one, STEPS, true));
                return;
            }
            play(scenery, seeds());
        }
        assertThat(failures)
                .withFailMessage(() -> "broken laws: " + String.join("; ", failures))
                .isEmpty();
        assertThat(tally.counts()).as("something happened").containsKey("jobs acknowledged");
    }

    private void play(Scenery scenery, Queue<Long> seeds) throws InterruptedException {
        Instant began = Instant.now();
        List<Thread> players = LongStream.range(0, Runtime.getRuntime().availableProcessors())
                .mapToObj(number -> Thread.ofPlatform().name("player " + number).start(() -> playAll(scenery, seeds)))
                .toList();
        for (Thread player : players) {
            player.join();
        }
        System.out.printf(
                "simulation: %d seeds of %d steps in %d s, violations %d%n%s%n",
                tally.counts().getOrDefault("seeds", 0L),
                STEPS,
                Duration.between(began, Instant.now()).toSeconds(),
                failures.size(),
                tally);
    }

    private void playAll(Scenery scenery, Queue<Long> seeds) {
        for (Long seed = seeds.poll(); seed != null && failures.size() < MAX_FAILURES; seed = seeds.poll()) {
            try {
                tally.add(Simulation.play(scenery, seed, STEPS, false));
                tally.count("seeds");
            } catch (RuntimeException | Error e) {
                failures.add("seed " + seed + ": " + e + "; play it again with -Dberth.simulation.seed=" + seed);
            }
        }
    }
}
