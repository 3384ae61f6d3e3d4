package dev.berth.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.core.job.StateName;
import dev.berth.server.config.Configuration;
import dev.berth.server.config.ProcessEnvironment;
import dev.berth.server.config.Settings;
import dev.berth.server.http.access.TokenSecret;
import dev.berth.server.linux.Users;
import dev.berth.server.store.Token;
import dev.berth.testclient.Answer;
import dev.berth.testclient.Following;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Arrays and their tasks, from the request to the end, as users see them. */
@Timeout(120)
class ArraysApiTest {
    private static final Settings FEW = Configuration.read(
                    List.of("--set=jobs.max-queued-per-user=2"),
                    new ProcessEnvironment(
                            Map.of(), Path.of("/"), Path.of("/var/lib/berth"), Path.of("/nonexistent"), 0))
            .settings();

    @TempDir
    private Path directory;

    private ServerFixture fixture;

    @BeforeEach
    void open() {
        fixture = new ServerFixture(directory);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private long array(int gpus, String tasks) {
        return fixture.submit("\"gpus\": %d, \"array\": \"%s\"".formatted(gpus, tasks))
                .expect(201)
                .json()
                .path("id")
                .asLong();
    }

    private Answer get(String job) {
        return fixture.get("/api/v1/jobs/" + job);
    }

    private String sentence(Object job) {
        return fixture.job(job).path("sentence").asText();
    }

    /** The number that a task has among all jobs. */
    private long id(long array, int index) {
        return fixture.job(array + "_" + index).path("id").asLong();
    }

    /** Four may run at once, and their starts are under way at the same time. */
    private void awaitFourRunning(long array) {
        for (int index = 0; index < 4; index++) {
            fixture.await(array + "_" + index, StateName.RUNNING);
        }
    }

    private void end(long array, int index, int exitCode) {
        fixture.await(array + "_" + index, StateName.RUNNING);
        fixture.end(id(array, index), exitCode);
    }

    @Test
    void anArrayIsOneJobWhoseTasksStartInOrder() {
        long array = array(1, "0-9");
        awaitFourRunning(array);
        JsonNode whole = fixture.job(array);
        assertThat(whole.path("number").asText()).isEqualTo(Long.toString(array));
        assertThat(whole.path("state").asText()).isEqualTo("QUEUED");
        assertThat(whole.path("array").asText()).isEqualTo("0-9");
        assertThat(whole.path("tasks").toString())
                .isEqualTo(
                        "{\"count\":10,\"waiting\":\"4-9\",\"states\":{\"QUEUED\":6,\"RUNNING\":4},\"unstarted\":\"\",\"unstartedState\":null}");
        assertThat(whole.path("arrayId").isNull()).isTrue();
        assertThat(whole.path("sentence").asText())
                .isEqualTo(
                        "first in the queue; waits for a worker: all 4 have jobs, job %d_0, job %d_1, job %d_2, job %d_3"
                                .formatted(array, array, array, array));

        JsonNode task = fixture.job(array + "_2");
        assertThat(task.path("number").asText()).isEqualTo(array + "_2");
        assertThat(task.path("id").asLong()).isEqualTo(array + 3);
        assertThat(task.path("arrayId").asLong()).isEqualTo(array);
        assertThat(task.path("taskIndex").asInt()).isEqualTo(2);
        assertThat(task.path("tasks").isNull()).isTrue();
        assertThat(task.path("state").asText()).isEqualTo("RUNNING");
        assertThat(fixture.job(array + 3).path("number").asText()).isEqualTo(array + "_2");

        JsonNode next = fixture.job(array + "_4");
        assertThat(next.path("sentence")).isEqualTo(whole.path("sentence"));
        assertThat(next.path("reason")).isEqualTo(whole.path("reason"));
        JsonNode waiting = fixture.job(array + "_7");
        assertThat(waiting.path("state").asText()).isEqualTo("QUEUED");
        assertThat(waiting.path("reason").asText()).isEqualTo("ARRAY");
        assertThat(waiting.path("sentence").asText())
                .startsWith("3 tasks of its array come before it; the array: first in the queue; waits for a worker");
        assertThat(waiting.path("command")).as("of a task before its turn").isEqualTo(task.path("command"));
        assertThat(waiting.path("environment")).isEqualTo(task.path("environment"));
        assertThat(waiting.path("id").asLong()).isEqualTo(array + 8);
        assertThat(fixture.job(array + 8).path("number").asText()).isEqualTo(array + "_7");

        end(array, 1, 0);
        fixture.await(array + "_4", StateName.RUNNING);
        assertThat(fixture.state(array + "_5")).isEqualTo("QUEUED");
        assertThat(fixture.job(array).path("tasks").path("states").toString())
                .isEqualTo("{\"COMPLETED\":1,\"QUEUED\":5,\"RUNNING\":4}");
    }

    @Test
    void itEndsWithTheLastOfItsTasks() {
        long array = array(1, "3,5,7");
        long next = array(1, "1");
        assertThat(next).as("the ids between are those of its tasks").isEqualTo(array + 4);
        end(array, 3, 0);
        end(array, 5, 2);
        fixture.await(array + "_5", StateName.FAILED);
        JsonNode whole = fixture.job(array);
        assertThat(whole.path("state").asText()).isEqualTo("RUNNING");
        assertThat(whole.path("sentence").asText())
                .isEqualTo("all its tasks have had their turn: 1 RUNNING, 1 COMPLETED, 1 FAILED");
        assertThat(whole.path("tasks").path("waiting").asText()).isEmpty();
        assertThat(fixture.listed("")).containsExactly(Long.toString(array), Long.toString(next));
        assertThat(fixture.get("/api/v1/jobs/" + array + "/explanation").json().path("sentence"))
                .isEqualTo(whole.path("sentence"));
        end(array, 7, 0);
        fixture.await(array, StateName.FAILED);
        assertThat(fixture.job(array).path("reason").asText()).isEqualTo("TASKS_FAILED");
        assertThat(sentence(array))
                .isEqualTo("2 of its 3 tasks COMPLETED, 1 FAILED; berth ps --tasks %d shows them".formatted(array));
        end(next, 1, 0);
        fixture.await(next, StateName.COMPLETED);
        assertThat(sentence(next)).isEqualTo("its one task has COMPLETED");
        assertThat(fixture.listed("")).isEmpty();
    }

    @Test
    void listsShowAnArrayInPlaceOfItsTasks() {
        long array = array(1, "0-5");
        awaitFourRunning(array);
        String whole = Long.toString(array);
        String[] tasks = {array + "_0", array + "_1", array + "_2", array + "_3"};
        assertThat(fixture.listed("")).containsExactly(whole);
        assertThat(fixture.listed("?scope=all")).containsExactly(whole);
        assertThat(fixture.listed("?tasks=true")).containsExactly(tasks[0], tasks[1], tasks[2], tasks[3], whole);
        assertThat(fixture.get("/api/v1/jobs?scope=all&tasks=true").text())
                .contains("goes with scope active, or with the id of an array");
        assertThat(fixture.listed("?array=" + array)).containsExactly(tasks);
        assertThat(fixture.listed("?scope=all&array=" + array)).containsExactly(tasks[3], tasks[2], tasks[1], tasks[0]);
        assertThat(fixture.listed("?state=RUNNING&array=" + array)).hasSize(4);
        assertThat(fixture.get("/api/v1/jobs?state=RUNNING&tasks=true").code()).isEqualTo("INVALID_FIELD");
        assertThat(fixture.listed("?state=COMPLETED&array=" + array)).isEmpty();
        assertThat(fixture.listed("?array=" + (array + 1))).isEmpty();
        assertThat(fixture.get("/api/v1/jobs?array=0").code()).isEqualTo("INVALID_FIELD");
        JsonNode page =
                fixture.get("/api/v1/jobs?scope=all&limit=3&array=" + array).json();
        assertThat(page.path("jobs").findValuesAsText("number")).containsExactly(tasks[3], tasks[2], tasks[1]);
        JsonNode rest = fixture.get("/api/v1/jobs?scope=all&limit=3&array=" + array + "&cursor="
                        + page.path("next").asLong())
                .json();
        assertThat(rest.path("jobs").findValuesAsText("number")).containsExactly(tasks[0]);
        assertThat(rest.path("next").isNull()).isTrue();
        assertThat(fixture.get("/api/v1/gpus").json().findValuesAsText("number"))
                .contains(array + "_0");
        assertThat(Wire.ask(
                                UnixDomainSocketAddress.of(fixture.socket()),
                                "GET",
                                "/api/v1/jobs?tasks=true",
                                new byte[0],
                                "Accept: text/plain")
                        .text())
                .contains(array + "_0 ");
    }

    @Test
    void aThrottledArrayIsPassedOver() {
        long array = array(1, "0-9%2");
        fixture.await(array + "_1", StateName.RUNNING);
        assertThat(fixture.job(array).path("reason").asText()).isEqualTo("ARRAY_THROTTLE");
        assertThat(sentence(array))
                .isEqualTo(
                        "2 of its tasks run, as many as may at the same time; it keeps its place and holds nobody up");
        assertThat(sentence(array + "_2")).startsWith("2 tasks of its array run, as many as may at the same time");
        JsonNode explanation =
                fixture.get("/api/v1/jobs/" + array + "_5/explanation").json();
        assertThat(explanation.path("number").asText()).isEqualTo(array + "_5");
        assertThat(explanation.path("reason").asText()).isEqualTo("ARRAY_THROTTLE");
        assertThat(explanation.path("sentence").asText())
                .startsWith("3 tasks of its array come before it; the array: 2 of its tasks run");
        long other = fixture.submitted(2);
        fixture.await(other, StateName.RUNNING);
        long behind = fixture.submitted(2);
        fixture.awaitSentence(behind, "waits for");
        assertThat(sentence(behind)).startsWith("first of those that may start; waits for 2 GPUs");
    }

    @Test
    void whatComesBeforeAndWhoHoldsIsNamedByItsNumber() {
        long array = array(1, "0-9");
        awaitFourRunning(array);
        long behind = fixture.submitted(1);
        JsonNode explanation =
                fixture.get("/api/v1/jobs/" + behind + "/explanation").json();
        assertThat(explanation.path("ahead").findValuesAsText("number")).containsExactly(Long.toString(array));
        assertThat(explanation.path("holders").findValuesAsText("number"))
                .containsExactly(array + "_0", array + "_1", array + "_2", array + "_3");
        assertThat(explanation.path("sentence").asText()).contains("job " + array + " is first", "job " + array + "_0");
    }

    @Test
    void aCancelOfAnArrayEndsItsTasksInOneStep() {
        long array = array(1, "0-9");
        awaitFourRunning(array);
        Answer answer = fixture.verb(array, "cancel").expect(202);
        assertThat(answer.json().path("state").asText()).isEqualTo("RUNNING");
        assertThat(answer.json().path("sentence").asText())
                .isEqualTo("the tasks that had no turn are CANCELLED; the others: 4 STOPPING");
        assertThat(fixture.state(array + "_9")).isEqualTo("CANCELLED");
        assertThat(sentence(array + "_9")).isEqualTo("cancelled by root before it started");
        fixture.await(array, StateName.CANCELLED);
        assertThat(sentence(array))
                .isEqualTo(
                        "of the tasks that had their turn, 4 CANCELLED; the others: cancelled by root before it started");
        assertThat(sentence(array + "_9")).isEqualTo("cancelled by root before it started");
        assertThat(fixture.job(array).path("tasks").toString())
                .isEqualTo(
                        "{\"count\":10,\"waiting\":\"\",\"states\":{\"CANCELLED\":10},\"unstarted\":\"4-9\",\"unstartedState\":\"CANCELLED\"}");
        assertThat(fixture.verb(array, "cancel").code()).isEqualTo("JOB_ENDED");
        assertThat(fixture.verb(array + "_9", "cancel").message())
                .isEqualTo("job %d_9 is over already: CANCELLED".formatted(array));
    }

    @Test
    void oneTaskIsSteeredAlone() {
        long blocker = fixture.running(4);
        long array = array(1, "0-4");
        assertThat(fixture.verb(array + "_1", "cancel")
                        .expect(202)
                        .json()
                        .path("number")
                        .asText())
                .isEqualTo(array + "_1");
        assertThat(fixture.state(array + "_1")).isEqualTo("CANCELLED");
        Answer held = fixture.verb(array + "_2", "hold").expect(202);
        assertThat(held.json().path("state").asText()).isEqualTo("HELD");
        assertThat(held.json().path("sentence").asText()).contains("berth release " + array + "_2 lets it go on");
        fixture.verb(array + "_3", "release").expect(202);
        assertThat(fixture.job(array).path("tasks").toString())
                .isEqualTo(
                        "{\"count\":5,\"waiting\":\"0,3-4\",\"states\":{\"CANCELLED\":1,\"HELD\":1,\"QUEUED\":3},\"unstarted\":\"\",\"unstartedState\":null}");
        fixture.end(blocker, 0);
        fixture.await(array + "_4", StateName.RUNNING);
        assertThat(fixture.state(array + "_2")).isEqualTo("HELD");
        assertThat(fixture.verb(array + "_4", "hold").message())
                .startsWith("job %d_4 is RUNNING".formatted(array))
                .doesNotContain("job " + (array + 5));
        fixture.verb(array + "_2", "release").expect(202);
        fixture.await(array + "_2", StateName.RUNNING);
        end(array, 0, 0);
        end(array, 2, 0);
        end(array, 3, 0);
        end(array, 4, 0);
        fixture.await(array, StateName.CANCELLED);
        assertThat(sentence(array)).startsWith("4 of its 5 tasks COMPLETED, 1 CANCELLED");
    }

    @Test
    void aHoldOfAnArrayHoldsWhatWaits() {
        long array = array(1, "0-9");
        awaitFourRunning(array);
        Answer held = fixture.verb(array, "hold").expect(202);
        assertThat(held.json().path("state").asText()).isEqualTo("HELD");
        assertThat(held.json().path("tasks").path("states").toString()).isEqualTo("{\"HELD\":6,\"RUNNING\":4}");
        assertThat(fixture.job(array + "_6").path("reason").asText()).isEqualTo("HELD");
        end(array, 0, 0);
        fixture.await(array + "_0", StateName.COMPLETED);
        assertThat(fixture.state(array + "_4")).isEqualTo("HELD");
        fixture.verb(array, "release").expect(202);
        fixture.await(array + "_4", StateName.RUNNING);
    }

    /** What follows one that is to come must not take it for over. */
    @Test
    void theEventsOfAnArrayAndOfATaskThatIsToComeAreFollowedToTheEnd() throws IOException {
        long blocker = fixture.running(4);
        long array = array(4, "0-1");
        try (Following whole = Wire.open(fixture.socket(), "/api/v1/jobs/" + array + "/events");
                Following last = Wire.open(fixture.socket(), "/api/v1/jobs/" + array + "_1/events")) {
            assertThat(whole.status()).isEqualTo(200);
            assertThat(last.status()).isEqualTo(200);
            fixture.end(blocker, 0);
            end(array, 0, 0);
            end(array, 1, 3);
            assertThat(names(whole.rest()))
                    .containsExactly("JobAccepted", "ImageArrived", "TasksDispatched", "ArrayEnded");
            String events = last.rest();
            assertThat(names(events))
                    .containsExactly(
                            "TaskSingled", "Allocated", "ContainerCreated", "ContainerStarted", "ContainerExited");
            assertThat(events).contains("\"number\":\"%d_1\"".formatted(array));
        }
        long cancelled = array(4, "0-1");
        fixture.await(cancelled + "_0", StateName.RUNNING);
        try (Following last = Wire.open(fixture.socket(), "/api/v1/jobs/" + cancelled + "_1/events")) {
            fixture.verb(cancelled, "cancel").expect(202);
            assertThat(last.rest()).as("of a task that had no turn").isEmpty();
        }
        assertThat(fixture.get("/api/v1/events").text()).contains("\"number\":\"%d_0\"".formatted(array));
    }

    private static List<String> names(String stream) {
        return stream.lines()
                .filter(line -> line.startsWith("event: "))
                .map(line -> line.substring("event: ".length()))
                .toList();
    }

    @Test
    void anArrayIsDeletedWithAllOfItsTasks() throws IOException {
        long blocker = fixture.running(4);
        int tasks = 205;
        long array = array(1, "0-" + (tasks - 1));
        for (int index = 4; index < tasks; index++) {
            fixture.verb(array + "_" + index, "cancel").expect(202);
        }
        fixture.end(blocker, 0);
        List<Path> files = new ArrayList<>();
        for (int index = 0; index < 4; index++) {
            fixture.await(array + "_" + index, StateName.RUNNING);
            files.add(Path.of(
                    fixture.job(array + "_" + index).path("outputDirectory").asText()));
            files.add(directory.resolve("jobs/" + id(array, index)));
            fixture.print(id(array, index), "a line\n");
        }
        assertThat(files).allMatch(file -> file.toFile().isDirectory());
        assertThat(fixture.delete(array).code()).isEqualTo("JOB_NOT_ENDED");
        for (int index = 0; index < 4; index++) {
            end(array, index, 0);
        }
        fixture.await(array, StateName.CANCELLED);
        long first = id(array, 0);
        Answer refused = fixture.delete(array + "_0").expect(409);
        assertThat(refused.code()).isEqualTo("TASK_OF_ARRAY");
        assertThat(refused.message())
                .isEqualTo(
                        "job %d_0 is a task of array %d and goes with it: berth delete %d, once all its tasks have ended"
                                .formatted(array, array, array));
        assertThat(fixture.delete(first).code()).isEqualTo("TASK_OF_ARRAY");
        assertThat(fixture.delete(array).expect(200).json().path("remains")).isEmpty();
        assertThat(files).noneMatch(file -> file.toFile().exists());
        for (Object gone : List.of(array, array + "_0", array + "_" + (tasks - 1), first)) {
            get(gone.toString()).expect(404);
        }
        assertThat(fixture.listed("?scope=all")).containsExactly(Long.toString(blocker));
    }

    @Test
    void anArrayOrOneOfItsTasksIsSubmittedAgain() {
        long array = array(4, "5-6%1");
        end(array, 5, 1);
        fixture.await(array + "_5", StateName.FAILED);
        assertThat(fixture.verb(array, "resubmit").code()).isEqualTo("JOB_NOT_ENDED");
        JsonNode one = fixture.verb(array + "_5", "resubmit").expect(201).json();
        assertThat(one.path("array").asText()).isEqualTo("5");
        assertThat(one.path("resubmitOf").asLong()).isEqualTo(array);
        fixture.verb(array, "cancel").expect(202);
        fixture.await(array, StateName.CANCELLED);
        JsonNode all = fixture.verb(array, "resubmit").expect(201).json();
        assertThat(all.path("array").asText()).isEqualTo("5-6%1");
        assertThat(all.path("resubmitOf").asLong()).isEqualTo(array);
        long again = one.path("id").asLong();
        fixture.await(again + "_5", StateName.RUNNING);
        assertThat(fixture.job(again).path("command"))
                .isEqualTo(fixture.job(array).path("command"));
        fixture.verb(again, "cancel").expect(202);
    }

    /** Nothing of it is in the store but its array. */
    @Test
    void aTaskThatNeverHadItsTurnIsSubmittedAgain() {
        long blocker = fixture.running(4);
        long array = array(4, "0-3");
        fixture.verb(array, "cancel").expect(202);
        JsonNode again = fixture.verb(array + "_2", "resubmit").expect(201).json();
        assertThat(again.path("array").asText()).isEqualTo("2");
        assertThat(again.path("command")).isEqualTo(fixture.job(array).path("command"));
        fixture.end(blocker, 0);
        end(again.path("id").asLong(), 2, 0);
        fixture.await(again.path("id").asLong(), StateName.COMPLETED);
    }

    @Test
    void eachTaskHasItsLogAndItsVariables() {
        long array = array(1, "2,4,7-9%2");
        fixture.await(array + "_4", StateName.RUNNING);
        long task = id(array, 4);
        fixture.print(task, "four\n");
        end(array, 4, 1);
        fixture.await(array + "_4", StateName.FAILED);
        assertThat(fixture.get("/api/v1/jobs/" + array + "_4/log").text()).isEqualTo("four\n");
        assertThat(fixture.get("/api/v1/jobs/" + array + "_9/log").expect(200).text())
                .isEmpty();
        Answer none = fixture.get("/api/v1/jobs/" + array + "/log").expect(409);
        assertThat(none.code()).isEqualTo("NO_LOG");
        assertThat(none.message())
                .isEqualTo("job %d is an array, whose tasks have a log each; the first: berth logs %d_2"
                        .formatted(array, array));
        assertThat(fixture.get("/api/v1/jobs/" + array + "/output").message())
                .isEqualTo(
                        "job %d has no output: it is an array, whose tasks have an output each; the first: berth get %d_2"
                                .formatted(array, array));
        Map<String, String> variables =
                fixture.engine().plan(fixture.container(id(array, 2))).environment();
        assertThat(variables)
                .containsEntry("BERTH_JOB_ID", array + "_2")
                .containsEntry("BERTH_ARRAY_ID", Long.toString(array))
                .containsEntry("BERTH_ARRAY_TASK", "2")
                .containsEntry("BERTH_ARRAY_COUNT", "5")
                .containsEntry("BERTH_ARRAY_MIN", "2")
                .containsEntry("BERTH_ARRAY_MAX", "9")
                .containsEntry("SLURM_ARRAY_JOB_ID", Long.toString(array))
                .containsEntry("SLURM_ARRAY_TASK_ID", "2")
                .containsEntry("SLURM_ARRAY_TASK_COUNT", "5")
                .containsEntry("SLURM_ARRAY_TASK_MIN", "2")
                .containsEntry("SLURM_ARRAY_TASK_MAX", "9");
    }

    @Test
    void aSubmitThatIsRepeatedMakesOneArray() {
        JsonNode first = keyed("k-1", "0-3").expect(201).json();
        JsonNode again = keyed("k-1", "0-3").expect(200).json();
        assertThat(again.path("id")).isEqualTo(first.path("id"));
        assertThat(again.path("tasks").path("count").asInt()).isEqualTo(4);
        assertThat(keyed("k-1", "0-4").code()).isEqualTo("KEY_TAKEN");
        assertThat(fixture.listed("?scope=all")).hasSize(1);
    }

    private Answer keyed(String key, String tasks) {
        byte[] body = "{\"command\": [\"x\"], \"array\": \"%s\", \"gpus\": 1}"
                .formatted(tasks)
                .getBytes(StandardCharsets.UTF_8);
        return Wire.ask(
                UnixDomainSocketAddress.of(fixture.socket()), "POST", "/api/v1/jobs", body, "Idempotency-Key: " + key);
    }

    @Test
    void whatIsNoTaskIsSaid() {
        fixture.running(4);
        long array = array(1, "0-3,7");
        for (String odd : List.of(array + "_7x", array + "_", "_7", array + "_-1", array + "_%2B1", array + "__1")) {
            Answer answer = get(odd).expect(400);
            assertThat(answer.message())
                    .endsWith(
                            "must be a job's number, from 1, or that of an array's task or pack, as in 42_7 or 42_[0-4]");
        }
        Answer none = get(array + "_999").expect(404);
        assertThat(none.code()).isEqualTo("JOB_NOT_FOUND");
        assertThat(none.message())
                .isEqualTo("there is no job %d_999; the tasks of array %d are 0-3,7".formatted(array, array));
        assertThat(get(array + "_99999999999").expect(404).message()).contains("the tasks of array");
        long single = fixture.submitted(1);
        assertThat(get(single + "_0").expect(404).message())
                .isEqualTo("there is no job %d_0; job %d is no array".formatted(single, single));
        assertThat(get("99_0").expect(404).message())
                .isEqualTo("there is no job 99_0 that you may see; berth ps -a lists yours");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0-|must name tasks by numbers, as in 0-31, 1,3,7-9 or 0-31%4",
                "''|must name tasks by numbers",
                "a|must name tasks by numbers",
                "5-1|has the range 5-1, which ends before it begins",
                "1-10000000000|names a task by 11 digits; the highest index is 999999999",
                "1-1000000000|names task 1000000000; the highest index is 999999999",
                "0-3%0|must have a number from 1 to 999999999 behind %: how many of its tasks may run at the same time",
                "0-3%|must have a number from 1 to 999999999 behind %",
                "1,1|names task 1 more than once",
                "0-4:0|has the range 0-4:0, whose step must be at least 1",
                "0-1000000|has 1000001 tasks; an array has at most 1000000",
                "0-2002:2|has more than 1000 ranges of tasks, the most that an array may have; number them without gaps"
            })
    void aBadTextIsRefusedWithTheRule(String text, String rule) {
        Answer answer = fixture.submit("\"array\": \"%s\"".formatted(text)).expect(400);
        assertThat(answer.code()).isEqualTo("INVALID_FIELD");
        assertThat(answer.message()).startsWith("array: '" + text + "' " + rule);
    }

