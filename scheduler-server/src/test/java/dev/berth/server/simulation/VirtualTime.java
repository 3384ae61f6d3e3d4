package dev.berth.server.simulation;

import dev.berth.server.runner.docker.check.TestStarts;
import dev.berth.server.time.Clocks;
import dev.berth.server.upkeep.Tasks;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Time that passes when the simulation says so, and the work that waits for a thread: done one by one, in any order. */
final class VirtualTime implements InstantSource, Tasks {
    /** One piece of work in so many may be stopped in the middle. */
    private static final int STRANDS = 5;

    private static final int LONGEST_WAIT_SECONDS = 90;

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private record Later(Duration due, Strand work) {}

    private final SplittableRandom random;
    private final List<Strand> ready = new ArrayList<>();
    private final List<Later> later = new ArrayList<>();
    private Duration sinceStart = Duration.ZERO;
    private Instant now = START;
    private int settings;

    private @Nullable Strand current;
    private BooleanSupplier others = () -> false;

    /** How long the work that has just stopped in the middle waits; null where chance has it. */
    private @Nullable Duration nap;

    private int strands = STRANDS;

    VirtualTime(SplittableRandom random) {
        this.random = random;
    }

    @Override
    public Instant instant() {
        return now;
    }

    /** The date, and the time that passes. */
    Clocks clocks() {
        return new Clocks(this, () -> START.plus(sinceStart));
    }

    /** Since the beginning. */
    Duration passed() {
        return sinceStart;
    }

    @Override
    public void run(Runnable work) {
        ready.add(new Strand(work));
    }

    @Override
    public void runAfter(Duration delay, Runnable work) {
        later.add(new Later(sinceStart.plus(delay), new Strand(work)));
    }

    void advance(Duration by) {
        now = now.plus(by);
        sinceStart = sinceStart.plus(by);
        for (Later due : List.copyOf(later)) {
            if (due.due().compareTo(sinceStart) <= 0) {
                later.remove(due);
                ready.add(due.work());
            }
        }
    }

    /** Somebody sets the clock. No more and no less time has passed. */
    void setClock(Duration by) {
        now = now.plus(by);
        settings++;
    }

    boolean wasSet() {
        return settings > 0;
    }

    /** How often somebody has set the clock. */
    int settings() {
        return settings;
    }

    /** Does one piece of work; false where none is ready. */
    boolean work() {
        if (ready.isEmpty()) {
            return false;
        }
        Strand work = ready.remove(random.nextInt(ready.size()));
        if (!work.begun() && random.nextInt(strands) != 0) {
            work.runHere();
        } else {
            goOn(work);
        }
        return true;
    }

    /** What else may be done while work waits for news; answers whether anything was. */
    void whileWaiting(BooleanSupplier doing) {
        others = doing;
    }

    /** Everything else goes on meanwhile, in any order; time passes only where nothing is left to do. */
    @Override
    public boolean await(CompletableFuture<?> news, Duration patience) {
        Duration end = sinceStart.plus(patience);
        while (!news.isDone() && sinceStart.compareTo(end) < 0) {
            boolean isOthers = random.nextBoolean();
            boolean isBusy = isOthers ? others.getAsBoolean() || work() : work() || others.getAsBoolean();
            if (!isBusy && !news.isDone()) {
                Duration left = end.minus(sinceStart);
                Duration next = later.stream()
                        .map(Later::due)
                        .min(Comparator.naturalOrder())
                        .map(due -> due.minus(sinceStart))
                        .orElse(left);
                advance(next.isNegative() ? Duration.ZERO : next.compareTo(left) < 0 ? next : left);
            }
        }
        return news.isDone();
    }

    private void goOn(Strand work) {
        Strand before = current;
        current = work;
        try {
            if (work.goOn()) {
                return;
            }
        } finally {
            current = before;
        }
        Duration wait = nap;
        nap = null;
        if (wait != null) {
            later.add(new Later(sinceStart.plus(wait), work));
        } else if (random.nextBoolean()) {
            ready.add(work);
        } else {
            later.add(new Later(sinceStart.plusSeconds(random.nextInt(LONGEST_WAIT_SECONDS)), work));
        }
    }

    /** Work of a process that is gone asks the engine for nothing any more. */
    void requireAlive() {
        if (current != null) {
            current.requireAlive();
        }
    }

    /** Everything else goes on, and this work later; false where it cannot be stopped. */
    boolean pause() {
        return pause(null);
    }

    /** Everything else goes on, and this work after so long; false where it cannot be stopped. */
    boolean sleep(Duration time) {
        return pause(time);
    }

    private boolean pause(@Nullable Duration time) {
        Strand paused = current;
        if (paused == null || isInTestStart()) {
            return false;
        }
        nap = time;
        paused.pause();
        return true;
    }

    /** Whether it has a lock that the world's one thread would wait for without an end. */
    private static boolean isInTestStart() {
        return StackWalker.getInstance()
                .walk(frames -> frames.anyMatch(frame -> frame.getClassName().equals(TestStarts.class.getName())));
    }

    /** Whether from now on all work can be stopped in the middle, or some as before. */
    void stopsAnywhere(boolean isAll) {
        strands = isAll ? 1 : STRANDS;
    }

    /** Whether any work is ready. */
    boolean isBusy() {
        return !ready.isEmpty();
    }

    /** Lets time pass until the next piece of work is due; false where nothing is. */
    boolean advanceToNext() {
        Optional<Duration> left = untilNext();
        left.ifPresent(this::advance);
        return left.isPresent();
    }

    /** The time until the next piece of work is due; empty where none is. */
    Optional<Duration> untilNext() {
        return later.stream()
                .map(one -> one.due().minus(sinceStart))
                .min(Comparator.naturalOrder())
                .map(left -> left.isNegative() ? Duration.ZERO : left);
    }

    /** All that waited is lost with the process. */
    void forget() {
        List<Strand> lost = new ArrayList<>(ready);
        later.forEach(one -> lost.add(one.work()));
        ready.clear();
        later.clear();
        for (Strand one : lost) {
            current = one;
            one.kill();
        }
        current = null;
        ready.clear();
        later.clear();
    }
}
