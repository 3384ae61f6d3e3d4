package dev.berth.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.security.auth.module.UnixSystem;
import dev.berth.core.job.Job;
import dev.berth.core.job.StateName;
import dev.berth.core.machine.Change;
import dev.berth.core.machine.Starts;
import dev.berth.server.config.Configuration;
import dev.berth.server.config.Surroundings;
import dev.berth.server.container.FakeContainerEngine;
import dev.berth.server.example.Jobs;
import dev.berth.server.gpu.FoundGpus;
import dev.berth.server.gpu.GpuInventory;
import dev.berth.server.store.JobQueries;
import dev.berth.server.store.JobStore;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A job that waits hears of another driver once the server starts with it, and not when its turn comes. */
@Timeout(60)
class OlderDriverStartTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    private Path directory;

    /** The server is paused: nobody has a turn. */
    @Test
    void aJobWhoseImageItCannotRunFailsBeforeItsTurn() {
        Path place = directory.resolve("data");
        Configuration configuration = Configuration.read(
                List.of("--port=0", "--gpus=true", "--data-dir=" + place),
                new Surroundings(Map.of(), directory, place, directory.resolve("none"), new UnixSystem().getUid()));
        DataDirectory data = DataDirectory.hold(place);
        Job waiting = Jobs.queued(1, 1);
        try (JobStore store = new JobStore(data.database())) {
            store.keepDriver("580.65 13.0");
            store.write(Jobs.upTo(waiting));
            store.write(List.of(new Change.StartsChanged(Jobs.STARTED, new Starts.Paused("root", Jobs.STARTED))));
            store.commit();
        }
        BerthServer server = BerthServer.start(new BerthServer.Parts(
                configuration.settings(),
                data,
                new FakeContainerEngine(InstantSource.system(), (_, _) -> {})
                        .withImage(Jobs.IMAGE)
                        .withEnvironment(Jobs.IMAGE, Map.of("NVIDIA_REQUIRE_CUDA", "cuda>=12.4")),
                withDriver("525.60", "12.0"),
                InstantSource.system(),
                System::nanoTime,
                _ -> {},
                failure -> {
                    throw new AssertionError(failure);
                }));
        try (JobQueries queries = new JobQueries(data.database())) {
            Job ended = awaitEnd(queries, waiting);
            assertThat(ended.state().name()).isEqualTo(StateName.FAILED);
            assertThat(ended.state())
                    .asString()
                    .contains("image python:3.13 needs CUDA >= 12.4, the driver 525.60 runs at most CUDA 12.0");
        } finally {
            server.stop();
        }
    }

    private static FoundGpus withDriver(String version, String cuda) {
        FoundGpus found = FoundGpus.simulated(1, null);
        GpuInventory cards = found.inventory();
        return new FoundGpus(
                found.reader(),
                new GpuInventory(version, cuda, cards.cards(), cards.topology(), cards.warnings()),
                found.gpus(),
                List.of());
    }

    private static Job awaitEnd(JobQueries queries, Job job) {
        Instant end = InstantSource.system().instant().plus(PATIENCE);
        Job now = job;
        while (!now.state().name().isFinal()) {
            assertThat(InstantSource.system().instant()).as("%s", now).isBefore(end);
            Thread.onSpinWait();
            now = queries.find(job.id()).orElseThrow();
        }
        return now;
    }
}
