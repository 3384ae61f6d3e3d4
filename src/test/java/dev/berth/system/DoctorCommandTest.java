package dev.berth.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Command;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.Product;
import dev.berth.system.fixture.Ran;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.TestFiles;
import dev.berth.system.fixture.WithGpus;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/** {@code berth doctor} on a machine that could run a job with a GPU, and with each thing broken by itself. */
@SystemTest
class DoctorCommandTest {
    private static Command doctor(Berth berth, String... words) {
        return on(Engine.IMAGE, berth, words);
    }

    private static Command on(String image, Berth berth, String... words) {
        return berth.command("doctor", "--image", image)
                .with(berth.engine().variables())
                .and(words);
    }

    private static List<JsonNode> failures(JsonNode view) {
        return StreamSupport.stream(view.path("findings").spliterator(), false)
                .filter(finding -> finding.path("verdict").asText().equals("failure"))
                .toList();
    }

    /** That one thing is wrong, and which command mends it. */
    private static void assertFails(Command doctor, String check, String words, String mend) {
        JsonNode view = doctor.and("--json").run().expect(1).json();
        assertThat(view.path("ready").asBoolean()).isFalse();
        assertThat(failures(view)).singleElement().satisfies(finding -> {
            assertThat(finding.path("check").asText()).isEqualTo(check);
            assertThat(finding.path("sentence").asText()).contains(words);
            assertThat(finding.path("mend").asText()).contains(mend);
        });
    }

    @Test
    void onAMachineWithGpusAJobCouldRun(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            Ran people = doctor(berth).run().expect(0);
            assertThat(people.err()).isEmpty();
            assertThat(people.lines())
                    .contains("ok    gpu 3        a test container sees it: NVIDIA Stand-in 24GB")
                    .contains("ok    way          gpus.mode runtime: the engine has the runtime nvidia")
                    .last()
                    .asString()
                    .startsWith("a job with a GPU can run");
            assertThat(doctor(berth, "-q").run().expect(0).out()).isEmpty();
            assertThat(engine.docker("ps", "-aq", "--filter", "label=dev.berth.doctor")
                            .out())
                    .as("test containers that are left")
                    .isEmpty();
            assertThat(berth.dataDirectory()).as("nothing is made by looking").doesNotExist();
        }
    }

    @Test
    void aServerThatRunsAndItsJobsAreLeftAlone(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            berth.start("-g");
            SubmittedJob job = berth.submit(berth.project("record.py"), "record.py", "gate", "--num-gpus", "1");
            int gpu = job.awaitBegun().granted().iterator().next();
            assertThat(doctor(berth).run().expect(0).lines())
                    .contains("ok    gpu " + gpu + "        not tried: a job has it");
            job.open();
            job.awaitCompleted();
        }
    }

    @Test
    void whatIsBrokenIsNamedWithItsMend(@WithGpus(8) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            assertFails(
                    doctor(berth).with("DOCKER_HOST", "unix:///nowhere/docker.sock"),
                    "engine",
                    "no Docker Engine answers at unix:///nowhere/docker.sock",
                    "systemctl start docker");
            assertFails(on("no/such:1", berth), "image", "no/such:1, is not here", "docker pull no/such:1");
            Path broken = TestFiles.folderIn(berth.home(), "broken");
            TestFiles.write(broken.resolve("failure"), "9\nNVIDIA-SMI has failed.");
            assertFails(
                    doctor(berth).with("BERTH_STAND_IN_STATE", broken.toString()),
                    "driver",
                    "no driver: ",
                    "modprobe nvidia");
            assertThat(doctor(berth, "-q")
                            .with("BERTH_STAND_IN_STATE", broken.toString())
                            .run()
                            .expect(1)
                            .out())
                    .isEqualTo("driver\n");
        }
    }

    @Test
    void aRuntimeThatIsNotRegisteredIsNamedFirst(@WithGpus(8) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            engine.withoutNvidia(() -> {
                Ran ran = doctor(berth).run().expect(1);
                assertThat(ran.out())
                        .contains(
                                "FAIL  way          gpus.mode runtime: ",
                                "fix: nvidia-ctk runtime configure --runtime=docker && systemctl restart docker");
            });
        }
    }

    /** The runtime knows four of five GPUs, as after one has fallen off the bus. */
    @Test
    void aGpuThatNoContainerGetsIsNamed(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            Path more = TestFiles.folderIn(berth.home(), "more");
            TestFiles.write(
                    more.resolve("gpus.csv"),
                    Command.of(Product.STAND_IN.resolve("engine"), "gpus", "5")
                            .run()
                            .expect(0)
                            .out());
            assertFails(
                    doctor(berth).with("BERTH_STAND_IN_STATE", more.toString()),
                    "gpu 4",
                    "unknown device: " + Engine.uuid(4),
                    "nvidia-smi -q -i " + Engine.uuid(4));
        }
    }

    @Test
    void aWrongLineIsToldApartFromAWrongMachine(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            assertThat(doctor(berth, "--gpu-mode", "legacy").run().expect(2).err())
                    .contains("'legacy' must be runtime, device-request, cdi or auto");
            assertThat(doctor(berth, "now").run().expect(2).err()).contains("takes no ");
        }
    }
}
