package dev.berth.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.Golden;
import dev.berth.cli.Samples;
import dev.berth.cli.ScriptedServer;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.json.JsonText;
import dev.berth.core.api.ApiError;
import dev.berth.core.api.JobList;
import dev.berth.core.api.SnapshotView;
import dev.berth.core.api.SubmitPlan;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Submitting and following, against a scripted server. */
class SubmitTest {
    /** Of {@code print(1)}. */
    private static final String DIGEST = "d287bb7f9d15abdc5b6e98536263815744b6ef21c8f3c839fc434ca70d8efe99";

    private static final String CONTENTS = "POST /api/v1/contents?snapshot=ab";
    private static final String JOB = "GET /api/v1/jobs/17";

    @RegisterExtension
    private final CommandStage stage = CommandStage.open();

    private final ScriptedServer server = stage.server();
    private final Path directory = stage.directory();

    private int submit(String... more) {
        server.json("POST /api/v1/snapshots", 200, new SnapshotView("ab", 1, 8, List.of()))
                .json("POST /api/v1/jobs", 201, Samples.queued(17, 3));
        List<String> words = new ArrayList<>(List.of("submit", "scheduler", directory + "/demo", "main.py"));
        words.addAll(List.of(more));
        return stage.run(words.toArray(String[]::new));
    }

    @ParameterizedTest
    @CsvSource({"1073741824, 1 GiB", "1610612736, 1.5 GiB"})
    void aServerThatLetsMoreInIsAskedForItsLimit(long allowed, String shown) throws IOException {
        try (RandomAccessFile sparse = new RandomAccessFile(directory + "/demo/model.bin", "rw")) {
            sparse.setLength(2L << 30);
        }
        server.json("GET /api/v1/server", 200, Samples.server(allowed));
        assertThat(stage.run("submit", "scheduler", directory + "/demo", "main.py"))
                .isEqualTo(ExitCode.USAGE);
        assertThat(stage.err())
                .contains("at most " + shown + " can be submitted; the biggest files are model.bin (2 GiB)");
        assertThat(server.received()).as("nothing was uploaded").hasSize(1);
    }

    @Test
    void submitSendsTheDirectoryAndThenTheJob() {
        assertThat(submit(
                        "-e",
                        "A=1",
                        "-e",
                        "TOKEN",
                        "--num-gpus",
                        "2",
                        "--time",
                        "1h",
                        "--name",
                        "n",
                        "--",
                        "--lr",
                        "0.1"))
                .isZero();
        assertThat(stage.out())
                .isEqualTo("job 17 asks for 1 GPU and has place 3 in the queue: one job is ahead of it; job 16 is first"
                        + " and waits for 2 GPUs\n");
        assertThat(stage.err()).isEmpty();
        assertThat(server.received("POST /api/v1/snapshots").text()).isEqualTo("""
                        {"version":1,"entries":[
                        {"path":"main.py","type":"file","mode":"644","size":8,"sha256":"%s"}
                        ]}
                        """.formatted(DIGEST));
        assertThat(server.received("POST /api/v1/jobs").text())
                .isEqualTo("{\"gpus\":2,\"name\":\"n\",\"environment\":{\"A\":\"1\",\"TOKEN\":\"secret\"},"
                        + "\"timeLimitSeconds\":3600,\"command\":[\"main.py\",\"--lr\",\"0.1\"],"
                        + "\"project\":\"demo\",\"snapshot\":\"ab\"}");
        assertThat(server.received("POST /api/v1/jobs").headers()).containsKey("idempotency-key");
    }

    @Test
    void whoIsWaitedForIsThereAsAWhole() {
        server.json(
                "GET /api/v1/jobs?scope=all&limit=4&own=true&cursor=21",
                200,
                new JobList(List.of(Samples.queued(18, 1)), null));
        assertThat(stage.run("submit", "scheduler", directory + "/demo", "main.py", "--after", "17-20"))
                .isEqualTo(ExitCode.REFUSED);
        assertThat(stage.err()).contains("--after 17-20: of these only 1 is there and yours; name them one by one");
        assertThat(submit("--after", "17,18")).isZero();
        assertThat(server.received("POST /api/v1/jobs").text())
                .contains("\"dependencies\":[\"afterok:17\",\"afterok:18\"]");
    }

    @Test
    void aServerThatFailsIsNoWrongLine() {
        server.json(
                "GET /api/v1/jobs?scope=all&limit=1&own=true", 500, new ApiError("INTERNAL", "it failed", Map.of()));
        assertThat(stage.run("submit", "scheduler", directory + "/demo", "main.py", "--after", "last"))
                .isEqualTo(ExitCode.BERTH_FAILED);
    }

