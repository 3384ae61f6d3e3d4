package dev.berth.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.Samples;
import dev.berth.cli.ScriptedServer;
import dev.berth.cli.exit.ExitCode;
import dev.berth.core.api.JobList;
import dev.berth.core.api.JobView;
import dev.berth.core.api.SubmitPlan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Sweeps on the command line, by options and by files. */
class SweepSubmitTest {
    private static final JobView TASK = Samples.sweepTask(50, 7, "RUNNING");

    @RegisterExtension
    private final CommandStage stage = CommandStage.open();

    private final ScriptedServer server = stage.server();

    private String demo() {
        return stage.directory() + "/demo";
    }

    private String sent(String... words) {
        server.json("POST /api/v1/jobs", 201, Samples.array());
        assertThat(stage.run(words)).as(stage.err()).isZero();
        return server.received("POST /api/v1/jobs").body();
    }

    @Test
    void optionsOfASweepAreSentAsTheyStand() {
        assertThat(sent(
                        "submit",
                        "--no-snapshot",
                        "--sweep",
                        "lr=0.1,0.01",
                        "--sweep",
                        "s=1..5",
                        "--zip",
                        "a=1,2",
                        "--array",
                        "%4",
                        "scheduler",
                        demo(),
                        "true",
                        "--sample",
                        "3",
                        "--seed=20261127",
                        "--",
                        "{lr}"))
                .contains(
                        "\"array\":\"%4\"",
                        "\"sweep\":[\"lr=0.1,0.01\",\"s=1..5\"]",
                        "\"zip\":[\"a=1,2\"]",
                        "\"sample\":3",
                        "\"seed\":20261127",
                        "\"command\":[\"true\",\"{lr}\"]");
    }

    private List<String> planned(String... words) {
        List<SubmitPlan.Setting> settings = new ArrayList<>();
        for (String name : List.of("array", "tasks", "sweep", "zip", "sample", "seed")) {
            settings.add(new SubmitPlan.Setting(name, "v", "request"));
        }
        server.json("POST /api/v1/jobs?dryRun=true", 200, new SubmitPlan(settings, "it would start at once"));
        assertThat(stage.run(words)).as(stage.err()).isZero();
        return stage.out().lines().map(line -> line.replaceAll(" +", " ")).toList();
    }

    @Test
    void aDryRunShowsTheTasksOfASweepAndWhichOptionsSayIt() {
        assertThat(planned(
                        "submit",
                        "scheduler",
                        demo(),
                        "main.py",
                        "--dry-run",
                        "--sweep",
                        "lr=0.1,0.01",
                        "--zip",
                        "s=1..3"))
                .contains("array v --sweep, --zip", "tasks v --sweep, --zip", "sweep v --sweep", "zip v --zip")
                .endsWith(
                        "it would start at once",
                        "",
                        "TASK PARAMS",
                        "0 lr=0.1 s=1",
                        "1 lr=0.1 s=2",
                        "2 lr=0.1 s=3",
                        "3 lr=0.01 s=1",
                        "4 lr=0.01 s=2",
                        "5 lr=0.01 s=3");
    }

    @Test
    void aDryRunShowsWhatASweepInAFileDraws() throws IOException {
        stage.write("berth.yaml", "command: main.py\nsweep: p=0.1..0.5\nsample: 50\nseed: 7\narray: '%4'\n");
        List<String> lines = planned("submit", "scheduler", demo(), "--dry-run");
        assertThat(lines)
                .contains(
                        "tasks v berth.yaml:2, berth.yaml:3, berth.yaml:5",
                        "sweep v berth.yaml:2",
                        "sample v berth.yaml:3",
                        "seed v berth.yaml:4")
                .endsWith("... and 30 more; --json shows all of them");
        assertThat(lines.subList(lines.indexOf("TASK PARAMS") + 1, lines.size() - 1))
                .hasSize(20)
                .allMatch(line -> line.matches("\\d+ p=0\\.[1-5]\\d*"));
        int text = stage.out().length();
        planned("submit", "scheduler", demo(), "--dry-run", "--json");
        List<String> json = stage.out().substring(text).lines().toList();
        assertThat(json).hasSize(51);
        assertThat(json.get(1))
                .isEqualTo("{\"task\":0,\"parameters\":{\"p\":\""
                        + lines.get(lines.indexOf("TASK PARAMS") + 1).substring(4) + "\"}}");
    }

