package dev.berth.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.Samples;
import dev.berth.cli.ScriptedServer;
import dev.berth.cli.TarBytes;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.json.JsonText;
import dev.berth.core.api.ApiError;
import dev.berth.core.api.DeletedJob;
import dev.berth.core.api.JobList;
import dev.berth.core.api.JobView;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands that change something: what they ask for, and what comes of the answer. */
class SteeringTest {
    private static final String SWEEP = "GET /api/v1/jobs?scope=all&limit=1000&state=QUEUED&own=true&name=sweep";

    private static final String ALL_OF =
            "GET /api/v1/jobs?scope=all&limit=1000&state=QUEUED,HELD,STARTING,RUNNING,STOPPING";

    @RegisterExtension
    private final CommandStage stage = CommandStage.open();

    private final ScriptedServer server = stage.server();
    private final Path directory = stage.directory();

    private static JobView changed(long id, String state) {
        return Samples.job(id, state, null, "it is " + state, null);
    }

    private int answering(@Nullable String answer, String... words) {
        return stage.runAt(new Terminal(0, false, answer == null ? null : () -> answer), 0, words);
    }

    @Test
    void jobsAreHeldAndReleased() {
        server.json("POST /api/v1/jobs/1/hold", 202, changed(1, "HELD"))
                .json("POST /api/v1/jobs/2/hold", 409, new ApiError("JOB_STARTED", "job 2 runs", Map.of()))
                .json("POST /api/v1/jobs/1/release", 202, changed(1, "QUEUED"));
        assertThat(stage.run("hold", "1", "2")).isEqualTo(ExitCode.REFUSED);
        assertThat(stage.run("release", "1")).isZero();
        assertThat(stage.out()).isEqualTo("job 1 HELD: it is HELD\njob 1 QUEUED: it is QUEUED\n");
        assertThat(stage.err()).isEqualTo("berth: job 2 runs\n");
    }

    @Test
    void aResubmittedJobIsANewOne() {
        server.json("POST /api/v1/jobs/9/resubmit", 201, Samples.queued(21, 3));
        assertThat(stage.run("resubmit", "9", "-q")).isZero();
        assertThat(stage.out()).isEqualTo("21\n");
        assertThat(server.received("POST /api/v1/jobs/9/resubmit").headers()).containsKey("idempotency-key");
    }

    private void answerSweep() {
        server.json(SWEEP, 200, new JobList(List.of(Samples.queued(17, 1), Samples.queued(18, 2)), null));
    }

