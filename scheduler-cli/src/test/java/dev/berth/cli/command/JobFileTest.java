package dev.berth.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.Samples;
import dev.berth.cli.ScriptedServer;
import dev.berth.cli.exit.ExitCode;
import dev.berth.core.api.ApiError;
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
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs that files describe, submitted to a scripted server. */
class JobFileTest {
    private static final String EVERYTHING = """
            command: main.py --lr 'a b'
            num-gpus: 2
            gpu-memory: 16g
            gpu-type: a100
            gpu-label: [fast, new]
            name: no
            project: study
            tag:
              - first
              - 010
            image: img:1
            pull: always
            env:
              A: 1
              B: "x=y"
              TOKEN:
            env-file: more.env
            volume: [/data:/data:ro, sub:/sub]
            workdir: /app
            entrypoint: python3
            cpus: 1.50
            nice: 5
            ram: 4
            shm-size: 8g
            time: 1:30:00
            idle-timeout: 10m
            signal: USR1@5m
            grace: 2m
            network: none
            requeue: true
            after: 12
            keep-waiting: false
            begin: +2h
            array: 0-31%4
            """;

    @RegisterExtension
    private final CommandStage stage = CommandStage.open();

    private final ScriptedServer server = stage.server();

    private int accepted(String... more) {
        server.json("POST /api/v1/jobs", 201, Samples.queued(17, 3));
        List<String> words = new ArrayList<>(List.of(more));
        words.add("--no-snapshot");
        return stage.submit(words.toArray(String[]::new));
    }

    private String sent() {
        return server.received("POST /api/v1/jobs").text();
    }

    private void assertRefused(String sentence) {
        assertThat(stage.err()).contains(sentence);
        assertThat(server.received()).as("nothing was sent").isEmpty();
    }

    @Test
    void everyOptionMayStandInTheFile() throws IOException {
        stage.write("berth.yaml", EVERYTHING);
        stage.write("more.env", "C=3\nA=0\n");
        assertThat(accepted()).as(stage.err()).isZero();
        assertThat(sent())
                .isEqualTo("{\"gpus\":2,\"gpuMemoryBytes\":17179869184,\"gpuType\":\"a100\","
                        + "\"gpuLabels\":[\"fast\",\"new\"],\"name\":\"no\",\"project\":\"study\","
                        + "\"tags\":[\"first\",\"010\"],\"image\":\"img:1\",\"pull\":\"always\","
                        + "\"environment\":{\"A\":\"1\",\"B\":\"x=y\",\"C\":\"3\",\"TOKEN\":\"secret\"},"
                        + "\"volumes\":[\"/data:/data:ro\",\"" + stage.demo() + "/sub:/sub\"],"
                        + "\"workingDirectory\":\"/app\",\"entrypoint\":\"python3\",\"cpuMilli\":1500,\"nice\":5,"
                        + "\"memoryBytes\":4294967296,\"shmBytes\":8589934592,\"timeLimitSeconds\":5400,"
                        + "\"idleTimeoutSeconds\":600,\"signal\":\"USR1@300\",\"graceSeconds\":120,\"network\":\"none\",\"requeue\":true,"
                        + "\"dependencies\":[\"afterok:12\"],\"begin\":\"" + Samples.NOW.plusSeconds(7_200) + "\","
                        + "\"array\":\"0-31%4\",\"command\":[\"main.py\",\"--lr\",\"a b\"]}");
    }

    @Test
    void theLineCountsMoreThanTheFileAndOfVariablesEachForItself() throws IOException {
        stage.write("berth.yaml", "command: main.py\nnum-gpus: 2\nenv: {A: 1, B: 1}\narray: 0-3\ntag: [a]\n");
        assertThat(accepted("train.py", "--num-gpus", "1", "-e", "B=2", "--repeat", "2", "--tag", "b"))
                .isZero();
        assertThat(sent())
                .contains("\"gpus\":1", "\"A\":\"1\",\"B\":\"2\"", "\"array\":\"0-1\"", "\"tags\":[\"b\"]")
                .contains("\"command\":[\"train.py\"]");
    }

    @Test
    void aFileIsReadOnlyWhereItIsWanted() throws IOException {
        stage.write("berth.yaml", "num-gpus: 2\n");
        assertThat(accepted("main.py", "--no-file")).isZero();
        assertThat(sent()).doesNotContain("gpus");
        assertThat(stage.submit("main.py", "--no-file", "--file", "x")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err()).contains("--file and --no-file exclude each other");
    }