    @Test
    void aProcessOfTheMachineIsNoArray() {
        Answer answer = fixture.post(
                "/api/v1/jobs", "{\"command\": [\"x\"], \"host\": true, \"directory\": \"/\", \"array\": \"0-1\"}");
        assertThat(answer.expect(400).message())
                .contains(
                        "array", "is a container's, and a process of the machine itself (host) has none; leave it out");
    }

    @Test
    void aDryRunShowsTheFirstTask() {
        Answer answer = fixture.post(
                        "/api/v1/jobs?dryRun=true", "{\"command\": [\"x\"], \"gpus\": 1, \"array\": \"3-9%2\"}")
                .expect(200);
        assertThat(answer.text())
                .contains(
                        "{\"name\":\"array\",\"value\":\"3-9%2\",\"source\":\"request\"}",
                        "{\"name\":\"environment\",\"value\":\"BERTH_ARRAY_TASK\",\"source\":\"berth\"}");
        assertThat(answer.json().path("sentence").asText()).isEqualTo("nothing is ahead of it: it would start at once");
        assertThat(fixture.post("/api/v1/jobs?dryRun=true", "{\"command\": [\"x\"], \"gpus\": 9, \"array\": \"0-1\"}")
                        .code())
                .isEqualTo("NEVER_FITS");
    }

