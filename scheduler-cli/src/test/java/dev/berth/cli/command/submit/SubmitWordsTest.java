package dev.berth.cli.command.submit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.cli.command.Ps;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.LineReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The options of a submit line, one by one: what they mean, and every way in which they are wrong. */
class SubmitWordsTest {
    private static final Instant NOW = Instant.parse("2026-11-30T10:00:00Z");

    @TempDir
    private Path directory;

    private static Map<String, Object> request(String... options) {
        List<String> line = new ArrayList<>(List.of("scheduler", "."));
        line.addAll(List.of(options));
        GivenOptions given = GivenOptions.of(LineReader.read(new Submit(), line));
        JobVariables variables = JobVariables.of(given, Map.of("TOKEN", "secret", "HOME", "/h"));
        return JobWords.request(given, List.of("true"), variables, NOW);
    }

    @Test
    void aDirectoryWithoutANameIsNotTheCurrentOne() {
        assertThatThrownBy(() -> SubmitWords.of(List.of("scheduler", "", "true"), false))
                .isInstanceOf(Failure.class)
                .hasMessageStartingWith("directory: '' is not there; name the one that holds your code");
    }

    @ParameterizedTest
    @CsvSource({
        "--memory, 16, 17179869184",
        "--ram, 16, 17179869184",
        "--memory, 16g, 17179869184",
        "--memory, 1.5G, 1610612736",
        "--memory, 512m, 536870912",
        "--memory, 512MiB, 536870912",
        "--memory, 64kb, 65536",
        "--memory, 4096b, 4096",
        "--memory, 0.001b, 1",
        "--memory, 2t, 2199023255552",
    })
    void memoryIsInGigabytesUnlessAUnitIsSaid(String option, String text, long bytes) {
        assertThat(request(option, text).get("memoryBytes")).isEqualTo(bytes);
    }

    @Test
    void theOtherOptionsMeanWhatTheySay() {
        Map<String, Object> request = request(
                "--cpus",
                "1.5",
                "--shm-size",
                "8g",
                "--pull",
                "always",
                "--tag",
                "a",
                "--tag",
                "b c",
                "-w",
                "/app",
                "--entrypoint",
                "sh",
                "--network",
                "none",
                "--requeue",
                "-v",
                "/a:/b:ro",
                "--volume",
                "/c d:/e:rw");
        assertThat(request.get("cpuMilli")).isEqualTo(1500);
        assertThat(request.get("shmBytes")).isEqualTo(8L << 30);
        assertThat(request.get("pull")).isEqualTo("always");
        assertThat(request.get("tags")).isEqualTo(List.of("a", "b c"));
        assertThat(request.get("workingDirectory")).isEqualTo("/app");
        assertThat(request.get("entrypoint")).isEqualTo("sh");
        assertThat(request.get("network")).isEqualTo("none");
        assertThat(request.get("requeue")).isEqualTo(true);
        assertThat(request.get("volumes")).isEqualTo(List.of("/a:/b:ro", "/c d:/e"));
    }

    @Test
    void whatIsNotSaidIsTheServersToDecide() {
        Map<String, Object> request = request();
        assertThat(request).isEqualTo(Map.of("command", List.of("true")));
    }

    @Test
    void aRelativeSourceIsMadeAbsoluteHere() {
        String here = Path.of("").toAbsolutePath().toString();
        assertThat(request("-v", "data:/data", "-v", "./x/../y:/y").get("volumes"))
                .isEqualTo(List.of(here + "/data:/data", here + "/y:/y"));
    }

