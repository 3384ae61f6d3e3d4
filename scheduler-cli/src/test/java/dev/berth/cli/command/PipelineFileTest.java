package dev.berth.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.Samples;
import dev.berth.cli.ScriptedServer;
import dev.berth.cli.exit.ExitCode;
import dev.berth.core.api.ApiError;
import dev.berth.core.api.JobList;
import dev.berth.core.api.SnapshotView;
import dev.berth.core.api.SubmitPlan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Several jobs of a file, submitted to a scripted server. */
class PipelineFileTest {
    private static final String FILE = """
            directory: demo
            project: study
            cpus: 2
            jobs:
              prepare:
                command: main.py --prepare
              train:
                command: main.py
                num-gpus: 2
                array: 0-3
                cpus: 8
                after: prepare
              report:
                command: main.py --report
                name: the report
                dependency: afterok:train,afterany:prepare
                after: [12]
            """;

    @RegisterExtension
    private final CommandStage stage = CommandStage.open();

    private final ScriptedServer server = stage.server();
    private final Path file = stage.directory().resolve("pipeline.yaml");

    private void write(String text) throws IOException {
        Files.writeString(file, text);
    }

    private int submit(String... more) {
        List<String> words = new ArrayList<>(List.of("submit", "--file", file.toString()));
        words.addAll(List.of(more));
        return stage.run(words.toArray(String[]::new));
    }

    private void snapshotTaken() {
        server.json("POST /api/v1/snapshots", 200, new SnapshotView("ab", 1, 8, List.of()));
    }

    @Test
    void allJobsOfAFileAreHandedInAtOnce() throws IOException {
        write(FILE);
        snapshotTaken();
        server.json(
                "POST /api/v1/pipelines",
                201,
                new JobList(List.of(Samples.queued(17, 1), Samples.queued(18, 2), Samples.queued(23, 3)), null));
        assertThat(submit("-q", "--memory", "4g")).as(stage.err()).isZero();
        assertThat(stage.out()).isEqualTo("17\n18\n23\n");
        assertThat(server.received("POST /api/v1/pipelines").text())
                .isEqualTo("{\"jobs\":[{\"project\":\"study\",\"cpuMilli\":2000,\"memoryBytes\":4294967296,"
                        + "\"command\":[\"main.py\",\"--prepare\"],\"name\":\"prepare\",\"snapshot\":\"ab\"},"
                        + "{\"gpus\":2,\"project\":\"study\",\"cpuMilli\":8000,\"memoryBytes\":4294967296,"
                        + "\"dependencies\":[\"afterok:#1\"],\"array\":\"0-3\",\"command\":[\"main.py\"],"
                        + "\"name\":\"train\",\"snapshot\":\"ab\"},"
                        + "{\"name\":\"the report\",\"project\":\"study\",\"cpuMilli\":2000,\"memoryBytes\":4294967296,"
                        + "\"dependencies\":[\"afterok:12\",\"afterok:#2\",\"afterany:#1\"],"
                        + "\"command\":[\"main.py\",\"--report\"],\"snapshot\":\"ab\"}]}");
        assertThat(server.received("POST /api/v1/pipelines").headers()).containsKey("idempotency-key");
    }

    @Test
    void aJobThatEndsAtOnceIsTold() throws IOException {
        write(FILE);
        snapshotTaken();
        server.json(
                "POST /api/v1/pipelines",
                201,
                new JobList(
                        List.of(Samples.queued(17, 1), Samples.ended(18, "FAILED", 3), Samples.queued(23, 3)), null));
        assertThat(submit()).as(stage.err()).isZero();
        assertThat(stage.err()).contains("berth: job 18 ended at once: the program ended with code 3");
    }

    @Test
    void aDryRunShowsEachWithItsSources() throws IOException {
        write(FILE.replace("    after: [12]\n", ""));
        for (String job : List.of("prepare", "train", "report")) {
            server.json(
                    "POST /api/v1/jobs?dryRun=true",
                    200,
                    new SubmitPlan(
                            List.of(
                                    new SubmitPlan.Setting("command", "main.py", "request"),
                                    new SubmitPlan.Setting("name", job, "request"),
                                    new SubmitPlan.Setting("cpuMilli", "2000", "request")),
                            "it would start at once"));
        }
        assertThat(submit("--dry-run")).as(stage.err()).isZero();
        assertThat(stage.err())
                .contains(file + ":5: job prepare\n")
                .contains(file + ":7: job train, which waits for others of the file: afterok:prepare\n")
                .contains(
                        file + ":13: job report, which waits for others of the file: afterok:train, afterany:prepare");
        assertThat(stage.out().lines().map(line -> line.replaceAll(" +", " ")))
                .contains("command main.py " + file + ":8", "cpuMilli 2 " + file + ":11", "cpuMilli 2 " + file + ":3")
                .contains("name prepare " + file + ":5", "name report " + file + ":15");
    }

