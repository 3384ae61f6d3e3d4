package dev.berth.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.system.fixture.Await;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Command;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.Product;
import dev.berth.system.fixture.ProjectDirectory;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.TestFiles;
import dev.berth.system.fixture.WithGpus;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** How GPUs are used, seen by the looks of a real server at a stand-in for NVIDIA's library. */
@SystemTest
class UsageTest {

    /** A library whose GPUs are those of the engine, in a folder of the test's own. */
    private static Path library(Berth berth, Engine engine) {
        Path folder = TestFiles.folders(berth.home().resolve("nvml"));
        Path library = folder.resolve("libnvidia-ml.so.1");
        Command.of("gcc", "-shared", "-fPIC", "-O1", "-o", library.toString())
                .and(Product.STAND_IN.resolve("nvml/nvml.c").toString(), "-ldl", "-lpthread")
                .run()
                .expect(0);
        TestFiles.write(
                folder.resolve("gpus.csv"),
                TestFiles.read(engine.standIn().orElseThrow().resolve("gpus.csv")));
        return library;
    }

    /** Every GPU computes so much from now on. */
    private static void compute(Path library, int percent) {
        Path gpus = library.resolveSibling("gpus.csv");
        TestFiles.write(gpus, TestFiles.read(gpus).replaceAll("(?m)^(\\d.*,24575,)\\d+,", "$1" + percent + ","));
    }

    @Test
    void aJobThatIsOverShowsWhatItMadeOfItsGpu(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            Path library = library(berth, engine);
            berth.start("-g", "--set", "gpus.library=" + library);
            ProjectDirectory project = berth.project("record.py");
            compute(library, 80);

            SubmittedJob job = berth.submit(project, "record.py", "gate", "--num-gpus", "1");
            Await.that(
                    "the job's usage is known",
                    () -> job.view()
                                    .path("usage")
                                    .path("meanUtilisationPercent")
                                    .asInt()
                            == 80);
            job.awaitBegun();
            assertThat(berth.run("gpus").out()).contains(" 80 % | ", ":" + job.id());
            job.open();
            job.awaitCompleted();

            JsonNode usage = job.view().path("usage");
            assertThat(usage.path("meanUtilisationPercent").asInt()).isEqualTo(80);
            assertThat(usage.path("utilisation")).isNotEmpty();
            assertThat(berth.run("status", job.idText()).out()).contains("80 % busy on average", "GPU-hours");
            assertThat(berth.run("history", "--format", "{{.Utilisation}}").text())
                    .isEqualTo("80");
        }
    }

    @Test
    void anIdleJobIsWarnedAndThenEndedWhereItAskedForThat(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            Path library = library(berth, engine);
            compute(library, 0);
            berth.start("-g", "--set", "gpus.library=" + library, "--set", "gpus.idle-warning=2s");
            ProjectDirectory project = berth.project("record.py");

            SubmittedJob patient = berth.submit(project, "record.py", "gate", "--num-gpus", "1");
            SubmittedJob job = berth.submit(project, "record.py", "gate", "--num-gpus", "1", "--idle-timeout", "4s");
            job.await("TIMEOUT");

            assertThat(job.view().path("reason").asText()).isEqualTo("IDLE_TIMEOUT");
            assertThat(job.sentence())
                    .startsWith("stopped: its GPU ")
                    .contains(" was idle from ")
                    .endsWith(" on, as long as its --idle-timeout of 4s allows");
            assertThat(job.view().path("warnings").path(0).path("code").asText())
                    .isEqualTo("GPU_IDLE");
            Await.that("the other one is warned", () -> berth.run("ps").out().contains("! its GPU "));
            assertThat(berth.run("explain", patient.idText()).out()).contains("warning     its GPU ");
            compute(library, 30);
            Await.that("its warning ends", () -> !berth.run("ps").out().contains("! its GPU "));
            patient.open();
            patient.awaitCompleted();
        }
    }
}
