package dev.berth.violations.machine;

import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.ZoneOffset;

/** Knows what time it is, by every way there is. */
final class MachineReadsTheClock {
    private MachineReadsTheClock() {}

    static Instant instant() {
        return Instant.now();
    }

    static long millis() {
        return System.currentTimeMillis();
    }

    static long nanos() {
        return System.nanoTime();
    }

    static LocalDate today() {
        return LocalDate.now(ZoneOffset.UTC);
    }

    static Instant source() {
        return InstantSource.system().instant();
    }

    static void sleeps() throws InterruptedException {
        Thread.sleep(1);
    }
}