    /** An option, a value that it cannot have, and the sentence. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--memory   | 0        | --memory: '0' is not a size above zero; write it as 512m, 16g, 1.5g, or 16 for 16 GB,",
                "--ram      | lots     | --ram: 'lots' is not a size above zero",
                "--memory   | 16x      | --memory: '16x' is not a size above zero",
                "--memory   | 16gx     | --memory: '16gx' is not a size above zero",
                "--memory   | -1       | --memory: '-1' is not a size above zero",
                "--memory   | 1.2345g  | --memory: '1.2345g' is not a size above zero",
                "--memory   | .        | --memory: '.' is not a size above zero",
                "--memory   | 99999999999t | --memory: '99999999999t' is not a size above zero",
                "--shm-size | 8        | --shm-size: '8' is not a size above zero; write it as 512m, 16g, 1.5g, for example",
                "--shm-size | 0g       | --shm-size: '0g' is not a size above zero",
                "--cpus     | 0        | --cpus: '0' is not a number of CPUs above 0 and up to 100000",
                "--cpus     | two      | --cpus: 'two' is not a number of CPUs above 0",
                "--cpus     | 1.2345   | --cpus: '1.2345' is not a number of CPUs above 0",
                "--cpus     | 100001   | --cpus: '100001' is not a number of CPUs above 0",
                "--pull     | often    | --pull: 'often' is none of missing, always, never",
                "-v         | /data    | -v: '/data' is not of the form /source:/target",
                "-v         | a:b:c:d  | -v: 'a:b:c:d' is not of the form /source:/target",
                "-v         | :/data   | -v: ':/data' is not of the form /source:/target",
                "-v         | /a:data  | -v: '/a:data' has a target that is not absolute",
                "-v         | /a:/b:rx | -v: '/a:/b:rx' ends in 'rx', which is neither ro nor rw",
                "--array    | 0-       | --array: '0-' must name tasks by numbers, as in 0-31, 1,3,7-9 or 0-31%4; for example --array 0-31%4",
                "--array    | ''       | --array: '' must name tasks by numbers",
                "--array    | a        | --array: 'a' must name tasks by numbers",
                "--array    | 0-31:    | --array: '0-31:' must name tasks by numbers",
                "--array    | -1       | --array: '-1' must name tasks by numbers",
                "--array    | 1,,2     | --array: '1,,2' must name tasks by numbers",
                "--array    | 5-1      | --array: '5-1' has the range 5-1, which ends before it begins; for example --array 0-31%4",
                "--array    | 1-10000000000 | --array: '1-10000000000' names a task by 11 digits; the highest index is 999999999; for example",
                "--array    | 1000000000    | --array: '1000000000' names task 1000000000; the highest index is 999999999; for example",
                "--array    | 1,1      | --array: '1,1' names task 1 more than once; for example --array 0-31%4",
                "--array    | %0       | --array: '%0' must have a number from 1 to 999999999 behind %: how many of its tasks may run at the same time;",
                "--array    | 0-31%    | --array: '0-31%' must have a number from 1 to 999999999 behind %",
                "--array    | 0-31%4%4 | --array: '0-31%4%4' must have a number from 1 to 999999999 behind %",
                "--array    | %4       | --array: '%4' must name tasks by numbers",
                "--array    | 0-5:0    | --array: '0-5:0' has the range 0-5:0, whose step must be at least 1; for example",
                "--array    | 0-1000000 | --array: '0-1000000' has 1000001 tasks; an array has at most 1000000; for example --array 0-31%4",
                "--array    | 0-9999:2 | --array: '0-9999:2' has more than 1000 ranges of tasks, the most that an array may have",
                "--repeat   | 0        | --repeat: '0' must be a number of tasks from 1 to 1000000; for example --repeat 5, or 5%2 for 2 at a time",
                "--repeat   | x        | --repeat: 'x' must be a number of tasks from 1 to 1000000",
                "--repeat   | ''       | --repeat: '' must be a number of tasks from 1 to 1000000",
                "--repeat   | 1000001  | --repeat: '1000001' must be a number of tasks from 1 to 1000000",
                "--repeat   | 99999999999 | --repeat: '99999999999' must be a number of tasks from 1 to 1000000",
                "--repeat   | 0-4      | --repeat: '0-4' must be a number of tasks from 1 to 1000000",
                "--repeat   | 5%0      | --repeat: '5%0' must have a number from 1 to 999999999 behind %",
                "-e         | =x       | -e: '=x' has no name",
                "-e         | GONE     | -e: GONE is not set here",
                "--env-file | /no/such | --env-file: '/no/such' cannot be read (/no/such)",
            })
    void aWrongValueIsToldWithARightOne(String option, String value, String sentence) {
        assertThatThrownBy(() -> request(option, value))
                .isInstanceOf(Failure.class)
                .hasMessageStartingWith(sentence);
    }

    /** What is typed, and what the API gets. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--array  | 0-31%4      | 0-31%4",
                "--array  | 7-9,3,1     | 1,3,7-9",
                "--array  | 0-10:5      | 0,5,10",
                "--array  | 0-1,2       | 0-2",
                "--array  | 7           | 7",
                "--array  | 0-999999    | 0-999999",
                "--repeat | 5           | 0-4",
                "--repeat | 1           | 0",
                "--repeat | 5%2         | 0-4%2",
                "--repeat | 1000000     | 0-999999",
            })
    void tasksAreToldAsIndices(String option, String text, String indices) {
        assertThat(request(option, text).get("array")).isEqualTo(indices);
    }

    @Test
    void tasksAreSaidInOneWay() {
        assertThatThrownBy(() -> request("--array", "0-3", "--repeat", "4"))
                .isInstanceOf(Failure.class)
                .hasMessage("--array and --repeat exclude each other; give one of them");
        assertThatThrownBy(() -> request("--repeat", "4", "--array", "0-3"))
                .hasMessage("--array and --repeat exclude each other; give one of them");
    }

    @Test
    void memoryIsSaidOnce() {
        assertThatThrownBy(() -> request("--memory", "1g", "--ram", "2"))
                .isInstanceOf(Failure.class)
                .hasMessage("--memory is given more than once; give it once");
    }

    private String file(String text) throws IOException {
        return Files.writeString(directory.resolve("env"), text).toString();
    }

    @Test
    void aFileOfVariablesIsReadAsDockerReadsIt() throws IOException {
        String file = file("\uFEFF# a comment\n\n  A=1\nB= x=\"y\" \nTOKEN\nC=\r\n#D=4\nE=5");
        assertThat(request("--env-file", file, "-e", "E=6").get("environment"))
                .isEqualTo(Map.of("A", "1", "B", " x=\"y\" ", "TOKEN", "secret", "C", "", "E", "6"));
    }

    /** As {@code --env-file <(secrets)}: what was read once is not there any more. */
    @Test
    @Timeout(30)
    void aFileOfVariablesThatIsAPipeIsReadOnce() throws Exception {
        Path pipe = directory.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        Process writer = new ProcessBuilder("sh", "-c", "echo A=1 > " + pipe).start();
        assertThat(request("--env-file", pipe.toString(), "-e", "B=2").get("environment"))
                .isEqualTo(Map.of("A", "1", "B", "2"));
        assertThat(writer.waitFor()).isZero();
    }

