package dev.berth.server.cgroup;

import dev.berth.server.linux.FileStatus;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Tells the cgroups that an engine made from those that a user made in a part of the tree of their own: there every
 * user can give one any name, that of a foreign container too. Immutable.
 */
public final class CgroupMakers {
    private static final int FIELDS = 3;

    private final List<CgroupMount> mounts;
    private final long uid;

    private CgroupMakers(List<CgroupMount> mounts, long uid) {
        this.mounts = List.copyOf(mounts);
        this.uid = uid;
    }

    /**
     * Makers in the hierarchies that a process table shows; where they cannot be seen, as from within a container, all
     * names count.
     */
    public static CgroupMakers of(Path proc) {
        try {
            return new CgroupMakers(
                    CgroupMount.all(proc), FileStatus.of(proc.resolve("self")).owner());
        } catch (IOException outOfSight) {
            return new CgroupMakers(List.of(), 0);
        }
    }

    /**
     * The names in a process's cgroups that only root, or whom the server runs as, can have given.
     *
     * @param lines the text of its {@code /proc/PID/cgroup}
     */
    public List<String> names(String lines, Pattern name) {
        List<String> names = new ArrayList<>();
        for (String line : lines.split("\n")) {
            String[] parts = line.split(":", FIELDS);
            String path = parts.length == FIELDS ? parts[2] : "";
            Matcher matcher = name.matcher(path);
            while (matcher.find()) {
                int end = path.indexOf('/', matcher.end());
                String cgroup = end < 0 ? path : path.substring(0, end);
                if (!isMadeByUser(parts[0] + ":" + parts[1] + ":" + cgroup)) {
                    names.add(matcher.group());
                }
            }
        }
        return names;
    }

    private boolean isMadeByUser(String line) {
        for (CgroupMount mount : mounts) {
            Path cgroup = mount.find(List.of(line)).orElse(null);
            for (Path next = cgroup; next != null && !next.equals(mount.path()); next = next.getParent()) {
                try {
                    long maker = FileStatus.of(next).owner();
                    if (maker != 0 && maker != uid) {
                        return true;
                    }
                } catch (NoSuchFileException gone) {
                    // What it was in still tells.
                } catch (IOException unknown) {
                    return true;
                }
            }
        }
        return false;
    }
}
