package dev.berth.server.cgroup;

import dev.berth.server.linux.MountedFileSystems;
import dev.berth.server.linux.MountedFileSystems.Mounted;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A hierarchy of cgroups, where it is mounted as a whole.
 *
 * @param kind how all that is in one of its cgroups is ended, {@link Kind#FREEZE} for version 2
 * @param controller which of version 1 it is, empty for version 2
 */
public record CgroupMount(Path path, Kind kind, String controller) {
    /** The way in which all that is in a cgroup is ended. */
    public enum Kind {
        /** Version 2, by {@code cgroup.kill} (Linux 5.14). */
        KILL,
        /** Version 2, held still by {@code cgroup.freeze} while it is signalled (Linux 5.2). */
        FREEZE,
        /** Version 1, the same by its freezer. */
        FREEZER
    }

    private static final Path KILL_FILE = Path.of("cgroup.kill");
    private static final int FIELDS = 3;
    private static final String FREEZER = "freezer";

    /**
     * Mounts that can hold what is to be ended, version 2 first.
     *
     * @param proc where the kernel shows processes
     */
    public static List<CgroupMount> of(Path proc) throws IOException {
        return all(proc).stream()
                .filter(mount -> mount.kind != Kind.FREEZER || mount.controller.equals(FREEZER))
                .toList();
    }

    /** Every hierarchy that is mounted, version 2 first. */
    static List<CgroupMount> all(Path proc) throws IOException {
        List<CgroupMount> mounts = new ArrayList<>();
        for (Mounted mounted : MountedFileSystems.in(proc).mounts()) {
            // Another root is a part of the hierarchy alone, as containers see it.
            if (mounted.root().equals("/")) {
                if (mounted.type().equals("cgroup2")) {
                    mounts.addFirst(new CgroupMount(Path.of(mounted.point()), Kind.FREEZE, ""));
                } else if (mounted.type().equals("cgroup")) {
                    List<String> options = mounted.options();
                    String controller = options.contains(FREEZER) ? FREEZER : options.getLast();
                    mounts.addLast(new CgroupMount(Path.of(mounted.point()), Kind.FREEZER, controller));
                }
            }
        }
        return mounts;
    }

    /**
     * The way in which all in this cgroup is ended, by the files that it has; the top of the hierarchy has none of
     * them.
     */
    Kind kindOf(Path cgroup) {
        return kind == Kind.FREEZE && Files.exists(cgroup.resolve(KILL_FILE)) ? Kind.KILL : kind;
    }

    /**
     * The cgroup of a process in this hierarchy; empty where that is out of sight, as from within a container.
     *
     * @param lines of its {@code /proc/PID/cgroup}
     */
    public Optional<Path> find(List<String> lines) {
        for (String line : lines) {
            String[] parts = line.split(":", FIELDS);
            if (parts.length == FIELDS && List.of(parts[1].split(",", -1)).contains(controller)) {
                boolean isInSight = parts[2].startsWith("/")
                        && !List.of(parts[2].split("/")).contains("..");
                return isInSight
                        ? Optional.of(path.resolve(parts[2].substring(1)).normalize())
                        : Optional.empty();
            }
        }
        return Optional.empty();
    }

    /** For people. */
    public String inWords() {
        return (kind == Kind.FREEZER ? "cgroup v1, freezer" : "cgroup v2") + " at " + path;
    }
}
