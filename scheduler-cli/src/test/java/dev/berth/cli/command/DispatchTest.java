package dev.berth.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.Captured;
import dev.berth.cli.Samples;
import dev.berth.cli.ScriptedServer;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.json.JsonObject;
import dev.berth.cli.json.JsonText;
import dev.berth.core.api.ApiError;
import dev.berth.core.api.Explanation;
import dev.berth.core.api.GpuList;
import dev.berth.core.api.JobList;
import dev.berth.core.api.JobView;
import dev.berth.core.api.SnapshotView;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whole commands against a scripted server: requests, output, exit codes. */
class DispatchTest {
    private static final String JOB = "GET /api/v1/jobs/17";

    @TempDir
    private Path directory;

    private final Captured captured = new Captured();
    private ScriptedServer server;

    @BeforeEach
    void start() throws IOException {
        server = ScriptedServer.at(directory.resolve("s"));
        Files.createDirectories(directory.resolve("demo"));
        Files.writeString(directory.resolve("demo/main.py"), "print(1)");
    }

    @AfterEach
    void end() throws IOException {
        server.close();
    }

    private int run(String... words) {
        Environment environment = new Environment(
                Map.of("BERTH_SOCKET", directory.resolve("s").toString(), "TOKEN", "secret"),
                directory,
                "alice",
                false,
                "9.9",
                captured.screen(0),
                InstantSource.fixed(Samples.NOW),
                _ -> {});
        return new Dispatch(environment).run(List.of(words));
    }

    private int submit(String... more) {
        server.json("POST /api/v1/snapshots", 201, new SnapshotView("ab", 1, 8))
                .json("POST /api/v1/jobs", 201, Samples.queued(17, 3));
        List<String> words = new ArrayList<>(List.of("submit", "scheduler", directory + "/demo", "main.py"));
        words.addAll(List.of(more));
        return run(words.toArray(String[]::new));
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
        assertThat(captured.out())
                .isEqualTo("job 17 asks for 1 GPU and has place 3 in the queue: one job is ahead of it; job 16 is first"
                        + " and waits for 2 GPUs\n");
        assertThat(captured.err()).isEmpty();
        assertThat(server.received("POST /api/v1/snapshots").text())
                .contains("main.py")
                .contains("print(1)");
        assertThat(server.received("POST /api/v1/jobs").text())
                .isEqualTo("{\"name\":\"n\",\"project\":\"demo\",\"command\":[\"main.py\",\"--lr\",\"0.1\"],"
                        + "\"snapshot\":\"ab\",\"image\":null,\"gpus\":2,\"environment\":{\"A\":\"1\",\"TOKEN\":\"secret\"},"
                        + "\"timeLimitSeconds\":3600}");
    }

    @Test
    void submitQuietlySaysTheIdOnly() {
        assertThat(submit("-q")).isZero();
        assertThat(captured.out()).isEqualTo("17\n");
    }

    @Test
    void submitVerboselySaysWhatIsSentAndNoValueOfAVariable() {
        assertThat(submit("-v", "-e", "TOKEN")).isZero();
        assertThat(captured.err())
                .contains("berth: sending 1 files (8 B)")
                .contains("berth: POST /api/v1/jobs: 201")
                .doesNotContain("secret");
    }

    @Test
    void aWrongSubmitSendsNothing() {
        assertThat(run("submit", "scheduler", directory + "/demo", "main.py", "--lr", "0.1"))
                .isEqualTo(ExitCode.USAGE);
        assertThat(captured.err()).contains("-- main.py --lr 0.1");
        assertThat(run("submit", "scheduler", directory + "/demo", "mian.py")).isEqualTo(ExitCode.USAGE);
        assertThat(run("submit", "scheduler", directory + "/demo", "main.py", "--num-gpus", "x"))
                .isEqualTo(ExitCode.USAGE);
        assertThat(run("submit", "scheduler", directory + "/demo", "main.py", "--time", "x"))
                .isEqualTo(ExitCode.USAGE);
        assertThat(server.received()).isEmpty();
        assertThat(captured.out()).isEmpty();
    }

