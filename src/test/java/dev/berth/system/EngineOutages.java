package dev.berth.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.system.fixture.Await;
import dev.berth.system.fixture.SubmittedJob;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** What becomes of jobs while their engine is away, those of count.py among them, which write numbered lines. */
final class EngineOutages {
    /** The aim is two seconds; the machine of the tests may have other work. */
    private static final Duration SOON = Duration.ofSeconds(10);

    private EngineOutages() {}

    /** The engine is back now: what waited for it goes on. */
    static void assertGoesOnSoon(String about, SubmittedJob job, String... states) {
        Instant back = Instant.now();
        job.await(states);
        Duration took = Duration.between(back, Instant.now());
        System.out.printf("%s: went on %d ms after the engine was back%n", about, took.toMillis());
        assertThat(took).as("the time until %s", about).isLessThan(SOON);
    }

    static int lines(SubmittedJob job) {
        job.awaitFile("lines");
        return Integer.parseInt(job.read("lines"));
    }

    static void awaitLines(SubmittedJob job, int lines) {
        Await.that("job " + job.id() + " has written " + lines + " lines", () -> lines(job) >= lines);
    }

    static List<String> writtenLines(int lines) {
        return IntStream.rangeClosed(1, lines)
                .mapToObj(line -> line + " " + "x".repeat(line * 37 % 500))
                .collect(Collectors.toCollection(ArrayList::new));
    }

    /** Each numbered line is there once, whole and in order. */
    static void assertWholeLog(SubmittedJob job) {
        assertLog(job, List.of());
    }

    /** The same, but for lines that the engine may have lost before anybody else saw them. */
    static void assertLog(SubmittedJob job, List<String> lost) {
        List<String> log = job.berth().run("logs", job.idText()).lines();
        Set<String> missing = new HashSet<>(lost);
        missing.removeAll(Set.copyOf(log));
        List<String> expected = writtenLines(lines(job));
        expected.removeAll(missing);
        // Whole logs would be too long to be read in a report.
        int first = Arrays.mismatch(log.toArray(), expected.toArray());
        assertThat(first)
                .as(
                        "log of job %d from its first other line on: %s, not %s",
                        job.id(), some(log, first), some(expected, first))
                .isNegative();
    }

    private static List<String> some(List<String> lines, int from) {
        return lines.stream().skip(Math.max(0, from)).limit(3).toList();
    }
}
