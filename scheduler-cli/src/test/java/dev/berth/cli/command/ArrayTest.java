package dev.berth.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.Golden;
import dev.berth.cli.Samples;
import dev.berth.cli.ScriptedServer;
import dev.berth.cli.TarBytes;
import dev.berth.cli.exit.ExitCode;
import dev.berth.core.api.ApiError;
import dev.berth.core.api.DeletedJob;
import dev.berth.core.api.JobList;
import dev.berth.core.api.JobView;
import dev.berth.core.api.SubmitPlan;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Arrays and their tasks on the command line. */
class ArrayTest {
    private static final String EVENTS = "GET /api/v1/events?follow=true";
    private static final JobView RUNNING = Samples.task(50, 7, "RUNNING");

    @RegisterExtension
    private final CommandStage stage = CommandStage.open();

    private final ScriptedServer server = stage.server();

    private static JobList list(JobView... jobs) {
        return new JobList(List.of(jobs), null);
    }

    private static JobView ended(String state, Map<String, Long> states, String sentence) {
        return Samples.array(42, state, state.equals("FAILED") ? "TASKS_FAILED" : null, "0-31%4", "", states, sentence);
    }

    private static JobView queued(String asked, String waiting, long tasks) {
        return Samples.array(43, "QUEUED", "BEHIND_HEAD", asked, waiting, Map.of("QUEUED", tasks), "2 are ahead of it");
    }

    @Test
    void aListFoldsAnArrayIntoALine() throws IOException {
        server.json(
                "GET /api/v1/jobs?scope=active&limit=1000",
                200,
                list(
                        Samples.running(16),
                        Samples.array(),
                        queued("1,3,5,7,9,11-13,20", "1,3,5,7,9,11-13,20", 9),
                        Samples.array(
                                44,
                                "RUNNING",
                                null,
                                "0-4",
                                "",
                                Map.of("RUNNING", 1L, "COMPLETED", 4L),
                                "all its tasks have had their turn: 4 COMPLETED, 1 RUNNING"),
                        ended("COMPLETED", Map.of("COMPLETED", 32L), "all its 32 tasks have COMPLETED")));
        assertThat(stage.run("ps")).isZero();
        Golden.check("ps-array", stage.out());
    }

    @Test
    void aListUnfoldsItWhereThatIsAskedFor() {
        server.json("GET /api/v1/jobs?scope=active&limit=1000&tasks=true", 200, list(RUNNING, Samples.array()))
                .json("GET /api/v1/jobs/42", 200, Samples.array())
                .json("GET /api/v1/jobs?scope=all&limit=100&array=42&tasks=true", 200, list(RUNNING))
                .json("GET /api/v1/jobs/42", 200, Samples.array())
                .json("GET /api/v1/jobs?scope=all&limit=100&array=42&tasks=true", 200, list());
        assertThat(stage.run("ps", "--tasks", "-q")).isZero();
        assertThat(stage.run("ps", "--tasks", "42", "-q")).isZero();
        assertThat(stage.run("ps", "--tasks", "42")).isZero();
        assertThat(stage.out()).isEqualTo("42_7\n42\n42_7\n");
        assertThat(stage.err()).isEqualTo("""
            berth: not listed, as their turn has not come: tasks 9-31 of array 42
            no jobs to show
            """);
    }

    @Test
    void aListOfTasksTellsWhichEndedWithoutATurn() {
        server.json(
                        "GET /api/v1/jobs/42",
                        200,
                        Samples.array(
                                42,
                                "CANCELLED",
                                "CANCELLED_BY_USER",
                                "0-31%4",
                                "8-31",
                                Map.of("COMPLETED", 8L, "CANCELLED", 24L),
                                "cancelled by alice"))
                .json("GET /api/v1/jobs?scope=all&limit=100&array=42&tasks=true", 200, list());
        assertThat(stage.run("ps", "--tasks", "42")).isZero();
        assertThat(stage.err())
                .isEqualTo("berth: not listed, as they ended with their array and had no turn: 42_[8-31] CANCELLED\n"
                        + "no jobs to show\n");
    }

    @Test
    void aListOfTasksIsOfAnArray() {
        server.json("GET /api/v1/jobs/17", 200, Samples.running(17));
        assertThat(stage.run("ps", "--tasks", "17")).isEqualTo(ExitCode.REFUSED);
        assertThat(stage.run("ps", "42")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.run("ps", "--tasks", "42", "43")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err()).isEqualTo("""
            berth: job 17 is no array and has no tasks; berth status 17 shows it
            berth: berth ps takes no '42'; berth status 42 shows a job, berth ps --tasks 42 lists the tasks of an array
            berth: berth ps takes one job id, not 2
            """);
    }

