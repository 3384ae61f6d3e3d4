package dev.berth.server.cgroup;

import dev.berth.server.linux.ProcessKey;
import dev.berth.server.linux.ProcessTable;
import dev.berth.server.time.TimedWait;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** One place with limits for a program, in one hierarchy or in several at a time. Safe for any thread. */
public final class LimitedCgroup {
    private static final int TRIES = 250;
    private static final Duration PAUSE = Duration.ofMillis(20);

    private final List<Cgroup> parts;
    private final ProcessTable table;
    private final Consumer<ProcessKey> kill;

    LimitedCgroup(List<Cgroup> parts, ProcessTable table, Consumer<ProcessKey> kill) {
        this.parts = List.copyOf(parts);
        this.table = table;
        this.kill = kill;
    }

    /** The files that a process writes its number to, in this order, to be in it. */
    public List<Path> entrances() {
        return parts.stream().map(Cgroup::processFile).toList();
    }

    /** Ends all that is in it and removes it, in five seconds at most; whether it is gone. */
    public boolean clear() {
        for (int tries = 0; tries < TRIES; tries++) {
            if (parts.getFirst().clear(table, kill)) {
                boolean isGone = true;
                for (Cgroup part : parts) {
                    isGone &= part.remove();
                }
                if (isGone) {
                    return true;
                }
            }
            if (!waited()) {
                return false;
            }
        }
        return false;
    }

    private static boolean waited() {
        try {
            TimedWait.of(PAUSE);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public String toString() {
        return parts.getFirst().toString();
    }
}
