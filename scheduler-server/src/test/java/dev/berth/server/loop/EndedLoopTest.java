package dev.berth.server.loop;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.berth.server.store.JobStore;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EndedLoopTest {
    @TempDir
    private Path directory;

    /** Also before its thread has come to see that it is to end. */
    @Test
    void fromTheEndOnEverybodyIsRefused() {
        try (JobStore store = new JobStore(directory.resolve("berth.db"))) {
            SchedulingLoop loop = Loops.onTwoGpus(store, _ -> {}, Instant.parse("2026-01-01T09:00:00Z"));

            loop.end();

            assertThatExceptionOfType(BusyException.class)
                    .isThrownBy(() -> loop.pause("ada"))
                    .matches(BusyException::isStopping);
        }
    }
}
