package dev.berth.server.linux;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;

/** The machine's run since it was switched on, as {@code /proc} tells of it (random(4), proc_stat(5), proc_uptime(5)). */
public final class MachineBoot {
    private static final String BEGAN = "btime ";

    private MachineBoot() {}

    /** Name of this run, by which numbers of processes mean something; empty where the kernel does not tell it. */
    public static String id(Path proc) {
        try {
            return Files.readString(proc.resolve("sys/kernel/random/boot_id")).strip();
        } catch (IOException e) {
            return "";
        }
    }

    /**
     * The date at which it began.
     *
     * @throws IOException where the kernel does not tell it
     * @throws NumberFormatException where the kernel says something else than a number
     */
    public static Instant began(Path proc) throws IOException {
        Path statistics = proc.resolve("stat");
        for (String line : Files.readAllLines(statistics)) {
            if (line.startsWith(BEGAN)) {
                return Instant.ofEpochSecond(
                        Long.parseLong(line.substring(BEGAN.length()).strip()));
            }
        }
        throw new IOException(statistics + " has no " + BEGAN.strip());
    }

    /**
     * The time that it has lasted, in seconds.
     *
     * @throws NumberFormatException where the kernel says something else than a number
     */
    public static BigDecimal uptime(Path proc) throws IOException {
        return new BigDecimal(Files.readString(proc.resolve("uptime")).split("\\s", 2)[0]);
    }
}