    @Test
    void anArrayCountsAsOneJobThatWaits() {
        fixture.close();
        fixture = new ServerFixture(directory, FEW);
        long blocker = fixture.running(4);
        long array = array(1, "0-99999");
        fixture.submitted(1);
        assertThat(fixture.submit("\"gpus\": 1").expect(429).message()).contains("2 jobs of root wait already");
        assertThat(fixture.get("/api/v1/server").json().path("jobs").toString())
                .contains("{\"state\":\"QUEUED\",\"jobs\":2}");
        fixture.end(blocker, 0);
        awaitFourRunning(array);
        assertThat(fixture.job(array).path("tasks").path("waiting").asText()).isEqualTo("4-99999");
        fixture.verb(array, "cancel").expect(202);
    }

    private String token(String user) {
        TokenSecret secret = TokenSecret.fresh(new SecureRandom());
        long uid = new Users().find(user).orElseThrow().uid();
        Token token =
                new Token(secret.id(), "t", secret.hash(), uid, user, "SUBMIT", Instant.EPOCH, null, null, null, null);
        var _ = fixture.scheduling()
                .write(store -> assertThat(store.keepToken(token, 10)).isTrue())
                .join();
        return secret.text();
    }

    @Test
    void anotherUsersArrayIsNotThere() {
        long array = array(1, "0-1");
        String token = token("nobody");
        for (String target : List.of(
                "/jobs/" + array,
                "/jobs/" + array + "_0",
                "/jobs/" + array + "_5",
                "/jobs/" + (array + 1),
                "/jobs/" + array + "_1/explanation",
                "/jobs/" + array + "_1/events",
                "/jobs/" + array + "_1/log")) {
            Answer answer =
                    Wire.ask(fixture.tcp(), "GET", "/api/v1" + target, new byte[0], "Authorization: Bearer " + token);
            assertThat(answer.status()).as(target).isEqualTo(404);
            assertThat(answer.message()).startsWith("there is no job ").doesNotContain("tasks of array");
        }
        assertThat(Wire.ask(
                                fixture.tcp(),
                                "GET",
                                "/api/v1/jobs?scope=all&tasks=true&array=" + array,
                                new byte[0],
                                "Authorization: Bearer " + token)
                        .json()
                        .path("jobs"))
                .isEmpty();
    }

