package dev.berth.server.notify;

import dev.berth.server.upkeep.Tasks;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The number of attempts at the same time. A user has some of them, and half of those for receivers that failed the last time: so
 * those that hang keep neither the user's own others waiting, nor anybody else's. Users take turns, and what waits for its turn takes
 * no thread. Safe for any thread.
 */
final class AttemptLimits {
    private final Tasks tasks;
    private final int inAll;
    private final int ofUser;
    private final Map<Long, OfUser> users = new LinkedHashMap<>();
    private int running;

    /**
     * Limits of which nothing is taken yet.
     *
     * @param tasks where attempts are made
     * @param ofUser how many of them one user may have
     */
    AttemptLimits(Tasks tasks, int inAll, int ofUser) {
        this.tasks = tasks;
        this.inAll = inAll;
        this.ofUser = ofUser;
    }

    private final class OfUser {
        private final Queue<Attempt> waiting = new ArrayDeque<>();
        private final Queue<Attempt> waitingAgain = new ArrayDeque<>();
        private int running;
        private int runningAgain;

        private @Nullable Attempt next() {
            if (running >= ofUser) {
                return null;
            }
            Attempt next = runningAgain < Math.max(1, ofUser / 2) ? waitingAgain.poll() : null;
            return next == null ? waiting.poll() : next;
        }

        private boolean isIdle() {
            return running == 0 && waiting.isEmpty() && waitingAgain.isEmpty();
        }
    }

    private record Attempt(long uid, boolean hasFailed, Runnable work) {}

    /** Does the work once it may be done. */
    void run(long uid, boolean hasFailed, Runnable work) {
        synchronized (users) {
            OfUser user = users.computeIfAbsent(uid, _ -> new OfUser());
            (hasFailed ? user.waitingAgain : user.waiting).add(new Attempt(uid, hasFailed, work));
        }
        begin();
    }

    private void begin() {
        due().forEach(attempt -> {
            AtomicBoolean isOver = new AtomicBoolean();
            tasks.run(() -> {
                try {
                    attempt.work.run();
                } finally {
                    // What throws may be done again.
                    if (!isOver.getAndSet(true)) {
                        end(attempt);
                    }
                }
            });
        });
    }

    private List<Attempt> due() {
        List<Attempt> due = new ArrayList<>();
        synchronized (users) {
            boolean isMore = true;
            while (isMore && running < inAll) {
                isMore = false;
                // One of each user's before the second of anybody's.
                for (Iterator<OfUser> each = users.values().iterator(); each.hasNext() && running < inAll; ) {
                    OfUser user = each.next();
                    Attempt next = user.next();
                    if (next != null) {
                        isMore = true;
                        running++;
                        user.running++;
                        user.runningAgain += next.hasFailed ? 1 : 0;
                        due.add(next);
                    }
                }
            }
        }
        return due;
    }

    private void end(Attempt attempt) {
        synchronized (users) {
            OfUser user = users.remove(attempt.uid);
            if (user == null) {
                throw new IllegalStateException("an attempt of nobody's has ended");
            }
            running--;
            user.running--;
            user.runningAgain -= attempt.hasFailed ? 1 : 0;
            if (!user.isIdle()) {
                // Behind all others, who have their turn now.
                users.put(attempt.uid, user);
            }
        }
        begin();
    }
}