    @Test
    void aNamedFileSaysAllOfAJob() throws IOException {
        stage.write("berth.yaml", "num-gpus: 7\n");
        Path file = stage.directory().resolve("pipe.yaml");
        Files.writeString(file, "directory: demo\ncommand: [main.py, '--x', 1]\nnum-gpus: 2\n");
        server.json("POST /api/v1/snapshots", 200, new SnapshotView("ab", 1, 8, List.of()))
                .json("POST /api/v1/jobs", 201, Samples.queued(17, 3));
        assertThat(stage.run("submit", "--file", file.toString()))
                .as(stage.err())
                .isZero();
        assertThat(sent())
                .isEqualTo("{\"gpus\":2,\"command\":[\"main.py\",\"--x\",\"1\"],\"project\":\"demo\","
                        + "\"snapshot\":\"ab\"}");
    }

    @Test
    void aDryRunSaysWhichLineOfTheFileAValueComesFrom() throws IOException {
        stage.write("berth.yaml", "# what it is\ncommand: main.py\nnum-gpus: 2\nenv:\n  A: 1\n");
        server.json(
                "POST /api/v1/jobs?dryRun=true",
                200,
                new SubmitPlan(
                        List.of(
                                new SubmitPlan.Setting("command", "main.py", "request"),
                                new SubmitPlan.Setting("gpus", "2", "request"),
                                new SubmitPlan.Setting("name", "n", "request"),
                                new SubmitPlan.Setting("environment", "A", "request"),
                                new SubmitPlan.Setting("environment", "B", "request")),
                        "it would start at once"));
        assertThat(stage.submit("--dry-run", "--name", "n", "-e", "B=2")).isZero();
        assertThat(stage.out().lines().map(line -> line.replaceAll(" +", " ")))
                .contains(
                        "command main.py berth.yaml:2",
                        "gpus 2 berth.yaml:3",
                        "name n --name",
                        "environment A berth.yaml:4",
                        "environment B --env");
    }

    @Test
    void aDryRunSaysOfEachVariableWhereItComesFrom() throws IOException {
        stage.write("berth.yaml", "env: {A: file, B: file, C: file, D: file}\n");
        stage.write("more.env", "D=more\nC=more\n");
        stage.write("job.sh", "#!/bin/sh\n#BERTH -e A=berth\n#SBATCH --export=ALL,B=slurm\n");
        List<SubmitPlan.Setting> settings = new ArrayList<>();
        for (String name : List.of("A", "B", "C", "D")) {
            settings.add(new SubmitPlan.Setting("environment", name, "request"));
        }
        settings.add(new SubmitPlan.Setting("environment", "BERTH_JOB_ID", "berth"));
        server.json("POST /api/v1/jobs?dryRun=true", 200, new SubmitPlan(settings, "it would start at once"));
        Path file = stage.demo().resolve("more.env");
        assertThat(stage.submit(
                        "--dry-run", "sh", "job.sh", "-e", "A=line", "-e", "C=line", "--env-file", file.toString()))
                .as(stage.err())
                .isZero();
        assertThat(stage.out().lines().map(line -> line.replaceAll(" +", " ")))
                .contains(
                        "environment A --env",
                        "environment B job.sh:3",
                        "environment C --env",
                        "environment D --env-file",
                        "environment BERTH_JOB_ID berth");
    }