    @Test
    void aTemplateHasFieldsOfArraysAndTasks() {
        server.json(
                "GET /api/v1/jobs?scope=active&limit=1000&tasks=true",
                200,
                list(RUNNING, Samples.array(), Samples.running(16)));
        assertThat(stage.run("ps", "--tasks", "--format", "{{.ID}}|{{.Array}}|{{.Task}}|{{.Tasks}}"))
                .isZero();
        assertThat(stage.out()).isEqualTo("""
            42_7|42|7|
            42|42||4 RUNNING, 23 QUEUED, 4 COMPLETED, 1 FAILED
            16|||
            """);
    }

    @Test
    void anArrayIsAPage() throws IOException {
        server.json("GET /api/v1/jobs/42", 200, Samples.array()).json("GET /api/v1/jobs/42_7", 200, RUNNING);
        server.json("GET /api/v1/jobs/50", 200, RUNNING);
        assertThat(stage.run("status", "42")).isZero();
        assertThat(stage.run("status", "42_7")).isZero();
        Golden.check("status-array", stage.out());
    }

    @Test
    void aPageSaysHowTasksShareContainers() throws IOException {
        server.json("GET /api/v1/jobs/42", 200, Samples.packed(Samples.array(), null))
                .json("GET /api/v1/jobs/42_7", 200, RUNNING)
                .json("GET /api/v1/jobs/50", 200, Samples.packed(RUNNING, "42_[0-7]"));
        assertThat(stage.run("status", "42")).isZero();
        assertThat(stage.run("status", "42_7")).isZero();
        assertThat(stage.out().lines().filter(line -> line.startsWith("pack")))
                .containsExactly("packs       of 8 tasks in one container, 2 at a time", "pack        42_[0-7]");
    }

    @Test
    void aTaskIsNamedByItsNumberInEveryCommand() {
        String task = "GET /api/v1/jobs/42_7";
        for (int time = 0; time < 5; time++) {
            server.json(task, 200, RUNNING);
        }
        server.json("POST /api/v1/jobs/50/cancel", 202, Samples.task(50, 7, "STOPPING"))
                .json("POST /api/v1/jobs/50/hold", 202, Samples.task(50, 7, "HELD"))
                .json("POST /api/v1/jobs/50/release", 202, Samples.task(50, 7, "QUEUED"))
                .json("POST /api/v1/jobs/50/resubmit", 201, Samples.queued(99, 3))
                .json("DELETE /api/v1/jobs/50", 409, new ApiError("TASK_OF_ARRAY", "it goes with 42", Map.of()));
        assertThat(stage.run("cancel", "42_7")).isZero();
        assertThat(stage.run("hold", "42_7")).isZero();
        assertThat(stage.run("release", "42_7", "-q")).isZero();
        assertThat(stage.run("resubmit", "42_7", "-q")).isZero();
        assertThat(stage.run("delete", "42_7")).isEqualTo(ExitCode.REFUSED);
        assertThat(stage.out()).isEqualTo("""
            job 42_7 is being stopped
            job 42_7 HELD: its program runs
            42_7
            99
            """);
        assertThat(stage.err()).isEqualTo("berth: it goes with 42\n");
    }

    @Test
    void aTaskIsNamedByItsNumberWhereJobsAreWaitedFor() {
        server.json("POST /api/v1/jobs", 201, Samples.queued(99, 3));
        assertThat(stage.run(
                        "submit", "--no-snapshot", "--after", "42_7", "scheduler", stage.directory() + "/demo", "true"))
                .isZero();
        assertThat(server.received("POST /api/v1/jobs").body()).contains("\"dependencies\":[\"afterok:42_7\"]");
    }

    private String cancelled(JobView answer) {
        server.json("POST /api/v1/jobs/42/cancel", 202, answer);
        assertThat(stage.run("cancel", "42")).isZero();
        return stage.out().lines().reduce("", (_, last) -> last);
    }

    @Test
    void theSentenceOfACancelledArraySaysWhatBecomesOfIt() {
        assertThat(cancelled(ended("CANCELLED", Map.of("CANCELLED", 32L), "cancelled by alice")))
                .isEqualTo("array 42 is cancelled");
        Map<String, Long> some = Map.of("STOPPING", 4L, "CANCELLED", 28L);
        assertThat(cancelled(Samples.array(42, "RUNNING", null, "0-31%4", "", some, "x")))
                .isEqualTo("array 42 is being cancelled: 4 of its 32 tasks are being stopped");
        Map<String, Long> one = Map.of("STOPPING", 1L, "COMPLETED", 31L);
        assertThat(cancelled(Samples.array(42, "RUNNING", null, "0-31%4", "", one, "x")))
                .isEqualTo("array 42 is being cancelled: 1 of its 32 tasks is being stopped");
    }

