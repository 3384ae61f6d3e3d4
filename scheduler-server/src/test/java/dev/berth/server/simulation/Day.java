package dev.berth.server.simulation;

import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState.Deferred;
import dev.berth.core.job.Unmet;
import dev.berth.core.machine.Input;
import dev.berth.core.machine.JobEvent.HoldRequested;
import dev.berth.core.machine.JobEvent.ReleaseRequested;
import dev.berth.core.machine.Machine;
import dev.berth.server.log.LogSink;
import dev.berth.server.simulation.Fate.End;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/** What happens in a world, step by step, as chance has it. */
final class Day {
    private static final int MAX_ROUNDS = 20_000;
    private static final int STOPS = 5_000;
    private static final int BACKUPS = 40;
    private static final int FLOODS = 6_000;
    private static final int RECESSES = 40;
    private static final int KEPT = 20;

    /** On days with retries, programs end more often. */
    private static final int ENDS = 4;

    /** In one step of so many, something happens in a pack that runs. */
    private static final int PACK_STEPS = 3;

    /** In one step of so many with packs that run, one of their tasks is cancelled. */
    private static final int PACK_CANCELS = 25;

    /** Steps, more or less, until an engine that is away is started again. */
    private static final int OUTAGE = 40;

    private final World world;
    private final SplittableRandom random;
    private final Misfortunes misfortunes;
    private boolean hasFlood;

    Day(World world) {
        this.world = world;
        this.random = world.random;
        this.misfortunes = new Misfortunes(world);
        world.whileDown(this::withoutServer);
    }

    void step() {
        if (random.nextInt(STOPS) == 0) {
            stopEverything();
        }
        if (world.engine.weather.isAway() && random.nextInt(OUTAGE) == 0) {
            world.engine.comeBack();
        }
        if (random.nextInt(BACKUPS) == 0) {
            world.mayBackUp();
        }
        if (random.nextInt(FLOODS) == 0) {
            world.clients.submitMany(world.scheduling(), world.capacity.gpus().size());
            hasFlood = true;
        }
        if (hasFlood && random.nextInt(RECESSES) == 0) {
            world.clients.cancelMany(
                    world.server(), random.nextInt(world.clients.known().size() + 1));
        }
        switch (random.nextInt(33)) {
            case 0, 1 -> submit();
            case 2, 28 -> cancel();
            case 3, 4 -> endOne();
            case 5 -> world.time.advance(Duration.ofMillis(random.nextInt(2_000)));
            case 6, 7 -> misfortunes.happen();
            case 8 -> world.repeatNews();
            case 9 -> world.clients.submitAgain(world.scheduling());
            case 10 -> setAside();
            case 11, 12 -> print();
            case 13, 14, 15 ->
                world.through(() -> {
                    boolean _ = world.engine.deliver();
                });
            case 29, 30, 31 ->
                world.through(() -> {
                    boolean _ = world.commands.act();
                });
            case 32 -> world.through(world.commands::happen);
            case 16 -> {
                boolean _ = world.engine.finishOne();
            }
            case 17, 18, 19, 20 -> world.through(world::turn);
            default ->
                world.through(() -> {
                    boolean _ = world.time.work();
                });
        }
        if (world.retries.isOneIn(ENDS)) {
            endOne();
        }
        world.ground.packs.mayGoOn(PACK_STEPS, world::mayEndInPack);
        cancelInPack();
        check();
    }

    /** Somebody ends a task alone that runs in a pack; now and then the server is gone before it has told the pack. */
    private void cancelInPack() {
        world.ground.packs.anyTask(PACK_CANCELS).ifPresent(task -> {
            if (world.ground.packs.isOneInTwo()) {
                world.crashBeforeEffect(0);
            }
            world.clients.cancel(world.server(), task);
        });
    }

    private void check() {
        world.ground.packs.keepLimits();
        world.ground.check();
        world.commands.check();
        world.requireArraysEnd();
    }

    /** The server is to end after it has stopped all jobs; it does, sooner or later. */
    private void stopEverything() {
        world.tally.count("server stopped with all jobs");
        world.clients.stopEverything(world.scheduling());
        for (int left = random.nextInt(20); left > 0; left--) {
            world.through(world::turn);
            world.through(() -> {
                boolean _ = world.time.work();
            });
        }
        world.restart("stopped");
    }

    private void submit() {
        world.clients.submit(
                world.scheduling(), random.nextInt(world.capacity.gpus().size() + 2));
    }

    /** Any job that somebody was told of, or one whose program runs. */
    private void cancel() {
        List<JobId> known = random.nextBoolean()
                ? world.clients.known()
                : misfortunes.anyRunning().map(this::subject).stream().toList();
        if (!known.isEmpty()) {
            JobId job = known.get(random.nextInt(known.size()));
            world.clients.cancel(world.server(), world.clients.steered(job));
        }
    }

    /** People know a pack by its tasks, and by its array. */
    private JobId subject(Fate fate) {
        if (fate.script == null) {
            return fate.job;
        }
        List<Fate> tasks = fate.script.running();
        return tasks.isEmpty() ? world.clients.arrayOfTurn(fate.job).orElse(fate.job) : tasks.getLast().job;
    }

    private static Input pause(Instant now) {
        return new Input.PauseStarts(now, "ada");
    }