    @Test
    void aJobWaitsForAnArrayOrForOneTask() {
        long array = array(1, "0-7");
        long after = fixture.submit("\"gpus\": 1, \"dependencies\": [\"afterok:%d\"]".formatted(array))
                .expect(201)
                .json()
                .path("id")
                .asLong();
        long afterTask = fixture.submit("\"gpus\": 1, \"dependencies\": [\"afterok:%d_6\"]".formatted(array))
                .expect(201)
                .json()
                .path("id")
                .asLong();
        assertThat(fixture.job(afterTask).path("reason").asText()).isEqualTo("DEPENDENCY");
        assertThat(fixture.job(afterTask).path("dependencies").path(0).asText()).isEqualTo("afterok:" + array + "_6");
        assertThat(sentence(afterTask))
                .startsWith("waits for the end of job %d_6 (afterok:%d_6)".formatted(array, array));
        assertThat(fixture.state(array + "_6")).isEqualTo("QUEUED");
        for (int index = 0; index < 8; index++) {
            assertThat(fixture.state(after)).isEqualTo("QUEUED");
            end(array, index, 0);
            fixture.await(array + "_" + index, StateName.COMPLETED);
        }
        fixture.await(afterTask, StateName.RUNNING);
        fixture.await(after, StateName.RUNNING);
    }

