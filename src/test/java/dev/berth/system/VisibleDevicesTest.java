package dev.berth.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.JobRecord;
import dev.berth.system.fixture.JsonReading;
import dev.berth.system.fixture.ProjectDirectory;
import dev.berth.system.fixture.Ran;
import dev.berth.system.fixture.StandInState;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.WithGpus;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The server's own CUDA_VISIBLE_DEVICES limits what it allocates; all its forms are in the tests of {@code VisibleGpus}. */
@SystemTest
class VisibleDevicesTest {
    private static final String VARIABLE = "CUDA_VISIBLE_DEVICES";

    @Test
    void hiddenGpusAppearInNoContainer(@WithGpus(4) Engine engine) {
        int callsBefore = engine.calls().size();
        try (Berth berth = Berth.on(engine)) {
            Ran start = berth.start(Map.of(VARIABLE, "0,2"), "-g");
            assertThat(start.lines())
                    .contains(
                            "  workers  2", "  gpus     2, driver 570.00, up to CUDA 12.8, given by the runtime nvidia")
                    .anyMatch(line -> line.matches(" +0  " + Engine.uuid(0) + "  NVIDIA Stand-in 24GB  24576 MiB"))
                    .anyMatch(line -> line.matches(" +2  " + Engine.uuid(2) + "  NVIDIA Stand-in 24GB  24576 MiB"))
                    .noneMatch(line -> line.contains(Engine.uuid(1)) || line.contains(Engine.uuid(3)));
            ProjectDirectory project = berth.project("record.py");

            Ran tooMany = berth.command("submit", "scheduler", project.path().toString(), "record.py")
                    .and("--num-gpus", "3")
                    .run()
                    .expect(2);
            assertThat(tooMany.complaint())
                    .contains("asks for 3 GPUs, but this server has 2 of the machine's 4, as it was started with"
                            + " CUDA_VISIBLE_DEVICES=0,2; ask for at most 2");

            List<JobRecord> records = Stream.of("1", "1", "2", "0", "1", "2")
                    .map(gpus -> berth.submit(project, "record.py", "--num-gpus", gpus))
                    .toList()
                    .stream()
                    .map(job -> job.awaitCompleted().record())
                    .toList();

            assertThat(records).allSatisfy(record -> {
                assertThat(record.opened()).isEqualTo(record.granted()).isSubsetOf(0, 2);
                assertThat(record.whole().path("environment").has(VARIABLE)).isFalse();
            });
            assertThat(records.stream().flatMap(record -> record.opened().stream()))
                    .contains(0, 2);
            assertThat(granted(engine, callsBefore)).containsOnly(Engine.uuid(0), Engine.uuid(2));
        }
    }

    /** The GPUs that the runtime put into containers since then. */
    private static Stream<String> granted(Engine engine, int callsBefore) {
        return engine.calls().stream()
                .skip(callsBefore)
                .flatMap(call -> JsonReading.strings(JsonReading.of(call).path("granted")).stream());
    }

