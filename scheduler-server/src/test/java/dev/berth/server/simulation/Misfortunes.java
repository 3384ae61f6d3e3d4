package dev.berth.server.simulation;

import dev.berth.core.job.Gpu;
import dev.berth.core.job.GpuId;
import dev.berth.server.simulation.Fate.End;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/** What befalls a workstation, beside what the weather does to single calls. */
final class Misfortunes {
    private final World world;
    private final SplittableRandom random;

    Misfortunes(World world) {
        this.world = world;
        this.random = world.random;
    }

    void happen() {
        switch (random.nextInt(22)) {
            case 0 -> count("kill -9", () -> world.restart("kill -9"));
            case 1, 2 -> world.crashBeforeEffect(random.nextInt(3));
            case 3 -> world.engine.breakEvents();
            case 4 -> world.engine.breakLogs();
            case 5, 6 -> world.engine.comeBack();
            case 7 -> image();
            case 8, 9 -> world.engine.weather.storm(2 + random.nextInt(6), true);
            case 10, 11 -> world.engine.weather.storm(2 + random.nextInt(6), false);
            case 12 -> outage();
            case 13 -> somebody();
            case 14, 18 -> clock();
            case 15, 16, 19 -> stranger();
            case 17 -> world.mendGpus();
            case 21 -> count("SIGTERM", world::terminate);
            default -> reboot();
        }
    }

    private void count(String kind, Runnable misfortune) {
        world.tally.count(kind);
        world.trace.say("world", kind);
        misfortune.run();
    }

    private void image() {
        switch (random.nextInt(3)) {
            case 0 -> count("image removed", () -> world.ground.removeImage("here"));
            case 1 -> count("image removed", () -> world.ground.removeImage("far"));
            default -> {
                var _ = world.ground.engine.withImage("here");
            }
        }
    }

    /** The engine goes away: frozen, or ended; with live-restore, which leaves programs running, or without. */
    private void outage() {
        switch (random.nextInt(3)) {
            case 0 -> count("engine frozen", () -> world.engine.goAway(false));
            case 1 -> count("engine ended, with live-restore", () -> world.engine.goAway(true));
            default ->
                count("engine ended, with all programs", () -> {
                    world.engine.goAway(true);
                    world.ground.endAll(End.ENGINE, random.nextBoolean() ? 137 : 255);
                });
        }
    }

    /** The engine is started anew, and finds that programs have ended since. */
    void engineBegins() {
        count("engine ended and began again, with all programs", () -> {
            world.engine.goAway(true);
            world.ground.endAll(End.ENGINE, 255);
            world.engine.comeBack();
        });
    }

    void somebody() {
        if (random.nextInt(3) == 0) {
            anyRunning()
                    .ifPresent(
                            fate -> count("program killed by hand", () -> world.end(fate, End.SOMEBODY, 137, false)));
        } else {
            List<Fate> there = world.ground.there().stream()
                    .filter(fate -> fate.server.equals(World.SERVER))
                    .toList();
            if (!there.isEmpty()) {
                Fate fate = there.get(random.nextInt(there.size()));
                count("container removed by hand", () -> world.ground.takeAway(fate));
            }
        }
    }

    private void stranger() {
        if (random.nextInt(3) == 0) {
            count("lock taken or given back", world.strangers::lockOrUnlock);
        } else {
            List<Gpu> gpus = world.capacity.gpus();
            GpuId gpu = gpus.get(random.nextInt(gpus.size())).id();
            count("stranger comes to a GPU or goes", () -> world.strangers.comeOrGo(gpu));
        }
    }

    private void reboot() {
        count("reboot", world::reboot);
    }

    private void clock() {
        int seconds = 1 + random.nextInt(7_200);
        if (random.nextBoolean()) {
            count("clock set forward", () -> world.time.setClock(Duration.ofSeconds(seconds)));
        } else {
            // Of a line that is under way just then nobody could tell when it was written.
            world.engine.deliverLogs();
            count("clock set back", () -> world.time.setClock(Duration.ofSeconds(-seconds)));
        }
    }

    Optional<Fate> anyRunning() {
        List<Fate> running = world.ground.running().stream()
                .filter(fate -> fate.server.equals(World.SERVER))
                .toList();
        return running.isEmpty() ? Optional.empty() : Optional.of(running.get(random.nextInt(running.size())));
    }
}
