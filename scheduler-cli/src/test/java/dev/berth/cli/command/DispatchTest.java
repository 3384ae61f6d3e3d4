package dev.berth.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.Samples;
import dev.berth.cli.ScriptedServer;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.json.JsonObject;
import dev.berth.cli.json.JsonText;
import dev.berth.cli.line.CommandNames;
import dev.berth.cli.line.Help;
import dev.berth.core.api.ApiError;
import dev.berth.core.api.GpuList;
import dev.berth.core.api.JobList;
import dev.berth.core.api.JobView;
import dev.berth.core.api.LogFrame;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whole commands against a scripted server: requests, output, exit codes. */
class DispatchTest {
    private static final String ALL_EVENTS = "GET /api/v1/events?follow=true";
    private static final String JOB = "GET /api/v1/jobs/17";

    @RegisterExtension
    private final CommandStage stage = CommandStage.open();

    private final ScriptedServer server = stage.server();
    private final Path directory = stage.directory();

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
    void waitEndsAsTheFirstThatDidNotWorkOut() {
        server.json("GET /api/v1/jobs/1", 200, Samples.ended(1, "COMPLETED", 0))
                .json("GET /api/v1/jobs/2", 200, Samples.running(2))
                .json("GET /api/v1/jobs/3", 200, Samples.ended(3, "TIMEOUT", 143))
                .allEvents(
                        ALL_EVENTS,
                        true,
                        Samples.event(3, 9, "RUNNING", "FAILED"),
                        Samples.event(4, 2, "RUNNING", "FAILED"))
                .json("GET /api/v1/jobs/2", 200, Samples.ended(2, "FAILED", 7));
        assertThat(stage.run("wait", "1", "2", "3", "-q")).isEqualTo(7);
        assertThat(stage.out()).isEqualTo("1\n2\n3\n");
    }

    @Test
    void waitAsksOnceForEachJobAndFollowsOneStream() {
        for (int id = 1; id <= 3; id++) {
            server.json("GET /api/v1/jobs/" + id, 200, Samples.running(id))
                    .json("GET /api/v1/jobs/" + id, 200, Samples.ended(id, "COMPLETED", 0));
        }
        server.openEvents(
                ALL_EVENTS,
                Samples.event(4, 3, "RUNNING", "COMPLETED"),
                Samples.event(5, 2, "QUEUED", "STARTING"),
                Samples.event(6, 1, "RUNNING", "COMPLETED"),
                Samples.event(7, 2, "RUNNING", "COMPLETED"));
        assertThat(stage.run("wait", "1", "2", "3", "-q")).isZero();
        assertThat(stage.out()).isEqualTo("1\n2\n3\n");
        assertThat(server.received())
                .as("the jobs, the stream, the jobs as they ended")
                .hasSize(7);
        assertThat(server.connections())
                .as("one for the jobs, one for the stream")
                .isEqualTo(2);
    }

    @Test
    void waitAsksAgainWhereTheStreamBroke() {
        server.json("GET /api/v1/jobs/1", 200, Samples.running(1))
                .allEvents(ALL_EVENTS, false)
                .allEvents(ALL_EVENTS, true)
                .json("GET /api/v1/jobs/1", 200, Samples.ended(1, "FAILED", 3));
        assertThat(stage.run("wait", "1", "-q")).isEqualTo(3);
        assertThat(stage.err()).isEmpty();
    }