    @Test
    void submitQuietlySaysTheIdOnly() {
        assertThat(submit("-q")).isZero();
        assertThat(stage.out()).isEqualTo("17\n");
    }

    @Test
    void submitVerboselySaysWhatIsSentAndNoValueOfAVariable() {
        assertThat(submit("--verbose", "-e", "TOKEN")).isZero();
        assertThat(stage.err())
                .contains("berth: reading 1 files (8 B)")
                .contains("berth: POST /api/v1/jobs: 201")
                .doesNotContain("secret");
    }

    @Test
    void aWrongSubmitSendsNothing() {
        assertThat(stage.run("submit", "scheduler", directory + "/demo", "main.py", "--lr", "0.1"))
                .isEqualTo(ExitCode.USAGE);
        assertThat(stage.err()).contains("-- main.py --lr 0.1");
        assertThat(stage.run("submit", "scheduler", directory + "/demo", "mian.py"))
                .isEqualTo(ExitCode.USAGE);
        assertThat(stage.run("submit", "scheduler", directory + "/demo", "main.py", "--num-gpus", "x"))
                .isEqualTo(ExitCode.USAGE);
        assertThat(stage.run("submit", "scheduler", directory + "/demo", "main.py", "--time", "x"))
                .isEqualTo(ExitCode.USAGE);
        assertThat(server.received()).isEmpty();
        assertThat(stage.out()).isEmpty();
    }

    @Test
    void aFollowedSubmitShowsStatesAndLogAndEndsAsTheJob() {
        server.events(
                        17,
                        true,
                        Samples.event(1, 17, null, "QUEUED"),
                        Samples.event(2, 17, "QUEUED", "QUEUED"),
                        Samples.event(3, 17, "QUEUED", "RUNNING"),
                        Samples.event(4, 17, "RUNNING", "FAILED"))
                .json(JOB, 200, Samples.running(17));
        assertFollowedToItsFailure();
        assertThat(stage.err().lines())
                .startsWith(
                        "job 17 asks for 1 GPU and has place 3 in the queue: one job is ahead of it; job 16 is first"
                                + " and waits for 2 GPUs")
                .endsWith("job 17 FAILED: the program ended with code 3")
                .hasSize(3);
    }

    /** Of a job whose start was told: its end is asked for beside its log. */
    private void assertFollowedToItsFailure() {
        server.json(JOB, 200, Samples.ended(17, "FAILED", 3))
                .json(JOB, 200, Samples.ended(17, "FAILED", 3))
                .log(17, 0, true, true, "hello\n")
                .log(17, 6, true, true, "");
        assertThat(submit("--follow")).isEqualTo(3);
        assertThat(stage.out()).isEqualTo("hello\n");
    }

    /** As at a target, where its start and its end are often seen by one look. */
    @Test
    void theEndOfAJobThatHasEndedAtTheWordOfItsStartIsSaidOnce() {
        server.events(
                        17,
                        true,
                        Samples.event(1, 17, null, "QUEUED"),
                        Samples.event(2, 17, "QUEUED", "RUNNING"),
                        Samples.event(3, 17, "RUNNING", "FAILED"))
                .json(JOB, 200, Samples.ended(17, "FAILED", 3));
        assertFollowedToItsFailure();
        assertThat(stage.err()).containsOnlyOnce("job 17 FAILED: the program ended with code 3");
    }

    @Test
    void aFollowedSubmitOfAJobThatNeverStartsShowsNoStates() {
        server.events(17, true, Samples.event(1, 17, null, "QUEUED"), Samples.event(2, 17, "QUEUED", "CANCELLED"))
                .json(JOB, 200, Samples.ended(17, "CANCELLED", null))
                .json(JOB, 200, Samples.ended(17, "CANCELLED", null))
                .log(17, 0, true, true, "")
                .log(17, 0, true, true, "");
        assertThat(submit("-f")).isEqualTo(ExitCode.CANCELLED);
        assertThat(stage.out()).isEmpty();
    }

    @Test
    void aQuietFollowedSubmitSaysTheIdAndEndsAsTheJob() {
        server.events(17, true, Samples.event(4, 17, "RUNNING", "TIMEOUT"))
                .json(JOB, 200, Samples.ended(17, "TIMEOUT", 143));
        assertThat(submit("-q", "-f")).isEqualTo(ExitCode.TIME_LIMIT);
        assertThat(stage.out()).isEqualTo("17\n");
        assertThat(stage.err()).isEmpty();
    }

