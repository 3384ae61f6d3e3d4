package dev.berth.server.cgroup;

import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import dev.berth.server.linux.FileStatus;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
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
    private static final int MAX_LOOKED_AT = 100_000;

    private final @Nullable CgroupMount mount;
    private final String server;
    private final long owner;
    private final Path proc;
    private final String why;
    private final Map<Attempt, Cgroup> known = new ConcurrentHashMap<>();

    private LeaseCgroups(@Nullable CgroupMount mount, String server, long owner, Path proc, String why) {
        this.mount = mount;
        this.server = server;
        this.owner = owner;
        this.proc = proc;
        this.why = why;
    }

    /** None at all, and why. */
    public static LeaseCgroups none(String why) {
        return new LeaseCgroups(null, "", 0, Path.of("/proc"), why);
    }

    /** In a hierarchy, with those that an earlier server made there. */
    public static LeaseCgroups in(CgroupMount mount, String server, long owner, Path proc) {
        LeaseCgroups cgroups = new LeaseCgroups(mount, server, owner, proc, "");
        cgroups.recall(mount);
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
                LeaseCgroups cgroups = in(mount, server, owner, proc);
                if (cgroups.isWritable(mount)) {
                    return cgroups;
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

    /** Whether a program that stood where this server does could be put into one. */
    private boolean isWritable(CgroupMount mount) {
        try {
            return Files.isWritable(base(mount, ProcessHandle.current().pid()).resolve("cgroup.procs"));
        } catch (IOException none) {
            return false;
        }
    }

    /** The way in which what a program leaves behind is recognised, for people. */
    public String inWords() {
        return mount == null
                ? "by descent and environment alone: " + why
                : "by a cgroup for each program (" + mount.inWords() + ")";
    }

    /** Whether programs are put into cgroups here. */
    public boolean areThere() {
        return mount != null;
    }

    /**
     * Puts a process that waits into a cgroup of its own; empty where that cannot be done.
     *
     * @param isStillIt whether the process of that number is still the one that is meant
     */
    public Optional<Cgroup> enclose(Attempt attempt, long pid, BooleanSupplier isStillIt) {
        if (mount == null) {
            return Optional.empty();
        }
        Cgroup cgroup = null;
        try {
            Path directory = base(mount, pid).resolve(name(attempt));
            make(directory);
            cgroup = new Cgroup(directory, mount.kindOf(directory));
            cgroup.put(pid);
            // Looked at behind the move: while it is there its number was nobody else's.
            if (!isStillIt.getAsBoolean()) {
                vacate(mount, cgroup);
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

    private void make(Path directory) throws IOException {
        try {
            Path _ = Files.createDirectory(directory);
        } catch (FileAlreadyExistsException there) {
            if (!isOwn(directory)) {
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

    /**
     * The last slice above where the process is now, so that what limits the slice (systemd.slice(5)) limits it still,
     * and else the top; the others may hold processes and may not hold cgroups. All on the way belong to root or the
     * server.
     */
    private Path base(CgroupMount mount, long pid) throws IOException {
        Path now = mount.find(lines(pid))
                .orElseThrow(() -> new IOException("the cgroup of process " + pid + " is out of sight"));
        Path base = isOwn(mount.path()) ? mount.path() : null;
        Path next = mount.path();
        for (Path name : mount.path().relativize(now)) {
            next = next.resolve(name);
            if (!isTrusted(next)) {
                break;
            }
            boolean isSlice =
                    name.toString().endsWith(".slice") || name.toString().startsWith("user@");
            if (isSlice && isOwn(next)) {
                base = next;
            }
        }
        if (base == null) {
            throw new IOException("no cgroup above process " + pid + " belongs to this server's user");
        }
        return base;
    }

    private List<String> lines(long pid) throws IOException {
        return Files.readAllLines(proc.resolve(pid + "/cgroup"), StandardCharsets.ISO_8859_1);
    }

    private boolean isOwn(Path directory) {
        return uid(directory) == owner;
    }

    private boolean isTrusted(Path directory) {
        long uid = uid(directory);
        return uid == owner || uid == 0;
    }

    private static long uid(Path directory) {
        try {
            return FileStatus.of(directory).owner();
        } catch (IOException e) {
            return -1;
        }
    }

    /** Cgroup of an attempt, where it has one. */
    public Optional<Cgroup> find(Attempt attempt) {
        return Optional.ofNullable(known.get(attempt));
    }

    /** Nothing is in it any more, or never was. */
    public void forget(Attempt attempt) {
        known.remove(attempt);
    }

    /** The attempt in whose cgroup a process is; empty for all others. */
    public Optional<Attempt> attemptOf(long pid) {
        if (mount == null || known.isEmpty()) {
            return Optional.empty();
        }
        try {
            Optional<Path> place = mount.find(lines(pid));
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

    /** A name alone proves nothing: who has a part of the tree makes what they like in it, and is not looked at. */
    private void recall(CgroupMount mount) {
        Deque<Path> left = new ArrayDeque<>(List.of(mount.path()));
        for (int looked = 0; !left.isEmpty() && looked < MAX_LOOKED_AT; looked++) {
            for (Path child : children(left.removeFirst())) {
                Optional<Attempt> attempt = attempt(String.valueOf(child.getFileName()));
                if (attempt.isPresent() && isOwn(child)) {
                    known.put(attempt.get(), new Cgroup(child, mount.kindOf(child)));
                } else if (isTrusted(child)) {
                    left.addLast(child);
                }
            }
        }
    }

    private static List<Path> children(Path directory) {
        List<Path> children = new ArrayList<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory, Cgroup::isDirectory)) {
            stream.forEach(children::add);
        } catch (IOException | DirectoryIteratorException gone) {
            return children;
        }
        return children;
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
