package dev.berth.server.upkeep;

import dev.berth.server.time.TimedWait;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The background work of a server, supervised: whatever a piece of it throws is logged, the piece is done again with
 * growing pauses, and is named by {@link #failing} until it succeeds. Work must bear being done again from its beginning.
 * Safe for any thread.
 */
public final class BackgroundWork implements AutoCloseable {
    private final Tasks tasks;
    private final InstantSource dates;
    private final Set<Attempts> failing = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /**
     * Background work of which nothing fails yet.
     *
     * @param tasks the place where it is done
     * @param dates for people: when it failed, and when it is tried again
     */
    public BackgroundWork(Tasks tasks, InstantSource dates) {
        this.tasks = tasks;
        this.dates = dates;
    }

    /** Background work on virtual threads. */
    public static BackgroundWork onVirtualThreads(InstantSource dates) {
        return new BackgroundWork(new VirtualThreadTasks(), dates);
    }

    /**
     * Tasks that are done again where they throw.
     *
     * @param name what they do, in words that stay the same
     */
    public Tasks tasks(String name) {
        return new SupervisedTasks(name);
    }

    /** Does the work after a while, and then each time a period after it succeeded, until this is closed. */
    public void every(String name, Duration first, Duration period, Attempts.Work work) {
        Attempts attempts = attempts(name, Pauses.LONG);
        tasks.runAfter(first, () -> turn(attempts, period, work));
    }

    private void turn(Attempts attempts, Duration period, Attempts.Work work) {
        if (!closed) {
            boolean isDone = attempts.succeeds(work);
            tasks.runAfter(isDone ? period : attempts.pause(), () -> turn(attempts, period, work));
        }
    }

    /** Does the work on the caller's thread, which belongs to it, until it succeeds or the thread is interrupted. */
    public void untilDone(String name, Attempts.Work work) {
        Attempts attempts = attempts(name, Pauses.SHORT);
        while (!attempts.succeeds(work) && !Thread.currentThread().isInterrupted()) {
            TimedWait.whole(attempts.pause());
        }
    }

    /** Attempts at work for one who has a thread, and a time for the next try, of its own. */
    public Attempts attempts(String name, Pauses pauses) {
        return new Attempts(name, pauses, this);
    }

    /** The work that does not succeed, by name; what fails in several pieces is named once. */
    public List<FailingWork> failing() {
        Map<String, FailingWork> named = new TreeMap<>();
        for (Attempts attempts : failing) {
            FailingWork now = attempts.failing();
            if (now != null) {
                named.merge(now.name(), now, FailingWork::with);
            }
        }
        return List.copyOf(named.values());
    }

    Instant date() {
        return dates.instant();
    }

    void keep(Attempts attempts) {
        failing.add(attempts);
    }

    void forget(Attempts attempts) {
        failing.remove(attempts);
    }

    boolean isClosed() {
        return closed;
    }

    /** Begins no further period. What jobs are owed goes on. */
    @Override
    public void close() {
        closed = true;
    }

    private final class SupervisedTasks implements Tasks {
        private final String name;

        SupervisedTasks(String name) {
            this.name = name;
        }

        @Override
        public void run(Runnable work) {
            Attempts attempts = attempts(name, Pauses.SHORT);
            tasks.run(() -> attempt(attempts, work));
        }

        @Override
        public void runAfter(Duration delay, Runnable work) {
            Attempts attempts = attempts(name, Pauses.SHORT);
            tasks.runAfter(delay, () -> attempt(attempts, work));
        }

        @Override
        public boolean await(CompletableFuture<?> news, Duration patience) throws InterruptedException {
            return tasks.await(news, patience);
        }

        private void attempt(Attempts attempts, Runnable work) {
            if (!attempts.succeeds(work::run)) {
                tasks.runAfter(attempts.pause(), () -> attempt(attempts, work));
            }
        }
    }
}
