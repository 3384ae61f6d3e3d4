package dev.berth.server.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.JobId;
import dev.berth.server.code.SnapshotLimits;
import dev.berth.server.code.SnapshotStore;
import dev.berth.server.container.EngineException;
import dev.berth.server.container.EngineException.Kind;
import dev.berth.server.container.FakeContainerEngine.Faults;
import dev.berth.server.example.Draft;
import dev.berth.server.example.Jobs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random days in the life of a server. A failure names its seed; {@code -Dberth.simulation.seed=N} plays it again, and
 * {@code -Dberth.simulation.seeds=N} plays that many fresh ones.
 */
class SimulationTest {
    private static final int STEPS = 300;
    private static final int FIXED_SEEDS = 120;
    private static final int FRESH_SEEDS = 20;

    static Stream<Long> seeds() {
        Long one = Long.getLong("berth.simulation.seed");
        if (one != null) {
            return Stream.of(one);
        }
        SplittableRandom fresh = new SplittableRandom();
        long count = Long.getLong("berth.simulation.seeds", FRESH_SEEDS);
        return Stream.concat(
                LongStream.range(0, FIXED_SEEDS).boxed(),
                Stream.generate(fresh::nextLong).limit(count));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void nothingIsLostNothingIsStartedTwiceNoGpuIsShared(long seed, @TempDir Path directory) throws Exception {
        Files.createDirectories(directory.resolve("jobs"));
        Files.createDirectories(directory.resolve("snapshots"));
        String snapshot = new Draft()
                .uploadTo(
                        new SnapshotStore(
                                directory.resolve("snapshots"),
                                SnapshotLimits.DEFAULT,
                                InstantSource.fixed(Jobs.SUBMITTED)),
                        Jobs.ADA.uid());
        SplittableRandom random = new SplittableRandom(seed);
        try (World world =
                new World(directory, snapshot, World.capacity(1 + random.nextInt(4), random.nextInt(2)), random)) {
            Truth truth = new Truth(world);
            for (int step = 0; step < STEPS; step++) {
                step(world, truth, random);
                truth.check();
            }
            world.engine.strikeWith(Faults.NONE);
            world.engine.hearAgain();
            cancel(world, random);
            world.letGo();
            world.settle();
            truth.checkEnd();
            assertThat(world.record.acknowledged()).as("something happened").isNotEmpty();
        }
    }

    private static void step(World world, Truth truth, SplittableRandom random) {
        switch (random.nextInt(20)) {
            case 0, 1 -> submit(world, random);
            case 2 -> cancel(world, random);
            case 3, 4 -> endOne(world, truth, random);
            case 5 -> world.time.advance(Duration.ofMillis(random.nextInt(2_000)));
            case 6 -> misfortune(world, random);
            case 7 -> world.repeatNews();
            case 12 -> world.submitAgain();
            case 13 -> setAside(world, random);
            case 8, 9, 10, 11 -> world.through(world::turn);
            default ->
                world.through(() -> {
                    boolean _ = world.time.work();
                });
        }
    }

    private static void submit(World world, SplittableRandom random) {
        String[] images = {"here", "here", "here", "far", "nowhere"};
        world.submit(
                random.nextInt(world.capacity.gpus().size() + 2),
                images[random.nextInt(images.length)],
                random.nextInt(4) == 0 ? 1 + random.nextInt(20) : 0);
    }

    /** Any job that somebody was told of, or one whose program runs. */
    private static void cancel(World world, SplittableRandom random) {
        List<JobId> known = random.nextBoolean()
                ? world.record.acknowledged().keySet().stream().map(JobId::new).toList()
                : world.engine.running().stream().map(Truth::jobOf).toList();
        if (!known.isEmpty()) {
            world.cancel(known.get(random.nextInt(known.size())));
        }
    }

    private static void setAside(World world, SplittableRandom random) {
        List<Long> known = List.copyOf(world.record.acknowledged().keySet());
        if (known.isEmpty() || random.nextInt(3) == 0) {
            world.pause();
        } else {
            world.hold(new JobId(known.get(random.nextInt(known.size()))));
        }
    }

    private static void endOne(World world, Truth truth, SplittableRandom random) {
        List<String> running =
                world.engine.running().stream().filter(world::mayEnd).toList();
        if (!running.isEmpty()) {
            String name = running.get(random.nextInt(running.size()));
            int code = random.nextInt(3);
            truth.ended(name, code);
            world.engine.end(name, code);
        }
    }

    private static void misfortune(World world, SplittableRandom random) {
        switch (random.nextInt(8)) {
            case 0 -> world.restart();
            case 1 -> world.crashBeforeEffect(random.nextInt(3));
            case 2 -> world.engine.breakEvents();
            case 3 -> world.engine.hearAgain();
            case 4 -> world.engine.removeImage(random.nextBoolean() ? "here" : "far");
            case 5 -> world.engine.withImage("here");
            case 6 -> strikes(world, random.split(), true);
            default -> strikes(world, random.split(), false);
        }
    }

    /** From now on calls fail: before or after the engine did what it was asked, or with the server's own end. */
    private static void strikes(World world, SplittableRandom random, boolean withCrashes) {
        int mercy = 2 + random.nextInt(6);
        world.engine.strikeWith((verb, done) -> {
            if (random.nextInt(mercy) != 0) {
                return;
            }
            if (withCrashes) {
                world.record.crashed((done ? "after " : "before ") + verb);
                throw new Crash();
            }
            if (random.nextInt(6) == 0 && !done && (verb.equals("create") || verb.equals("start"))) {
                throw new EngineException(Kind.REFUSED, "the engine refuses to " + verb);
            }
            throw new EngineException(Kind.UNREACHABLE, "the engine did not " + verb);
        });
    }
}
