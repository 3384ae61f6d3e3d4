package dev.berth.server.simulation;

import dev.berth.core.job.Gpu;
import dev.berth.core.job.GpuId;
import dev.berth.core.machine.Input;
import dev.berth.core.machine.Machine;
import dev.berth.server.ServerAssembly;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * Hours in which programs run until they end by their time limits, all that is to be done is done at once, and one thing at
 * most goes wrong: what is foretold then has to come true.
 */
final class CalmHours {
    /** One day in so many has them. */
    private static final int DAYS = 3;

    private static final int MAX_JOBS = 200;
    private static final int ROUNDS = 400;
    private static final Duration LATER = Duration.ofMinutes(2);
    private static final Duration HOURS = Duration.ofHours(3);

    private final World world;
    private final SplittableRandom random;
    private final GivenForecasts given;

    /**
     * What may come.
     *
     * @param random of its own, so that days with and without them are the same before
     */
    CalmHours(World world, SplittableRandom random) {
        this.world = world;
        this.random = random;
        this.given = new GivenForecasts(world);
    }

    void play() {
        if (random.nextInt(DAYS) != 0 || world.clients.known().size() > MAX_JOBS) {
            return;
        }
        world.tally.count("calm hours");
        world.trace.say("world", "is calm");
        clearUp();
        pass(World.STOP_GRACE.plusMinutes(1));
        world.clients.submitLater(world.scheduling(), world.capacity.gpus().size(), LATER);
        for (int jobs = 3 + random.nextInt(8); jobs > 0; jobs--) {
            world.clients.submitShort(
                    world.scheduling(),
                    random.nextInt(world.capacity.gpus().size() + 1),
                    Duration.ofSeconds(1 + random.nextInt(20)));
        }
        pass(aWhile());
        happen();
        pass(aWhile());
        world.engine.comeBack();
        pass(HOURS);
        world.still(false);
    }

    private Duration aWhile() {
        return Duration.ofMillis(random.nextInt(3 * (int) World.STOP_GRACE.toMillis()));
    }

    /** Most of what waits would have no forecast, and what is behind it none either. */
    private void clearUp() {
        world.still(true);
        world.engine.comeBack();
        world.strangers.leave();
        world.mendGpus();
        var _ = world.scheduling().request(now -> new Input.ResumeStarts(now, "ada"));
        world.clients.cancelMany(world.server(), random.nextInt(3));
    }

    private void happen() {
        switch (random.nextInt(8)) {
            case 0, 1 -> world.engine.goAway(random.nextBoolean());
            case 2 -> {
                var _ = world.scheduling().request(now -> new Input.PauseStarts(now, "ada"));
            }
            case 3 -> {
                GpuId gpu = anyGpu();
                var _ = world.scheduling().request(now -> new Input.DrainGpu(now, gpu, "ada", "a noise"));
            }
            case 4 -> world.strangers.comeOrGo(anyGpu());
            case 5 -> world.strangers.lockOrUnlock();
            default -> {}
        }
    }

    private GpuId anyGpu() {
        List<Gpu> gpus = world.capacity.gpus();
        return gpus.get(random.nextInt(gpus.size())).id();
    }

    private void pass(Duration time) {
        Duration left = time;
        for (int round = 0; round < ROUNDS && left.isPositive(); round++) {
            boolean isBusy = isBusy();
            given.look();
            if (!isBusy) {
                Optional<Duration> next = untilNext();
                if (next.isEmpty()) {
                    return;
                }
                Duration step = next.get().compareTo(left) < 0 ? next.get() : left;
                world.time.advance(step);
                given.pass(step);
                left = left.minus(step);
            }
        }
    }

    private boolean isBusy() {
        Machine before = world.machine();
        ServerAssembly server = world.server();
        world.through(world::turn);
        // A turn may have done more than it has heard of.
        boolean[] busy = {!before.equals(world.machine())};
        world.through(() -> busy[0] |= world.time.work());
        world.through(() -> busy[0] |= world.engine.deliver());
        world.through(() -> busy[0] |= world.commands.act());
        busy[0] |= world.engine.finishOne();
        world.ground.packs.keepLimits();
        busy[0] |= world.ground.packs.haveGoneOn();
        world.ground.check();
        world.commands.check();
        world.requireArraysEnd();
        // A new server has something to do before any time passes.
        return busy[0] || !world.server().equals(server);
    }

    /** The time until anybody has something to do, or something that was foretold should have come true. */
    private Optional<Duration> untilNext() {
        Optional<Duration> limit = world.machine()
                .nextDeadline()
                .map(end -> Duration.between(world.time.clocks().steady().instant(), end))
                .filter(Duration::isPositive);
        return Stream.of(
                        world.time.untilNext(),
                        limit,
                        world.untilBegin(),
                        given.untilNext(),
                        world.ground.packs.untilLimit())
                .flatMap(Optional::stream)
                .min(Duration::compareTo);
    }
}
