package dev.berth.server.runner.host;

import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Found.Condition.Exited;
import dev.berth.core.machine.JobEvent;
import dev.berth.core.machine.JobEvent.CancelRequested;
import dev.berth.core.machine.JobEvent.LaunchRefused;
import dev.berth.core.machine.JobEvent.RunGone;
import dev.berth.server.cgroup.Cgroup;
import dev.berth.server.linux.ProcessKey;
import dev.berth.server.linux.ProcessTable;
import dev.berth.server.runner.host.HostLease.Phase;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Hears of the ends of programs and of their commands, sees to what they leave, and tells the loop. Safe for any
 * thread.
 */
final class LeaseEnds {
    /** The name in which a job leaves the queue whose command is gone. */
    static final String GONE = "its own berth command, which is gone,";

    static final String WAITER_GONE = "the berth command that waited for its turn is gone";

    static final String NEVER_BEGUN = "its berth command was given its turn and did not start its program within "
            + HostRunner.BEGIN.toSeconds() + " s";

    /** The time that a command that lives may take to tell how its program ended. */
    private static final Duration LAST_WORD = Duration.ofMillis(1_500);

    /** The time for that behind a restart: the command has to notice that there is a server again. */
    private static final Duration LAST_WORD_TO_A_NEW_SERVER = Duration.ofSeconds(6);

    /** The time from TERM to KILL where no command is left that could wait for the program. */
    private static final Duration ABANDONED_GRACE = Duration.ofMillis(500);

    private static final Duration AGAIN = Duration.ofSeconds(1);

    private final LeaseParts parts;
    private final ProcessTable table;
    private final ProcessTree tree;

    LeaseEnds(LeaseParts parts, ProcessTable table, ProcessTree tree) {
        this.parts = parts;
        this.table = table;
        this.tree = tree;
    }

    /** Whether anything is there that came of a program. */
    boolean hasLeft(HostLease lease, Started started) {
        return tree.isThere(lease.root(started, parts.server()));
    }

    /** Watches for the ends of a program and of its command from now on. */
    void observe(HostLease lease, Started started) {
        observe(lease, started, LAST_WORD);
    }

    /** Watches anew behind a restart of the server, which the command may not have noticed yet. */
    void observeAnew(HostLease lease, Started started) {
        observe(lease, started, LAST_WORD_TO_A_NEW_SERVER);
    }

    private void observe(HostLease lease, Started started, Duration lastWord) {
        if (lease.isOver()) {
            return;
        }
        lease.programWatch(parts.kernel().watch(started.program(), () -> programEnded(lease, started, lastWord)));
        ProcessKey command = started.command();
        if (command != null && !command.equals(lease.client())) {
            lease.client(command, parts.kernel().watch(command, () -> clientEnded(lease)));
        }
    }

    /** The command that waits, or has started a program, is gone. */
    void clientEnded(HostLease lease) {
        Phase phase;
        Grant grant;
        synchronized (lease) {
            phase = lease.phase();
            grant = lease.grant();
            if (phase == Phase.GRANTED) {
                lease.end();
            }
        }
        Started started = lease.started();
        if (phase == Phase.WAITING) {
            post(lease, new CancelRequested(GONE));
        } else if (grant != null) {
            post(lease, new LaunchRefused(grant.attempt(), WAITER_GONE));
        } else if (phase == Phase.BEGUN && started != null && !started.isShell()) {
            parts.tasks().run(() -> endAbandoned(lease, started));
        }
    }

    private void endAbandoned(HostLease lease, Started started) {
        try {
            boolean _ = tree.end(lease.root(started, parts.server()), ABANDONED_GRACE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends what is left in cgroups whose program nobody waits for any more, until they are gone. */
    void clear(Map<Attempt, Cgroup> cgroups) {
        cgroups.forEach((attempt, cgroup) -> parts.tasks().run(() -> clear(attempt, cgroup)));
    }

    private void clear(Attempt attempt, Cgroup cgroup) {
        if (cgroup.remove() || tree.clear(cgroup)) {
            parts.cgroups().forget(attempt);
            return;
        }
        parts.tasks().runAfter(AGAIN, () -> clear(attempt, cgroup));
    }

    /** The GPUs are free once nothing is left of what the program started. */
    private void programEnded(HostLease lease, Started started, Duration lastWord) {
        try {
            boolean isClean = started.isShell() || tree.end(lease.root(started, parts.server()), ABANDONED_GRACE);
            if (!isClean) {
                parts.tasks().runAfter(AGAIN, () -> programEnded(lease, started, lastWord));
                return;
            }
            tellEnd(lease, started, exitCode(lease, started, lastWord));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The exit code that the command tells; null where it is gone, or silent. A shell's is not waited for. */
    private @Nullable Integer exitCode(HostLease lease, Started started, Duration lastWord)
            throws InterruptedException {
        ProcessKey command = started.command();
        if (command == null) {
            return 0;
        }
        boolean isTold = parts.tasks().await(lease.exitCode(), table.isAlive(command) ? lastWord : Duration.ZERO);
        return isTold ? lease.exitCode().join() : null;
    }

    /** Tells that a lease is over, once. */
    void tellEnd(HostLease lease, Started started, @Nullable Integer exitCode) {
        boolean isFirst;
        synchronized (lease) {
            isFirst = !lease.isOver();
            lease.end();
        }
        if (isFirst) {
            post(
                    lease,
                    exitCode == null
                            ? new RunGone(started.attempt())
                            : new Exited(
                                            exitCode,
                                            false,
                                            lease.startedAt(),
                                            parts.clock().instant())
                                    .of(started.attempt()));
        }
    }

    void post(HostLease lease, JobEvent event) {
        parts.notices().post(lease.job(), event);
        wake();
    }

    /** Wakes the clients that wait: there is something new to tell. */
    void wake() {
        parts.wake().run();
    }

    /** TERM to a program with all that came of it, KILL after the grace; whether its end was told. */
    boolean isStopped(HostLease lease, Started started, Duration grace) {
        try {
            tree.terminate(lease.root(started, parts.server()));
            if (parts.tasks().await(lease.over(), grace)) {
                return true;
            }
            tree.kill(lease.root(started, parts.server()));
            return parts.tasks().await(lease.over(), LAST_WORD.plus(AGAIN));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }
}
