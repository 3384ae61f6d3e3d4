package dev.berth.server.runner.host;

import dev.berth.server.cgroup.Cgroup;
import dev.berth.server.linux.ProcessDescriptor;
import dev.berth.server.linux.ProcessKey;
import dev.berth.server.linux.ProcessStat;
import dev.berth.server.linux.ProcessTable;
import dev.berth.server.upkeep.Tasks;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Ends a program with all that came of it. Safe for any thread; its waits are short and bounded. */
final class ProcessTree {
    private static final Duration GLANCE = Duration.ofMillis(20);

    private final ProcessTable table;
    private final ProcessKernel kernel;
    private final Tasks tasks;

    ProcessTree(ProcessTable table, ProcessKernel kernel, Tasks tasks) {
        this.table = table;
        this.kernel = kernel;
        this.tasks = tasks;
    }

    /**
     * A program to be ended.
     *
     * @param mark what all that came of it has in its environment
     * @param uid whose program it is
     * @param seen what was found to have come of it, so that it is known also when what started it is gone
     * @param cgroup what it cannot leave, null where there is none
     */
    record Root(
            ProcessKey program,
            String mark,
            long uid,
            Set<ProcessKey> seen,
            @Nullable Cgroup cgroup) {
        static Root of(ProcessKey program, String mark, long uid, @Nullable Cgroup cgroup) {
            Set<ProcessKey> seen = ConcurrentHashMap.newKeySet();
            seen.add(program);
            return new Root(program, mark, uid, seen, cgroup);
        }

        private Set<Long> enclosed() {
            return cgroup == null ? Set.of() : cgroup.processes();
        }

        private boolean isCleared() {
            return cgroup == null || cgroup.remove();
        }
    }

    /** TERM to all of it, and KILL to what is left after the grace; whether nothing of it is left. */
    boolean end(Root root, Duration grace) throws InterruptedException {
        signal(root, ProcessDescriptor.SIGTERM);
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
        signal(root, ProcessDescriptor.SIGTERM);
    }

    /** KILL to all of it, and to what it starts meanwhile. */
    void kill(Root root) {
        Cgroup cgroup = root.cgroup();
        if (cgroup == null) {
            signal(root, ProcessDescriptor.SIGKILL);
        } else {
            cgroup.kill(() -> signal(root, ProcessDescriptor.SIGKILL));
        }
    }

    /** KILL to all that is in a cgroup whose program nobody knows any more; whether it is gone. */
    boolean clear(Cgroup cgroup) {
        return cgroup.clear(table, process -> {
            boolean _ = kernel.signal(process, ProcessDescriptor.SIGKILL);
        });
    }

    private boolean isGoneWithin(Root root, Duration patience) throws InterruptedException {
        for (long left = patience.toMillis(); !isGone(root); left -= GLANCE.toMillis()) {
            if (left <= 0) {
                return false;
            }
            boolean _ = tasks.await(new CompletableFuture<>(), GLANCE);
        }
        return true;
    }

    /** The kernel removes no cgroup that holds anything. */
    private boolean isGone(Root root) {
        return members(root).isEmpty() && root.isCleared();
    }

    private List<ProcessStat> members(Root root) {
        long own = ProcessHandle.current().pid();
        List<ProcessStat> members = table.tree(root.seen(), root::enclosed, root.mark(), root.uid()).stream()
                .filter(member -> member.pid() != own)
                .toList();
        members.forEach(member -> root.seen().add(member.key()));
        return members;
    }

    private void signal(Root root, int number) {
        members(root).forEach(member -> kernel.signal(member.key(), number));
    }
}
