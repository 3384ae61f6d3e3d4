package dev.berth.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.JobRecord;
import dev.berth.system.fixture.JsonReading;
import dev.berth.system.fixture.ProjectDirectory;
import dev.berth.system.fixture.Ran;
import dev.berth.system.fixture.StandInEngine;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.WithGpus;
import dev.berth.testclient.Answer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A job sees the GPUs it was given and no other, whatever its image or its submitter says. */
@SystemTest
class ExactDevicesTest {
    private static final boolean HOOK_WORKS = Files.isDirectory(Path.of("/sys/fs/cgroup/devices"));

    @Test
    void greedyImagesGetWhatWasAskedForWhereNvidiaIsTheDefaultRuntime(@WithGpus(4) Engine engine) {
        assertThat(engine.docker("info", "--format", "{{.DefaultRuntime}}").text())
                .isEqualTo("nvidia");
        assertExact(engine);
    }

    @Test
    void greedyImagesGetWhatWasAskedForWhereNvidiaIsOneRuntimeOfTwo(@WithGpus(8) Engine engine) {
        assertThat(engine.docker("info", "--format", "{{.DefaultRuntime}}").text())
                .isEqualTo("runc");
        assertExact(engine);
    }

    /**
     * The engine calls its hook for device requests; the hook opens the devices behind runc's back, which the stand-in's
     * can do with cgroup version 1 only. What it says else reaches anyone who asked.
     */
    @Test
    void deviceRequestsGiveWhatWasAskedForToo(@WithGpus(8) Engine engine) {
        if (HOOK_WORKS) {
            assertExact(engine, "--gpu-mode", "device-request");
            assertThat(engine.calls()).anyMatch(call -> call.contains("\"hook\": true"));
        } else {
            try (Berth berth = Berth.on(engine)) {
                berth.start("-g", "--gpu-mode", "device-request");
                SubmittedJob job = berth.submit(berth.project("record.py"), "record.py", "--num-gpus", "1");
                assertThat(berth.command("wait", job.idText()).run().err()).contains("the machine has no cgroup v1");
            }
        }
    }

    /** An engine before 25 cannot, and the start says so; BERTH_STAND_IN_DOCKERD may name a newer one. */
    @Test
    void cdiGivesWhatWasAskedForWhereTheEngineDoesCdi(@WithGpus(4) Engine engine) {
        if (StandInEngine.doesCdi()) {
            try (StandInEngine newer = StandInEngine.start(4, "runc", "--cdi")) {
                assertExact(newer.engine(), "--gpu-mode", "cdi");
            }
        }
        try (Berth berth = Berth.on(engine)) {
            Ran refused = berth.startCommand("-g", "--gpu-mode", "cdi").run().expect(125);
            assertThat(refused.complaint()).contains("CDI", "; run: nvidia-ctk ");
        }
    }

    @Test
    void autoTakesTheFirstWayThereIsAndSaysWhich(@WithGpus(8) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            assertThat(berth.start("-g", "--gpu-mode", "auto").out())
                    .contains("given by the runtime nvidia (found by gpus.mode auto)");
            berth.stop();
            engine.withoutNvidia(() -> {
                assertThat(berth.start("-g", "--gpu-mode", "auto").out())
                        .contains("given by device requests (found by");
                berth.stop();
            });
        }
    }

    private static void assertExact(Engine engine, String... options) {
        String all = engine.bake("berth-test-all", "NVIDIA_VISIBLE_DEVICES=all", "CUDA_VISIBLE_DEVICES=7");
        // Without NVIDIA_REQUIRE_CUDA, the runtime takes that for an old image, to which unset means all.
        String old = engine.bake("berth-test-old", "CUDA_VERSION=8.0");
        try (Berth berth = Berth.on(engine)) {
            berth.start(Stream.concat(Stream.of("-g"), Stream.of(options)).toArray(String[]::new));
            ProjectDirectory project = berth.project("record.py");
            for (int gpus : List.of(0, 1)) {
                List<SubmittedJob> jobs = Stream.of(Engine.IMAGE, all, old)
                        .map(image -> berth.submit(
                                project, "record.py", "gate", "--image", image, "--num-gpus", Integer.toString(gpus)))
                        .toList();
                jobs.forEach(job -> assertExact(job, gpus));
            }
        }
    }

    private static void assertExact(SubmittedJob job, int gpus) {
        JobRecord record = job.awaitBegun();
        assertThat(record.opened()).isEqualTo(record.granted()).hasSize(gpus);
        assertThat(record.others()).containsExactly("ENOENT");
        assertThat(record.nodes()).hasSize(gpus == 0 ? 0 : gpus + 1);
        assertThat(job.kernelAnswers()).satisfies(answers -> {
            assertThat(answers.stream().filter("ENXIO"::equals)).hasSize(gpus);
            assertThat(answers.stream().filter("EPERM"::equals)).hasSize(8 - gpus);
            record.opened().forEach(gpu -> assertThat(answers.get(gpu)).isEqualTo("ENXIO"));
        });
        JsonNode environment = record.whole().path("environment");
        assertThat(environment.has("CUDA_VISIBLE_DEVICES")).isFalse();
        assertThat(environment.path("BERTH_NUM_GPUS").asText()).isEqualTo(Integer.toString(gpus));
        job.open();
        job.awaitCompleted();
    }

    @Test
    void nobodyCanAskForGpusByVariables(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            berth.start("-g");
            ProjectDirectory project = berth.project("record.py");
            SubmittedJob known = berth.submit(project, "record.py").awaitCompleted();

            for (String variable : List.of(
                    "NVIDIA_VISIBLE_DEVICES=all",
                    "NVIDIA_VISIBLE_DEVICES=",
                    "CUDA_VISIBLE_DEVICES=0,1,2,3",
                    "NVIDIA_MIG_CONFIG_DEVICES=all",
                    "BERTH_GPU_UUIDS=" + Engine.uuid(3))) {
                String name = variable.substring(0, variable.indexOf('='));
                String value = variable.substring(name.length() + 1);
                Ran refused = berth.command("submit", "-e", variable, "scheduler")
                        .and(project.path().toString(), "record.py")
                        .run()
                        .expect(2);
                assertThat(refused.complaint()).contains(name + " is set by Berth ");

                Answer answer = berth.api()
                        .post(
                                "/jobs",
                                JsonReading.text(Map.of(
                                        "snapshot",
                                                known.view().path("snapshot").asText(),
                                        "command", List.of("record.py"),
                                        "environment", Map.of(name, value))));
                assertThat(answer.expect(400)
                                .json()
                                .path("details")
                                .path("field")
                                .asText())
                        .isEqualTo("environment");
            }
            assertThat(JsonReading.each(berth.run("ps", "-a", "--json").json().path("jobs"), "id"))
                    .as("what is in the queue after it was all refused")
                    .containsExactly(known.idText());
        }
    }
}