    @Test
    void aDryRunWaitsForATaskAndMakesNothingOfIt() {
        fixture.running(4);
        long array = array(1, "0-7");
        Answer plan = fixture.post(
                "/api/v1/jobs?dryRun=true",
                "{\"command\": [\"x\"], \"dependencies\": [\"afterok:%d_6\"]}".formatted(array));
        assertThat(plan.expect(200).json().path("sentence").asText())
                .startsWith("it would wait: it waits for the end of job %d_6".formatted(array));
        fixture.submit("\"gpus\": 9, \"dependencies\": [\"afterok:%d_6\"]".formatted(array))
                .expect(422);
        assertThat(fixture.job(array).path("tasks").path("waiting").asText()).isEqualTo("0-7");
    }

    @Test
    void aTaskThatIsWaitedForRunsInItsTurnWhereTheArrayIsHeldOrWaitsItself() {
        long first = fixture.running(4);
        long array = fixture.submit(
                        "\"gpus\": 4, \"array\": \"0-2%%1\", \"dependencies\": [\"afterok:%d\"]".formatted(first))
                .expect(201)
                .json()
                .path("id")
                .asLong();
        fixture.verb(array, "hold").expect(202);
        long after = fixture.submit("\"gpus\": 4, \"dependencies\": [\"afterok:%d_1\"]".formatted(array))
                .expect(201)
                .json()
                .path("id")
                .asLong();
        assertThat(fixture.job(array).path("tasks").toString())
                .isEqualTo(
                        "{\"count\":3,\"waiting\":\"0,2\",\"states\":{\"HELD\":3},\"unstarted\":\"\",\"unstartedState\":null}");
        fixture.verb(array, "release").expect(202);
        assertThat(fixture.job(array + "_1").path("reason").asText()).isEqualTo("DEPENDENCY");
        fixture.end(first, 0);
        for (int index = 0; index < 3; index++) {
            end(array, index, 0);
            fixture.await(array + "_" + index, StateName.COMPLETED);
        }
        fixture.await(array, StateName.COMPLETED);
        fixture.await(after, StateName.RUNNING);
    }

