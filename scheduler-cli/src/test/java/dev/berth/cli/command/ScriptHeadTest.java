package dev.berth.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.Samples;
import dev.berth.cli.ScriptedServer;
import dev.berth.cli.command.submit.Submit;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.jobfile.ScriptHead;
import dev.berth.core.api.ApiError;
import dev.berth.core.api.SnapshotView;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The lines at the head of a script, and Atlas's files, submitted to a scripted server. */
class ScriptHeadTest {
    private static final String SCRIPT = """
            #!/bin/bash
            # trains
            #SBATCH --job-name="two words" --gres=gpu:a100:2   # as on the cluster
            #SBATCH -t 1-12 -c8
            #SBATCH --mem 16000 --partition=gpu
            #SBATCH --array=0-31%4
            #SBATCH --export=ALL,A=1
            #SBATCH --output=%j.out
            #SBATCH --time=2:00:00
            #SBATCHING --nodes=9

            #BERTH --tag a --shm-size 8g
            #BERTH --tag b --num-gpus 1
            echo begins
            #SBATCH --nodes=7
            """;

    @RegisterExtension
    private final CommandStage stage = CommandStage.open();

    private final ScriptedServer server = stage.server();

    private String accepted(String... more) {
        server.json("POST /api/v1/snapshots", 200, new SnapshotView("ab", 1, 8, List.of()))
                .json("POST /api/v1/jobs", 201, Samples.queued(17, 3));
        assertThat(stage.submit(more)).as(stage.err()).isZero();
        return server.received("POST /api/v1/jobs").text();
    }

    @Test
    void theHeadOfAScriptSaysWhatTheJobAsksFor() throws IOException {
        stage.write("job.sh", SCRIPT);
        assertThat(accepted("bash", "job.sh"))
                .isEqualTo("{\"gpus\":1,\"gpuType\":\"a100\",\"name\":\"two words\",\"tags\":[\"a\",\"b\"],"
                        + "\"environment\":{\"A\":\"1\"},\"cpuMilli\":8000,\"memoryBytes\":16777216000,"
                        + "\"shmBytes\":8589934592,\"timeLimitSeconds\":7200,\"array\":\"0-31%4\","
                        + "\"command\":[\"bash\",\"job.sh\"],\"project\":\"demo\",\"snapshot\":\"ab\"}");
        assertThat(stage.err()).contains("job.sh: of its #SBATCH lines --partition, --output mean nothing here");
    }

    @Test
    void aScriptThatRunsByItselfIsReadToo() throws IOException {
        stage.write("job.sh", "#!/bin/sh\n#SBATCH --gres=gpu:2\n");
        assertThat(stage.demo().resolve("job.sh").toFile().setExecutable(true)).isTrue();
        assertThat(accepted("./job.sh")).contains("\"gpus\":2");
        assertThat(stage.err()).isEmpty();
    }

