package dev.berth.server.upkeep;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Work that is done when the test says so, one piece after the other; no time passes. */
public final class ManualTasks implements Tasks {
    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private final List<Duration> pauses = new ArrayList<>();

    @Override
    public void run(Runnable work) {
        waiting.add(work);
    }

    @Override
    public void runAfter(Duration delay, Runnable work) {
        pauses.add(delay);
        waiting.add(work);
    }

    /** Does the piece of work that has waited longest; false where there is none. */
    public boolean next() {
        Runnable next = waiting.poll();
        if (next != null) {
            next.run();
        }
        return next != null;
    }

    /** The number of pieces that wait. */
    public int waiting() {
        return waiting.size();
    }

    /** The delays that were asked for so far. */
    public List<Duration> pauses() {
        return List.copyOf(pauses);
    }
}