    @Test
    void whatWaitsForATaskThatIsCancelledWithItsArrayEnds() {
        fixture.running(4);
        long array = array(1, "0-7");
        long byId = fixture.submit("\"dependencies\": [\"afterok:%d\"]".formatted(array + 3))
                .expect(201)
                .json()
                .path("id")
                .asLong();
        long kept = fixture.submit("\"dependencies\": [\"afterany:%d_5\"]".formatted(array))
                .expect(201)
                .json()
                .path("id")
                .asLong();
        fixture.verb(array, "cancel").expect(202);
        fixture.await(byId, StateName.FAILED);
        assertThat(fixture.job(byId).path("reason").asText()).isEqualTo("DEPENDENCY_FAILED");
        assertThat(sentence(byId))
                .startsWith("job %d_2 has ended CANCELLED, so that afterok:%d_2 cannot be met".formatted(array, array));
        assertThat(fixture.job(kept).path("reason").asText()).isNotEqualTo("DEPENDENCY");
        assertThat(fixture.submit("\"dependencies\": [\"afterok:%d_4\"]".formatted(array))
                        .expect(201)
                        .json()
                        .path("reason")
                        .asText())
                .as("of a task that never had its turn")
                .isEqualTo("DEPENDENCY_FAILED");
        assertThat(fixture.submit("\"dependencies\": [\"afterok:%d_8\"]".formatted(array))
                        .code())
                .isEqualTo("INVALID_FIELD");
    }
}