    @Test
    void aFollowedSubmitInJsonIsAnObjectALine() {
        server.events(17, true, Samples.event(4, 17, "RUNNING", "COMPLETED"))
                .json(JOB, 200, Samples.ended(17, "COMPLETED", 0))
                .json(JOB, 200, Samples.ended(17, "COMPLETED", 0))
                .log(17, 0, true, true, "hello\n")
                .log(17, 6, true, true, "");
        assertThat(submit("--json", "--follow")).isZero();
        assertThat(stage.out())
                .isEqualTo(JsonText.of(Samples.queued(17, 3))
                        + "\n{\"job\":17,\"number\":\"17\",\"offset\":0,\"stream\":\"stdout\","
                        + "\"at\":\"1970-01-01T00:00:00.000Z\",\"text\":\"hello\"}\n"
                        + JsonText.of(Samples.ended(17, "COMPLETED", 0)) + "\n");
    }

    @Test
    void aBreakWhileTheJobIsHandedInIsTriedAgainUntilNobodyKnows() {
        server.json("POST /api/v1/snapshots", 200, new SnapshotView("ab", 1, 8, List.of()));
        for (int time = 0; time < 35; time++) {
            server.on("POST /api/v1/jobs", "");
        }
        assertThat(stage.run("submit", "scheduler", directory + "/demo", "main.py", "--json"))
                .isEqualTo(ExitCode.BERTH_FAILED);
        assertThat(stage.err())
                .contains("\"UNKNOWN_IF_ACCEPTED\"")
                .contains("berth ps -n 5 shows whether the job was accepted");
    }

    @Test
    void aBreakThatPassesIsSaidAndMakesOneJob() {
        server.on("POST /api/v1/jobs", "");
        assertThat(submit()).isZero();
        assertThat(stage.err())
                .isEqualTo("berth: the server is away; trying again for 60 s\nberth: the server is back\n");
    }

    @Test
    void whoWaitsGetsTheExitCodeAndNoLog() {
        server.events(17, true, Samples.event(4, 17, "RUNNING", "FAILED"))
                .json(JOB, 200, Samples.ended(17, "FAILED", 3));
        assertThat(submit("--wait")).isEqualTo(3);
        assertThat(stage.out()).isEmpty();
        assertThat(stage.err()).endsWith("job 17 FAILED: the program ended with code 3\n");
    }

    @Test
    void withoutASnapshotNothingIsSent() {
        server.json("POST /api/v1/jobs", 201, Samples.queued(17, 3));
        assertThat(stage.run("submit", "scheduler", directory + "/demo", "app.py", "--no-snapshot"))
                .isZero();
        assertThat(server.received("POST /api/v1/jobs").text())
                .doesNotContain("snapshot")
                .contains("\"project\":\"demo\"", "\"command\":[\"app.py\"]");
    }

    @Test
    void anEntryPointNeedsNoCommand() {
        server.json("POST /api/v1/jobs", 201, Samples.queued(17, 3));
        assertThat(stage.run(
                        "submit", "scheduler", directory + "/demo", "--no-snapshot", "--entrypoint", "/bin/report"))
                .isZero();
        assertThat(server.received("POST /api/v1/jobs").text())
                .doesNotContain("command")
                .contains("\"entrypoint\":\"/bin/report\"");
        assertThat(stage.run("submit", "scheduler", "--entrypoint", "x")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err()).contains("berth submit needs a directory behind 'scheduler'");
    }

    private static final SubmitPlan PLAN = new SubmitPlan(
            List.of(
                    new SubmitPlan.Setting("name", "main.py", "default"),
                    new SubmitPlan.Setting("project", "demo", "request"),
                    new SubmitPlan.Setting("command", "main.py", "request"),
                    new SubmitPlan.Setting("snapshot", "none", "default"),
                    new SubmitPlan.Setting("gpus", "2", "request"),
                    new SubmitPlan.Setting("volumes", "/data:/data:ro", "request"),
                    new SubmitPlan.Setting("cpuMilli", "1500", "request"),
                    new SubmitPlan.Setting("memoryBytes", "17179869184", "request"),
                    new SubmitPlan.Setting("timeLimitSeconds", "5400", "request"),
                    new SubmitPlan.Setting("image", "berth-job:latest", "/etc/berth/config.yaml")),
            "it would have place 3 in the queue");