    @Test
    void theServersRefusalNamesTheKeyWithItsLine() throws IOException {
        stage.write("berth.yaml", "command: main.py\nram: 4000\n");
        server.json("POST /api/v1/snapshots", 200, new SnapshotView("ab", 1, 8, List.of()))
                .json(
                        "POST /api/v1/jobs",
                        400,
                        new ApiError(
                                "INVALID_FIELD",
                                "no",
                                Map.of("field", "memoryBytes", "value", "1", "rule", "is more than there is")));
        assertThat(stage.run("submit", "scheduler", stage.demo().toString())).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err()).contains("berth.yaml:2: ram: 4000 is more than there is");
    }

    /** What of a sweep a file may say, and what is sent. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{lr: [0.1, 1e-3], seed: 1..5, net.on: [true, x]} | ['lr=0.1,1e-3','seed=1..5','net.on=true,x']",
                "{a: ['x,y', 'c:\\z'], b: 'u,v'} | ['a=x\\,y,c:\\\\z','b=u,v']",
                "{p: 0.1..0.5} | ['p=0.1..0.5']",
                "['lr=0.1,0.01', seed=1..5] | ['lr=0.1,0.01','seed=1..5']",
                "lr=0.1,0.01 | ['lr=0.1,0.01']",
            },
            quoteCharacter = '"')
    void aSweepIsAMapOrTextsAsInTheLine(String value, String sent) throws IOException {
        for (String key : List.of("sweep", "zip")) {
            stage.write("berth.yaml", "command: main.py\n" + key + ": " + value + "\n");
            assertThat(accepted()).as(stage.err()).isZero();
            assertThat(server.received().getLast().text())
                    .contains("\"" + key + "\":" + sent.replace("\\", "\\\\").replace("'", "\""));
        }
    }

    @Test
    void aCommandThatCannotRunIsToldWithItsLine() throws IOException {
        stage.write("berth.yaml", "name: n\ncommand: nope.py\n");
        assertThat(stage.submit()).isEqualTo(ExitCode.USAGE);
        assertRefused("berth: berth.yaml:2: command: 'nope.py' is not a file in the directory");
        stage.write("berth.yaml", "name: n\nsweep: a=1,2\ncommand: main.py {nope}\n");
        server.json(
                "POST /api/v1/jobs?dryRun=true",
                400,
                new ApiError(
                        "INVALID_FIELD",
                        "command: '{nope}' is no parameter",
                        Map.of("field", "command", "value", "{nope}", "rule", "is no parameter")));
        assertThat(stage.submit("--dry-run")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err()).contains("berth: berth.yaml:3: command: '{nope}' is no parameter");
    }

    @Test
    void aDirectoryBesideThatOfTheLineIsTold() throws IOException {
        stage.write("berth.yaml", "command: main.py\ndirectory: ../other\n");
        assertThat(accepted()).as(stage.err()).isZero();
        assertThat(stage.err()).contains("berth.yaml:2: directory means nothing here, as the line names one");
    }

    @Test
    void aDirectoryThatIsNotThereIsToldWithItsLine() throws IOException {
        Path file = Files.writeString(stage.directory().resolve("job.yaml"), "command: true\ndirectory: ../nope\n");
        assertThat(stage.run("submit", "--file", file.toString())).isEqualTo(ExitCode.USAGE);
        assertRefused(
                "berth: " + file + ":2: directory: '" + stage.directory().resolveSibling("nope") + "' is not there");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "num_gpus: 2|'num_gpus' is not known; did you mean num-gpus?",
                "server: {}|'server' is not known; the keys are the long options of berth submit",
                "no-wait: true|'no-wait' is not known",
                "follow: true|follow is said on the command line alone: --follow",
                "num-gpus: x|num-gpus: 'x' is neither a whole number",
                "num-gpus: x|for example num-gpus: 2",
                "num-gpus:|num-gpus has no value; write one, or leave the key out",
                "num-gpus: [1]|num-gpus takes one value and has a list",
                "num-gpus: {a: 1}|num-gpus takes one value and has a map",
                "requeue: maybe|requeue is true or false",
                "tag: [[a]]|tag takes a list of single values",
                "env: {A: [1]}|env.A takes one value and has a list",
                "env: [=1]|env: '=1' has no name",
                "volume: x|volume: 'x' is not of the form",
                "after: ','|after: ',' has an empty id; for example after: 12,13",
                "dependency: singleton|dependency: 'singleton' waits for jobs of the same name",
                "pull: now|pull: 'now' is none of missing, always, never; for example pull: always",
                "array: 5-1|array: '5-1'",
                "begin: yesterday|begin: 'yesterday' is neither a date",
                "command: a & b|command has a &, which only a shell understands",
                "command: ls *.py|command has a *, which only a shell understands",
                "command: ls a?|command has a ?, which only a shell understands",
                "'command: echo \"$HOME\"'|command has a $, which only a shell understands",
                "'command: echo \"`date`\"'|command has a `, which only a shell understands",
                "'command: \"a\\nb\"'|command has several lines, and is one",
                "command: a 'b|command has a ' that is not closed",
                "command: '   '|command is empty",
                "command: []|command is empty; write the program and its arguments",
                "command: {a: b}|command takes a value or a list of values, and has a map",
                "tag: {a: b}|tag takes a value or a list of values, and has a map",
                "'sweep: [a=1,2]'|sweep: '2' is no name with values: YAML ends an item of a list at a comma; write sweep: {lr:",
                "'zip: [a=1,2]'|zip: '2' is no name with values",
                "'sweep: {}'|sweep names no parameter",
                "'sweep: {a: []}'|sweep.a has no values",
                "'sweep: {a: }'|sweep.a has no value",
                "'sweep: {a: [[1]]}'|sweep.a takes a list of single values",
                "'sweep: {net: {lr: [1]}}'|sweep.net takes a list of values and has a map; a parameter in a map of the program's is written net.NAME",
                "'sweep: {\"a=b\": [1]}'|sweep has a name that is empty or has a '=' in it",
                "tag: !!python/object a|tags (tag:yaml.org,2002:python/object) are not taken",
                "a: *b|*b stands for nothing",
                "'a: b: c'|is not YAML",
            })
    void aWrongLineIsToldWithItsNumber(String line, String sentence) throws IOException {
        stage.write("berth.yaml", "name: n\n" + line + "\n");
        assertThat(stage.submit("main.py")).isEqualTo(ExitCode.USAGE);
        assertRefused("berth: berth.yaml:2: " + (sentence.startsWith("for ") ? "num-gpus: 'x'" : sentence));
        assertThat(stage.err()).contains(sentence);
    }

    /** A command of a file, and its words, with a bar between them. */
    @ParameterizedTest
    @CsvSource({
        "'|-\n  main.py \\\n    --lr 1\\\n  --x\n', main.py|--lr|1|--x",
        "'|\n\n  main.py a\n\n', main.py|a",
        "'>\n  main.py\n  a\n', main.py|a",
        "'|\n  main.py \"a\\\n  b\"\n', main.py|ab",
        "'main.py \\$A \\* ''*?$'' \"a*?\\$\\`\"', main.py|$A|*|*?$|a*?$`",
    })
    void aCommandIsPartedAsAShellParts(String command, String words) throws IOException {
        stage.write("berth.yaml", "command: " + command + "\n");
        assertThat(accepted()).as(stage.err()).isZero();
        assertThat(server.received("POST /api/v1/jobs").text())
                .contains("\"command\":[\"" + String.join("\",\"", words.split("\\|")) + "\"]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"name: a\nname: b", "memory: 1g\nram: 2", "- a", "text", "name: a\n---\nname: b"})
    void aFileThatIsNoMapOfSingleOptionsIsRefused(String text) throws IOException {
        stage.write("berth.yaml", text);
        assertThat(stage.submit("main.py")).isEqualTo(ExitCode.USAGE);
        assertRefused("berth: berth.yaml:");
    }

    @Test
    void anchorsThatExplodeAndFilesThatAreTooLargeOrTooDeepAreRefused() throws IOException {
        StringBuilder bomb = new StringBuilder("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for (int level = 1; level < 9; level++) {
            String below = "*a" + (level - 1);
            bomb.append("a" + level + ": &a" + level + " [" + (below + ", ").repeat(9) + below + "]\n");
        }
        stage.write("berth.yaml", bomb.toString());
        assertThat(stage.submit("main.py")).isEqualTo(ExitCode.USAGE);
        assertRefused("the file holds more than 200000 values up to here, with what its anchors stand for");
        stage.write("berth.yaml", "tag: " + "[".repeat(40) + "]".repeat(40));
        assertThat(stage.submit("main.py")).isEqualTo(ExitCode.USAGE);
        assertRefused("berth.yaml:1: is nested more than 32 levels deep");
        stage.write("berth.yaml", "#".repeat(1_100_000));
        assertThat(stage.submit("main.py")).isEqualTo(ExitCode.USAGE);
        assertRefused("berth.yaml has more than 1048576 bytes");
        Files.delete(stage.demo().resolve("berth.yaml"));
        Files.createDirectory(stage.demo().resolve("berth.yaml"));
        assertThat(stage.submit("main.py")).isEqualTo(ExitCode.USAGE);
        assertRefused("berth.yaml is not a file");
    }

    @Test
    void anEmptyFileSaysNothing() throws IOException {
        stage.write("berth.yaml", "# nothing yet\n");
        assertThat(accepted("main.py")).isZero();
        assertThat(stage.submit()).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err())
                .contains("berth submit needs a command behind '" + stage.demo()
                        + "', or in berth.yaml, which has none (command: python main.py)");
    }

    @Test
    void aFollowedArrayIsRefusedWhereverItIsSaid() throws IOException {
        stage.write("berth.yaml", "array: 0-3\n");
        assertThat(stage.submit("main.py", "--follow")).isEqualTo(ExitCode.USAGE);
        assertRefused("--follow and berth.yaml:1: array exclude each other");
    }
}
