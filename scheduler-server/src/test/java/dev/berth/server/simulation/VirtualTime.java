package dev.berth.server.simulation;

import dev.berth.server.container.Tasks;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;

/** Time that passes when the simulation says so, and the work that waits for a thread: done one by one, in any order. */
final class VirtualTime implements InstantSource, Tasks {
    private record Later(Instant due, Runnable work) {}

    private final SplittableRandom random;
    private final List<Runnable> ready = new ArrayList<>();
    private final List<Later> later = new ArrayList<>();
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");

    VirtualTime(SplittableRandom random) {
        this.random = random;
    }

    @Override
    public Instant instant() {
        return now;
    }

    @Override
    public void run(Runnable work) {
        ready.add(work);
    }

    @Override
    public void runAfter(Duration delay, Runnable work) {
        later.add(new Later(now.plus(delay), work));
    }

    void advance(Duration by) {
        now = now.plus(by);
        for (Later due : List.copyOf(later)) {
            if (!due.due().isAfter(now)) {
                later.remove(due);
                ready.add(due.work());
            }
        }
    }

    /** Does one piece of work; false where none is ready. */
    boolean work() {
        if (ready.isEmpty()) {
            return false;
        }
        ready.remove(random.nextInt(ready.size())).run();
        return true;
    }

    /** Lets time pass until the next piece of work is due; false where nothing is. */
    boolean advanceToNext() {
        return later.stream()
                .map(Later::due)
                .min(Comparator.naturalOrder())
                .map(due -> {
                    advance(Duration.between(now, due).isNegative() ? Duration.ZERO : Duration.between(now, due));
                    return true;
                })
                .orElse(false);
    }

    /** All that waited is lost with the process. */
    void forget() {
        ready.clear();
        later.clear();
    }
}
