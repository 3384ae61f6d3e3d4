package dev.berth.server.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.stream.Stream;

/**
 * Whether the kernel has killed a process for lack of memory lately. It counts them, those of all containers and of the
 * machine itself, before they end: {@code oom_kill} in {@code /proc/vmstat}, since Linux 4.13. Safe for any thread.
 */
public final class OomKills {
    /** The time after a kill: who waits for an end that takes longer than that has heard of it meanwhile. */
    static final Duration LATELY = Duration.ofSeconds(5);

    private static final String COUNTER = "oom_kill ";
    private static final long UNKNOWN = -1;

    private final Path statistics;
    private final InstantSource steady;
    private Count last;
    private Count lastButOne;

    /** The number of kills at a time. */
    private record Count(long kills, Instant at) {}

    /**
     * Counts from now on.
     *
     * @param statistics the kernel's file, {@code /proc/vmstat}
     * @param steady a clock that nobody sets
     */
    public OomKills(Path statistics, InstantSource steady) {
        this.statistics = statistics;
        this.steady = steady;
        this.last = count();
        this.lastButOne = last;
    }

    /** Whether there was one since the latest call of long enough ago, or that cannot be told. To be called now and then. */
    public synchronized boolean mayBeLately() {
        Count now = count();
        boolean isOld = !last.at().plus(LATELY).isAfter(now.at());
        Count before = isOld ? last : lastButOne;
        if (isOld) {
            lastButOne = last;
            last = now;
        }
        return now.kills() == UNKNOWN || now.kills() != before.kills();
    }

    private Count count() {
        try (Stream<String> lines = Files.lines(statistics)) {
            long kills = lines.filter(line -> line.startsWith(COUNTER))
                    .mapToLong(line -> Long.parseLong(line.substring(COUNTER.length())))
                    .findFirst()
                    .orElse(UNKNOWN);
            return new Count(kills, steady.instant());
        } catch (IOException e) {
            return new Count(UNKNOWN, steady.instant());
        }
    }
}