    /** Without -f the server says so. */
    @Test
    void anArrayHasNoLogThatCouldBeFollowed() {
        server.json("GET /api/v1/jobs/42", 200, Samples.array());
        assertThat(stage.run("logs", "-f", "42")).isEqualTo(ExitCode.REFUSED);
        assertThat(stage.err())
                .isEqualTo("berth: array 42 has no log of its own; its tasks have: berth logs 42_0 prints that of the"
                        + " first, berth ps --tasks 42 lists them\n");
    }

    @Test
    void aTaskWithoutALogIsToldByItsNumber() {
        server.json("GET /api/v1/jobs/42_7", 200, RUNNING)
                .log(50, 0, false, true, "")
                .json("GET /api/v1/jobs/50", 200, RUNNING);
        assertThat(stage.run("logs", "42_7")).isZero();
        assertThat(stage.err()).isEqualTo("berth: job 42_7 is RUNNING and has written nothing\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"42_7", "50"})
    void theLogOfATaskInJsonHasItsNumber(String word) {
        if (word.equals("42_7")) {
            server.json("GET /api/v1/jobs/42_7", 200, RUNNING);
        }
        server.json("GET /api/v1/jobs/50", 200, RUNNING).log(50, 0, false, true, "epoch 1\n");
        assertThat(stage.run("logs", "--json", word)).isZero();
        assertThat(stage.out())
                .startsWith("{\"job\":50,\"number\":\"42_7\",\"offset\":0,\"stream\":\"stdout\",")
                .endsWith("\"text\":\"epoch 1\"}\n");
    }

    @ParameterizedTest
    @CsvSource({"COMPLETED, 0", "FAILED, 1", "CANCELLED, 130"})
    void aWaitForAnArrayEndsAsItDid(String state, int code) {
        JobView over = ended(state, Map.of("COMPLETED", 31L, "CANCELLED", 1L), "its tasks are over");
        server.openEvents(EVENTS).json("GET /api/v1/jobs/42", 200, over);
        assertThat(stage.run("wait", "42")).isEqualTo(code);
        assertThat(stage.out()).isEqualTo("array 42 " + state + ": its tasks are over\n");
    }

    /** Such a task has no event of its own: its end is that of its array. */
    @Test
    void aWaitForATaskWithoutATurnEndsWithItsArray() {
        server.json("GET /api/v1/jobs/42_7", 200, Samples.task(50, 7, "QUEUED"))
                .openEvents(
                        EVENTS,
                        Samples.event(1, 41, "QUEUED", "CANCELLED"),
                        Samples.event(2, 42, "QUEUED", "QUEUED"),
                        Samples.event(3, 42, "QUEUED", "CANCELLED"))
                .json("GET /api/v1/jobs/50", 200, Samples.task(50, 7, "QUEUED"))
                .json("GET /api/v1/jobs/50", 200, Samples.task(50, 7, "CANCELLED"));
        assertThat(stage.run("wait", "42_7", "-q")).isEqualTo(ExitCode.CANCELLED);
        assertThat(stage.out()).isEqualTo("42_7\n");
    }

    private static final ApiError NO_OUTPUT = new ApiError("NO_OUTPUT", "there is no output", Map.of());

    private void answerOutput(long job, TarBytes archive) {
        server.on(
                "GET /api/v1/jobs/" + job + "/output",
                ScriptedServer.chunked(
                        "application/x-tar", true, new String(archive.bytes(), StandardCharsets.ISO_8859_1)));
    }

    private void answerArray(JobView... tasks) {
        server.json("GET /api/v1/jobs/42/output", 404, NO_OUTPUT)
                .json("GET /api/v1/jobs/42", 200, Samples.array())
                .json("GET /api/v1/jobs?scope=all&limit=1000&array=42&tasks=true", 200, list(tasks));
    }

    @Test
    void theOutputOfAnArrayIsThatOfEachTask() {
        answerArray(Samples.task(51, 8, "RUNNING"), Samples.task(50, 7, "COMPLETED"), Samples.task(43, 0, "FAILED"));
        server.json("GET /api/v1/jobs/43/output", 404, NO_OUTPUT);
        answerOutput(50, new TarBytes().file("a", "7"));
        answerOutput(51, new TarBytes().file("a", "8"));
        Path target = stage.directory().resolve("got");
        assertThat(stage.run("get", "42", "-o", target.toString())).isEqualTo(ExitCode.REFUSED);
        assertThat(target.resolve("42_7/a")).hasContent("7");
        assertThat(target.resolve("42_8/a")).hasContent("8");
        assertThat(stage.out())
                .isEqualTo("job 42_7: 1 file (1 B) in " + target + "/42_7\njob 42_8: 1 file (1 B) in " + target
                        + "/42_8\n");
        assertThat(stage.err()).isEqualTo("berth: there is no output\n");
    }

    @Test
    void anArrayWhoseTasksHaveHadNoTurnHasNoOutput() {
        answerArray();
        assertThat(stage.run("get", "42", "-o", stage.directory() + "/got")).isEqualTo(ExitCode.REFUSED);
        assertThat(stage.err()).isEqualTo("berth: array 42 has no output: none of its tasks has had its turn\n");
    }

    @Test
    void oneArchiveIsOfOneTask() {
        server.json("GET /api/v1/jobs/42/output", 404, NO_OUTPUT).json("GET /api/v1/jobs/42", 200, Samples.array());
        assertThat(stage.run("get", "42", "-o", "-")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err())
                .isEqualTo("berth: -o -: array 42 has an output for each task; fetch one of them, as by berth get 42_0"
                        + " -o -\n");
        server.json("GET /api/v1/jobs/42_7", 200, RUNNING);
        TarBytes archive = new TarBytes().file("a", "7");
        answerOutput(50, archive);
        assertThat(stage.run("get", "42_7", "-o", "-")).isZero();
        assertThat(stage.out()).isEqualTo(new String(archive.bytes(), StandardCharsets.UTF_8));
    }

    @Test
    void aJobWithoutOutputIsToldAsTheServerSaysIt() {
        server.json("GET /api/v1/jobs/17/output", 404, NO_OUTPUT).json("GET /api/v1/jobs/17", 200, Samples.running(17));
        assertThat(stage.run("get", "17", "-o", stage.directory() + "/got")).isEqualTo(ExitCode.REFUSED);
        assertThat(stage.err()).isEqualTo("berth: there is no output\n");
    }

    private int submit(String... options) {
        List<String> words = new ArrayList<>(List.of("submit", "--no-snapshot", "scheduler"));
        words.add(stage.directory() + "/demo");
        words.add("true");
        words.addAll(List.of(options));
        return stage.run(words.toArray(String[]::new));
    }

    @Test
    void aSubmittedArrayIsToldWithTheNumberOfItsTasks() {
        server.json("POST /api/v1/jobs", 201, queued("0-8", "0-8", 9));
        assertThat(submit("--repeat", "9")).isZero();
        assertThat(stage.out())
                .isEqualTo("array 43 of 9 tasks asks for 1 GPU each and has place 2 in the queue: 2 are ahead of it\n");
        assertThat(server.received("POST /api/v1/jobs").body()).contains("\"array\":\"0-8\"");
    }

    @Test
    void aDryRunShowsAnArrayAndQueuesNothing() {
        SubmitPlan plan =
                new SubmitPlan(List.of(new SubmitPlan.Setting("array", "0-31%4", "request")), "it would start at once");
        server.json("POST /api/v1/jobs?dryRun=true", 200, plan);
        assertThat(submit("--array", "0-31%4", "--dry-run")).isZero();
        assertThat(stage.out()).contains("array   0-31%4   --array", "it would start at once");
    }

    @Test
    void aFollowedJobIsNoArray() {
        assertThat(submit("--array", "0-3", "-f")).isEqualTo(ExitCode.USAGE);
        assertThat(submit("--repeat", "3", "--follow")).isEqualTo(ExitCode.USAGE);
        String sentence = " exclude each other, as an array has a log for each task; --wait waits for its end,"
                + " berth logs -f ID_INDEX follows a task\n";
        assertThat(stage.err())
                .isEqualTo("berth: --follow and --array" + sentence + "berth: --follow and --repeat" + sentence);
    }

    @Test
    void aWaitForASubmittedArrayEndsAsItDid() {
        server.json("POST /api/v1/jobs", 201, queued("0-3", "0-3", 4))
                .events(43, true, Samples.event(1, 43, "QUEUED", "RUNNING"), Samples.event(2, 43, "RUNNING", "FAILED"))
                .json("GET /api/v1/jobs/43", 200, queued("0-3", "", 4))
                .json("GET /api/v1/jobs/43", 200, ended("FAILED", Map.of("FAILED", 4L), "4 FAILED"));
        assertThat(submit("--array", "0-3", "--wait")).isEqualTo(ExitCode.TASKS_FAILED);
        assertThat(stage.err()).endsWith("array 42 FAILED: 4 FAILED\n");
    }

    @Test
    void anArrayIsDeletedAsAWhole() {
        server.json("DELETE /api/v1/jobs/42", 200, new DeletedJob(42, List.of()));
        assertThat(stage.run("delete", "42")).isZero();
        assertThat(stage.out()).isEqualTo("job 42 is deleted\n");
    }
}