    @ParameterizedTest
    @ValueSource(strings = {"y", " Y ", "yes"})
    void aFilterCancelsAfterAYes(String answer) {
        answerSweep();
        server.json("POST /api/v1/jobs/17/cancel", 202, changed(17, "CANCELLED"))
                .json("POST /api/v1/jobs/18/cancel", 202, changed(18, "CANCELLED"));
        assertThat(answering(answer, "cancel", "--state", "QUEUED", "--name", "sweep"))
                .isZero();
        assertThat(stage.err()).isEqualTo("cancel 2 jobs (17, 18)? [y/N]\ncancelled 2 jobs\n");
        assertThat(stage.out()).isEqualTo("job 17 is cancelled\njob 18 is cancelled\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "n", "what?", "yy"})
    void anythingElseCancelsNothing(String answer) {
        answerSweep();
        assertThat(answering(answer, "cancel", "--state", "queued", "--name", "sweep"))
                .isEqualTo(ExitCode.REFUSED);
        assertThat(stage.err()).endsWith("berth: nothing was done, as you said\n");
    }

    @Test
    void whereNobodyCanBeAskedYesMustBeSaid() {
        answerSweep();
        assertThat(answering(null, "cancel", "--state", "QUEUED", "--name", "sweep"))
                .isEqualTo(ExitCode.USAGE);
        assertThat(stage.err())
                .isEqualTo(
                        "berth: nobody can be asked whether to cancel 2 jobs (17, 18); add --yes, or name the jobs by"
                                + " their ids\n");
        server.json(
                        "GET /api/v1/jobs?scope=all&limit=1000&state=COMPLETED,FAILED,TIMEOUT,OUT_OF_MEMORY,LOST,CANCELLED"
                                + "&own=true&project=demo",
                        200,
                        new JobList(List.of(changed(9, "FAILED")), null))
                .json("DELETE /api/v1/jobs/9", 200, new DeletedJob(9, List.of()));
        assertThat(stage.run("delete", "--project", "demo", "--yes")).isZero();
        assertThat(stage.out()).isEqualTo("job 9 is deleted\n");
    }

    @Test
    void aFilterThatFindsNothingSaysSo() {
        server.json(ALL_OF + "&user=bob", 200, new JobList(List.of(), null));
        assertThat(stage.run("cancel", "--user", "bob")).isZero();
        assertThat(stage.err()).isEqualTo("no jobs to cancel\n");
    }

    @Test
    void aFilterFindsThemAllAndWhatWaitsGoesFirst() {
        List<JobView> page = new ArrayList<>(List.of(Samples.running(2003)));
        List<String> cancels = new ArrayList<>();
        for (long id = 2002; id > 1003; id--) {
            page.add(Samples.queued(id, id));
            cancels.add("POST /api/v1/jobs/" + id + "/cancel");
        }
        String query = ALL_OF + "&own=true&name=sweep";
        server.json(query, 200, new JobList(page, 1004L))
                .json(
                        query + "&cursor=1004",
                        200,
                        new JobList(List.of(changed(9, "HELD"), Samples.running(8), Samples.queued(7, 1)), null));
        for (long id : new long[] {9, 7, 2003, 8}) {
            cancels.add("POST /api/v1/jobs/" + id + "/cancel");
        }
        for (String cancel : cancels) {
            server.json(cancel, 202, changed(1, "CANCELLED"));
        }
        assertThat(stage.run("cancel", "--name", "sweep", "--yes")).isZero();
        assertThat(server.received().stream()
                        .map(ScriptedServer.Received::line)
                        .filter(line -> line.startsWith("POST")))
                .containsExactlyElementsOf(cancels);
        assertThat(stage.err()).isEqualTo("cancelled 1003 jobs\n");
    }

    @Test
    void aCancelThatIsRefusedShowsInTheTotalAndTheExitCode() {
        answerSweep();
        server.json("POST /api/v1/jobs/17/cancel", 409, new ApiError("JOB_ENDED", "job 17 is over", Map.of()))
                .json("POST /api/v1/jobs/18/cancel", 202, changed(18, "CANCELLED"));
        assertThat(stage.run("cancel", "--state", "QUEUED", "--name", "sweep", "--yes"))
                .isEqualTo(ExitCode.REFUSED);
        assertThat(stage.err()).isEqualTo("berth: job 17 is over\ncancelled 1 of 2 jobs, and not the others\n");
    }

    @Test
    void whatIsNotDoneAnyMoreIsCountedToo() {
        answerSweep();
        server.json("POST /api/v1/jobs/17/cancel", 202, changed(17, "CANCELLED"))
                .json("POST /api/v1/jobs/18/cancel", 503, new ApiError("STOPPING", "the server stops", Map.of()));
        assertThat(stage.run("cancel", "--state", "QUEUED", "--name", "sweep", "--yes"))
                .isEqualTo(ExitCode.BERTH_FAILED);
        assertThat(stage.err()).endsWith("cancelled 1 of 2 jobs, and not the others\n");
    }

    @Test
    void idsAndAFilterExcludeEachOther() {
        assertThat(stage.run("cancel", "17", "--name", "x")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err())
                .isEqualTo("berth: berth cancel takes job ids or a filter, not both; drop '17' or the filter\n");
    }

    @Test
    void whatRemainsOfADeletedJobIsSaid() {
        server.json("DELETE /api/v1/jobs/1", 200, new DeletedJob(1, List.of("/out/1/x belongs to somebody else")))
                .json("DELETE /api/v1/jobs/2", 200, new DeletedJob(2, List.of()))
                .json("DELETE /api/v1/jobs/3", 409, new ApiError("JOB_NOT_ENDED", "job 3 runs", Map.of()));
        assertThat(stage.run("delete", "1", "2", "3")).isEqualTo(ExitCode.BERTH_FAILED);
        assertThat(stage.out()).isEqualTo("""
                        job 1 is not wholly deleted; its record is kept, and so is this:
                          /out/1/x belongs to somebody else
                        job 2 is deleted
                        """);
        assertThat(stage.err()).isEqualTo("berth: job 3 runs\n");
    }

    @Test
    void theServerIsPausedAndResumed() {
        server.json("POST /api/v1/server/pause", 202, Samples.paused())
                .json("POST /api/v1/server/resume", 202, Samples.server());
        assertThat(stage.run("server", "pause")).isZero();
        assertThat(stage.run("server", "resume")).isZero();
        assertThat(stage.out()).isEqualTo("""
                        the server is paused: jobs that run go on, nothing new is started
                        the server starts jobs again
                        """);
    }

    private void answerOutput(String query, TarBytes archive) {
        server.on(
                "GET /api/v1/jobs/17/output" + query,
                ScriptedServer.chunked(
                        "application/x-tar", true, new String(archive.bytes(), StandardCharsets.ISO_8859_1)));
    }

    @Test
    void outputIsUnpacked() {
        answerOutput("", new TarBytes().directory("m").file("m/best.pt", "weights"));
        answerOutput("?path=m/b%20c", new TarBytes().file("m/b c", "x").link("bad", "/etc"));
        String target = directory + "/got";
        assertThat(stage.run("get", "17", "-o", target)).isZero();
        assertThat(stage.run("get", "17", "m/b c", "-o", target)).isEqualTo(ExitCode.REFUSED);
        assertThat(stage.out())
                .isEqualTo("job 17: 1 file (7 B) in " + target + "\njob 17: 1 file (1 B) in " + target + "\n");
        assertThat(stage.err())
                .isEqualTo("berth: left out, because it leads out of the directory or cannot be made here: bad -> /etc;"
                        + " berth get 17 -o - gives the archive as it is\n");
        assertThat(directory.resolve("got/m/best.pt")).hasContent("weights");
        answerOutput("", new TarBytes().file("m/best.pt", "new"));
        assertThat(stage.run("get", "17", "-o", target)).isEqualTo(ExitCode.REFUSED);
        answerOutput("", new TarBytes().file("m/best.pt", "new"));
        assertThat(stage.run("get", "17", "-o", target, "--force", "--json")).isZero();
        assertThat(directory.resolve("got/m/best.pt")).hasContent("new");
        assertThat(stage.out())
                .endsWith(
                        "{\"id\":17,\"number\":\"17\",\"directory\":" + quoted(target) + ",\"files\":1,\"bytes\":3}\n");
    }

    private static String quoted(String text) {
        record Quoted(String text) {}

        String json = JsonText.of(new Quoted(text));
        return json.substring(json.indexOf(':') + 1, json.length() - 1);
    }

    @Test
    void theSubmittedDirectoryGoesWhereItIsTold() {
        server.on(
                "GET /api/v1/jobs/17/snapshot/archive",
                ScriptedServer.chunked(
                        "application/x-tar",
                        true,
                        new String(new TarBytes().file("main.py", "x").bytes(), StandardCharsets.ISO_8859_1)));
        String target = directory.resolve("sent").toString();
        assertThat(stage.run("get", "17", "--snapshot", "-o", target)).isZero();
        assertThat(directory.resolve("sent/main.py")).hasContent("x");
        assertThat(stage.run("get", "17", "main.py", "--snapshot")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err()).contains("--snapshot fetches the whole submitted directory");
    }

    @Test
    void outputGoesToStandardOutputAsItIs() {
        TarBytes archive = new TarBytes().file("../x", "y");
        answerOutput("", archive);
        assertThat(stage.run("get", "17", "-o", "-")).isZero();
        assertThat(stage.out()).isEqualTo(new String(archive.bytes(), StandardCharsets.UTF_8));
        assertThat(stage.runAt(Terminal.NONE, 80, "get", "17", "-o", "-")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err()).contains("-o -: standard output is a terminal");
    }

    @Test
    void whatIsWrongWithALineIsTold() {
        assertThat(stage.run("get")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.run("get", "1", "a", "b")).isEqualTo(ExitCode.USAGE);
        server.json(
                "GET /api/v1/jobs?scope=all&limit=2&own=true&cursor=3",
                200,
                new JobList(List.of(Samples.running(2), Samples.running(1)), null));
        assertThat(stage.run("get", "1-2")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.run("hold")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.run("server", "pause", "now")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.run("completion", "tcsh")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err().lines())
                .containsExactly(
                        "berth: berth get needs a job id, for example: berth get 17; berth ps -a lists them",
                        "berth: berth get takes one job id and one path, not 'b'",
                        "berth: berth get takes one job id, not 2",
                        "berth: berth hold needs a job id, for example: berth hold 17; berth ps -a lists them",
                        "berth: berth server pause takes no 'now'; see berth server pause --help",
                        "berth: berth completion needs one of bash, zsh, fish behind it; for example berth completion"
                                + " bash");
    }
}