    /** The words of a lease that fails, before or after its line was understood, and what the shell evaluates. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "lease --shell --num-gpus 1               | 125 | export CUDA_VISIBLE_DEVICES='';",
                "lease --shell --num-gpus some            |   2 | export CUDA_VISIBLE_DEVICES='';",
                "lease --shel --num-gpus 1                |   2 | export CUDA_VISIBLE_DEVICES='';",
                "lease --shell --syntax fish --num-gpus 1 | 125 | set -gx CUDA_VISIBLE_DEVICES '';",
                "lease --shell --syntax=csh --num-gpus 1  | 125 | setenv CUDA_VISIBLE_DEVICES '';",
            })
    void aShellThatGetsNoGpusSeesNoneAndItsEvalFails(String line, int code, String variable) throws IOException {
        server.close();
        assertThat(stage.run(line.split(" +"))).isEqualTo(code);
        assertThat(stage.out()).isEqualTo(variable + "\nfalse\n");
        assertThat(stage.err()).isNotBlank();
    }

    @Test
    void theHelpOfALeaseIsNoRefusal() {
        assertThat(stage.run("lease", "--help")).isZero();
        assertThat(stage.out()).doesNotContain("\nfalse\n");
    }

    @Test
    void waitWhereNoServerAnswersSaysSoAtOnce() throws IOException {
        server.close();
        assertThat(stage.run("wait", "1")).isEqualTo(ExitCode.BERTH_FAILED);
        assertThat(stage.err()).contains("no Berth server").doesNotContain("trying again");
    }

    @Test
    void waitForAJobThatIsNotThereIsRefusedAtOnce() {
        server.openEvents(ALL_EVENTS)
                .json("GET /api/v1/jobs/1", 200, Samples.running(1))
                .json("GET /api/v1/jobs/2", 404, new ApiError("NO_SUCH_JOB", "there is no job 2", Map.of()));
        assertThat(stage.run("wait", "1", "2")).isEqualTo(ExitCode.REFUSED);
        assertThat(stage.err()).isEqualTo("berth: there is no job 2\n");
    }

    @Test
    void cancelTakesTheNewestFirstAndGoesOnAfterOneThatIsOver() {
        server.json("POST /api/v1/jobs/1/cancel", 202, Samples.job(1, "CANCELLED", null, "cancelled", null))
                .json("POST /api/v1/jobs/2/cancel", 409, new ApiError("JOB_ENDED", "job 2 is over", Map.of()))
                .json("POST /api/v1/jobs/3/cancel", 202, Samples.job(3, "STOPPING", null, "stops", null));
        assertThat(stage.run("cancel", "1", "2", "3")).isEqualTo(ExitCode.REFUSED);
        assertThat(stage.out()).isEqualTo("job 3 is being stopped\njob 1 is cancelled\n");
        assertThat(stage.err()).isEqualTo("berth: job 2 is over\n");
    }

    @Test
    void psAsksForWhatItsOptionsSay() {
        JobList none = new JobList(List.of(), null);
        server.json("GET /api/v1/jobs?scope=active&limit=1000", 200, none)
                .json("GET /api/v1/jobs?scope=all&limit=100", 200, none)
                .json("GET /api/v1/jobs?scope=all&limit=5", 200, none)
                .json("GET /api/v1/jobs?scope=all&limit=100&state=FAILED,LOST,QUEUED", 200, none);
        assertThat(stage.run("ps")).isZero();
        assertThat(stage.run("ps", "-a")).isZero();
        assertThat(stage.run("ps", "-n", "5")).isZero();
        assertThat(stage.run("ps", "--state", "failed,LOST", "--state", "QUEUED"))
                .isZero();
    }

    @Test
    void psSaysHowToSeeMore() {
        server.json("GET /api/v1/jobs?scope=all&limit=1", 200, new JobList(List.of(Samples.running(17)), 17L));
        assertThat(stage.run("ps", "-n", "1")).isZero();
        assertThat(stage.err()).isEqualTo("these are the newest 1; berth ps -n 10 shows more\n");
    }

    /** The ids may be those of another command: berth release $(berth ps --state HELD -q). */
    @Test
    void aListOfIdsThatHasNotAllOfThemSaysSo() {
        server.json("GET /api/v1/jobs?scope=all&limit=1", 200, new JobList(List.of(Samples.running(17)), 17L))
                .json("GET /api/v1/jobs?scope=all&limit=1", 200, new JobList(List.of(Samples.running(17)), 17L));
        assertThat(stage.run("ps", "-n", "1", "-q")).isZero();
        assertThat(stage.out()).isEqualTo("17\n");
        assertThat(stage.err()).isEqualTo("berth: warning: these are the newest 1; berth ps -n 10 shows more\n");
        assertThat(stage.run("ps", "-n", "1", "--json")).isZero();
        assertThat(stage.out()).endsWith("\"next\":17}\n");
        assertThat(stage.err()).endsWith(" shows more\n").doesNotContain("{");
    }

    @Test
    void statusShowsOnlyTheUsersOwnJobs() {
        server.json("GET /api/v1/server", 200, Samples.server())
                .json(
                        "GET /api/v1/jobs?scope=active&limit=100",
                        200,
                        new JobList(List.of(Samples.running(16), Samples.queued(17, 1)), null));
        assertThat(stage.run("status", "-q")).isZero();
        assertThat(stage.out()).isEqualTo("16\n");
    }

    @Test
    void jsonIsWhatTheServerSays() {
        server.json(JOB, 200, Samples.running(17))
                .json("GET /api/v1/gpus", 200, new GpuList(Samples.server().gpus(), false))
                .json("GET /api/v1/jobs/17/explanation", 200, Samples.explanation(17, "RUNNING", null, "it runs"))
                .json("GET /api/v1/server", 200, Samples.server());
        assertThat(stage.run("status", "17", "--json")).isZero();
        assertThat(stage.run("--json", "gpus")).isZero();
        assertThat(stage.run("explain", "--json", "17")).isZero();
        assertThat(stage.run("server", "status", "--json")).isZero();
        assertThat(stage.out().lines())
                .containsExactly(
                        JsonText.of(Samples.running(17)),
                        JsonText.of(new GpuList(Samples.server().gpus(), false)),
                        JsonText.of(Samples.explanation(17, "RUNNING", null, "it runs")),
                        JsonText.of(Samples.server()));
    }

