package dev.berth.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Command;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.Product;
import dev.berth.system.fixture.ProjectDirectory;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.TestFiles;
import dev.berth.system.fixture.UnixUser;
import dev.berth.system.fixture.WithGpus;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Ada has the engine say what she likes: she mounts a directory where none can be made, so that the engine's error bears
 * the name that she gave it. What it says decides nothing, and Bob, who waits for the same GPUs, does not see it.
 */
@SystemTest
class EngineTextTest {
    private static final String COLUMNS = "index,uuid,pci.bus_id,name,memory.total,memory.used,memory.free,"
            + "utilization.gpu,temperature.gpu,power.draw,compute_mode,mig.mode.current,driver_version,minor";

    /** One that the engine's runtime has, and one that it does not know. */
    private static final List<Integer> GPUS = List.of(0, 7);

    /** In every container of Docker's: no directory can be made below it. */
    private static final String FILE = "/.dockerenv";

    private static final Path INSTALLED = TestFiles.folder();
    private static final UnixUser ADA = UnixUser.create("berth-words-ada");
    private static final UnixUser BOB = UnixUser.create("berth-words-bob");

    @BeforeAll
    static void install() {
        TestFiles.copyTree(Product.DISTRIBUTION, INSTALLED.resolve("berth"));
        TestFiles.give(TestFiles.folders(ADA.home().resolve("folder")), ADA);
    }

    @AfterAll
    static void remove() {
        ADA.close();
        BOB.close();
        TestFiles.deleteTree(INSTALLED);
    }

    private static Command as(UnixUser user, Berth berth, String... words) {
        return Command.of(
                        INSTALLED.resolve("berth/bin/berth"),
                        "--data-dir",
                        berth.dataDirectory().toString())
                .and(words)
                .as(user);
    }

    /** A job that cannot start, and of which the engine says this. */
    private static SubmittedJob says(Berth berth, ProjectDirectory project, String words, String... options) {
        Command submit = as(ADA, berth);
        List<String> all = new ArrayList<>(List.of(options));
        all.addAll(List.of("-v", ADA.home().resolve("folder") + ":" + FILE + "/" + words, "whoami.py"));
        return berth.submit(submit, project, all.toArray(String[]::new));
    }

    private static JsonNode gpus(Berth berth) {
        return as(BOB, berth, "gpus", "--json").run().expect(0).json().path("gpus");
    }

    @Test
    void noWordsDrainAGpuOrKeepIt(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            berth.start("-g");
            ProjectDirectory project = berth.project("whoami.py");
            for (String words : List.of(
                    "could not select device driver",
                    "could not select device driver",
                    "could not select device driver",
                    "no space left on device",
                    "daemon is shutting down")) {
                SubmittedJob job =
                        says(berth, project, words, "--num-gpus", "4").await("FAILED");
                assertThat(job.sentence()).contains(words);
                assertThat(job.view().path("attempt").asInt()).as("tried once").isEqualTo(1);
            }
            assertThat(gpus(berth))
                    .hasSize(4)
                    .allSatisfy(gpu ->
                            assertThat(gpu.path("drain").isNull()).as("%s", gpu).isTrue());
            SubmittedJob bobs = berth.submit(as(BOB, berth), project, "--num-gpus", "4", "whoami.py");
            bobs.awaitCompleted();
        }
    }

    @Test
    void aGpuOnWhichBerthsOwnContainerFailsTooIsDrainedInBerthsWords(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            Path state = TestFiles.folderIn(berth.home(), "state");
            TestFiles.write(
                    state.resolve("gpus.csv"),
                    COLUMNS + "\n"
                            + String.join(
                                    "",
                                    IntStream.range(0, GPUS.size())
                                            .mapToObj(index -> line(index, GPUS.get(index)))
                                            .toList()));
            berth.start(Map.of("BERTH_STAND_IN_STATE", state.toString()), "-g");
            ProjectDirectory project = berth.project("whoami.py");
            for (int time = 1; time <= 3; time++) {
                SubmittedJob job =
                        says(berth, project, "ADAS-WORDS", "--num-gpus", "2").await("FAILED");
                assertThat(job.sentence()).isNotEmpty();
            }
            JsonNode gpus = gpus(berth);
            assertThat(gpus.path(0).path("drain").isNull())
                    .as("%s starts Berth's own", gpus.path(0))
                    .isTrue();
            assertThat(gpus.path(1).path("drain").path("reason").asText())
                    .startsWith("3 starts in a row failed on it, and so did Berth's own test container: ")
                    .contains("unknown device: " + Engine.uuid(7));
            String shown = as(BOB, berth, "gpus").run().expect(0).out()
                    + as(BOB, berth, "status").run().expect(0).out()
                    + TestFiles.read(berth.dataDirectory().resolve("server.log"));
            assertThat(shown).contains("Berth's own test container").doesNotContain("ADAS-WORDS");
            berth.submit(as(BOB, berth), project, "--num-gpus", "1", "whoami.py")
                    .awaitCompleted();
        }
    }

    private static String line(int index, int gpu) {
        return "%d,%s,00000000:%02X:00.0,NVIDIA Stand-in 24GB,24576,1,24575,0,30,25.00,Default,[N/A],570.00,%d%n"
                .formatted(index, Engine.uuid(gpu), gpu + 1, gpu);
    }
}