    private int dryRun(String... more) {
        server.json("POST /api/v1/jobs?dryRun=true", 200, PLAN);
        List<String> words = new ArrayList<>(
                List.of("submit", "scheduler", directory + "/demo", "main.py", "--num-gpus", "2", "--ram", "16"));
        words.addAll(List.of("-v", "/data:/data:ro", "--cpus", "1.5", "--time", "90m", "--dry-run"));
        words.addAll(List.of(more));
        return stage.run(words.toArray(String[]::new));
    }

    @Test
    void aDryRunSendsNothingAndSaysWhereEachValueComesFrom() throws IOException {
        assertThat(dryRun()).isZero();
        Golden.check(
                "plan", stage.out().replace(directory.toString(), "/home/ada").replaceAll(" {2,}", "  "));
        assertThat(server.received()).hasSize(1);
        assertThat(server.received().getFirst().headers()).doesNotContainKey("idempotency-key");
    }

    @Test
    void aDryRunInJsonIsTheServersPlan() {
        assertThat(dryRun("--json")).isZero();
        assertThat(stage.out()).startsWith("{\"settings\":[{\"name\":\"name\"").contains("\"source\":\"request\"");
    }

    @ParameterizedTest
    @CsvSource({"--dry-run, --follow", "--dry-run, --wait", "--follow, --wait"})
    void aSubmitEndsInOneWay(String one, String other) {
        assertThat(stage.run("submit", "scheduler", directory + "/demo", "main.py", other, one))
                .isEqualTo(ExitCode.USAGE);
        assertThat(stage.err())
                .isEqualTo("berth: " + one + " and " + other + " exclude each other; give one of them\n");
    }

    private int submitMissing(List<String> missing) {
        server.json("POST /api/v1/snapshots", 200, new SnapshotView("ab", 1, 8, missing));
        return stage.run("submit", "scheduler", directory + "/demo", "main.py", "--verbose");
    }

    @Test
    void onlyWhatTheServerLacksIsSent() {
        server.json(CONTENTS, 200, new SnapshotView("ab", 1, 8, List.of()))
                .json("POST /api/v1/jobs", 201, Samples.queued(17, 3));
        assertThat(submitMissing(List.of(DIGEST))).isZero();
        assertThat(server.received(CONTENTS).text()).isEqualTo(DIGEST + " 8\nprint(1)");
        assertThat(stage.err()).contains("berth: sending 1 contents (8 B) that the server lacks");
    }

