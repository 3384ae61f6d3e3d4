package dev.berth.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.system.fixture.Await;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.JsonReading;
import dev.berth.system.fixture.ProjectDirectory;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.TestFiles;
import dev.berth.system.fixture.WithGpus;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Arrays by the commands that users type, and as their tasks saw it themselves. */
@SystemTest
class ArrayTest {
    private static final int TASKS = 24;
    private static final int AT_ONCE = 3;

    /** What a task wrote of itself. */
    private record Interval(long begin, long end) {}

    @Test
    void everyTaskIsStartedOnceWithinTheThrottleThroughKillsOfTheServer(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            berth.start("-g");
            ProjectDirectory project = berth.project("task.py");
            String throttled = "0-" + (TASKS - 1) + "%" + AT_ONCE;
            SubmittedJob array = berth.submit(project, "task.py", "--num-gpus", "1", "--array", throttled, "--", "0.3");
            SubmittedJob behind = berth.submit(project, "task.py", "--num-gpus", "1", "--repeat", "1", "--", "0");
            behind.awaitCompleted();
            assertThat(array.state())
                    .as("it is passed, as it has its three tasks")
                    .isEqualTo("QUEUED");
            for (int kill = 1; kill <= 2; kill++) {
                int started = kill * TASKS / 3;
                Await.that(started + " tasks had their turn", () -> turns(array) >= started);
                berth.kill();
                berth.start("-g");
            }
            array.awaitCompleted();

            List<Interval> intervals = new ArrayList<>();
            for (int index = 0; index < TASKS; index++) {
                JsonNode task = task(berth, array, index);
                Path output = Path.of(task.path("outputDirectory").asText());
                assertThat(task.path("state").asText()).isEqualTo("COMPLETED");
                assertThat(TestFiles.read(output.resolve("starts")))
                        .as("starts of task %d", index)
                        .isEqualTo("1\n");
                JsonNode record = json(output.resolve("record.json"));
                assertThat(record.path("told").path("BERTH_JOB_ID").asText()).isEqualTo(number(array, index));
                assertThat(record.path("told").path("SLURM_ARRAY_TASK_ID").asInt(-1))
                        .isEqualTo(index);
                assertThat(record.path("told").path("BERTH_ARRAY_COUNT").asInt())
                        .isEqualTo(TASKS);
                intervals.add(new Interval(
                        record.path("begin").asLong(), record.path("end").asLong()));
                assertThat(berth.run("logs", number(array, index)).text()).isEqualTo("task " + index);
            }
            assertThat(intervals)
                    .as("tasks that run when another begins")
                    .allMatch(one -> intervals.stream()
                                    .filter(other -> other.begin() <= one.begin() && one.begin() < other.end())
                                    .count()
                            <= AT_ONCE);
            List<Long> turns = allocated(berth);
            assertThat(turns).as("turns, by the ids of their tasks").isSorted();
            assertThat(Set.copyOf(turns)).hasSize(TASKS);
        }
    }

    @Test
    void aHundredThousandTasksAreCancelledInOneStep(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            berth.start("-g");
            ProjectDirectory project = berth.project("task.py");
            SubmittedJob array =
                    berth.submit(project, "task.py", "--num-gpus", "1", "--array", "1-100000", "--", "600");
            Await.that("four tasks run", () -> counts(array).path("RUNNING").asInt() == 4);
            assertThat(berth.run("cancel", number(array, 500)).exitCode()).isZero();
            assertThat(berth.run("ps").text()).contains(array.idText() + "_[5-499,501-100000]");
            assertThat(berth.run("cancel", array.idText()).exitCode()).isZero();
            array.await("CANCELLED");

            assertThat(counts(array).path("CANCELLED").asInt()).isEqualTo(100_000);
            assertThat(berth.holders()).allMatch(gpu -> gpu.endsWith(":[]"));
            assertThat(task(berth, array, 99_999).path("state").asText()).isEqualTo("CANCELLED");
            SubmittedJob next = berth.submit(project, "task.py", "--num-gpus", "4", "--array", "7", "--", "0");
            next.awaitCompleted();
            assertThat(berth.run("delete", array.idText()).exitCode()).isZero();
            berth.command("status", number(array, 1)).run().expect(1);
        }
    }

    private static String number(SubmittedJob array, int index) {
        return array.idText() + "_" + index;
    }

    private static JsonNode task(Berth berth, SubmittedJob array, int index) {
        return berth.api().get("/jobs/" + number(array, index)).json();
    }

    private static JsonNode counts(SubmittedJob array) {
        return array.view().path("tasks").path("states");
    }

    /** How many tasks have had their turn. */
    private static int turns(SubmittedJob array) {
        int waiting = counts(array).path("QUEUED").asInt();
        return TASKS - waiting;
    }

    private static List<Long> allocated(Berth berth) {
        List<Long> ids = new ArrayList<>();
        for (String line : berth.run("events", "--json").text().lines().toList()) {
            JsonNode event = JsonReading.of(line);
            if (event.path("event").asText().equals("Allocated")
                    && event.path("number").asText().startsWith("1_")) {
                ids.add(event.path("job").asLong());
            }
        }
        return ids;
    }

    private static JsonNode json(Path file) {
        return JsonReading.of(TestFiles.read(file));
    }
}
