package dev.berth.server.cgroup;

import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import dev.berth.server.linux.ProcessTable;
import dev.berth.server.linux.ProcessUse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The cgroups of this server's programs on the machine itself, one for each attempt, named after server, job and
 * attempt. They belong to whom the server runs as, and stand where those above them do too: the kernel lets nobody
 * else move a process in or out (cgroups(7), "Delegation containment"). Safe for any thread.
 */
public final class LeaseCgroups {
    private static final Logger LOG = LoggerFactory.getLogger(LeaseCgroups.class);
    private static final String PREFIX = "berth-";
    private static final int NAME_PARTS = 4;

    private final @Nullable CgroupTree tree;
    private final String server;
    private final String why;
    private final Map<Attempt, Cgroup> known = new ConcurrentHashMap<>();

    private LeaseCgroups(@Nullable CgroupTree tree, String server, String why) {
        this.tree = tree;
        this.server = server;
        this.why = why;
    }

    /** None at all, and why. */
    public static LeaseCgroups none(String why) {
        return new LeaseCgroups(null, "", why);
    }

    /** In a hierarchy, with those that an earlier server made there. */
    public static LeaseCgroups in(CgroupMount mount, String server, long owner, Path proc) {
        CgroupTree tree = new CgroupTree(mount, owner, proc);
        LeaseCgroups cgroups = new LeaseCgroups(tree, server, "");
        for (Path found : tree.own(name -> cgroups.attempt(name).isPresent())) {
            cgroups.attempt(String.valueOf(found.getFileName()))
                    .ifPresent(it -> cgroups.known.put(it, new Cgroup(found, mount.kindOf(found))));
        }
        return cgroups;
    }

    /**
     * In the best hierarchy that there is.
     *
     * @param owner whom the server runs as
     */
    public static LeaseCgroups ofThisMachine(String server, long owner, Path proc) {
        try {
            List<CgroupMount> mounts = CgroupMount.of(proc);
            for (CgroupMount mount : mounts) {
                if (new CgroupTree(mount, owner, proc).isWritable()) {
                    return in(mount, server, owner, proc);
                }
            }
            return none(
                    mounts.isEmpty()
                            ? "no hierarchy of cgroups is mounted that can hold them (version 2, or the freezer of 1)"
                            : "this server may make no cgroup at "
                                    + mounts.getFirst().path());
        } catch (IOException | UncheckedIOException e) {
            return none("the cgroups of this machine cannot be read: " + e.getMessage());
        }
    }

    /** The way in which what a program leaves behind is recognised, for people. */
    public String inWords() {
        return tree == null
                ? "by descent and environment alone: " + why
                : "by a cgroup for each program (" + tree.mount().inWords() + ")";
    }

    /** Whether programs are put into cgroups here. */
    public boolean areThere() {
        return tree != null;
    }

    /**
     * Puts a process that waits into a cgroup of its own; empty where that cannot be done.
     *
     * @param isStillIt whether the process of that number is still the one that is meant
     */
    public Optional<Cgroup> enclose(Attempt attempt, long pid, BooleanSupplier isStillIt) {
        if (tree == null) {
            return Optional.empty();
        }
        Cgroup cgroup = null;
        try {
            Path directory = tree.base(pid).resolve(name(attempt));
            make(tree, directory);
            cgroup = new Cgroup(directory, tree.mount().kindOf(directory));
            cgroup.put(pid);
            // Looked at behind the move: while it is there its number was nobody else's.
            if (!isStillIt.getAsBoolean()) {
                vacate(tree.mount(), cgroup);
                return Optional.empty();
            }
            known.put(attempt, cgroup);
            return Optional.of(cgroup);
        } catch (IOException | UncheckedIOException e) {
            LOG.warn("job={} its program gets no cgroup of its own: {}", attempt.job(), e.toString());
            if (cgroup != null) {
                boolean _ = cgroup.remove();
            }
            return Optional.empty();
        }
    }

    private static void make(CgroupTree tree, Path directory) throws IOException {
        try {
            Path _ = Files.createDirectory(directory);
        } catch (FileAlreadyExistsException there) {
            if (!tree.isOwn(directory)) {
                throw there;
            }
        }
    }

    /** Moves a process that was taken for the program to the top, where nothing is ended. */
    private static void vacate(CgroupMount mount, Cgroup cgroup) throws IOException {
        Cgroup root = new Cgroup(mount.path(), mount.kind());
        for (long pid : cgroup.processes()) {
            root.put(pid);
        }
        boolean _ = cgroup.remove();
    }

    /** Cgroup of an attempt, where it has one. */
    public Optional<Cgroup> find(Attempt attempt) {
        return Optional.ofNullable(known.get(attempt));
    }

    /**
     * What the processes of an attempt have used; empty where it has no cgroup, or none is in it.
     *
     * @throws UncheckedIOException where that cannot be said
     */
    public Optional<ProcessUse> use(Attempt attempt) {
        return tree == null
                ? Optional.empty()
                : find(attempt).flatMap(cgroup -> cgroup.use(new ProcessTable(tree.proc())));
    }

    /** Nothing is in it any more, or never was. */
    public void forget(Attempt attempt) {
        known.remove(attempt);
    }

    /** The attempt in whose cgroup a process is; empty for all others. */
    public Optional<Attempt> attemptOf(long pid) {
        if (tree == null || known.isEmpty()) {
            return Optional.empty();
        }
        try {
            Optional<Path> place = tree.find(pid);
            return known.entrySet().stream()
                    .filter(each -> place.filter(
                                    it -> it.startsWith(each.getValue().directory()))
                            .isPresent())
                    .map(Map.Entry::getKey)
                    .findFirst();
        } catch (IOException gone) {
            return Optional.empty();
        }
    }

    /** Cgroups that belong to none that is wanted. */
    public Map<Attempt, Cgroup> orphans(Predicate<Attempt> isWanted) {
        Map<Attempt, Cgroup> orphans = new ConcurrentHashMap<>(known);
        orphans.keySet().removeIf(isWanted);
        return orphans;
    }

    private String name(Attempt attempt) {
        return PREFIX + server + "-" + attempt.job() + "-" + attempt.number();
    }

    private Optional<Attempt> attempt(String name) {
        String[] parts = name.split("-", -1);
        if (parts.length != NAME_PARTS || !name.startsWith(PREFIX + server + "-")) {
            return Optional.empty();
        }
        try {
            return Optional.of(new Attempt(new JobId(Long.parseLong(parts[2])), Integer.parseInt(parts[3])));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