    /** A job's end and the exit code of a command that followed it. */
    @ParameterizedTest
    @CsvSource({
        "COMPLETED, 0, 0",
        "FAILED, 3, 3",
        "FAILED, 255, 255",
        "FAILED, , 125",
        "FAILED, 0, 125",
        "TIMEOUT, 143, 124",
        "CANCELLED, 137, 130",
        "CANCELLED, , 130",
        "OUT_OF_MEMORY, 137, 137",
        "LOST, , 125",
        "SOMETHING_NEW, , 125"
    })
    void exitCodesAreTheJobs(String state, Integer exitCode, int expected) {
        assertThat(ExitCode.of(Samples.ended(17, state, exitCode))).isEqualTo(expected);
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
                .json(JOB, 200, Samples.running(17))
                .json(JOB, 200, Samples.ended(17, "FAILED", 3))
                .json(JOB, 200, Samples.ended(17, "FAILED", 3))
                .log(17, 0, true, true, "hello\n")
                .log(17, 6, true, true, "");
        assertThat(submit("--follow")).isEqualTo(3);
        assertThat(captured.out()).isEqualTo("hello\n");
        assertThat(captured.err().lines())
                .startsWith(
                        "job 17 asks for 1 GPU and has place 3 in the queue: one job is ahead of it; job 16 is first"
                                + " and waits for 2 GPUs")
                .endsWith("job 17 FAILED: the program ended with code 3")
                .hasSize(3);
    }

    @Test
    void aFollowedSubmitOfAJobThatNeverStartsShowsNoStates() {
        server.events(17, true, Samples.event(1, 17, null, "QUEUED"), Samples.event(2, 17, "QUEUED", "CANCELLED"))
                .json(JOB, 200, Samples.ended(17, "CANCELLED", null))
                .json(JOB, 200, Samples.ended(17, "CANCELLED", null))
                .log(17, 0, true, true, "")
                .log(17, 0, true, true, "");
        assertThat(submit("-f")).isEqualTo(ExitCode.CANCELLED);
        assertThat(captured.out()).isEmpty();
    }

    @Test
    void aQuietFollowedSubmitSaysTheIdAndEndsAsTheJob() {
        server.events(17, true, Samples.event(4, 17, "RUNNING", "TIMEOUT"))
                .json(JOB, 200, Samples.ended(17, "TIMEOUT", 143));
        assertThat(submit("-q", "-f")).isEqualTo(ExitCode.TIME_LIMIT);
        assertThat(captured.out()).isEqualTo("17\n");
        assertThat(captured.err()).isEmpty();
    }

    @Test
    void aFollowedSubmitInJsonIsAnObjectALine() {
        server.events(17, true, Samples.event(4, 17, "RUNNING", "COMPLETED"))
                .json(JOB, 200, Samples.ended(17, "COMPLETED", 0))
                .json(JOB, 200, Samples.ended(17, "COMPLETED", 0))
                .log(17, 0, true, true, "hello\n")
                .log(17, 6, true, true, "");
        assertThat(submit("--json", "--follow")).isZero();
        assertThat(captured.out())
                .isEqualTo(JsonText.of(Samples.queued(17, 3)) + "\n{\"job\":17,\"offset\":0,\"text\":\"hello\"}\n"
                        + JsonText.of(Samples.ended(17, "COMPLETED", 0)) + "\n");
    }

    @Test
    void aBreakWhileTheJobIsHandedInLeavesItOpen() {
        server.json("POST /api/v1/snapshots", 201, new SnapshotView("ab", 1, 8)).on("POST /api/v1/jobs", "");
        assertThat(run("submit", "scheduler", directory + "/demo", "main.py")).isEqualTo(ExitCode.BERTH_FAILED);
        assertThat(captured.err()).contains("berth ps -n 5 shows whether the job was accepted");
    }

    @Test
    void waitEndsAsTheFirstThatDidNotWorkOut() {
        server.json("GET /api/v1/jobs/1", 200, Samples.ended(1, "COMPLETED", 0))
                .json("GET /api/v1/jobs/2", 200, Samples.running(2))
                .json("GET /api/v1/jobs/3", 200, Samples.ended(3, "TIMEOUT", 143))
                .events(2, true, Samples.event(4, 2, "RUNNING", "FAILED"))
                .json("GET /api/v1/jobs/2", 200, Samples.ended(2, "FAILED", 7));
        assertThat(run("wait", "1", "2", "3", "-q")).isEqualTo(7);
        assertThat(captured.out()).isEqualTo("1\n2\n3\n");
    }