    @Test
    void aLaterFileGoesBeforeAnEarlierOne() throws IOException {
        String first = file("A=1\nB=1");
        Path second = Files.writeString(directory.resolve("second"), "B=2");
        assertThat(request("--env-file", first, "--env-file", second.toString()).get("environment"))
                .isEqualTo(Map.of("A", "1", "B", "2"));
    }

    /** What a file holds on its third line, and the sentence; no value is part of it. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "=hidden     | line 3: there is no name before the '='; write NAME=VALUE",
                "A B=hidden  | line 3: the name before the '=' has a blank in it; write NAME=VALUE",
                "GONE        | line 3: GONE is not set here; write GONE=VALUE, or export it first",
            })
    void aWrongLineOfAFileIsToldWithItsNumber(String line, String sentence) throws IOException {
        String file = file("A=1\n\n" + line + "\n");
        assertThatThrownBy(() -> request("--env-file", file))
                .isInstanceOf(Failure.class)
                .hasMessage("--env-file: " + file + " " + sentence)
                .hasMessageNotContaining("hidden");
    }

    @Test
    void aFileThatIsNoTextOrTooLargeIsRefused() throws IOException {
        Path binary = Files.write(directory.resolve("binary"), new byte[] {'A', '=', (byte) 0xff});
        assertThatThrownBy(() -> request("--env-file", binary.toString()))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("is not text in UTF-8");
        Path large =
                Files.write(directory.resolve("large"), "A=1\n".repeat(300_000).getBytes(StandardCharsets.UTF_8));
        assertThatThrownBy(() -> request("--env-file", large.toString()))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("has more than 1048576 bytes");
        assertThatThrownBy(() -> request("--env-file", "/dev/zero"))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("has more than 1048576 bytes");
    }

    /** What Docker has and Berth never does: the option, and what to do instead. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--gpus         | use --num-gpus N; which ones is for the queue to say",
                "-d             | jobs always run in the background; --follow stays and shows the log",
                "-it            | a job has no terminal; --follow shows its log",
                "-i             | a job has no terminal; --follow shows its log",
                "--rm           | a job's container is always removed; its log and output are kept",
                "-u             | a job runs as the user who submits it",
                "--user         | a job runs as the user who submits it",
                "--device       | a job sees the GPUs it asks for by --num-gpus and no other device",
                "--runtime      | the server chooses the runtime by --num-gpus",
                "--privileged   | a job never has more rights than its submitter",
                "--cap-add      | a job never has more rights than its submitter",
                "--security-opt | a job never has more rights than its submitter",
                "--pid          | a job never shares the machine's namespaces",
                "--ipc          | a job never shares the machine's namespaces; --shm-size makes its /dev/shm larger",
                "--restart      | --retries 3 has a job started again that fails, --requeue one that the machine loses",
            })
    void whatBerthNeverDoesIsToldWithWhatToDo(String option, String sentence) {
        assertThatThrownBy(() -> LineReader.read(new Submit(), List.of(option, "scheduler", ".", "x")))
                .isInstanceOf(Failure.class)
                .hasMessage(option + " is no option of Berth's: " + sentence);
        assertThatThrownBy(() -> LineReader.read(new Submit(), List.of("scheduler", ".", "x", option + "=y")))
                .isInstanceOf(Failure.class)
                .hasMessage(
                        option + " is no option of Berth's: " + sentence + " (behind -- options are the program's)");
    }

    @Test
    void aLoneVUsedToMeanVerbose() {
        assertThatThrownBy(() -> LineReader.read(new Ps(), List.of("-v")))
                .isInstanceOf(Failure.class)
                .hasMessage("-v is no option of Berth's: use --verbose to see what is being done");
    }

    @Test
    void noWordIsNoTimeLimit() {
        Arguments arguments = LineReader.read(new Submit(), List.of("scheduler", ".", "x"));
        assertThat(JobWords.request(GivenOptions.of(arguments), List.of("x"), JobVariables.NONE, NOW))
                .doesNotContainKey("timeLimitSeconds");
    }
}
