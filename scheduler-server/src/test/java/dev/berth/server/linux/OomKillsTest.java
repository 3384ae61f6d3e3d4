package dev.berth.server.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OomKillsTest {
    @TempDir
    private Path folder;

    private Path statistics;
    private Instant now = Instant.parse("2026-01-01T08:00:00Z");
    private OomKills kills;

    @BeforeEach
    void begin() throws IOException {
        statistics = folder.resolve("vmstat");
        count(7);
        kills = new OomKills(statistics, () -> now);
    }

    private void count(long count) throws IOException {
        Files.writeString(statistics, "nr_free_pages 1\noom_kill " + count + "\noom_killed_others 3\n");
    }

    private void pass(Duration time) {
        now = now.plus(time);
    }

    @Test
    void thoseBeforeItBeganAreNotCounted() {
        assertThat(kills.mayBeLately()).isFalse();
    }

    @Test
    void twoThatEndAtOneTimeMayBothHaveBeenKilled() throws IOException {
        pass(Duration.ofHours(1));
        assertThat(kills.mayBeLately()).isFalse();
        pass(Duration.ofHours(1));
        count(9);
        assertThat(kills.mayBeLately()).isTrue();
        pass(OomKills.LATELY.minusMillis(1));
        assertThat(kills.mayBeLately()).isTrue();
    }

    @Test
    void oneOfLongAgoIsForgotten() throws IOException {
        count(8);
        pass(OomKills.LATELY);
        assertThat(kills.mayBeLately()).isTrue();
        pass(OomKills.LATELY);
        assertThat(kills.mayBeLately()).isFalse();
    }

    @Test
    void manyLooksInBetweenHideNone() throws IOException {
        for (int look = 0; look < 1_000; look++) {
            pass(Duration.ofMillis(10));
            assertThat(kills.mayBeLately()).isFalse();
        }
        count(8);
        for (int look = 0; look < 100; look++) {
            pass(Duration.ofMillis(10));
            assertThat(kills.mayBeLately()).isTrue();
        }
    }

    @Test
    void theKernelOfThisMachineTells() {
        assertThat(Path.of("/proc/vmstat")).content().containsPattern("(?m)^oom_kill \\d+$");
    }

    @Test
    void whereTheKernelDoesNotCountThereMayBeOne() throws IOException {
        Files.writeString(statistics, "nr_free_pages 1\n");
        assertThat(kills.mayBeLately()).isTrue();
        Files.delete(statistics);
        assertThat(kills.mayBeLately()).isTrue();
    }
}
