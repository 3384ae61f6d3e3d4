package dev.berth.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.system.fixture.Await;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.ProjectDirectory;
import dev.berth.system.fixture.Ran;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.TestFiles;
import dev.berth.system.fixture.WithGpus;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tasks that share a container are told apart in everything. */
@SystemTest
class PackTest {
    private static SubmittedJob submit(Berth berth, ProjectDirectory project, String options, String program) {
        return berth.submit(project, (options + " packed.py " + program).split(" "));
    }

    private static JsonNode task(Berth berth, SubmittedJob array, int index) {
        return berth.api().get("/jobs/" + array.idText() + "_" + index).json();
    }

    private static List<String> states(Berth berth, SubmittedJob array, int tasks) {
        return IntStream.range(0, tasks)
                .mapToObj(index -> task(berth, array, index).path("state").asText())
                .toList();
    }

    private static String begun(Berth berth, SubmittedJob array, int index) {
        Path output = Path.of(task(berth, array, index).path("outputDirectory").asText());
        return Files.exists(output.resolve("begun")) ? TestFiles.read(output.resolve("begun")) : "";
    }

    private static void awaitBegun(Berth berth, SubmittedJob array, int index) {
        Await.that(
                "task " + index + " has begun",
                () -> !begun(berth, array, index).isEmpty());
    }

    @Test
    void eachTaskHasItsOwnLogExitCodeAndOutput(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            berth.start("-g");
            SubmittedJob array = submit(
                    berth, berth.project("packed.py"), "--num-gpus 1 --array 0-4 --pack 3 --parallel 2", "exit0 exit3");
            array.await("FAILED");
            assertThat(states(berth, array, 5))
                    .containsExactly("COMPLETED", "FAILED", "COMPLETED", "FAILED", "COMPLETED");
            for (int index = 0; index < 5; index++) {
                Ran log = berth.run("logs", array.idText() + "_" + index);
                assertThat(log.lines())
                        .containsExactlyInAnyOrder(
                                "task " + array.idText() + "_" + index + " as 0 in /workspace", "error of " + index);
                assertThat(task(berth, array, index).path("exitCode").asInt()).isEqualTo(index % 2 * 3);
                assertThat(begun(berth, array, index)).isEqualTo("1\n");
            }
            assertThat(berth.run("logs", array.idText() + "_[0-2]").complaint())
                    .endsWith("has written nothing itself; each of its tasks has a log of its own");
            assertThat(engine.containers(berth.dataDirectory())).isEmpty();
        }
    }

    @Test
    void whatIsLostWithTheContainerIsSaidTaskByTask(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            berth.start("-g");
            SubmittedJob array =
                    submit(berth, berth.project("packed.py"), "--num-gpus 2 --array 0-3 --pack 4", "exit0 wait exit0");
            awaitBegun(berth, array, 1);
            Await.that("task 0 is over", () -> states(berth, array, 1).equals(List.of("COMPLETED")));
            berth.kill();
            engine.docker("rm", "-f", engine.containers(berth.dataDirectory()).getFirst());
            berth.start("-g");
            array.await("FAILED");
            assertThat(states(berth, array, 4)).containsExactly("COMPLETED", "LOST", "COMPLETED", "COMPLETED");
            assertThat(task(berth, array, 1).path("sentence").asText())
                    .startsWith("with its pack: its container is gone");
            assertThat(begun(berth, array, 3)).as("in a container of its own").isEqualTo("1\n");
        }
    }

    @Test
    void oneTaskIsCancelledAndTheOthersGoOn(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            berth.start("-g");
            SubmittedJob array =
                    submit(berth, berth.project("packed.py"), "--num-gpus 1 --array 0-3 --pack 4", "wait exit0");
            awaitBegun(berth, array, 0);
            berth.run("cancel", array.idText() + "_2").expect(0);
            berth.run("cancel", array.idText() + "_0").expect(0);
            array.await("FAILED", "CANCELLED");
            assertThat(states(berth, array, 4)).containsExactly("CANCELLED", "COMPLETED", "CANCELLED", "COMPLETED");
            assertThat(begun(berth, array, 2)).isEmpty();
        }
    }

    @Test
    void limitsOfTimeAndMemoryAreThoseOfEachTask(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            berth.start("-g", "--set", "jobs.stop-grace=1s");
            SubmittedJob array = submit(
                    berth,
                    berth.project("packed.py"),
                    "--num-gpus 1 --array 0-3 --pack 4 --time 4s --memory 300M",
                    "wait memory exit0 wait");
            array.await("FAILED");
            assertThat(states(berth, array, 4)).containsExactly("TIMEOUT", "OUT_OF_MEMORY", "COMPLETED", "TIMEOUT");
        }
    }

    @Test
    void theWholeArrayIsCancelledAtOnce(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            berth.start("-g", "--set", "jobs.stop-grace=1s");
            SubmittedJob array = submit(berth, berth.project("packed.py"), "--num-gpus 1 --array 0-5 --pack 2", "wait");
            awaitBegun(berth, array, 2);
            berth.run("cancel", array.idText()).expect(0);
            array.await("CANCELLED");
            assertThat(states(berth, array, 6)).containsOnly("CANCELLED");
            assertThat(begun(berth, array, 3)).isEmpty();
        }
    }
}
