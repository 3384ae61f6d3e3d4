package dev.berth.server.simulation;

import dev.berth.core.job.JobId;
import dev.berth.server.log.LogSink.Stream;
import dev.berth.server.simulation.Fate.End;
import dev.berth.server.simulation.PackScript.How;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Predicate;

/** What goes on in the containers of packs, as chance of their own has it. */
final class PackPrograms {
    /** Between the seed of a day and that of this. */
    private static final long APART = 5;

    private static final int TERMINATED = 143;

    /** The highest exit code of a task that ends by itself. */
    private static final int MAX_CODE = 2;

    /** Of a machine that went down without a word. */
    private static final int POWER_CUT = 255;

    private final SplittableRandom random;
    private final Ground ground;
    private final VirtualTime time;

    PackPrograms(long seed, Ground ground, VirtualTime time) {
        this.random = new SplittableRandom(seed ^ APART);
        this.ground = ground;
        this.time = time;
    }

    private List<Fate> running() {
        return ground.running().stream().filter(fate -> fate.script != null).toList();
    }

    private static PackScript script(Fate pack) {
        return Objects.requireNonNull(pack.script);
    }

    /** One time in so many, one of them does what comes next. */
    void mayGoOn(int times, Predicate<JobId> mayEnd) {
        List<Fate> packs = running();
        if (!packs.isEmpty() && random.nextInt(times) == 0) {
            boolean _ = goOn(packs.get(random.nextInt(packs.size())), mayEnd);
        }
    }

    /**
     * A pack does one thing.
     *
     * @param mayEnd whether a task that was not told to end may end by itself
     * @return whether there was anything to do
     */
    boolean goOn(Fate pack, Predicate<JobId> mayEnd) {
        PackScript script = script(pack);
        List<Fate> open = script.running().stream()
                .filter(task -> script.isTold(task) || mayEnd.test(task.job))
                .toList();
        boolean isBegin = script.mayBegin() && (open.isEmpty() || random.nextBoolean());
        if (isBegin) {
            script.begin(pack, time.instant()).ifPresent(ground::beginInPack);
        } else if (!open.isEmpty()) {
            Fate task = open.get(random.nextInt(open.size()));
            if (random.nextBoolean()) {
                print(task);
            } else {
                end(script, task);
            }
        }
        boolean isOver = script.isOver();
        if (isOver) {
            ground.end(pack, End.ITSELF, 0, false);
        }
        return isBegin || !open.isEmpty() || isOver;
    }

    /** All packs do what waits for nothing; false where there was nothing to do. */
    boolean haveGoneOn() {
        boolean isBusy = false;
        for (Fate pack : running()) {
            PackScript script = script(pack);
            while (script.mayBegin()) {
                isBusy = true;
                script.begin(pack, time.instant()).ifPresent(ground::beginInPack);
            }
            if (script.isOver()) {
                isBusy = true;
                ground.end(pack, End.ITSELF, 0, false);
            }
        }
        return isBusy;
    }

    /** One time in so many, a task that runs in a pack. */
    Optional<JobId> anyTask(int times) {
        List<JobId> tasks = running().stream()
                .flatMap(pack -> script(pack).running().stream())
                .map(task -> task.job)
                .toList();
        return tasks.isEmpty() || random.nextInt(times) != 0
                ? Optional.empty()
                : Optional.of(tasks.get(random.nextInt(tasks.size())));
    }

    boolean isOneInTwo() {
        return random.nextBoolean();
    }

    /** A task that runs writes something, where any does. */
    void printAny(Fate pack) {
        List<Fate> tasks = script(pack).running();
        if (!tasks.isEmpty()) {
            print(tasks.get(random.nextInt(tasks.size())));
        }
    }

    private void print(Fate task) {
        ground.print(task, random.nextBoolean() ? Stream.OUT : Stream.ERR, random.nextInt(4) != 0);
    }

    private void end(PackScript script, Fate task) {
        if (script.isTold(task)) {
            ground.endInPack(task, How.CANCELLED, End.STOP, TERMINATED);
        } else {
            How how = script.isAskedToStop(task.job) ? How.CANCELLED : How.EXIT;
            ground.endInPack(task, how, End.ITSELF, random.nextInt(MAX_CODE + 1));
        }
    }

    /** All that is still to be done in a pack is done. */
    void finish(Fate pack) {
        PackScript script = script(pack);
        while (!script.isOver()) {
            if (script.mayBegin()) {
                script.begin(pack, time.instant()).ifPresent(ground::beginInPack);
            } else {
                end(script, script.running().getFirst());
            }
        }
    }

    /** A pack is told to end; some of its tasks do, and it may say so. Answers its exit code. */
    int stop(Fate pack) {
        terminate(pack);
        return random.nextBoolean() ? 0 : 137;
    }

    private void terminate(Fate pack) {
        for (Fate task : script(pack).running()) {
            if (random.nextBoolean()) {
                ground.endInPack(task, How.STOPPED, End.STOP, TERMINATED);
            }
        }
    }

    /** Everything that runs is about to end, with the engine or with the machine. */
    void endWithAll(Fate pack, End by, int exitCode) {
        if (pack.script == null) {
            return;
        }
        if (by != End.REBOOT || exitCode != POWER_CUT) {
            terminate(pack);
            return;
        }
        for (Fate task : pack.script.begun()) {
            if (random.nextInt(3) == 0) {
                pack.script.forget(task, time.instant());
            }
        }
    }

    /** Tasks whose time is over end by that, whoever does what meanwhile. */
    void keepLimits() {
        for (Fate pack : running()) {
            PackScript script = script(pack);
            if (!script.limit.isZero()) {
                script.running().stream()
                        .filter(task -> left(script, task).isZero())
                        .forEach(task -> ground.endInPack(task, How.TIMEOUT, End.STOP, TERMINATED));
            }
        }
    }

    /** The time until the first task is at its limit; empty where none has any. */
    Optional<Duration> untilLimit() {
        return running().stream()
                .map(PackPrograms::script)
                .filter(script -> !script.limit.isZero())
                .flatMap(script -> script.running().stream().map(task -> left(script, task)))
                .min(Duration::compareTo);
    }

    private Duration left(PackScript script, Fate task) {
        Duration left = task.start.plus(script.limit).minus(time.passed());
        return left.isNegative() ? Duration.ZERO : left;
    }
}
