package dev.berth.server.loop;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.berth.core.machine.Capacity;
import dev.berth.server.gpu.SimulatedGpus;
import dev.berth.server.store.JobStore;
import dev.berth.server.time.Clocks;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EndedLoopTest {
    @TempDir
    private Path directory;

    /** Also before its thread has come to see that it is to end. */
    @Test
    void fromTheEndOnEverybodyIsRefused() {
        try (JobStore store = new JobStore(directory.resolve("berth.db"))) {
            SchedulingLoop loop = new SchedulingLoop(
                    new Capacity(SimulatedGpus.of(2), 2, 0),
                    store,
                    new Inbox(),
                    _ -> {},
                    Clocks.neverSet(InstantSource.fixed(Instant.parse("2026-01-01T09:00:00Z"))));

            loop.end();

            assertThatExceptionOfType(BusyException.class)
                    .isThrownBy(() -> loop.pause("ada"))
                    .matches(BusyException::isStopping);
        }
    }
}
