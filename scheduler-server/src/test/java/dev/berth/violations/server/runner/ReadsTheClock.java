package dev.berth.violations.server.runner;

import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.ZoneOffset;

/** Knows what time it is, by every way there is, and says so. */
final class ReadsTheClock {
    private ReadsTheClock() {}

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

    static Instant clock() {
        return Clock.systemUTC().instant();
    }

    static void sleeps() throws InterruptedException {
        Thread.sleep(1);
    }

    static void prints() {
        System.out.println("tick");
    }

    static void complains() {
        System.err.println("tock");
    }
}
