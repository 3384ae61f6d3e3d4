package dev.berth.server.cgroup;

import dev.berth.server.linux.FileStatus;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The parts of a hierarchy that a server may use: those that belong to whom it runs as, below what belongs to root or to them. A
 * name in a part of another user's proves nothing, and nothing is made there.
 *
 * @param owner whom the server runs as
 * @param proc where the kernel shows processes
 */
record CgroupTree(CgroupMount mount, long owner, Path proc) {
    private static final int MAX_LOOKED_AT = 100_000;

    /**
     * The last slice above where the process is now, so that what limits the slice (systemd.slice(5)) limits it still,
     * and else the top; the others may hold processes and may not hold cgroups. All on the way belong to root or the
     * server.
     */
    Path base(long pid) throws IOException {
        Path now = find(pid).orElseThrow(() -> new IOException("the cgroup of process " + pid + " is out of sight"));
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

    /** Whether a process that stood where this server does could be put into one. */
    boolean isWritable() {
        try {
            return Files.isWritable(base(ProcessHandle.current().pid()).resolve("cgroup.procs"));
        } catch (IOException none) {
            return false;
        }
    }

    /** The cgroup of a process; empty where that is out of sight. */
    Optional<Path> find(long pid) throws IOException {
        return mount.find(Files.readAllLines(proc.resolve(pid + "/cgroup"), StandardCharsets.ISO_8859_1));
    }

    boolean isOwn(Path directory) {
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

    /** The server's own of such names. Who has a part of the tree makes what they like in it, and is not looked at. */
    List<Path> own(Predicate<String> isName) {
        List<Path> found = new ArrayList<>();
        Deque<Path> left = new ArrayDeque<>(List.of(mount.path()));
        for (int looked = 0; !left.isEmpty() && looked < MAX_LOOKED_AT; looked++) {
            for (Path child : children(left.removeFirst())) {
                if (isName.test(String.valueOf(child.getFileName())) && isOwn(child)) {
                    found.add(child);
                } else if (isTrusted(child)) {
                    left.addLast(child);
                }
            }
        }
        return found;
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
}
