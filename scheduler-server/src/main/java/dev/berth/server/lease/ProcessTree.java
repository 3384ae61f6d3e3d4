package dev.berth.server.lease;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends a program with all that came of it. Safe for any thread; its waits are short and bounded. */
final class ProcessTree {
    private static final Logger LOG = LoggerFactory.getLogger(ProcessTree.class);
    private static final Duration GLANCE = Duration.ofMillis(20);

    private final ProcessTable table;
    private final Kernel kernel;

    ProcessTree(ProcessTable table, Kernel kernel) {
        this.table = table;
        this.kernel = kernel;
    }

    /**
     * A program to be ended.
     *
     * @param mark what all that came of it has in its environment
     * @param uid whose program it is
     * @param seen what was found to have come of it, so that it is known also when what started it is gone
     */
    record Root(ProcessKey program, String mark, long uid, Set<ProcessKey> seen) {
        static Root of(ProcessKey program, String mark, long uid) {
            Set<ProcessKey> seen = ConcurrentHashMap.newKeySet();
            seen.add(program);
            return new Root(program, mark, uid, seen);
        }
    }

    /** TERM to all of it, and KILL to what is left after the grace; whether nothing of it is left. */
    boolean end(Root root, Duration grace) throws InterruptedException {
        signal(root, Kernel.SIGTERM);
        if (isGoneWithin(root, grace)) {
            return true;
        }
        kill(root);
        return isGoneWithin(root, Duration.ofSeconds(1));
    }

    /** Whether anything of it is there. */
    boolean isThere(Root root) {
        return !members(root).isEmpty();
    }

    /** TERM to all of it. */
    void terminate(Root root) {
        signal(root, Kernel.SIGTERM);
    }

    /** KILL to all of it, and to what it starts meanwhile. */
    void kill(Root root) {
        signal(root, Kernel.SIGKILL);
    }

    private boolean isGoneWithin(Root root, Duration patience) throws InterruptedException {
        CountDownLatch never = new CountDownLatch(1);
        for (long left = patience.toMillis(); !members(root).isEmpty(); left -= GLANCE.toMillis()) {
            if (left <= 0) {
                return false;
            }
            boolean _ = never.await(GLANCE.toMillis(), TimeUnit.MILLISECONDS);
        }
        return true;
    }

    private List<ProcessStat> members(Root root) {
        long own = ProcessHandle.current().pid();
        List<ProcessStat> members = table.tree(root.seen(), root.mark(), root.uid()).stream()
                .filter(member -> member.pid() != own)
                .toList();
        members.forEach(member -> root.seen().add(member.key()));
        return members;
    }

    private void signal(Root root, int number) {
        members(root).forEach(member -> signal(member, number));
    }

    /** The descriptor is opened first and the process looked at then, so that no other of its number is hit. */
    private void signal(ProcessStat member, int number) {
        int descriptor = kernel.open(member.pid());
        if (descriptor < 0) {
            signalByNumber(member, number);
            return;
        }
        try {
            int answer = table.isAlive(member.key()) ? kernel.signal(descriptor, number) : 0;
            if (answer < 0 && answer != -Kernel.ESRCH) {
                LOG.warn("process {} could not be ended: error {}", member.pid(), -answer);
            }
        } finally {
            kernel.close(descriptor);
        }
    }

    /** Where the kernel has no such descriptors; Java looks at the start of the process itself. */
    private void signalByNumber(ProcessStat member, int number) {
        ProcessHandle.of(member.pid()).filter(_ -> table.isAlive(member.key())).ifPresent(process -> {
            boolean _ = number == Kernel.SIGKILL ? process.destroyForcibly() : process.destroy();
        });
    }
}