    @Test
    void theDirectoryMayBeTheOneWhereTheCommandIsGiven() throws IOException {
        Path script = Files.createTempFile(Path.of("target"), "job", ".sh");
        try {
            Files.writeString(script, "#SBATCH --gres=gpu:2\n");
            ScriptHead head = Objects.requireNonNull(
                    ScriptHead.of(Path.of("."), List.of("bash", script.toString()), new Submit()));
            assertThat(head.layers().getLast().says("gpus")).isTrue();
        } finally {
            Files.delete(script);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/bin/bash job.sh",
                "bash -l job.sh",
                "bash -e -u job.sh",
                "bash -euo pipefail job.sh",
                "bash -- job.sh",
                "/usr/bin/python3 -u job.sh",
                "python -X dev -Wignore job.sh",
            })
    void theOptionsOfWhatRunsAScriptArePassedOver(String command) throws IOException {
        stage.write("job.sh", "#SBATCH --gres=gpu:2\n");
        assertThat(accepted(("-- " + command).split(" "))).contains("\"gpus\":2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"bash -c job.sh", "bash -lc job.sh", "python -m job.sh", "python -um job.sh", "bash -l"})
    void whereNoScriptIsRunNoHeadIsRead(String command) throws IOException {
        stage.write("job.sh", "#SBATCH --nodes=2\n");
        assertThat(accepted(("-- " + command).split(" "))).doesNotContain("nodes");
    }

    @Test
    void theLineCountsMoreThanTheScriptAndThatMoreThanTheFile() throws IOException {
        stage.write("job.sh", "#BERTH --cpus 2\n#SBATCH --gres=gpu:2 --cpus-per-task=8 --mem=4G\n");
        stage.write("berth.yaml", "num-gpus: 3\ncpus: 3\nmemory: 3g\nnice: 3\n");
        assertThat(accepted("bash", "job.sh", "--memory", "1g"))
                .contains("\"gpus\":2", "\"cpuMilli\":2000", "\"nice\":3", "\"memoryBytes\":1073741824");
    }

    @Test
    void ofAnOptionThatStandsTwiceTheLaterOneCounts() throws IOException {
        stage.write("job.sh", """
                #SBATCH --gres=gpu:a100:2 --constraint=fast --time=90 --nodes=2 --mem=1G --export=A=1
                #SBATCH --array=0-3 --partition=gpu -d afterok:17 --requeue --kill-on-invalid-dep=no
                #SBATCH --gres=gpu:1 -C new -t 0 -N 1 --mem=0 --export=B=2
                #SBATCH -a 5 --partition=cpu --dependency=afterany:18 --no-requeue --kill-on-invalid-dep=yes
                """);
        assertThat(accepted("bash", "job.sh"))
                .isEqualTo("{\"gpus\":1,\"gpuLabels\":[\"new\"],\"environment\":{\"B\":\"2\"},"
                        + "\"dependencies\":[\"afterany:18\"],\"array\":\"5\","
                        + "\"command\":[\"bash\",\"job.sh\"],\"project\":\"demo\",\"snapshot\":\"ab\"}");
        assertThat(stage.err())
                .contains("job.sh: of its #SBATCH lines -t, -N, --mem, --partition, --no-requeue,"
                        + " --kill-on-invalid-dep mean nothing here");
    }

    @Test
    void theHeadIsLeftAloneWhereThatIsAskedFor() throws IOException {
        stage.write("job.sh", "#SBATCH --nodes=2\n");
        assertThat(accepted("bash", "job.sh", "--no-file")).doesNotContain("nodes");
    }

    @Test
    void aProgramThatIsNotOfTheDirectoryHasNoHead() throws IOException {
        Files.writeString(stage.directory().resolve("job.sh"), "#SBATCH --nodes=2\n");
        assertThat(accepted("cat", "../job.sh")).contains("cat");
    }

    @Test
    void theServersRefusalNamesTheOptionAsTheScriptHasIt() throws IOException {
        stage.write("job.sh", "#SBATCH --gres=gpu:9\n");
        server.json("POST /api/v1/snapshots", 200, new SnapshotView("ab", 1, 8, List.of()))
                .json(
                        "POST /api/v1/jobs",
                        400,
                        new ApiError(
                                "INVALID_FIELD",
                                "no",
                                Map.of("field", "gpus", "value", "9", "rule", "is more than there are")));
        assertThat(stage.submit("bash", "job.sh")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err()).contains("job.sh:1: --gres=gpu:9 is more than there are");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "#SBATCH --nodes=2|--nodes=2 cannot be had: a job runs on one machine, as one program",
                "#SBATCH -N 2|-N 2 cannot be had: a job runs on one machine",
                "#SBATCH --gres=gpu:x:y:2|--gres=gpu:x:y:2 cannot be had: only GPUs are generic resources",
                "#SBATCH --time=soon|--time=soon has a value that Berth does not know",
                "#SBATCH --array|--array has no value",
                "#SBATCH --requeue=1|--requeue=1 has a value",
                "#SBATCH --arry=1|--arry is no option of sbatch that Berth knows; did you mean --array?",
                "#SBATCH gpu|'gpu' is no option of sbatch",
                "#SBATCH --array=5-1|--array: '5-1'",
                "#SBATCH --job-name='a|the line has a ' that is not closed",
                "#BERTH --num-gpus x|--num-gpus: 'x' is neither a whole number",
                "#BERTH --num-gpu 2|unknown option --num-gpu; did you mean --num-gpus?",
                "#BERTH --follow|--follow is said on the command line alone",
                "#BERTH --json|--json is said on the command line alone",
                "#BERTH 2|'2' is no option; #BERTH lines have options of a job alone",
                "#BERTH --num-gpus|--num-gpus needs a value",
                "#BERTH -e GONE|-e: GONE is not set here",
            })
    void aWrongLineIsToldWithItsNumber(String line, String sentence) throws IOException {
        stage.write("job.sh", "#!/bin/sh\n" + line + "\ntrue\n");
        assertThat(stage.submit("bash", "job.sh")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err()).startsWith("berth: job.sh:2: " + sentence);
        assertThat(server.received()).isEmpty();
    }

    @Test
    void aRefusalOfSlurmsOptionHasNoExampleOfBerths() throws IOException {
        stage.write("job.sh", "#SBATCH --gres=gpu:9999\n");
        assertThat(stage.submit("bash", "job.sh")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err())
                .startsWith("berth: job.sh:1: --gres: '9999' is neither a whole number")
                .doesNotContain("for example");
    }

    @Test
    void atlasFileIsReadAsItStands() throws IOException {
        stage.write("job.config.yaml", """
                # as Atlas has it
                project_name: 'my-project'
                log_level: INFO
                entrypoint: python3
                num_gpus: 2
                ram: 4
                params:
                  lr: 0.1
                typo: 3
                worker:
                  image: img:1
                  working_dir: /app
                  command: [main.py]
                  args: --x 1
                  environment:
                    A: 1
                  volumes:
                    /data:
                      bind: /data
                      mode: ro
                    /work: {bind: /work}
                """);
        assertThat(accepted())
                .isEqualTo("{\"gpus\":2,\"project\":\"my-project\",\"image\":\"img:1\",\"environment\":{\"A\":\"1\"},"
                        + "\"volumes\":[\"/data:/data:ro\",\"/work:/work\"],\"workingDirectory\":\"/app\","
                        + "\"entrypoint\":\"python3\",\"memoryBytes\":4294967296,"
                        + "\"command\":[\"main.py\",\"--x\",\"1\"],\"snapshot\":\"ab\"}");
        assertThat(stage.err())
                .isEqualTo(
                        "berth: warning: job.config.yaml: log_level, params, typo mean nothing here; parameters stand behind"
                                + " --, or are variables (-e NAME=VALUE)\n");
    }

    @Test
    void anAtlasKeyWithoutAValueSaysNothing() throws IOException {
        stage.write("job.config.yaml", "num_gpus: null\nram:\nworker:\n");
        assertThat(accepted("main.py"))
                .isEqualTo("{\"command\":[\"main.py\"],\"project\":\"demo\",\"snapshot\":\"ab\"}");
    }

    @Test
    void anAtlasFileBesideBerthsIsNotRead() throws IOException {
        stage.write("job.config.yaml", "num_gpus: [\n");
        stage.write("berth.yaml", "num-gpus: 1\n");
        assertThat(accepted("main.py")).contains("\"gpus\":1");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "num_gpus: x|num_gpus: 'x' is neither a whole number",
                "ram: x|ram: 'x' is not a size above zero",
                "worker: {volumes: {/a: /b}}|worker.volumes names no target",
                "worker: {volumes: [/a]}|worker.volumes is a map",
                "worker: {volumes: {/a: {bind: /b, x: 1}}}|a volume has bind and mode, and no 'x'",
                "worker: {entrypoint: [a, b]}|worker.entrypoint has 2 words, and is one program here",
                "project_name: [a]|project_name takes one value and has a list",
                "ram: [4]|ram takes one value and has a list",
            })
    void aWrongKeyOfAtlasIsToldWithItsLine(String line, String sentence) throws IOException {
        stage.write("job.config.yaml", "\n" + line + "\n");
        assertThat(stage.submit("main.py")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err()).contains("berth: job.config.yaml:2: " + sentence);
        assertThat(server.received()).isEmpty();
    }
}
