package dev.berth.server.cgroup;

import dev.berth.server.linux.ProcessKey;
import dev.berth.server.linux.ProcessTable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cgroups with limits of memory and processes for short programs that a server starts for others. They stand beside the server's
 * own cgroup and not in it, so that nothing in them counts against the server. Safe for any thread.
 */
public final class LimitedCgroups {
    private static final Logger LOG = LoggerFactory.getLogger(LimitedCgroups.class);

    /** The controllers of version 1 that it takes; a process enters the freezer first, through which it is ended. */
    private static final List<String> CONTROLLERS = List.of("freezer", "memory", "pids");

    private final List<CgroupTree> trees;
    private final Maker maker;
    private final String why;
    private final String prefix;
    private final Limits limits;
    private final ProcessTable table;
    private final Consumer<ProcessKey> kill;
    private final AtomicLong made = new AtomicLong();

    /** The limits of each. */
    public record Limits(long memoryBytes, int processes) {}

    /**
     * The server that uses them, and how it ends processes.
     *
     * @param id the server's, by which the next one finds what this one left
     * @param owner whom it runs as
     * @param proc where the kernel shows processes
     * @param kill ends that process, where it is there
     */
    public record Server(String id, long owner, Path proc, Consumer<ProcessKey> kill) {}

    /** Makes a directory, in which the kernel has its files of a cgroup at once. */
    @FunctionalInterface
    interface Maker {
        Path make(Path directory) throws IOException;
    }

    private LimitedCgroups(List<CgroupTree> trees, Maker maker, String why, Server server, Limits limits) {
        this.trees = trees;
        this.maker = maker;
        this.why = why;
        this.prefix = "berth-" + server.id + "-command-";
        this.limits = limits;
        this.table = new ProcessTable(server.proc);
        this.kill = server.kill;
    }

    /** None at all, and why. */
    public static LimitedCgroups none(String why) {
        return new LimitedCgroups(
                List.of(), Files::createDirectory, why, new Server("", 0, Path.of("/proc"), _ -> {}), new Limits(0, 0));
    }

    /** In the first hierarchies that have such limits; what an earlier server left there is ended. */
    public static LimitedCgroups ofThisMachine(Server server, Limits limits) {
        String why = "no hierarchy of cgroups is mounted that limits memory and processes";
        try {
            for (List<CgroupMount> mounts : candidates(CgroupMount.all(server.proc))) {
                LimitedCgroups cgroups = in(mounts, server, limits);
                try {
                    cgroups.clear();
                    LimitedCgroup tried = cgroups.make();
                    if (tried.clear()) {
                        return cgroups;
                    }
                    why = tried + " cannot be removed";
                } catch (IOException | UncheckedIOException e) {
                    why = "no cgroup with limits can be made (" + e.getMessage() + ")";
                }
            }
        } catch (IOException | UncheckedIOException e) {
            why = "the cgroups of this machine cannot be read: " + e.getMessage();
        }
        return none(why);
    }

    /** In these hierarchies, which are used together; the first is the one by which what is in them is ended. */
    static LimitedCgroups in(List<CgroupMount> mounts, Server server, Limits limits) {
        return in(mounts, server, limits, Files::createDirectory);
    }

    static LimitedCgroups in(List<CgroupMount> mounts, Server server, Limits limits, Maker maker) {
        return new LimitedCgroups(
                mounts.stream()
                        .map(mount -> new CgroupTree(mount, server.owner, server.proc))
                        .toList(),
                maker,
                "",
                server,
                limits);
    }

    /** Version 2 by itself, and those of version 1 together. */
    private static List<List<CgroupMount>> candidates(List<CgroupMount> all) {
        List<List<CgroupMount>> candidates = new ArrayList<>();
        List<CgroupMount> first = new ArrayList<>();
        all.stream()
                .filter(mount -> mount.kind() != CgroupMount.Kind.FREEZER)
                .forEach(mount -> candidates.add(List.of(mount)));
        for (String controller : CONTROLLERS) {
            all.stream()
                    .filter(mount -> mount.controller().equals(controller))
                    .findFirst()
                    .ifPresent(first::add);
        }
        if (first.size() == CONTROLLERS.size()) {
            candidates.add(first);
        }
        return candidates;
    }

    /** Why there are none; empty where there are. */
    public Optional<String> whyNone() {
        return trees.isEmpty() ? Optional.of(why) : Optional.empty();
    }

    /**
     * Makes one, of a name that none had before.
     *
     * @throws IOException where it cannot be made with its limits, or there are none at all
     */
    public LimitedCgroup make() throws IOException {
        if (trees.isEmpty()) {
            throw new IOException(why);
        }
        long self = ProcessHandle.current().pid();
        String name = prefix + self + "-" + made.incrementAndGet();
        List<Cgroup> parts = new ArrayList<>();
        try {
            for (CgroupTree tree : trees) {
                Path directory = maker.make(tree.base(self).resolve(name));
                Cgroup part = new Cgroup(directory, tree.mount().kindOf(directory));
                parts.add(part);
                limit(part, tree.mount());
            }
        } catch (IOException e) {
            parts.forEach(Cgroup::remove);
            throw e;
        }
        return new LimitedCgroup(parts, table, kill);
    }

    private void limit(Cgroup cgroup, CgroupMount mount) throws IOException {
        String memory = Long.toString(limits.memoryBytes);
        String processes = Integer.toString(limits.processes);
        if (mount.kind() != CgroupMount.Kind.FREEZER) {
            cgroup.write("memory.max", memory);
            cgroup.write("pids.max", processes);
            optional(cgroup, "memory.swap.max", "0");
            optional(cgroup, "memory.oom.group", "1");
        } else if (mount.controller().equals("memory")) {
            cgroup.write("memory.limit_in_bytes", memory);
            optional(cgroup, "memory.memsw.limit_in_bytes", memory);
        } else if (mount.controller().equals("pids")) {
            cgroup.write("pids.max", processes);
        }
    }

    /** A limit that not every kernel has. */
    private static void optional(Cgroup cgroup, String file, String value) {
        try {
            cgroup.write(file, value);
        } catch (IOException e) {
            LOG.debug("{} has no {}", cgroup, file, e);
        }
    }

    /** Ends what an earlier server left in such cgroups, and removes them. */
    private void clear() {
        for (CgroupTree tree : trees) {
            for (Path left : tree.own(name -> name.startsWith(prefix))) {
                Cgroup part = new Cgroup(left, tree.mount().kindOf(left));
                if (!new LimitedCgroup(List.of(part), table, kill).clear()) {
                    LOG.warn("{}, of an earlier server, cannot be emptied: what is in it does not end", left);
                }
            }
        }
    }
}