    @Test
    void aDryRunShowsTheChosenRunsOfASweepFile() throws IOException {
        Path file = Files.writeString(
                stage.directory().resolve("s.yml"),
                "name: e\nrepetitions: 1\npath: r\nparams: {z: 1}\ngrid: {lr: [0.1, 0.01, 0.001]}\n");
        assertThat(planned("sweep", "submit", file.toString(), demo(), "--array", "1-2", "--dry-run", "--", "main.py"))
                .contains("array v " + file + ", --array", "tasks v " + file + ", --array")
                .anyMatch(line -> line.startsWith("1 ") && line.contains("lr=0.01"))
                .noneMatch(line -> line.startsWith("0 "));
        Files.delete(file);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--sweep a=1 --repeat 3 | --sweep and --repeat exclude each other; to run each set of values 5 times, add",
                "--sweep a=1 --array %0 | --array: '%0' must have a number from 1 to 999999999 behind %",
                "--array %4 | --array: '%4' must name tasks by numbers",
                "--sweep a=1 --follow | --follow and --sweep exclude each other",
                "--sample x | --sample: 'x' is not a whole number from 1 to 1000000",
                "--sample 0 | --sample: '0' is not a whole number from 1 to 1000000",
                "--seed -1 | --seed: '-1' is not a whole number from 0 to 281474976710655",
                "--seed 281474976710656 | --seed: '281474976710656' is not a whole number from 0 to 281474976710655",
                "--pack 65 | --pack: '65' is not a whole number from 1 to 64",
                "--parallel 2.5 | --parallel: '2.5' is not a whole number from 1 to 64",
                "--retries 101 | --retries: '101' is not a whole number from 0 to 100",
                "--nice 20 | --nice: '20' is not a whole number from 0 to 19",
                "--sweep | --sweep"
            })
    void whatCannotBeASweepIsRefusedBeforeAServerIsAsked(String options, String refusal) {
        List<String> words = new ArrayList<>(List.of("submit", "--no-snapshot", "scheduler", demo(), "true"));
        words.addAll(List.of(options.split(" ")));
        assertThat(stage.run(words.toArray(String[]::new))).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err()).contains(refusal);
        assertThat(server.received()).isEmpty();
    }

    private Path file() throws IOException {
        return Files.writeString(stage.directory().resolve("sweep.yml"), """
                name: exp
                path: out
                repetitions: 1
                params: {z: 1}
                grid: {net: {lr: [0.1, 1.0e-3]}}
                """);
    }

    @Test
    void aSweepFileIsSentAsItsSetsOfParameters() throws IOException {
        assertThat(sent(
                        "sweep",
                        "submit",
                        "--no-snapshot",
                        file().toString(),
                        demo(),
                        "--array",
                        "%2",
                        "--",
                        "main.py",
                        "{net.lr}"))
                .contains(
                        "\"command\":[\"main.py\",\"{net.lr}\"]",
                        "\"array\":\"%2\"",
                        "\"project\":\"demo\"",
                        "\"parameters\":[{\"constants\":{\"z\":1},\"factors\":[{\"names\":[\"net.lr\",\"sweep.experiment\",",
                        "\"rows\":[[0.1,\"exp\",\"exp__net.l0.1\",\"out/exp/exp__net.l0.1/log/rep_00\",0],[0.001,");
    }

    private Path numbered(int count) throws IOException {
        return Files.writeString(stage.directory().resolve("sweep.yml"), """
                name: exp
                path: out
                repetitions: 1
                params: {z: 1}
                grid: {n: [%s]}
                """.formatted(
                        IntStream.range(0, count).mapToObj(Integer::toString).collect(Collectors.joining(", "))));
    }

    @Test
    void ofTheRunsOfASweepFileOnlyThoseThatAnArrayNamesAreSent() throws IOException {
        String part = sent(
                "sweep",
                "submit",
                "--no-snapshot",
                numbered(1_000).toString(),
                demo(),
                "--array",
                "700-702,704",
                "--",
                "main.py",
                "{n}");
        assertThat(part)
                .hasSizeLessThan(1_000)
                .contains(
                        "\"array\":\"700-702,704\"",
                        "\"parameters\":[{\"constants\":{\"z\":null},\"factors\":[{\"names\":[\"n\",\"sweep.experiment\",",
                        "\"rows\":[[null,null,null,null]]},{\"names\":[\"sweep.repetition\"],\"range\":[0,1,700]}]},",
                        "\"rows\":[[700,\"exp\",",
                        "[704,\"exp\",")
                .doesNotContain("[699,\"exp\"", "[705,\"exp\"");
    }

    @Test
    void anArrayThatNamesMoreThanTheRunsOfAFileIsForTheServerToRefuse() throws IOException {
        assertThat(sent("sweep", "submit", "--no-snapshot", numbered(3).toString(), demo(), "--array", "3", "--", "x"))
                .contains("[0,\"exp\"", "[2,\"exp\"");
    }

    @Test
    void aSweepFileOfMoreThanOneRequestIsToldToBeSubmittedInParts() throws IOException {
        server.json("POST /api/v1/jobs", 413, """
                {"code":"TOO_LARGE","message":"the request's body is larger than 1048576 bytes","details":{}}""");
        stage.run("sweep", "submit", "--no-snapshot", file().toString(), demo(), "--", "x");
        assertThat(stage.err())
                .contains("1048576 bytes; submit a part of the sweep file's runs at a time: --array 0-999");
    }

    private Path packed(String more) throws IOException {
        return Files.writeString(stage.directory().resolve("sweep.yml"), """
                name: DEFAULT
                path: out
                repetitions: 4
                reps_per_job: 2
                ---
                name: one
                %s
                ---
                name: other
                """.formatted(more));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--no-file                    | \"pack\":2,\"parallel\":1",
                "--array %4 --parallel 2      | \"parallel\":2",
                "--array %4 --parallel 2      | \"pack\":2",
                "--pack 8                     | \"pack\":8",
            })
    void repetitionsThatRunInOneJobOfCw2ShareAContainer(String options, String fields) throws IOException {
        List<String> words = new ArrayList<>(List.of("sweep", "submit", "--no-snapshot"));
        words.add(packed("").toString());
        words.add(demo());
        words.addAll(List.of(options.split(" ")));
        words.addAll(List.of("--", "true"));
        assertThat(sent(words.toArray(String[]::new))).contains(fields);
        assertThat(stage.err()).doesNotContain("reps_per_job");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "reps_per_job: 4 | experiment 'other': reps_per_job counts for nothing, as the experiments differ in it",
                "reps_in_parallel: 2 | experiment 'other': reps_per_job counts for nothing, as the experiments differ in it",
                "repetitions: 3 | experiment 'one': reps_per_job counts for nothing, as its 3 repetitions are no multiple of 2",
            })
    void repetitionsThatCannotShareAContainerAreToldOf(String key, String remark) throws IOException {
        assertThat(sent("sweep", "submit", "--no-snapshot", packed(key).toString(), demo(), "--", "true"))
                .doesNotContain("\"pack\"");
        assertThat(stage.err()).contains(remark, "each run has a container of its own, unless --pack says");
    }

    @Test
    void someOfTheRunsOfASweepFileShareNoContainer() throws IOException {
        assertThat(sent(
                        "sweep",
                        "submit",
                        "--no-snapshot",
                        packed("").toString(),
                        demo(),
                        "--array",
                        "0,3",
                        "--",
                        "true"))
                .doesNotContain("\"pack\"");
        assertThat(stage.err()).contains("--array names some of the runs alone");
    }

    @Test
    void aJobFileThatCountsItsTasksDoesNotCutASweepFile() throws IOException {
        Files.writeString(Path.of(demo()).resolve("berth.yaml"), "repeat: 5\n");
        assertThat(stage.run("sweep", "submit", file().toString(), demo(), "--", "true"))
                .isEqualTo(ExitCode.USAGE);
        assertThat(stage.err()).contains("berth.yaml:1: a sweep file and repeat exclude each other");
        assertThat(server.received()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "sweep submit | takes a file, perhaps a directory, and a command behind --",
                "sweep submit FILE | takes a file, perhaps a directory, and a command behind --",
                "sweep submit FILE -- | takes a file, perhaps a directory, and a command behind --",
                "sweep submit FILE demo more -- true | takes a file, perhaps a directory, and a command behind --",
                "sweep submit FILE nowhere -- true | directory: 'nowhere' is not there",
                "sweep submit NOFILE -- true | is not there",
                "sweep submit FILE -f -- true | --follow shows one log, and a sweep has one for each task",
                "sweep submit FILE --sweep a=1 -- true | --sweep is no option of this command: the file has the parameters; berth submit",
                "sweep submit FILE --repeat=3 -- true | --repeat is no option of this command: the file says it itself, as in repetitions: 5",
                "sweep submit FILE --sample 3 -- true | --sample is no option of this command: the file has the runs",
                "sweep submit FILE -e large -- true | -e: large is not set here; a variable is given as -e large=VALUE, and an experiment of the file is chosen by --experiment large",
                "sweep submit FILE --experiment none -- true | none",
            })
    void aLineThatSubmitsNoSweepFileIsRefused(String line, String refusal) throws IOException {
        String[] words = line.replace("NOFILE", stage.directory() + "/none.yml")
                .replace("FILE", file().toString())
                .split(" ");
        assertThat(stage.run(words)).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err()).contains(refusal);
        assertThat(server.received()).isEmpty();
    }

    @Test
    void tasksAreShownWithTheirParametersAndChosenByThem() {
        server.json("GET /api/v1/jobs/42", 200, Samples.array())
                .json(
                        "GET /api/v1/jobs?scope=all&limit=100&array=42&tasks=true&param=lr%3D0.1",
                        200, new JobList(List.of(TASK), null))
                .json("GET /api/v1/jobs/42_7", 200, TASK)
                .json("GET /api/v1/jobs/50", 200, TASK);
        assertThat(stage.run("ps", "--tasks", "42", "--param", "lr=0.1")).isZero();
        assertThat(stage.out()).contains("PARAMS").contains("lr=0.1 seed=3");
        assertThat(stage.run("status", "42_7")).isZero();
        assertThat(stage.out()).contains("parameters  lr=0.1 seed=3");
    }

    @Test
    void tasksThatAreOverAreShownWithTheirParametersAndChosenByThem() {
        server.json("GET /api/v1/jobs/42", 200, Samples.array())
                .json(
                        "GET /api/v1/jobs?scope=ended&limit=100&array=42&tasks=true&param=lr%3D0.1",
                        200, new JobList(List.of(TASK), null))
                .json("GET /api/v1/jobs/42", 200, Samples.array())
                .json(
                        "GET /api/v1/jobs?scope=all&limit=1&state=FAILED&array=42&tasks=true",
                        200,
                        new JobList(List.of(TASK), 49L));
        assertThat(stage.run("history", "--tasks", "42", "--param", "lr=0.1")).isZero();
        assertThat(stage.out()).contains("PARAMS").contains("lr=0.1 seed=3");
        assertThat(stage.run("history", "--tasks", "42", "--state", "failed", "-n", "1"))
                .isZero();
        assertThat(stage.run("history", "--tasks")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.run("history", "--param", "lr=0.1")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err()).isEqualTo("""
            these are the newest 1; add -n 10 for more
            berth: --tasks lists the tasks of one array: berth history --tasks 42; without it berth history lists whole arrays
            berth: --param goes with --tasks, as only the tasks of sweeps have parameters: berth history --tasks 42 --param lr=0.1
            """);
    }

    @Test
    void aListOfTheTasksOfAllSweepsSaysWhichItLooksAt() {
        server.json(
                "GET /api/v1/jobs?scope=active&limit=1000&tasks=true&param=lr%3D0.1",
                200, new JobList(List.of(), null));
        assertThat(stage.run("ps", "--tasks", "--param", "lr=0.1")).isZero();
        assertThat(stage.err())
                .startsWith(
                        "berth: only tasks that have had their turn are looked at; with an array's id its others are,"
                                + " too: berth ps --tasks 42 --param lr=0.1\n");
    }

    @Test
    void aChoiceByParametersIsOfTasks() {
        assertThat(stage.run("ps", "--param", "lr=0.1")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.run("ps", "--tasks", "--param", "lr")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err()).isEqualTo("""
            berth: --param goes with --tasks, as only the tasks of sweeps have parameters: berth ps --tasks 42 --param lr=0.1
            berth: --param: 'lr' must be a name and its value; for example --param lr=0.1
            """);
    }

    @Test
    void onlyFailedTasksAreSubmittedAgain() {
        server.json("POST /api/v1/jobs/42/resubmit?failed=true", 201, Samples.queued(99, 3));
        assertThat(stage.run("resubmit", "--failed", "42", "-q")).isZero();
        assertThat(stage.out()).isEqualTo("99\n");
    }

    @Test
    void theFailedTasksOfWhatIsNoArrayAreRefusedByTheOption() throws IOException {
        server.json("POST /api/v1/jobs/17/resubmit?failed=true", 400, """
                {"code":"INVALID_FIELD","message":"failed: 'true' is of arrays, and job 17 is none","details":
                {"field":"failed","value":"true","rule":"is of arrays, and job 17 is none"}}""");
        assertThat(stage.run("resubmit", "--failed", "17")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err()).isEqualTo("berth: --failed is of arrays, and job 17 is none\n");
    }
}
