package dev.berth.server.usage;

import dev.berth.core.machine.Attempt;
import dev.berth.server.store.StoredUsage;
import dev.berth.server.usage.JobReading.Activity;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The GPU use of one attempt, summed up look by look. Safe for any thread. */
final class JobUsage extends AttemptUsage {
    private static final long MILLIS = 1_000;

    private final UsageCurve curve;
    private long knownMillis;
    private long utilisationMillis;
    private @Nullable Long peakMemoryMiB;
    private long idleMillis;
    private @Nullable Long energyMillijoules;

    /** Nothing is known of it yet. */
    JobUsage(Attempt attempt, Instant startedAt) {
        super(attempt, startedAt);
        this.curve = new UsageCurve(StoredUsage.UNKNOWN);
    }

    /** Goes on where the last server left off. */
    JobUsage(Attempt attempt, Instant startedAt, StoredUsage before) {
        super(attempt, startedAt);
        this.curve = new UsageCurve(StoredUsage.UNKNOWN, before.curveStep(), before.curve());
        this.knownMillis = before.knownMillis();
        this.utilisationMillis = before.utilisationMillis();
        this.peakMemoryMiB = before.peakMemoryMiB();
        this.idleMillis = before.idleMillis();
        this.energyMillijoules = before.energyMillijoules();
    }

    /** Takes a look in that stands for the time since the one before it. */
    synchronized void add(JobReading look, Instant at, Duration stretch) {
        long millis = Math.max(0, stretch.toMillis());
        Integer percent = look.utilisationPercent();
        if (percent != null) {
            knownMillis += millis;
            utilisationMillis += percent * millis;
            curve.add(second(at), percent, millis);
        }
        if (look.activity() == Activity.IDLE) {
            idleMillis += millis;
        }
        Long memory = look.memoryMiB();
        if (memory != null) {
            peakMemoryMiB = peakMemoryMiB == null ? memory : Long.valueOf(Math.max(peakMemoryMiB, memory));
        }
        Long milliwatts = look.milliwatts();
        if (milliwatts != null) {
            energyMillijoules = (energyMillijoules == null ? 0 : energyMillijoules) + milliwatts * millis / MILLIS;
        }
        keepUnwritten();
    }

    synchronized StoredUsage stored() {
        return new StoredUsage(
                attempt().job(),
                attempt().number(),
                knownMillis,
                utilisationMillis,
                peakMemoryMiB,
                idleMillis,
                energyMillijoules,
                curve.step(),
                curve.values());
    }
}
