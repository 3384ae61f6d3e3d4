package dev.berth.server.linux;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;

/**
 * What processes have used of the machine: one by itself, those in a cgroup, or those in a container.
 *
 * @param cpuNanos the time of all cores since their start; by {@code /proc} to the hundredth of a second, with that of their children
 *     that were waited for
 * @param memoryBytes the memory that they hold now, without files that the kernel may let go of; by {@code /proc} what several share
 *     counts for each
 */
public record ProcessUse(long cpuNanos, long memoryBytes) {
    /** The kernel tells times by hundredths of a second on each machine that Java runs on (USER_HZ). */
    private static final long NANOS_A_TICK = 10_000_000;

    /** Time as a user and in the kernel, and those of children that were waited for, behind the name. */
    private static final int FIRST_TIME = 11;

    private static final int LAST_TIME = 14;
    private static final String RESIDENT = "VmRSS:";

    /** That of both together. */
    public ProcessUse and(ProcessUse other) {
        return new ProcessUse(cpuNanos + other.cpuNanos, memoryBytes + other.memoryBytes);
    }

    /**
     * The use of one process up to now, by {@code /proc/PID/stat} and {@code status} (proc(5)); nothing of one that has ended.
     *
     * @param proc where the kernel shows processes, {@code /proc}
     * @throws IOException where the process is gone, or cannot be looked at
     */
    static ProcessUse read(Path proc, long pid) throws IOException {
        Path directory = proc.resolve(Long.toString(pid));
        String stat = Files.readString(directory.resolve("stat"), StandardCharsets.ISO_8859_1);
        String[] fields = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ", -1);
        if (fields.length <= LAST_TIME) {
            throw new IOException(directory + "/stat is cut short");
        }
        long ticks = IntStream.rangeClosed(FIRST_TIME, LAST_TIME)
                .mapToLong(field -> Long.parseLong(fields[field]))
                .sum();
        long kibibytes = Files.readString(directory.resolve("status"), StandardCharsets.ISO_8859_1)
                .lines()
                .filter(line -> line.startsWith(RESIDENT))
                .mapToLong(line -> Long.parseLong(
                        line.substring(RESIDENT.length()).replace("kB", "").strip()))
                .sum();
        return new ProcessUse(ticks * NANOS_A_TICK, kibibytes << 10);
    }
}