    @Test
    void whatTheServerRefusesIsToldWithTheLineOfTheJob() throws IOException {
        write(FILE.replace("    after: [12]\n", ""));
        snapshotTaken();
        server.json(
                "POST /api/v1/pipelines",
                422,
                new ApiError(
                        "NEVER_FITS", "job 2 of the request: not accepted: it asks for 2 GPUs", Map.of("job", "2")));
        assertThat(submit()).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err()).contains(file + ":7: job train: not accepted: it asks for 2 GPUs");
        snapshotTaken();
        secondIsRefused("x", "gpus", "2", "is more than there are");
        assertThat(submit()).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err()).contains(file + ":9: num-gpus: 2 is more than there are");
    }

    private void secondIsRefused(String sentence, String field, String value, String rule) {
        server.json(
                "POST /api/v1/pipelines",
                400,
                new ApiError(
                        "INVALID_FIELD",
                        "job 2 of the request: " + sentence,
                        Map.of("job", "2", "field", field, "value", value, "rule", rule)));
    }

    /** A line at the end of a file of two jobs, and what is wrong with it. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'    after: b'|:5: after: b is the job itself; a job waits for those above it",
                "'    dependency: aftercorr:a'|:5: dependency: a stands in the same file, and its tasks are not there yet",
                "'  c: {command: main.py}'|",
                "'    jobs: {}'|:5: jobs stand at the file's first level alone",
                "'    num_gpus: 1'|:5: 'num_gpus' is not known; did you mean num-gpus?",
                "'  17: {command: x}'|:5: '17' cannot be a job's name",
                "'  last: {command: x}'|:5: 'last' cannot be a job's name",
                "'  a%b: {command: x}'|:5: 'a%b' cannot be a job's name",
                "'  a: {command: x}'|:5: 'a' stands in line 3 already",
                "'  c:'|:5: job c has no command; for example command: python main.py",
                "'  c: x'|:5: job c is no map of options",
            })
    void aWrongJobIsToldWithItsLine(String line, String sentence) throws IOException {
        write("directory: demo\njobs:\n  a: {command: main.py}\n  b: {command: main.py}\n"
                        .replace(
                                "  b: {command: main.py}\n",
                                line.startsWith("    ") ? "  b:\n" : "  b: {command: main.py}\n")
                + line + "\n" + (line.startsWith("    ") ? "    command: main.py\n" : ""));
        if (sentence == null) {
            snapshotTaken();
            server.json("POST /api/v1/pipelines", 201, new JobList(List.of(), null));
            assertThat(submit()).as(stage.err()).isZero();
            return;
        }
        assertThat(submit()).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err()).contains("berth: " + file + sentence);
        assertThat(server.received()).isEmpty();
    }

    @Test
    void aJobWaitsForThoseAboveIt() throws IOException {
        write("jobs:\n  a: {command: main.py, after: b}\n  b: {command: main.py}\ndirectory: demo\n");
        assertThat(submit()).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err()).contains(file + ":2: after: b stands below it; a job waits for those above it");
    }

    @Test
    void severalJobsHaveNeitherOneLogNorACommandInTheLine() throws IOException {
        write(FILE);
        assertThat(submit("--follow")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err()).contains("--follow is for a single job, and the file has several");
        assertThat(submit("scheduler", stage.directory() + "/demo", "main.py")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err()).contains("the file has several jobs with commands of their own, so that 'main.py'");
        StringBuilder many = new StringBuilder("jobs:\n");
        for (int job = 0; job < 101; job++) {
            many.append("  j" + job + ": {command: main.py}\n");
        }
        write(many.toString());
        assertThat(submit()).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err()).contains("jobs has 101 jobs, and a file has at most 100");
        assertThat(server.received()).isEmpty();
    }

    @Test
    void theOnlyJobOfAFileMayBeFollowed() throws IOException {
        write("directory: demo\njobs: {a: {command: main.py}}\n");
        snapshotTaken();
        server.json("POST /api/v1/jobs", 201, Samples.queued(17, 1))
                .events(17, true, Samples.event(4, 17, "RUNNING", "FAILED"))
                .json("GET /api/v1/jobs/17", 200, Samples.ended(17, "FAILED", 3));
        assertThat(submit("--wait")).as(stage.err()).isEqualTo(3);
    }

    @Test
    void aCommandOfAJobIsToldWithItsLine() throws IOException {
        write("directory: demo\njobs:\n  a:\n    command: main.py\n  b:\n    cpus: 1\n    command: nope.py\n");
        assertThat(submit()).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err()).contains(file + ":7: job b: command: 'nope.py' is not a file in the directory");
        write("directory: demo\njobs:\n  a:\n    command: main.py\n  b:\n    sweep: a=1\n    command: main.py {x}\n");
        snapshotTaken();
        secondIsRefused("command: '{x}' is no parameter", "command", "{x}", "is no parameter");
        assertThat(submit()).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err()).contains(file + ":7: job b: command: '{x}' is no parameter");
    }

    @Test
    void whatADryRunRefusesIsToldWithTheLineOfTheJob() throws IOException {
        write("directory: demo\njobs:\n  a: {command: main.py, num-gpus: 9}\n  b: {command: main.py}\n");
        server.json(
                "POST /api/v1/jobs?dryRun=true",
                422,
                new ApiError("NEVER_FITS", "not accepted: it asks for 9 GPUs", Map.of()));
        assertThat(submit("--dry-run")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err()).contains("berth: " + file + ":3: job a: not accepted: it asks for 9 GPUs");
    }

    @Test
    void theFileOfADirectoryMayHaveSeveralJobsToo() throws IOException {
        Files.writeString(stage.directory().resolve("demo/berth.yaml"), "jobs: {a: {command: main.py}}\n");
        snapshotTaken();
        server.json("POST /api/v1/jobs", 201, Samples.queued(17, 1));
        assertThat(stage.run("submit", "scheduler", stage.directory() + "/demo"))
                .as(stage.err())
                .isZero();
        assertThat(server.received("POST /api/v1/jobs").text()).contains("\"name\":\"a\"");
    }
}