    @Test
    void logsArePrintedAsTheyAre() {
        server.log(17, 0, false, true, "a\u001b[1mb\n");
        assertThat(stage.run("logs", "17")).isZero();
        assertThat(stage.out()).isEqualTo("a\u001b[1mb\n");
        assertThat(stage.err()).isEmpty();
    }

    @Test
    void aPartOfALogIsAskedForInTheApisWords() {
        String frames = ScriptedServer.frame(3, LogFrame.STDERR, "a\nb");
        server.log(17, "offset=0&follow=false&stream=stderr&tail=20&since=2026-01-31T08:00:00Z", true, frames);
        assertThat(stage.run("logs", "-t", "-n", "20", "--since", "2026-01-31T09:00:00+01:00", "--stderr", "17"))
                .isZero();
        assertThat(stage.out()).isEqualTo("1970-01-01T00:00:03.000Z a\n1970-01-01T00:00:03.000Z b");
        server.log(17, "offset=0&follow=false&stream=stdout&tail=0", true, "")
                .json("GET /api/v1/jobs/17", 200, Samples.running(17));
        assertThat(stage.run("logs", "17", "--tail", "0", "--stdout")).isZero();
        assertThat(stage.err()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "--tail, -1, --tail: '-1' is not a whole number from 0 to 1000000",
        "--tail, all, --tail: 'all' is not a whole number",
        "--since, soon, --since: 'soon' is neither a duration",
        "--since, 0s, --since: '0s' is neither",
        "--since, 2026-01-31T08:00:00, neither a duration (30s",
        "--since, +10000-01-01T00:00:00Z, neither a duration",
        "--since, '', --since: '' is neither",
        "--stdout, --stderr, exclude each other"
    })
    void aPartThatIsNoneIsRefused(String option, String value, String sentence) {
        assertThat(stage.run("logs", "17", option, value)).isEqualTo(2);
        assertThat(stage.err()).contains(sentence);
    }

    @Test
    void anEmptyLogIsExplained() {
        server.log(17, 0, false, true, "").json(JOB, 200, Samples.queued(17, 2));
        assertThat(stage.run("logs", "17")).isZero();
        assertThat(stage.err()).isEqualTo("berth: job 17 is QUEUED and has written nothing\n");
    }

    @Test
    void aRefusedAttemptIsToldByItsOption() {
        String rule = "must be an attempt that job 17 has begun: 1 to 3";
        ApiError refusal = new ApiError(
                "NO_ATTEMPT",
                "attempt: '9' " + rule + "; without it the log of all attempts is answered",
                Map.of("field", "attempt", "value", "9", "rule", rule));
        server.json("GET /api/v1/jobs/17/log?format=frames&offset=0&follow=false&attempt=9", 404, refusal);
        assertThat(stage.run("logs", "17", "--attempt", "9")).isEqualTo(ExitCode.REFUSED);
        assertThat(stage.err())
                .isEqualTo("berth: --attempt 9 must be an attempt that job 17 has begun: 1 to 3; without it what all"
                        + " attempts wrote is shown\n");
    }

    @Test
    void followedLogsOfAWaitingJobSayWhatItWaitsFor() {
        JobView waiting = Samples.queued(17, 2);
        server.json(JOB, 200, waiting)
                .log(17, 0, true, true, "text")
                .json(JOB, 200, Samples.ended(17, "COMPLETED", 0))
                .log(17, 4, true, true, "");
        assertThat(stage.run("logs", "-f", "17")).isZero();
        assertThat(stage.out()).isEqualTo("text");
        assertThat(stage.err()).isEqualTo("job 17 QUEUED: " + waiting.sentence() + "\n");
    }

    @Test
    void aServerThatCannotBeSeenIsStoppedWhenItIsSilent() {
        server.json("GET /api/v1/server", 200, Samples.server())
                .on("POST /api/v1/server/stop", "HTTP/1.1 202 Accepted\r\nContent-Length: 2\r\n\r\n{}")
                .json("GET /api/v1/server", 200, Samples.server())
                // On the connection that was kept, and on a new one.
                .on("GET /api/v1/server", "")
                .on("GET /api/v1/server", "");
        assertThat(stage.run("server", "stop")).isZero();
        assertThat(server.received("POST /api/v1/server/stop").text()).isEqualTo("{\"stopJobs\":false}");
        assertThat(stage.out())
                .isEqualTo("the server (pid 4711) is stopped; 1 running job goes on, and the next server takes it over;"
                        + " 3 in the queue until then\n");
    }

