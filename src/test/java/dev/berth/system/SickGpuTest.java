package dev.berth.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.system.fixture.Await;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.JobRecord;
import dev.berth.system.fixture.JsonReading;
import dev.berth.system.fixture.ProjectDirectory;
import dev.berth.system.fixture.Ran;
import dev.berth.system.fixture.StandInState;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.WithGpus;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What NVIDIA's library tells of the GPUs, while the server runs and from one start to the next. */
@SystemTest
class SickGpuTest {
    private static JsonNode gpu(Berth berth, int number) {
        for (JsonNode gpu : berth.run("gpus", "--json").json().path("gpus")) {
            if (gpu.path("uuid").asText().equals(Engine.uuid(number))) {
                return gpu;
            }
        }
        throw new AssertionError("GPU " + number + " is not allocated");
    }

    @Test
    void aFatalErrorTakesAGpuOutOfServiceAndAProgramsFaultDoesNot(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            StandInState state = StandInState.of(berth);
            state.gpus(0, 1, 2, 3);
            berth.start(state.environment(), "-g");
            ProjectDirectory project = berth.project("record.py");

            // Only what comes behind the beginning of the watch is told, so it comes until it is told.
            StringBuilder events = new StringBuilder();
            Await.that("GPU 1 is drained", () -> {
                events.append(Engine.uuid(0)).append(" xid 13\n");
                events.append(Engine.uuid(1)).append(" xid 79\n");
                state.file("events", events.toString());
                return !gpu(berth, 1).path("drain").isNull();
            });

            assertThat(gpu(berth, 1).path("drain").path("by").asText()).isEqualTo("berth");
            assertThat(gpu(berth, 1).path("drain").path("reason").asText())
                    .isEqualTo("XID 79: the GPU has fallen off the bus; reboot the machine, then berth gpus resume");
            assertThat(gpu(berth, 0).path("drain").isNull()).isTrue();
            List<JobRecord> records =
                    IntStream.range(0, 4)
                            .mapToObj(_ -> berth.submit(project, "record.py", "--num-gpus", "1"))
                            .toList()
                            .stream()
                            .map(job -> job.awaitCompleted().record())
                            .toList();
            assertThat(records)
                    .allSatisfy(
                            record -> assertThat(record.granted()).hasSize(1).doesNotContain(1));
        }
    }

    @Test
    void gpusKeepTheirNamesFromOneStartToTheNext(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            StandInState state = StandInState.of(berth);
            state.gpus(0, 1, 2);
            berth.start(state.environment(), "-g");
            assertThat(gpu(berth, 2).path("index").asText()).isEqualTo("2");
            berth.stop();

            // GPU 1 is taken out, GPU 3 put in, and the others have changed places.
            state.gpus(2, 3, 0);
            berth.start(state.environment(), "-g");
            assertThat(JsonReading.each(berth.run("gpus", "--json").json().path("gpus"), "uuid"))
                    .containsExactly(Engine.uuid(2), Engine.uuid(3), Engine.uuid(0));
            ProjectDirectory project = berth.project("record.py");
            SubmittedJob running = berth.submit(project, "record.py", "--num-gpus", "3", "--", "gate");
            SubmittedJob waiting = berth.submit(project, "record.py", "--num-gpus", "3");
            running.awaitBegun();
            berth.stop();

            // One is lost, and the others are allocated.
            state.file("lost", Engine.uuid(3) + "\n");
            Ran start = berth.start(state.environment(), "-g");
            assertThat(start.lines())
                    .contains(
                            "  gpus     2, driver 570.00, up to CUDA 12.8, given by the runtime nvidia",
                            "  warning  GPU 1 is not allocated: GPU 1 has fallen off the bus: NVIDIA's driver has lost"
                                    + " it; reboot the machine to have it back");
            assertThat(waiting.await("HELD").sentence()).contains("it asks for 3 GPUs, but this server has 2");
            running.open();
            assertThat(running.awaitCompleted().record().granted()).containsExactlyInAnyOrder(0, 2, 3);
            berth.stop();

            state.file("lost", "");
            berth.start(state.environment(), "-g");
            waiting.awaitCompleted();
        }
    }
}
