package dev.berth.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.system.fixture.Await;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.ProjectDirectory;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.WithGpus;
import org.junit.jupiter.api.Test;

/** Jobs whose container has lost its GPUs under their programs, as these say. */
@SystemTest
class LostDeviceTest {
    private static final String FIRST_ATTEMPT_LOSES = "if [ $BERTH_ATTEMPT = 1 ]; then"
            + " echo 'Failed to initialize NVML: Unknown Error' >&2; sleep 600; fi; echo attempt $BERTH_ATTEMPT ends";

    @Test
    void aJobThatMayIsStartedAnewInAnotherContainer(@WithGpus(8) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            berth.start("-g");
            ProjectDirectory project = berth.project("record.py");
            SubmittedJob job =
                    berth.submit(project, "sh", "--requeue", "--num-gpus", "1", "--", "-c", FIRST_ATTEMPT_LOSES);
            job.awaitCompleted();
            assertThat(berth.run("logs", job.idText()).out()).contains("attempt 2 ends");
            assertThat(berth.run("events", "--json", job.idText()).out()).contains("its container has lost its GPUs");
        }
    }

    @Test
    void anotherIsMarkedAndGoesOn(@WithGpus(8) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            berth.start("-g");
            ProjectDirectory project = berth.project("record.py");
            SubmittedJob job = berth.submit(project, "sh", "--num-gpus", "1", "--", "-c", FIRST_ATTEMPT_LOSES);
            SubmittedJob without = berth.submit(project, "sh", "--requeue", "--", "-c", FIRST_ATTEMPT_LOSES);
            Await.that(
                    "the job is marked",
                    () -> warnings(job).path(0).path("code").asText().equals("DEVICE_LOST"));
            assertThat(job.view().path("state").asText()).isEqualTo("RUNNING");
            assertThat(warnings(job).path(0).path("sentence").asText()).contains("its container has lost its GPUs");
            Await.that(
                    "the other has said so, too",
                    () -> berth.run("logs", without.idText()).out().contains("NVML"));
            assertThat(without.view().path("attempt").asInt())
                    .as("it had no GPU to lose")
                    .isEqualTo(1);
            assertThat(warnings(without)).isEmpty();
        }
    }

    private static JsonNode warnings(SubmittedJob job) {
        return job.view().path("warnings");
    }
}