    @Test
    void entriesMayBeIndicesAndUuidsAndTheirBeginnings(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            Ran start = berth.start(Map.of(VARIABLE, Engine.uuid(3) + ", 0 ,gpu-00000001"), "-g");

            assertThat(start.out()).doesNotContain("warning");
            assertThat(JsonReading.each(berth.run("gpus", "--json").json().path("gpus"), "index"))
                    .containsExactly("3", "0", "1");
        }
    }

    @Test
    void aDividedGpuLeavesTheNamesOfTheOthersAsNvidiaSmiSaysThem(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            StandInState state = StandInState.of(berth);
            state.migOnTheSecondOfThree();
            berth.start(state.environment(), "-g");
            assertThat(JsonReading.each(berth.run("gpus", "--json").json().path("gpus"), "index"))
                    .containsExactly("0", "1:0", "1:1", "2");

            berth.run("gpus", "drain", "2", "1:1", "--reason", "loud fan");
            assertThat(berth.run("gpus").out())
                    .containsPattern("(?m)^\\[2\\].*\\R.*loud fan")
                    .containsPattern("(?m)^\\[1:1\\].*\\R.*loud fan");
            assertThat(berth.command("gpus", "drain", "1").run().expect(1).complaint())
                    .contains("allocates no GPU '1', which is divided into MIG devices (1:0, 1:1)");
            berth.run("gpus", "resume", "2", "1:1");

            ProjectDirectory project = berth.project("record.py");
            assertThat(berth.submit(project, "record.py", "--num-gpus", "2")
                            .awaitCompleted()
                            .record()
                            .granted())
                    .containsExactly(0, 2);
            assertThat(berth.command("submit", "scheduler", project.path().toString(), "record.py")
                            .and("--num-gpus", "3")
                            .run()
                            .expect(2)
                            .complaint())
                    .contains("of the 4 here only 2 are no MIG device")
                    .contains("--gpu-type mig");
        }
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            value = {"1 | 1:0 1:1", "MIG-GPU-00000001-0000-4000-8000-000000000001/7/0,2,MIG-00000001 | 1:0 2 1:1"})
    void migDevicesAreNamedAsCudaNamesThem(String value, String gpus, @WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            StandInState state = StandInState.of(berth);
            state.migOnTheSecondOfThree();
            Map<String, String> environment = new HashMap<>(state.environment());
            environment.put(VARIABLE, value);
            berth.start(environment, "-g");
            assertThat(JsonReading.each(berth.run("gpus", "--json").json().path("gpus"), "index"))
                    .containsExactly(gpus.split(" "));
        }
    }

    @Test
    void simulatedGpusAreLimitedTheSameWay(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            berth.start(Map.of(VARIABLE, "3,1"), "--simulate-gpus", "4");
            assertThat(JsonReading.each(berth.run("gpus", "--json").json().path("gpus"), "index"))
                    .containsExactly("3", "1");
            berth.stop();
            assertThat(berth.startCommand("--simulate-gpus", "2")
                            .with(VARIABLE, "7")
                            .run()
                            .expect(125)
                            .complaint())
                    .contains("this machine has GPUs 0, 1, and CUDA_VISIBLE_DEVICES=7: '7' names no GPU");
        }
    }

    @ParameterizedTest(name = "\"{0}\"")
    @CsvSource(
            delimiter = '|',
            value = {
                "0,0 | CUDA_VISIBLE_DEVICES=0,0 names GPU 0 twice",
                "'' | this machine has GPUs 0, 1, 2, 3, and CUDA_VISIBLE_DEVICES= names none; name some of these, or"
                        + " unset it",
                "4 | CUDA_VISIBLE_DEVICES=4: '4' names no GPU that can be allocated here"
            })
    void whatCannotBeMeantKeepsTheServerFromStarting(String value, String complaint, @WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            Ran start = berth.startCommand("-g").with(VARIABLE, value).run().expect(125);

            assertThat(start.complaint()).startsWith("berth: ").contains(complaint);
            assertThat(start.out()).isEmpty();
            assertThat(berth.processes()).isEmpty();
        }
    }

    @Test
    void theFirstEntryThatNamesNoGpuCutsTheListOffAndIsReported(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            String value = "0,2,-1,1";
            Ran start = berth.start(Map.of(VARIABLE, value), "-g");

            String sentence = VARIABLE + "=" + value
                    + ": '-1' names no GPU that can be allocated here, so that entry and the 1 after it are ignored, as CUDA"
                    + " does";
            assertThat(start.lines()).contains("  warning  " + sentence);
            assertThat(berth.run("server", "status").out()).contains(sentence);
            assertThat(JsonReading.strings(
                            berth.run("server", "status", "--json").json().path("warnings")))
                    .containsExactly(sentence);
            assertThat(JsonReading.each(berth.run("gpus", "--json").json().path("gpus"), "index"))
                    .containsExactly("0", "2");
        }
    }
}
