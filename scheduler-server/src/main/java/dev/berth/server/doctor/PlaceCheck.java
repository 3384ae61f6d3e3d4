package dev.berth.server.doctor;

import dev.berth.server.gpu.lock.SafeGpuLock;
import dev.berth.server.profile.Profiles;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Checks of the machine's room and rights, apart from its GPUs. */
final class PlaceCheck {
    private static final long MIB = 1L << 20;
    private static final long GIB = 1L << 30;
    private static final long MIN_SHM = 64 * MIB;

    /** Below that an engine makes no container, and a server takes no directory. */
    private static final long MIN_FREE = 512 * MIB;

    private static final long LITTLE_FREE = 10 * GIB;

    /** Each open log, follower and connection takes one. */
    private static final long MIN_OPEN_FILES = 4_096;

    private static final int WRITE_FOR_OTHERS = 0022;
    private static final int LOCKABLE_FOR_ALL = 0222;
    private static final Pattern OPEN_FILES = Pattern.compile("(?m)^Max open files\\s+(\\S+)\\s+(\\S+)");

    private final Host host;
    private final Findings findings;

    PlaceCheck(Host host, Findings findings) {
        this.host = host;
        this.findings = findings;
    }

    void sharedMemory() {
        Optional<Long> total = host.fileStore(host.at("/dev/shm")).flatMap(PlaceCheck::total);
        if (!host.has("/dev/shm") || total.isEmpty() || total.get() < MIN_SHM) {
            findings.warning(
                    "shm",
                    "/dev/shm of this machine is missing or smaller than 64 MiB; a job has one of its own, but those"
                            + " under the Multi-Process Service share this one",
                    "mount -o remount,size=50% /dev/shm");
        } else {
            findings.ok("shm", "/dev/shm has " + words(total.get()) + "; a job has one of its own (jobs.shm-size)");
        }
    }

    /** Room in a place that jobs need. */
    void disk(String whose, Path place, String mend) {
        Optional<Long> usable = host.fileStore(place).flatMap(PlaceCheck::usable);
        if (usable.isEmpty()) {
            findings.warning(
                    "disk", "how much room " + place + " (" + whose + ") has is not to be seen", "df -h " + place);
        } else if (usable.get() < MIN_FREE) {
            findings.failure(
                    "disk", "only " + words(usable.get()) + " are free at " + place + " (" + whose + ")", mend);
        } else if (usable.get() < LITTLE_FREE) {
            findings.warning(
                    "disk", "only " + words(usable.get()) + " are free at " + place + " (" + whose + ")", mend);
        } else {
            findings.ok("disk", words(usable.get()) + " are free at " + place + " (" + whose + ")");
        }
    }

    private static Optional<Long> total(FileStore store) {
        try {
            return Optional.of(store.getTotalSpace());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static Optional<Long> usable(FileStore store) {
        try {
            return Optional.of(store.getUsableSpace());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static String words(long bytes) {
        return bytes >= GIB ? bytes / GIB + " GiB" : bytes / MIB + " MiB";
    }

    /** The bounds of a process that is started like this one (proc(5), /proc/PID/limits). */
    void limits() {
        Matcher open = OPEN_FILES.matcher(host.read("/proc/self/limits").orElse(""));
        if (!open.find()) {
            return;
        }
        String hard = open.group(2);
        if (!hard.equals("unlimited") && Long.parseLong(hard) < MIN_OPEN_FILES) {
            findings.warning(
                    "limits",
                    "a server started here may open " + hard + " files, and each log and connection takes one",
                    "ulimit -Hn " + MIN_OPEN_FILES + " (as a service: LimitNOFILE=65536)");
        } else {
            findings.ok("limits", "a server may open " + hard + " files");
        }
    }

    /** A user who may write a configuration decides what the server's jobs may do. */
    void configuration(List<Path> files) {
        for (Path file : files) {
            host.permissions(file)
                    .filter(permissions -> (permissions & WRITE_FOR_OTHERS) != 0)
                    .ifPresent(permissions -> findings.warning(
                            "config",
                            file + " may be written by others than its owner (" + Integer.toOctalString(permissions)
                                    + ")",
                            "chmod go-w " + file));
        }
        if (files.isEmpty()) {
            findings.ok("config", "no configuration file; all settings are built in, or given to the start");
        } else {
            findings.ok(
                    "config",
                    "read from "
                            + String.join(
                                    ", ", files.stream().map(Path::toString).toList()));
        }
    }

    /** A file with a mistake leaves a server that runs with the profiles of before, and one that starts with none. */
    void profiles(Profiles.State state) {
        state.problems()
                .forEach(problem -> findings.warning(
                        "profiles", problem + "; until then those of before, if any, count", "berth profiles"));
        int count = state.set().profiles().size();
        if (count > 0) {
            findings.ok("profiles", state.file() + " has " + count);
        }
    }

    /** By a look from outside: opening and closing these files would drop a lock that this process held on them. */
    void safeGpu() {
        List<Path> locks = SafeGpuLock.places().stream().map(host::at).toList();
        List<Path> closed = locks.stream()
                .filter(lock -> host.permissions(lock)
                        .filter(bits -> (bits & LOCKABLE_FOR_ALL) != LOCKABLE_FOR_ALL)
                        .isPresent())
                .toList();
        for (Path lock : closed) {
            findings.warning(
                    "safe-gpu",
                    "safe_gpu's lock " + lock
                            + " cannot be taken by everybody, so that its users fail where others do not",
                    "chmod 666 " + lock);
        }
        if (closed.isEmpty()) {
            boolean found =
                    locks.stream().anyMatch(lock -> host.permissions(lock).isPresent());
            findings.ok("safe-gpu", found ? "its lock is there" : "its lock is not there: nobody uses it here");
        }
    }
}