    @Test
    void waitForAJobThatIsNotThereIsRefusedAtOnce() {
        server.json("GET /api/v1/jobs/1", 200, Samples.running(1))
                .json("GET /api/v1/jobs/2", 404, new ApiError("NO_SUCH_JOB", "there is no job 2", Map.of()));
        assertThat(run("wait", "1", "2")).isEqualTo(ExitCode.REFUSED);
        assertThat(captured.err()).isEqualTo("berth: there is no job 2\n");
    }

    @Test
    void cancelGoesOnAfterOneThatIsOver() {
        server.json("POST /api/v1/jobs/1/cancel", 202, Samples.job(1, "CANCELLED", null, "cancelled", null))
                .json("POST /api/v1/jobs/2/cancel", 409, new ApiError("JOB_ENDED", "job 2 is over", Map.of()))
                .json("POST /api/v1/jobs/3/cancel", 202, Samples.job(3, "STOPPING", null, "stops", null));
        assertThat(run("cancel", "1", "2", "3")).isEqualTo(ExitCode.REFUSED);
        assertThat(captured.out()).isEqualTo("job 1 is cancelled\njob 3 is being stopped\n");
        assertThat(captured.err()).isEqualTo("berth: job 2 is over\n");
    }

    @Test
    void psAsksForWhatItsOptionsSay() {
        JobList none = new JobList(List.of(), null);
        server.json("GET /api/v1/jobs?scope=active&limit=1000", 200, none)
                .json("GET /api/v1/jobs?scope=all&limit=100", 200, none)
                .json("GET /api/v1/jobs?scope=all&limit=5", 200, none)
                .json("GET /api/v1/jobs?scope=all&limit=100&state=FAILED,LOST,QUEUED", 200, none);
        assertThat(run("ps")).isZero();
        assertThat(run("ps", "-a")).isZero();
        assertThat(run("ps", "-n", "5")).isZero();
        assertThat(run("ps", "--state", "failed,LOST", "--state", "QUEUED")).isZero();
    }

    @Test
    void psSaysHowToSeeMore() {
        server.json("GET /api/v1/jobs?scope=all&limit=1", 200, new JobList(List.of(Samples.running(17)), 17L));
        assertThat(run("ps", "-n", "1")).isZero();
        assertThat(captured.err()).isEqualTo("these are the newest 1; berth ps -n 10 shows more\n");
    }

    @Test
    void statusShowsOnlyTheUsersOwnJobs() {
        server.json("GET /api/v1/server", 200, Samples.server())
                .json(
                        "GET /api/v1/jobs?scope=active&limit=100",
                        200,
                        new JobList(List.of(Samples.running(16), Samples.queued(17, 1)), null));
        assertThat(run("status", "-q")).isZero();
        assertThat(captured.out()).isEqualTo("16\n");
    }

    @Test
    void jsonIsWhatTheServerSays() {
        server.json(JOB, 200, Samples.running(17))
                .json("GET /api/v1/gpus", 200, new GpuList(Samples.server().gpus(), false))
                .json("GET /api/v1/jobs/17/explanation", 200, new Explanation(17, "RUNNING", null, "it runs"))
                .json("GET /api/v1/server", 200, Samples.server());
        assertThat(run("status", "17", "--json")).isZero();
        assertThat(run("--json", "gpus")).isZero();
        assertThat(run("explain", "--json", "17")).isZero();
        assertThat(run("server", "status", "--json")).isZero();
        assertThat(captured.out().lines())
                .containsExactly(
                        JsonText.of(Samples.running(17)),
                        JsonText.of(new GpuList(Samples.server().gpus(), false)),
                        "{\"id\":17,\"state\":\"RUNNING\",\"reason\":null,\"sentence\":\"it runs\"}",
                        JsonText.of(Samples.server()));
    }

    @Test
    void logsArePrintedAsTheyAre() {
        server.log(17, 0, false, true, "a\u001b[1mb\n");
        assertThat(run("logs", "17")).isZero();
        assertThat(captured.out()).isEqualTo("a\u001b[1mb\n");
        assertThat(captured.err()).isEmpty();
    }

    @Test
    void anEmptyLogIsExplained() {
        server.log(17, 0, false, true, "").json(JOB, 200, Samples.queued(17, 2));
        assertThat(run("logs", "17")).isZero();
        assertThat(captured.err()).isEqualTo("berth: job 17 is QUEUED and has written nothing\n");
    }

