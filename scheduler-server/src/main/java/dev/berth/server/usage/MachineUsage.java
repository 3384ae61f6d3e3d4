package dev.berth.server.usage;

import dev.berth.core.machine.Attempt;
import dev.berth.server.linux.ProcessUse;
import dev.berth.server.store.StoredMachineUsage;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The cores and the memory that one attempt uses, look by look. Safe for any thread. */
final class MachineUsage extends AttemptUsage {
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final int WHOLE = 1_000;

    /** For so many seconds at most a look stands for the time before it. */
    private static final long LONGEST_STRETCH = 60;

    private final UsageCurve cpu;
    private final UsageCurve memory;
    private long cpuMillis;
    private long ranMillis;
    private long peakMemoryMiB;

    /** The look before; null where an earlier server had it. */
    private @Nullable Look last;

    private record Look(long cpuNanos, Instant at) {}

    /** Nothing is known of it yet. */
    MachineUsage(Attempt attempt, Instant startedAt) {
        super(attempt, startedAt);
        this.cpu = new UsageCurve(StoredMachineUsage.UNKNOWN);
        this.memory = new UsageCurve(StoredMachineUsage.UNKNOWN);
        this.last = new Look(0, startedAt);
    }

    /** Goes on where the last server left off. */
    MachineUsage(Attempt attempt, Instant startedAt, StoredMachineUsage before) {
        super(attempt, startedAt);
        this.cpu = new UsageCurve(StoredMachineUsage.UNKNOWN, before.curveStep(), before.cpuMilli());
        this.memory = new UsageCurve(StoredMachineUsage.UNKNOWN, before.curveStep(), before.memoryMiB());
        this.cpuMillis = before.cpuMillis();
        this.ranMillis = before.ranMillis();
        this.peakMemoryMiB = before.peakMemoryMiB();
    }

    /** Takes a look in; one that comes before the one before it, as after a clock went back, counts for nothing. */
    synchronized void add(ProcessUse reading, Instant at) {
        Look before = last;
        long millis =
                Duration.between(before == null ? startedAt() : before.at, at).toMillis();
        long nanos = before == null ? 0 : reading.cpuNanos() - before.cpuNanos;
        last = new Look(reading.cpuNanos(), at);
        if (millis <= 0 || nanos < 0) {
            return;
        }
        int memoryMiB = (int) (reading.memoryBytes() >> 20);
        long now = second(at);
        // Nobody knows what was while no server looked.
        long first = before == null ? now : Math.clamp(second(before.at) + 1, now - LONGEST_STRETCH, now);
        for (long second = first; second <= now; second++) {
            // Both, so that their steps stay the same.
            cpu.add(second, (int) (WHOLE * nanos / NANOS_PER_MILLI / millis), before == null ? 0 : WHOLE);
            memory.add(second, memoryMiB, WHOLE);
        }
        cpuMillis = reading.cpuNanos() / NANOS_PER_MILLI;
        ranMillis = Duration.between(startedAt(), at).toMillis();
        peakMemoryMiB = Math.max(peakMemoryMiB, memoryMiB);
        keepUnwritten();
    }

    synchronized StoredMachineUsage stored() {
        return new StoredMachineUsage(
                attempt().job(),
                attempt().number(),
                cpuMillis,
                ranMillis,
                peakMemoryMiB,
                cpu.step(),
                cpu.values(),
                memory.values());
    }
}
