package dev.berth.server.runner.docker;

import dev.berth.server.upkeep.Tasks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Work that is done at once, but for what is to be done later: that is done when the test says so; no time passes. */
final class DueTasks implements Tasks {
    private final List<Runnable> later = new ArrayList<>();

    @Override
    public void run(Runnable work) {
        work.run();
    }

    @Override
    public void runAfter(Duration delay, Runnable work) {
        later.add(work);
    }

    /** Does what waits; what that asks for waits until the next time. */
    void runDue() {
        List<Runnable> due = List.copyOf(later);
        later.clear();
        due.forEach(Runnable::run);
    }

    /** Whether nothing waits. */
    boolean isIdle() {
        return later.isEmpty();
    }

    /** Forgets what waits, as a server that is gone. */
    void forget() {
        later.clear();
    }
}
