package dev.berth.server.runner.host;

import dev.berth.server.cgroup.Cgroup;
import dev.berth.server.linux.ErrorNumber;
import dev.berth.server.linux.ProcessDescriptor;
import dev.berth.server.linux.ProcessKey;
import dev.berth.server.linux.ProcessStat;
import dev.berth.server.linux.ProcessTable;
import dev.berth.server.time.TimedWait;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends a program with all that came of it. Safe for any thread; its waits are short and bounded. */
final class ProcessTree {
    private static final Logger LOG = LoggerFactory.getLogger(ProcessTree.class);
    private static final Duration GLANCE = Duration.ofMillis(20);

    private final ProcessTable table;

    ProcessTree(ProcessTable table) {
        this.table = table;
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
        cgroup.kill(() -> {
            List<ProcessStat> found = cgroup.processes().stream()
                    .flatMap(pid -> table.find(pid).stream())
                    .toList();
            // A number that was somebody else's by the time it was looked at is not in there.
            Set<Long> inside = Set.copyOf(cgroup.processes());
            found.stream()
                    .filter(member -> inside.contains(member.pid()))
                    .forEach(member -> signal(member, ProcessDescriptor.SIGKILL));
        });
        return cgroup.remove();
    }

    private boolean isGoneWithin(Root root, Duration patience) throws InterruptedException {
        for (long left = patience.toMillis(); !isGone(root); left -= GLANCE.toMillis()) {
            if (left <= 0) {
                return false;
            }
            TimedWait.of(GLANCE);
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
        members(root).forEach(member -> signal(member, number));
    }

    /** The descriptor is opened first and the process looked at then, so that no other of its number is hit. */
    private void signal(ProcessStat member, int number) {
        Optional<ProcessDescriptor> opened = ProcessDescriptor.of(member.pid());
        if (opened.isEmpty()) {
            signalByNumber(member, number);
            return;
        }
        try (ProcessDescriptor process = opened.get()) {
            int answer = table.isAlive(member.key()) ? process.signal(number) : 0;
            if (answer < 0 && answer != -ErrorNumber.ESRCH) {
                LOG.warn("process {} could not be ended: error {}", member.pid(), -answer);
            }
        }
    }

    /** Where the kernel has no such descriptors; Java looks at the start of the process itself. */
    private void signalByNumber(ProcessStat member, int number) {
        ProcessHandle.of(member.pid()).filter(_ -> table.isAlive(member.key())).ifPresent(process -> {
            boolean _ = number == ProcessDescriptor.SIGKILL ? process.destroyForcibly() : process.destroy();
        });
    }
}