    @Test
    void followedLogsOfAWaitingJobSayWhatItWaitsFor() {
        JobView waiting = Samples.queued(17, 2);
        server.json(JOB, 200, waiting)
                .log(17, 0, true, true, "text")
                .json(JOB, 200, Samples.ended(17, "COMPLETED", 0))
                .log(17, 4, true, true, "");
        assertThat(run("logs", "-f", "17")).isZero();
        assertThat(captured.out()).isEqualTo("text");
        assertThat(captured.err()).isEqualTo("job 17 QUEUED: " + waiting.sentence() + "\n");
    }

    @Test
    void aServerThatCannotBeSeenIsStoppedWhenItIsSilent() {
        server.json("GET /api/v1/server", 200, Samples.server())
                .on("POST /api/v1/server/stop", "HTTP/1.1 202 Accepted\r\nContent-Length: 2\r\n\r\n{}")
                .json("GET /api/v1/server", 200, Samples.server())
                .on("GET /api/v1/server", "");
        assertThat(run("server", "stop")).isZero();
        assertThat(server.received("POST /api/v1/server/stop").text()).isEqualTo("{\"stopJobs\":false}");
        assertThat(captured.out())
                .isEqualTo(
                        "the server (pid 4711) is stopped; 1 running job goes on, and the next server takes them over;"
                                + " 3 in the queue until then\n");
    }

    @Test
    void noServerIsAnExitCodeOfItsOwn() {
        assertThat(run("ps", "--socket", directory + "/nobody")).isEqualTo(ExitCode.BERTH_FAILED);
        assertThat(captured.err())
                .isEqualTo("berth: no Berth server answers at " + directory
                        + "/nobody; start one with: berth server start -g\n");
    }

    @Test
    void aBreakNamesTheSocket() {
        server.on("GET /api/v1/gpus", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{");
        assertThat(run("gpus")).isEqualTo(ExitCode.BERTH_FAILED);
        assertThat(captured.err())
                .startsWith("berth: the connection to the server at " + directory
                        + "/s broke: the connection ended 9 bytes");
    }

    @Test
    void aFailureInJsonIsAnObjectOnStandardError() {
        server.json("GET /api/v1/gpus", 503, new ApiError("BUSY", "busy", Map.of("retry", "no")));
        assertThat(run("gpus", "--json")).isEqualTo(ExitCode.BERTH_FAILED);
        assertThat(run("--json", "gpus", "x")).isEqualTo(ExitCode.USAGE);
        assertThat(captured.out()).isEmpty();
        List<String> errors = captured.err().lines().toList();
        assertThat(errors.getFirst())
                .isEqualTo("{\"code\":\"BUSY\",\"message\":\"busy\",\"details\":{\"retry\":\"no\"}}");
        assertThat(JsonObject.parse(errors.getLast().getBytes(StandardCharsets.UTF_8))
                        .text("code"))
                .isEqualTo("USAGE");
    }

    @Test
    void helpAndVersionNeedNoServer() {
        assertThat(run("--help")).isZero();
        assertThat(run("help", "submit")).isZero();
        assertThat(run("submit", "-h")).isZero();
        assertThat(run("--version")).isZero();
        assertThat(captured.out())
                .startsWith(Help.PAGE)
                .contains("Usage: berth submit")
                .endsWith("berth 9.9\n");
        assertThat(captured.err()).isEmpty();
        assertThat(run()).isEqualTo(ExitCode.USAGE);
        assertThat(captured.err()).isEqualTo(Help.PAGE);
    }

    @Test
    void anUnknownCommandIsToldWithTheNearest() {
        assertThat(run("sumbit")).isEqualTo(ExitCode.USAGE);
        assertThat(run("frobnicate")).isEqualTo(ExitCode.USAGE);
        assertThat(run("server")).isEqualTo(ExitCode.USAGE);
        assertThat(run("server", "strat")).isEqualTo(ExitCode.USAGE);
        assertThat(run("-x", "ps")).isEqualTo(ExitCode.USAGE);
        assertThat(captured.err().lines())
                .containsExactly(
                        "berth: unknown command sumbit; did you mean submit? berth --help lists them all",
                        "berth: unknown command frobnicate; berth --help lists them all",
                        "berth: berth server needs one of start, stop, status behind it",
                        "berth: unknown command server strat; did you mean server start? berth --help lists them all",
                        "berth: unknown option -x before the command; berth --help lists the commands, and the options of"
                                + " each stand behind it");
    }
}