    private static Input resume(Instant now) {
        return new Input.ResumeStarts(now, "ada");
    }

    private void setAside() {
        List<JobId> known = world.clients.toSetAside(world::isDeferred);
        if (known.isEmpty() || random.nextInt(3) == 0) {
            var _ = world.scheduling().request(random.nextInt(4) == 0 ? Day::pause : Day::resume);
        } else {
            JobId job = world.clients.steered(known.get(random.nextInt(known.size())));
            var _ = world.scheduling()
                    .request(job, random.nextBoolean() ? new HoldRequested("ada") : new ReleaseRequested("ada"));
        }
    }

    /** The world does not wait for a server that is away. */
    private void withoutServer() {
        if (world.isLast()) {
            return;
        }
        switch (random.nextInt(10)) {
            case 0 -> print();
            case 1 -> endOne();
            case 2 -> misfortunes.somebody();
            case 3 -> world.time.advance(Duration.ofSeconds(random.nextInt(100)));
            case 4 -> misfortunes.engineBegins();
            case 5 -> world.commands.closeTerminal();
            default -> {}
        }
    }

    private void endOne() {
        misfortunes.anyRunning().filter(fate -> !world.isBeingStopped(fate)).ifPresent(fate -> {
            int code = random.nextInt(3);
            world.end(fate, End.ITSELF, code, code == 2 && random.nextBoolean());
        });
    }

    private void print() {
        misfortunes.anyRunning().filter(fate -> !fate.isHost).ifPresent(fate -> {
            if (fate.script != null) {
                world.ground.packs.printAny(fate);
                return;
            }
            LogSink.Stream stream = random.nextBoolean() ? LogSink.Stream.OUT : LogSink.Stream.ERR;
            world.ground.print(fate, stream, random.nextInt(4) != 0);
        });
    }

    /** Runs until nothing is left to do: no faults any more, nobody in the way, every program ends. */
    void settle() {
        world.endOfFaults();
        if (hasFlood) {
            // They would take their time to run, one after the other.
            world.clients.cancelMany(world.server(), KEPT);
        }
        // A job is not released by what it was before a hold that is still to be heard.
        world.through(world::hearAll);
        world.through(() -> {
            var _ = world.scheduling().request(Day::resume);
            // What a server set aside, the next one that can run it takes up by itself.
            known().stream()
                    .filter(job -> !world.isSetAside(job) && !world.isDeferred(job))
                    .forEach(job -> {
                        var _ = world.scheduling().request(job, new ReleaseRequested("ada"));
                    });
        });
        for (int round = 0; round < MAX_ROUNDS; round++) {
            if (isAtRest()) {
                return;
            }
        }
        throw unrest("it goes on and on");
    }

    /** All jobs, and those tasks that are jobs of their own. */
    private List<JobId> known() {
        return Stream.concat(
                        world.clients.known().stream(),
                        world.clients.knownTasks().stream()
                                .filter(task -> world.store().find(task).isPresent()))
                .toList();
    }

    private boolean isAtRest() {
        world.through(world::turn);
        boolean[] busy = {false};
        world.through(() -> busy[0] = world.time.work());
        world.through(() -> busy[0] |= world.engine.deliver());
        world.through(() -> busy[0] |= world.commands.act());
        busy[0] |= world.engine.finishOne();
        check();
        if (busy[0]) {
            return false;
        }
        List<Fate> mayEnd = world.ground.running().stream()
                .filter(fate -> fate.server.equals(World.SERVER) && !world.isBeingStopped(fate) && world.mayGoOn(fate))
                .toList();
        if (!mayEnd.isEmpty()) {
            world.end(mayEnd.getFirst(), End.ITSELF, world.retries.exitCode(), false);
            return false;
        }
        if (world.time.advanceToNext()) {
            return false;
        }
        Optional<Duration> begin = world.untilBegin();
        if (begin.isPresent()) {
            world.time.advance(begin.get());
            return false;
        }
        if (decides()) {
            return false;
        }
        world.through(world::turn);
        if (!world.machine().gpus().drains().isEmpty()) {
            world.mendGpus();
            return false;
        }
        if (!world.time.isBusy() && !world.isIdle()) {
            Machine before = world.machine();
            // What the last turn has asked for may have been answered at once, and stand behind much else.
            world.through(world::hearAll);
            if (!world.time.isBusy() && before.equals(world.machine())) {
                throw unrest("nobody does anything more");
            }
            return false;
        }
        return !world.time.isBusy();
    }

    /** Somebody lets a job go on that keeps waiting for what cannot be met any more; false where none does. */
    private boolean decides() {
        for (JobId job : known()) {
            boolean isStuck = world.store()
                    .find(job)
                    .filter(found -> found.state() instanceof Deferred(int _, Unmet unmet)
                            && unmet.begin() == null
                            && unmet.pending().isEmpty())
                    .isPresent();
            if (isStuck) {
                world.tally.count("job released that kept waiting");
                var _ = world.scheduling().request(job, new ReleaseRequested("ada"));
                return true;
            }
        }
        return false;
    }

    private Violation unrest(String what) {
        return new Violation(
                Law.COMES_TO_REST, what + ": " + world.machine() + ", containers " + world.ground.there(), null);
    }
}