    @Test
    void aContentThatIsNotWhatItWasIsTheSubmittersAffair() throws IOException {
        server.json(
                CONTENTS, 400, new ApiError("INVALID_CONTENT", "content has another digest", Map.of("digest", DIGEST)));
        assertThat(submitMissing(List.of(DIGEST))).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err())
                .contains(directory.toRealPath() + "/demo/main.py changed while it was being read")
                .contains("nothing was submitted");
    }

    @Test
    void aServerThatAsksForWhatIsNotThereIsNotBelieved() {
        assertThat(submitMissing(List.of("0".repeat(64)))).isEqualTo(ExitCode.BERTH_FAILED);
        assertThat(stage.err()).contains("which is not in the directory");
    }

    @Test
    void aServerThatAlwaysLacksTheSameIsLeftAtLast() {
        for (int round = 0; round < 32; round++) {
            server.json(CONTENTS, 200, new SnapshotView("ab", 1, 8, List.of(DIGEST)));
        }
        assertThat(submitMissing(List.of(DIGEST))).isEqualTo(ExitCode.BERTH_FAILED);
        assertThat(stage.err()).contains("it still lacks 1 contents after 32 times");
    }

    /** A directory with what people submit. */
    private void project() throws IOException {
        Path demo = directory.resolve("demo");
        Files.createDirectories(demo.resolve("tools"));
        Files.writeString(demo.resolve("train.py"), "");
        Files.writeString(demo.resolve("tools/prepare.py"), "");
        Files.writeString(demo.resolve("draft.py"), "");
        Files.writeString(demo.resolve(".berthignore"), "draft.py\n");
        Files.writeString(demo.resolve("run2.sh"), "#!/bin/sh\n");
        Path run = Files.writeString(demo.resolve("run.sh"), "#!/bin/sh\n");
        assertThat(run.toFile().setExecutable(true)).isTrue();
    }

    private List<String> line(String command) {
        List<String> words = new ArrayList<>(List.of("submit", "scheduler", directory + "/demo"));
        for (String word : command.split(" ")) {
            words.add(word.replace('~', ' '));
        }
        return words;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "run.sh                    | 'run.sh' has no / in it, so that it is looked for in the image's PATH and not in the directory, where there is a file of that name: ./run.sh runs that",
                "run2.sh                   | there is a file of that name: bash run2.sh runs that",
                "./run2.sh                 | './run2.sh' has no run bit; give it one (chmod +x run2.sh), or name what runs it, as in: bash run2.sh",
                "./runn.sh                 | './runn.sh' is not a file in the directory; did you mean ./run.sh?",
                "./tools                   | './tools' is a directory; name a program",
                "python3~train.py~--lr~3   | 'python3 train.py --lr 3' is one word with blanks in it, and names no program; take the quotes away: python3 train.py --lr 3",
                "python trian.py           | 'trian.py' is not a file in the directory; did you mean train.py?",
                "python3 prepare.py        | 'prepare.py' is not a file in the directory; did you mean tools/prepare.py?",
                "python3 -- -u -W ignore trian.py | 'trian.py' is not a file in the directory; did you mean train.py?",
                "/usr/bin/python3.12 trian.py | 'trian.py' is not a file in the directory; did you mean train.py?",
                "env A=1 python trian.py   | 'trian.py' is not a file in the directory; did you mean train.py?",
                "trian.py                  | 'trian.py' is not a file in the directory; did you mean train.py?",
                "draft.py                  | 'draft.py' is not a file in the directory as it is sent: a line of a .berthignore",
                "python draft.py           | 'draft.py' is not a file in the directory as it is sent: a line of a .berthignore",
                "../x.py                   | '../x.py' is outside of the submitted directory",
                "bash ./nothing.sh         | './nothing.sh' is not a file in the directory",
                "CUDA_LAUNCH_BLOCKING=1 python train.py | 'CUDA_LAUNCH_BLOCKING=1' sets a variable in a shell alone, and no shell reads the line; -e CUDA_LAUNCH_BLOCKING=VALUE",
            })
    void aCommandThatCannotRunIsRefusedBeforeAnythingIsSent(String command, String sentence) throws IOException {
        project();
        for (List<String> more : List.of(List.<String>of(), List.of("--dry-run"))) {
            List<String> words = line(command);
            words.addAll(1, more);
            assertThat(stage.run(words.toArray(String[]::new))).isEqualTo(ExitCode.USAGE);
            assertThat(stage.err()).contains("berth: command: ").contains(sentence);
        }
        assertThat(server.received()).isEmpty();
    }

    /** Of what an image holds, or a program makes, nothing is known. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "./run.sh",
                "nvidia-smi",
                "/opt/tool/run.sh",
                "python -- -m nothere",
                "python -- -c x.py",
                "python train.py nothere.py",
                "bash -- -c ./nothere.sh",
                "env A=1 ./run.sh",
                "torchrun nothere.py",
                "python /opt/nothere.py",
                "sh run.sh",
                "python ../nothere.py",
                "python -w /app nothere.py",
                "./nothere.sh -v /data:/workspace/data",
                "python nothere.py -v /data:/workspace/data:ro",
                "python nothere.py --no-snapshot",
                "./nothere.sh --no-snapshot",
                "python tools",
                "bash"
            })
    void aCommandThatMayRunIsAccepted(String command) throws IOException {
        project();
        if (!command.contains("--no-snapshot")) {
            server.json("POST /api/v1/snapshots", 200, new SnapshotView("ab", 1, 8, List.of()));
        }
        server.json("POST /api/v1/jobs", 201, Samples.queued(17, 3));
        assertThat(stage.run(line(command).toArray(String[]::new))).isZero();
        assertThat(stage.err()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "rnu.sh       | 'rnu.sh' has no / in it, so that it is looked for in the image's PATH; did you mean ./run.sh?",
                "bash runn.sh | 'runn.sh' is not a file in the directory; did you mean run.sh?",
                "tool         | 'tool' has no / in it, so that it is looked for in the image's PATH and not in the directory",
                "/bin/sh~-c   | '/bin/sh -c' is one word with blanks in it",
            })
    void aCommandThatMostLikelyCannotRunIsAcceptedWithAWarning(String command, String sentence) throws IOException {
        project();
        Files.writeString(directory.resolve("demo/tool"), "");
        server.json("POST /api/v1/snapshots", 200, new SnapshotView("ab", 1, 8, List.of()))
                .json("POST /api/v1/jobs", 201, Samples.queued(17, 3));
        assertThat(stage.run(line(command).toArray(String[]::new))).isZero();
        assertThat(stage.err()).contains("berth: warning: command: ").contains(sentence);
    }
}
