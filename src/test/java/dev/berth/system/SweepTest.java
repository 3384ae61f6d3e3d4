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
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Sweeps by the commands that users type, and as their tasks were told of them. {@code -Dberth.sweep.seeds=100} makes a long run of
 * it.
 */
@SystemTest
class SweepTest {
    private static final int SEEDS = Integer.getInteger("berth.sweep.seeds", 20);
    private static final int TASKS = 2 * SEEDS;

    private static JsonNode record(Berth berth, SubmittedJob sweep, int index) {
        JsonNode task = berth.api().get("/jobs/" + sweep.idText() + "_" + index).json();
        return JsonReading.of(
                TestFiles.read(Path.of(task.path("outputDirectory").asText()).resolve("record.json")));
    }

    /** The exit codes of a task's attempts before its last one. */
    private static List<Integer> attempts(Berth berth, SubmittedJob sweep, int index) {
        JsonNode task = berth.api().get("/jobs/" + sweep.idText() + "_" + index).json();
        List<Integer> codes = new ArrayList<>();
        task.path("earlierAttempts")
                .forEach(attempt -> codes.add(attempt.path("exitCode").asInt()));
        return codes;
    }

    @Test
    void eachSetOfValuesIsRunToItsEndThroughFailuresAndKillsOfTheServer(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            berth.start("-g");
            ProjectDirectory project = berth.project("sweep.py");
            SubmittedJob sweep = berth.submit(
                    project,
                    "sweep.py",
                    "--num-gpus",
                    "1",
                    "--sweep",
                    "lr=1e-3,0.10",
                    "--sweep",
                    "net.seed=1.." + SEEDS,
                    "--pack",
                    "8",
                    "--parallel",
                    "2",
                    "-e",
                    "FAIL_ONCE=yes",
                    "--retries",
                    "2",
                    "--retry-on",
                    "code:75",
                    "--",
                    "--lr={lr}",
                    "{net.seed}",
                    "{{lr}}");
            for (int kill = 1; kill <= 2; kill++) {
                int over = kill * TASKS / 3;
                Await.that(over + " tasks are over", () -> completed(sweep) >= over);
                berth.kill();
                berth.start("-g");
            }
            sweep.awaitCompleted();

            Set<String> seen = new HashSet<>();
            for (int index = 0; index < TASKS; index++) {
                JsonNode record = record(berth, sweep, index);
                String rate = index < SEEDS ? "1e-3" : "0.10";
                String seed = Integer.toString(index % SEEDS + 1);
                boolean failsOnce = (index % SEEDS + 1) % 10 == 0;
                assertThat(record.path("starts").asInt())
                        .as("starts of task %d", index)
                        .isEqualTo(failsOnce ? 2 : 1);
                assertThat(attempts(berth, sweep, index)).isEqualTo(failsOnce ? List.of(75) : List.of());
                assertThat(record.path("words"))
                        .extracting(JsonNode::asText)
                        .containsExactly("--lr=" + rate, seed, "{lr}");
                assertThat(record.path("params").toString())
                        .isEqualTo(
                                "{\"lr\":" + (index < SEEDS ? "0.001" : "0.1") + ",\"net\":{\"seed\":" + seed + "}}");
                assertThat(record.path("variables").path("BERTH_PARAM_net_seed").asText())
                        .isEqualTo(seed);
                seen.add(rate + " " + seed);
            }
            assertThat(seen).hasSize(TASKS);
            assertThat(berth.run("ps", "--tasks", sweep.idText(), "--param", "net.seed=7", "-q")
                            .text())
                    .isEqualTo(sweep.idText() + "_" + (SEEDS + 6) + "\n" + sweep.idText() + "_6");
        }
    }

    @Test
    void aSweepFileRunsAProgramForEachOfItsRuns(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            berth.start("-g");
            ProjectDirectory project = berth.project("sweep.py");
            Path file = TestFiles.write(project.path().resolve("sweep.yml"), """
                    name: exp
                    path: out
                    repetitions: 2
                    params: {net: {lr: .1}, z: 1}
                    grid: {a: [1, 2], net: {bs: [8]}}
                    """);
            assertThat(berth.run(
                                    "sweep",
                                    "submit",
                                    file.toString(),
                                    project.path().toString(),
                                    "--wait",
                                    "--",
                                    "sweep.py",
                                    "{a}",
                                    "{sweep.directory}")
                            .exitCode())
                    .isZero();
            for (int index = 0; index < 4; index++) {
                JsonNode task = berth.api().get("/jobs/1_" + index).json();
                JsonNode record = JsonReading.of(TestFiles.read(
                        Path.of(task.path("outputDirectory").asText()).resolve("record.json")));
                String value = Integer.toString(1 + index / 2);
                assertThat(record.path("words"))
                        .extracting(JsonNode::asText)
                        .containsExactly(value, "out/exp/exp__a" + value + "_net.b8/log/rep_0" + index % 2);
                assertThat(record.path("params").path("net").toString()).isEqualTo("{\"lr\":0.1,\"bs\":8}");
            }
        }
    }

    private static int completed(SubmittedJob sweep) {
        return sweep.view().path("tasks").path("states").path("COMPLETED").asInt();
    }
}
