package dev.berth.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.core.job.StateName;
import dev.berth.server.config.Settings;
import dev.berth.testclient.Answer;
import java.net.UnixDomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Several jobs in one submit: all of them, or none. */
class PipelinesApiTest {
    @TempDir
    private Path directory;

    @AutoClose
    private ServerFixture fixture;

    @BeforeEach
    void open() {
        fixture = new ServerFixture(directory);
    }

    private String job(String more) {
        return "{\"command\": [\"main.py\"], \"snapshot\": \"%s\"%s}"
                .formatted(fixture.snapshot(), more.isEmpty() ? "" : ", " + more);
    }

    private Answer submit(String... jobs) {
        return fixture.post("/api/v1/pipelines", "{\"jobs\": [" + String.join(", ", jobs) + "]}");
    }

    private int jobs() {
        return fixture.get("/api/v1/jobs?scope=all").json().path("jobs").size();
    }

    @Test
    void whatAllJobsTakeTogetherHasABound() {
        String job = "{\"command\": [\"true\"], \"sweep\": [\"a=0.1..0.5\"], \"sample\": 8000}";
        Answer refused = fixture.post(
                "/api/v1/pipelines", "{\"jobs\": [" + String.join(",", Collections.nCopies(40, job)) + "]}");
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.json().path("message").asText())
                .startsWith("jobs: '")
                .contains("of at most 4194304 in all");
    }

    @Test
    void jobsThatWaitForEachOtherAreAcceptedTogetherAndRunInOrder() {
        Answer answer = submit(
                job("\"name\": \"prepare\""),
                job("\"name\": \"train\", \"gpus\": 1, \"array\": \"0-1\", \"dependencies\": [\"afterok:#1\"]"),
                job("\"name\": \"report\", \"dependencies\": [\"afterok:#2\", \"afterany:#1\"]"));
        assertThat(answer.status()).as(answer.text()).isEqualTo(201);
        JsonNode accepted = answer.json().path("jobs");
        assertThat(accepted).hasSize(3);
        assertThat(answer.json().path("next").isNull()).isTrue();
        long prepare = accepted.get(0).path("id").asLong();
        long train = accepted.get(1).path("id").asLong();
        long report = accepted.get(2).path("id").asLong();
        assertThat(accepted.get(2).path("dependencies").toString())
                .contains("afterok:" + train)
                .contains("afterany:" + prepare);
        assertThat(fixture.job(train).path("reason").asText()).isEqualTo("DEPENDENCY");
        fixture.await(prepare, StateName.RUNNING);
        fixture.end(prepare, 0);
        fixture.await(train + 1, StateName.RUNNING);
        fixture.end(train + 1, 0);
        fixture.await(train + 2, StateName.RUNNING);
        fixture.end(train + 2, 0);
        fixture.await(report, StateName.RUNNING);
    }

    @Test
    void whereAFirstOneFailsThoseThatWaitForItFail() {
        JsonNode accepted = submit(
                        job(""),
                        job("\"dependencies\": [\"afterok:#1\"]"),
                        job("\"dependencies\": [\"afterok:#2\"], \"keepWaiting\": true"))
                .json()
                .path("jobs");
        long first = accepted.get(0).path("id").asLong();
        fixture.await(first, StateName.RUNNING);
        fixture.end(first, 3);
        fixture.await(accepted.get(1).path("id").asLong(), StateName.FAILED);
        fixture.awaitSentence(accepted.get(2).path("id").asLong(), "berth release");
    }

    @Test
    void aJobOfAPipelineMayWaitForOneThatIsThereAlready() {
        long there = fixture.running(4);
        Answer answer = submit(
                job("\"dependencies\": [\"afterok:%d\"]".formatted(there)), job("\"dependencies\": [\"afterok:#1\"]"));
        assertThat(answer.status()).as(answer.text()).isEqualTo(201);
        assertThat(answer.json().path("jobs").get(0).path("dependencies").get(0).asText())
                .isEqualTo("afterok:" + there);
    }

    /** What is wrong with the second of three jobs, the status, and what the refusal says. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"gpus\": 99|422|asks for 99 GPUs",
                "\"gpus\": -1|400|gpus: '-1'",
                "\"dependencies\": [\"afterok:#2\"]|400|must be one of afterok, afterany, afternotok with the number",
                "\"dependencies\": [\"afterok:#0\"]|400|afterok:#0",
                "\"dependencies\": [\"afterok:#9999999999\"]|400|afterok:#9999999999",
                "\"dependencies\": [\"after:#1\"]|400|after:#1",
                "\"dependencies\": [\"#1\"]|400|#1",
                "\"dependencies\": [\"afterok:#1#1\"]|400|afterok:#1#1",
                "\"dependencies\": [\"afterok:4711\"]|400|names job 4711, which is not there",
                "\"keepWaiting\": true|400|goes with jobs to wait for",
                "\"host\": true|400|must be jobs in containers",
                "\"name\": \"\"|400|name",
            })
    void whereOneIsRefusedNoneIsAccepted(String wrong, int status, String sentence) {
        Answer answer = submit(job(""), job(wrong), job(""));
        assertThat(answer.status()).as(answer.text()).isEqualTo(status);
        assertThat(answer.json().path("message").asText())
                .startsWith("job 2 of the request: ")
                .contains(sentence);
        assertThat(answer.json().path("details").path("job").asText()).isEqualTo("2");
        assertThat(jobs()).isZero();
    }

    @Test
    void aPipelineThatIsRepeatedMakesItsJobsOnce() {
        JsonNode first = keyed("k-1", job("")).expect(201).json().path("jobs");
        JsonNode again = keyed("k-1", job("")).expect(200).json().path("jobs");
        assertThat(first).hasSize(2);
        assertThat(again.get(0).path("id")).isEqualTo(first.get(0).path("id"));
        assertThat(again.get(1).path("id")).isEqualTo(first.get(1).path("id"));
        assertThat(keyed("k-1", job("\"gpus\": 1")).code()).isEqualTo("KEY_TAKEN");
        assertThat(jobs()).isEqualTo(2);
    }

    private Answer keyed(String key, String second) {
        byte[] body = "{\"jobs\": [%s, %s]}".formatted(job(""), second).getBytes(StandardCharsets.UTF_8);
        return Wire.ask(
                UnixDomainSocketAddress.of(fixture.socket()),
                "POST",
                "/api/v1/pipelines",
                body,
                "Idempotency-Key: " + key);
    }

    @Test
    void thereIsRoomForAllOrNone(@TempDir Path other) {
        try (ServerFixture small = new ServerFixture(other, Settings.of("jobs.max-queued-per-user=2"))) {
            String one = "{\"command\": [\"x\"], \"gpus\": 4}";
            String three = "{\"jobs\": [%s, %s, %s]}".formatted(one, one, one);
            Answer never = small.post("/api/v1/pipelines", three);
            assertThat(never.code()).isEqualTo("QUEUE_FULL");
            assertThat(never.message())
                    .isEqualTo("not accepted: it has 3 jobs, and this server lets 2 of one user wait"
                            + " (jobs.max-queued-per-user); submit fewer at a time");
            assertThat(never.header("retry-after")).isEmpty();
            assertThat(small.get("/api/v1/jobs?scope=all").json().path("jobs")).isEmpty();
            small.running(4);
            small.submitted(4);
            Answer notNow = small.post("/api/v1/pipelines", "{\"jobs\": [%s, %s]}".formatted(one, one));
            assertThat(notNow.message())
                    .startsWith("not accepted: 1 jobs of ")
                    .contains(" wait already, it has 2 more, and this server lets 2 of one user wait; cancel some");
            assertThat(notNow.header("retry-after")).isNotEmpty();
        }
    }

    @Test
    void whatNeverFitsIntoAUsersRoomIsToldSo(@TempDir Path other) {
        try (ServerFixture small =
                new ServerFixture(other, Settings.of("jobs.max-spec-bytes=8k", "jobs.max-queued-bytes-per-user=10k"))) {
            String half = "{\"command\": [\"x\", \"%s\"], \"gpus\": 4}".formatted("a".repeat(6_000));
            Answer never = small.post("/api/v1/pipelines", "{\"jobs\": [%s, %s]}".formatted(half, half));
            assertThat(never.code()).isEqualTo("QUEUE_FULL");
            assertThat(never.message())
                    .startsWith("not accepted: its commands, variables and options take 12")
                    .endsWith("and this server lets all jobs of one user take 10240 (jobs.max-queued-bytes-per-user),"
                            + " so that it never fits; put what is large into a file of the submitted directory, or"
                            + " submit fewer jobs at a time");
            assertThat(never.header("retry-after")).isEmpty();
            small.post("/api/v1/jobs", half).expect(201);
            Answer later = small.post("/api/v1/jobs", half);
            assertThat(later.message()).contains("cancel some jobs, submit again when some have run");
            assertThat(later.header("retry-after")).isNotEmpty();
        }
    }

    @Test
    void aJobWaitsForAnotherOnce() {
        Answer answer = submit(job(""), job("\"dependencies\": [\"afterok:#1\", \"afterok:#1\"]"));
        assertThat(answer.json().path("jobs").get(1).path("dependencies")).hasSize(1);
    }

    @Test
    void theJobsOfAPipelineCountTogetherWhereTheyWaitTaskByTask() {
        String array = job("\"array\": \"0-1\", \"begin\": \"2199-01-01T00:00:00Z\"");
        long others = fixture.post("/api/v1/jobs", array).json().path("id").asLong();
        long awaited = fixture.post("/api/v1/jobs", array).json().path("id").asLong();
        List<String> stages = new ArrayList<>();
        stages.add(job("\"dependencies\": [\"afterok:%d_0\"]".formatted(awaited)));
        stages.addAll(Collections.nCopies(
                16, job("\"array\": \"0-1\", \"dependencies\": [\"aftercorr:%d\"]".formatted(others))));
        stages.add(stages.getLast());
        Answer refused = submit(stages.toArray(String[]::new));
        assertThat(refused.status()).as(refused.text()).isEqualTo(422);
        assertThat(refused.message())
                .contains("job 18 of the request: ")
                .contains("the tasks of 16 arrays wait for those of array " + others)
                .contains(", with those of the jobs before it in the request");
        assertThat(jobs()).isEqualTo(2);
        assertThat(fixture.job(awaited).path("tasks").path("waiting").asText())
                .as("nothing was changed")
                .isEqualTo("0-1");
        stages.removeLast();
        submit(stages.toArray(String[]::new)).expect(201);
    }

    @Test
    void theJobsThatAPipelineWaitsForAreBounded() {
        String dependencies = IntStream.rangeClosed(1, 12)
                .mapToObj(number -> "\"afterok:#" + number + "\"")
                .collect(Collectors.joining(", "));
        List<String> stages = new ArrayList<>(Collections.nCopies(16, job("")));
        stages.addAll(Collections.nCopies(84, job("\"dependencies\": [" + dependencies + "]")));
        JsonNode refused =
                submit(stages.toArray(String[]::new)).expect(400).json().path("details");
        assertThat(refused.path("field").asText()).isEqualTo("jobs");
        assertThat(refused.path("value").asText()).isEqualTo("1008 dependencies");
        assertThat(refused.path("rule").asText()).isEqualTo("must be at most 1000 of all jobs together");
        assertThat(jobs()).isZero();
        submit(stages.subList(0, 99).toArray(String[]::new)).expect(201);
    }

    @Test
    void aListIsBounded() {
        assertThat(submit().json().path("details").path("rule").asText()).isEqualTo("must be a list of 1 to 100 jobs");
        assertThat(submit(Collections.nCopies(101, job("")).toArray(String[]::new))
                        .status())
                .isEqualTo(400);
        assertThat(fixture.post("/api/v1/pipelines", "{}").status()).isEqualTo(400);
        assertThat(fixture.post("/api/v1/pipelines", "{\"jobs\": [null]}").status())
                .isEqualTo(400);
        assertThat(jobs()).isZero();
        assertThat(submit(Collections.nCopies(100, job("")).toArray(String[]::new))
                        .status())
                .isEqualTo(201);
        assertThat(fixture.get("/api/v1/jobs?scope=all&limit=200").json().path("jobs"))
                .hasSize(100);
    }
}