    @Test
    void noServerIsAnExitCodeOfItsOwn() {
        assertThat(stage.run("ps", "--socket", directory + "/nobody")).isEqualTo(ExitCode.BERTH_FAILED);
        assertThat(stage.err())
                .isEqualTo("berth: no Berth server answers at " + directory
                        + "/nobody; start one with: berth server start -g\n");
    }

    @Test
    void aBreakNamesTheSocket() {
        server.on("GET /api/v1/gpus", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{");
        assertThat(stage.run("gpus")).isEqualTo(ExitCode.BERTH_FAILED);
        assertThat(stage.err())
                .startsWith("berth: the connection to the server at " + directory
                        + "/s broke: the connection ended 9 bytes");
    }

    @Test
    void aFailureInJsonIsAnObjectOnStandardError() {
        server.json("GET /api/v1/gpus", 503, new ApiError("BUSY", "busy", Map.of("retry", "no")));
        assertThat(stage.run("gpus", "--json")).isEqualTo(ExitCode.BERTH_FAILED);
        assertThat(stage.run("--json", "gpus", "x")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.out()).isEmpty();
        List<String> errors = stage.err().lines().toList();
        assertThat(errors.getFirst())
                .isEqualTo("{\"code\":\"BUSY\",\"message\":\"busy\",\"details\":{\"retry\":\"no\"}}");
        assertThat(JsonObject.parse(errors.getLast().getBytes(StandardCharsets.UTF_8))
                        .text("code"))
                .isEqualTo("USAGE");
    }

    @Test
    void helpAndVersionNeedNoServer() {
        assertThat(stage.run("--help")).isZero();
        assertThat(stage.run("help", "submit")).isZero();
        assertThat(stage.run("submit", "-h")).isZero();
        assertThat(stage.run("--version")).isZero();
        assertThat(stage.out())
                .startsWith(Help.PAGE)
                .contains("Usage: berth submit")
                .endsWith("berth 9.9\n");
        assertThat(stage.err()).isEmpty();
        assertThat(stage.run()).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err()).isEqualTo(Help.PAGE);
    }

    @Test
    void aGroupOfCommandsIsExplainedByThePage() {
        assertThat(stage.run("help", "config")).isZero();
        assertThat(stage.run("server", "-h")).isZero();
        assertThat(stage.out()).isEqualTo(Help.PAGE + Help.PAGE);
    }

    @Test
    void helpFitsATerminalAndBreaksNoWord() {
        assertThat(Help.PAGE.lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
        for (String name : CommandNames.ALL) {
            List<String> line = new ArrayList<>(List.of(name.split(" ")));
            line.add("--help");
            assertThat(stage.run(line.toArray(String[]::new))).isZero();
            for (String example : Verbs.of(name).shape().usage().footer()) {
                assertThat(stage.out()).contains("\n" + example + "\n");
            }
        }
        assertThat(stage.out().lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
        assertThat(stage.out().replaceAll("\\s+", " ")).contains("and .git always;");
        assertThat(stage.out())
                .contains("lr=0.1,0.01;", "code:75.", "p=0.1..0.5.", "N%4 runs")
                .matches(Pattern.compile("[\\x00-\\x7f]*"));
    }

    @Test
    void everyCommandIsOnThePage() {
        assertThat(CommandNames.ALL).allSatisfy(name -> assertThat(Help.PAGE).contains("  " + name + " "));
    }

    @Test
    void aConfigurationIsCheckedInOneFileAndShownOfNone() {
        assertThat(stage.run("config", "check", "a", "b")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.run("config", "show", "a")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err().lines())
                .containsExactly(
                        "berth: berth config check takes one file, not 2",
                        "berth: berth config show takes no 'a'; see berth config show --help");
    }

    @Test
    void anUnknownCommandIsToldWithTheNearest() {
        assertThat(stage.run("sumbit")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.run("frobnicate")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.run("server")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.run("config", "-q")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.run("config", "sohw")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.run("server", "strat")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.run("-x", "ps")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err().lines())
                .containsExactly(
                        "berth: unknown command sumbit; did you mean submit? berth --help lists them all",
                        "berth: unknown command frobnicate; berth --help lists them all",
                        "berth: berth server needs one of start, stop, status, pause, resume, backup, restore, check behind it",
                        "berth: berth config needs one of show, check behind it",
                        "berth: unknown command config sohw; did you mean config show? berth --help lists them all",
                        "berth: unknown command server strat; did you mean server start? berth --help lists them all",
                        "berth: unknown option -x before the command; berth --help lists the commands, and the options of"
                                + " each stand behind it");
    }
}
