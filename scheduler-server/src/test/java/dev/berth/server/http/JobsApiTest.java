package dev.berth.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.core.job.Job;
import dev.berth.core.job.StateName;
import dev.berth.core.machine.QueueRules;
import dev.berth.server.example.Draft;
import dev.berth.server.example.Jobs;
import dev.berth.server.gpu.SimulatedGpus;
import dev.berth.server.log.LogSink;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.store.JobStore;
import dev.berth.testclient.Answer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code /jobs} over a real socket: submit, list, look, explain, cancel. */
@Timeout(60)
class JobsApiTest {
    @TempDir
    private Path directory;

    @AutoClose
    private ServerFixture fixture;

    @BeforeEach
    void open() {
        fixture = new ServerFixture(directory);
    }

    private static String uuid(int index) {
        return SimulatedGpus.of(4).get(index).id().uuid();
    }

    private List<Long> ids(String query) {
        return ids(fixture.get("/api/v1/jobs" + query).json());
    }

    private static List<Long> ids(JsonNode page) {
        List<Long> ids = new ArrayList<>();
        page.path("jobs").forEach(job -> ids.add(job.path("id").asLong()));
        return ids;
    }

    @Test
    void whatWasSubmittedIsAnsweredInFull() {
        String snapshot = fixture.snapshot();
        Answer answer = fixture.post("/api/v1/jobs", """
                {"name": "train", "project": "ships", "command": ["main.py", "--lr", "0.1"], "snapshot": "%s",
                 "gpus": 2, "environment": {"TOKEN": "hush", "A": ""}, "timeLimitSeconds": 3600}""".formatted(snapshot));
        assertThat(answer.status()).isEqualTo(201);
        assertThat(answer.headers()).containsEntry("content-type", "application/json");
        JsonNode job = answer.json();
        assertThat(job.path("id").asLong()).isEqualTo(1);
        assertThat(job.path("name").asText()).isEqualTo("train");
        assertThat(job.path("project").asText()).isEqualTo("ships");
        assertThat(job.path("user").asText()).isEqualTo(System.getProperty("user.name"));
        assertThat(job.path("command").toString()).isEqualTo("[\"python3\",\"main.py\",\"--lr\",\"0.1\"]");
        assertThat(job.path("image").asText()).isEqualTo(ServerFixture.IMAGE);
        assertThat(job.path("snapshot").asText()).isEqualTo(snapshot);
        assertThat(job.path("gpus").asInt()).isEqualTo(2);
        assertThat(job.path("timeLimitSeconds").asLong()).isEqualTo(3_600);
        assertThat(job.path("environment").toString()).isEqualTo("[\"A\",\"TOKEN\"]");
        assertThat(answer.text()).doesNotContain("hush");
        assertThat(job.path("outputDirectory").asText())
                .isEqualTo(directory.resolve("users/0/output/1").toString());
        assertThat(job.path("state").asText()).isEqualTo("QUEUED");
        assertThat(job.path("attempt").asInt()).isZero();
    }

    @Test
    void aJobWithoutWishesGetsTheUsualOnes() {
        Answer answer = fixture.post(
                "/api/v1/jobs", "{\"command\": [\"/bin/tool\"], \"snapshot\": \"" + fixture.snapshot() + "\"}");
        JsonNode job = answer.json();
        assertThat(job.path("name").asText()).isEqualTo("tool");
        assertThat(job.path("project").asText()).isEqualTo("default");
        assertThat(job.path("gpus").asInt()).isZero();
        assertThat(job.path("command").toString()).isEqualTo("[\"/bin/tool\"]");
        assertThat(job.path("timeLimitSeconds").isNull()).isTrue();
        assertThat(job.path("environment")).isEmpty();
    }

    @Test
    void aJobIsSeenThroughItsWholeLife() {
        long id = fixture.running(2);
        JsonNode running = fixture.job(id);
        assertThat(running.path("state").asText()).isEqualTo("RUNNING");
        assertThat(running.path("sentence").asText()).isEqualTo("runs on GPUs 0, 1");
        assertThat(running.path("reason").isNull()).isTrue();
        assertThat(running.path("gpuUuids").toString()).isEqualTo("[\"%s\",\"%s\"]".formatted(uuid(0), uuid(1)));
        assertThat(running.path("gpuIndices").toString()).isEqualTo("[\"0\",\"1\"]");
        assertThat(running.path("attempt").asInt()).isEqualTo(1);
        assertThat(running.path("startedAt").asText()).isNotEmpty();
        assertThat(running.path("endedAt").isNull()).isTrue();
        assertThat(running.path("position").isNull()).isTrue();
        assertThat(fixture.engine().plan(fixture.container(id)).environment())
                .containsEntry("NVIDIA_VISIBLE_DEVICES", uuid(0) + "," + uuid(1));

        fixture.end(id, 3);
        fixture.await(id, StateName.FAILED);
        JsonNode ended = fixture.job(id);
        assertThat(ended.path("reason").asText()).isEqualTo("EXITED_NONZERO");
        assertThat(ended.path("sentence").asText()).isEqualTo("the program ended with exit code 3");
        assertThat(ended.path("exitCode").asInt()).isEqualTo(3);
        assertThat(ended.path("gpuUuids").toString())
                .as("those it held last")
                .isEqualTo(running.path("gpuUuids").toString());
        assertThat(ended.path("endedAt").asText()).isNotEmpty();
    }

    /** What a program writes last is part of the sentence, in each view, and after a restart. */
    @Test
    void aJobThatFailedTellsItsProgramsLastWords() {
        long id = fixture.running(2);
        fixture.print(id, LogSink.Stream.ERR, "Traceback:\nValueError: no \"such\" \u001b[31mfile\u202e\n\n");
        fixture.print(id, LogSink.Stream.OUT, "bye\n");
        fixture.end(id, 3);
        fixture.await(id, StateName.FAILED);
        String sentence = "the program ended with exit code 3; the last line of its stderr: \"ValueError: no"
                + " \\\"such\\\" \\x1b[31mfile\\u202e\"";
        assertThat(fixture.job(id).path("sentence").asText()).isEqualTo(sentence);
        assertThat(fixture.job(id).path("reason").asText()).isEqualTo("EXITED_NONZERO");
        assertThat(fixture.job(id).path("details").isNull()).isTrue();
        assertThat(fixture.get("/api/v1/jobs/" + id + "/explanation")
                        .json()
                        .path("sentence")
                        .asText())
                .isEqualTo(sentence);
        assertThat(fixture.get("/api/v1/jobs?scope=all")
                        .json()
                        .path("jobs")
                        .path(0)
                        .path("sentence")
                        .asText())
                .isEqualTo(sentence);
        fixture.close();
        fixture = new ServerFixture(directory);
        assertThat(fixture.job(id).path("sentence").asText()).isEqualTo(sentence);
    }

    @Test
    void whatTheEngineSaysIsASentenceWithAllOfItBehind() {
        String way = "failed to create task for container: failed to create shim task: OCI runtime create failed: runc"
                + " create failed: unable to start container process: ";
        fixture.engine().strikeWith((call, done) -> {
            if (call.equals("create") && !done) {
                throw new EngineException(Kind.REFUSED, way + "exec: \"x\": permission denied: unknown");
            }
        });
        long id = fixture.submitted(1);
        fixture.await(id, StateName.FAILED);
        JsonNode job = fixture.job(id);
        assertThat(job.path("reason").asText()).isEqualTo("START_FAILED");
        assertThat(job.path("sentence").asText())
                .isEqualTo("the container could not be started: exec: \"x\": permission denied");
        assertThat(job.path("details").asText())
                .isEqualTo("the container could not be started: " + way + "exec: \"x\": permission denied: unknown");
        JsonNode drain = fixture.post("/api/v1/gpus/0/drain", "{\"reason\":\"" + way + "no device: unknown\"}")
                .json()
                .path("drain");
        assertThat(drain.path("reason").asText()).isEqualTo("no device");
        assertThat(drain.path("details").asText()).isEqualTo(way + "no device: unknown");
    }

    @Test
    void whatAProgramThatDidItsWorkWroteIsNoPartOfTheSentence() {
        long id = fixture.running(1);
        fixture.print(id, LogSink.Stream.ERR, "a warning\n");
        fixture.end(id, 0);
        fixture.await(id, StateName.COMPLETED);
        assertThat(fixture.job(id).path("sentence").asText()).isEqualTo("the program ended with exit code 0");
    }

    /** A command that cannot run in what was submitted, and the rule. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "run.sh             | has no / in it, so that it is looked for in the image's PATH",
                "./run2.sh          | has no run bit",
                "python3 train.py   | is one word with blanks in it",
                "trian.py           | is not a file in the directory; did you mean train.py?",
                "./trian.sh         | is not a file in the directory",
            })
    void aCommandThatCannotRunIsRefused(String word, String rule) {
        String snapshot = fixture.snapshot(new Draft()
                .file("train.py", "")
                .file("run.sh", "", 0755)
                .file("run2.sh", "")
                .directory("data"));
        Answer answer = fixture.post("/api/v1/jobs", """
                {"command": ["%s"], "snapshot": "%s"}""".formatted(word, snapshot));
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.message()).startsWith("command: '" + word + "' " + rule);
        Answer dry = fixture.post("/api/v1/jobs?dryRun=true", """
                {"command": ["%s"], "snapshot": "%s"}""".formatted(word, snapshot));
        assertThat(dry.message()).isEqualTo(answer.message());
        assertThat(fixture.get("/api/v1/jobs?scope=all").json().path("jobs")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"train.py", "./run.sh", "/opt/run.sh", "data", "tool"})
    void aCommandThatMayRunIsAccepted(String word) {
        String snapshot = fixture.snapshot(
                new Draft().file("train.py", "").file("run.sh", "", 0755).directory("data"));
        assertThat(fixture.post("/api/v1/jobs", """
                {"command": ["%s"], "snapshot": "%s"}""".formatted(word, snapshot)).status())
                .isEqualTo(201);
    }

    /** A server on other GPUs shows it. */
    @Test
    void cardsThatThisServerDoesNotGiveOutAreOthers() {
        fixture.close();
        Job ran = Jobs.running(1, 0, 9);
        try (JobStore store = new JobStore(directory.resolve("berth.db"))) {
            store.write(Jobs.upTo(ran));
            store.write(List.of(Jobs.advance(ran, Jobs.completed())));
            store.commit();
        }
        fixture = new ServerFixture(directory);
        JsonNode ended = fixture.job(1);
        assertThat(ended.path("gpuUuids").toString())
                .isEqualTo("[\"%s\",\"%s\"]"
                        .formatted(Jobs.gpu(0).uuid(), Jobs.gpu(9).uuid()));
        assertThat(ended.path("gpuIndices").toString()).isEqualTo("[\"0\",\"other\"]");
    }

    /** One answer comes from memory, the other from the disk. */
    @Test
    void timesAreTheSameWhereverTheyAreReadFrom() {
        JsonNode accepted = fixture.submit(1);
        long id = accepted.path("id").asLong();
        assertThat(fixture.job(id).path("submittedAt").asText())
                .isEqualTo(accepted.path("submittedAt").asText());
        fixture.await(id, StateName.RUNNING);
        String startedAt = fixture.job(id).path("startedAt").asText();
        Answer cancelled = fixture.post("/api/v1/jobs/" + id + "/cancel", "");
        assertThat(cancelled.json().path("startedAt").asText()).isEqualTo(startedAt);
    }

    @Test
    void aJobThatWaitsTellsForWhomAndAtWhichPlace() {
        long first = fixture.running(3);
        long second = fixture.submitted(2);
        long third = fixture.submitted(1);
        JsonNode head = awaitReason(second, "AT_HEAD_WAITING_FOR_GPUS");
        assertThat(head.path("position").asInt()).isEqualTo(1);
        assertThat(head.path("sentence").asText())
                .isEqualTo("first in the queue; waits for 2 GPUs: 1 of 4 free, job " + first + " has 3");
        JsonNode behind = fixture.job(third);
        assertThat(behind.path("position").asInt()).isEqualTo(2);
        assertThat(behind.path("reason").asText()).isEqualTo("BEHIND_HEAD");
        assertThat(behind.path("sentence").asText())
                .isEqualTo("one job is ahead of it; job " + second + " is first and waits for 2 GPUs: 1 of 4 free, job "
                        + first + " has 3");
        JsonNode explanation =
                fixture.get("/api/v1/jobs/" + third + "/explanation").json();
        assertThat(explanation.path("reason").asText()).isEqualTo("BEHIND_HEAD");
        assertThat(explanation.path("sentence").asText())
                .isEqualTo(behind.path("sentence").asText());
        assertThat(explanation.path("position").asInt()).isEqualTo(2);
        assertThat(explanation.path("since").asText()).isNotEmpty();
        assertThat(explanation.path("ahead").toString())
                .isEqualTo("[{\"job\":%d,\"user\":\"root\",\"gpus\":2,\"gpuMilli\":2000,\"number\":\"%d\"}]"
                        .formatted(second, second));
        assertThat(explanation.path("holders").path(0).path("job").asLong()).isEqualTo(first);
        assertThat(explanation.path("holders").path(0).path("gpus").asInt()).isEqualTo(3);
        assertThat(explanation.path("holders").path(0).path("until").isNull()).isTrue();
        fixture.end(first, 0);
        fixture.await(second, StateName.RUNNING);
        fixture.await(third, StateName.RUNNING);
    }

    /** Where nobody is held up by it, holding it helps nobody. */
    @Test
    void aJobThatLetsOthersByHearsWhatBringsItsOwnImage() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        Path other = Files.createDirectory(directory.resolve("passing"));
        try (ServerFixture passing = new ServerFixture(other, new QueueRules(true, false, false))) {
            passing.engine().withPullable("far").strikeWith((call, done) -> {
                if (call.equals("pull") && done) {
                    begun.countDown();
                    await(over);
                }
            });
            long running = passing.running(4);
            long pulling = passing.post("/api/v1/jobs", "{\"command\": [\"x\"], \"image\": \"far\", \"gpus\": 4}")
                    .json()
                    .path("id")
                    .asLong();
            long behind = passing.submitted(4);
            passing.awaitSentence(behind, "waits for 4 GPUs");
            await(begun);
            assertThat(passing.get("/api/v1/jobs/" + pulling + "/explanation")
                            .json()
                            .path("help")
                            .asText())
                    .isEqualTo(
                            "berth hold %1$d gives the pull up, until berth release %1$d, which takes at once what was"
                                            .formatted(pulling)
                                    + " pulled or built here by hand (docker pull)");
            assertThat(passing.get("/api/v1/jobs/" + behind + "/explanation")
                            .json()
                            .path("help")
                            .isNull())
                    .isTrue();
            passing.end(running, 0);
            passing.await(behind, StateName.RUNNING);
            over.countDown();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(ServerFixture.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Nothing else happens: no turn of the loop reads the clock. */
    @Test
    void theEndOfATimeLimitIsADateOfNowWhereTheDateWasSet() {
        JsonNode first = fixture.post(
                        "/api/v1/jobs",
                        "{\"command\": [\"x\"], \"snapshot\": \"%s\", \"gpus\": 3, \"timeLimitSeconds\": 3600}"
                                .formatted(fixture.snapshot()))
                .json();
        fixture.await(first.path("id").asLong(), StateName.RUNNING);
        long second = fixture.submitted(2);
        awaitReason(second, "AT_HEAD_WAITING_FOR_GPUS");
        Instant until = until(second);
        Instant latest = Instant.parse(fixture.job(second).path("latestStart").asText());
        fixture.ahead = Duration.ofHours(-10);
        assertThat(until(second)).isBefore(until.minus(Duration.ofHours(9)));
        assertThat(Instant.parse(fixture.job(second).path("latestStart").asText()))
                .isBefore(latest.minus(Duration.ofHours(9)));
    }

    private Instant until(long job) {
        JsonNode explanation =
                fixture.get("/api/v1/jobs/" + job + "/explanation").json();
        return Instant.parse(explanation.path("holders").path(0).path("until").asText());
    }

    /** The image is looked for on another thread; until it is found, that is what the job waits for. */
    private JsonNode awaitReason(long id, String reason) {
        try {
            long seen = fixture.scheduling().changes().count();
            JsonNode job = fixture.job(id);
            while (!job.path("reason").asText().equals(reason)) {
                assertThat(fixture.scheduling().changes().awaitBeyond(seen, Duration.ofSeconds(30)))
                        .as("%s", job)
                        .isTrue();
                seen = fixture.scheduling().changes().count();
                job = fixture.job(id);
            }
            return job;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    @Test
    void aJobThatWaitsIsCancelledAtOnceAndNeverStarts() {
        long first = fixture.running(4);
        long second = fixture.submitted(1);
        Answer answer = fixture.post("/api/v1/jobs/" + second + "/cancel", "");
        assertThat(answer.status()).isEqualTo(202);
        assertThat(answer.json().path("state").asText()).isEqualTo("CANCELLED");
        assertThat(answer.json().path("sentence").asText()).isEqualTo("cancelled by root before it started");
        fixture.end(first, 0);
        fixture.await(first, StateName.COMPLETED);
        assertThat(fixture.engine().startedEver()).containsExactly(fixture.container(first));
    }

    @Test
    void aJobThatRunsIsStopped() {
        long id = fixture.running(1);
        Answer answer = fixture.post("/api/v1/jobs/" + id + "/cancel", "{\"not\": \"looked at\"}");
        assertThat(answer.status()).isEqualTo(202);
        assertThat(answer.json().path("state").asText()).isEqualTo("STOPPING");
        fixture.await(id, StateName.CANCELLED);
        assertThat(fixture.job(id).path("exitCode").asInt()).isEqualTo(143);
    }

    @Test
    void aJobThatIsOverCannotBeCancelled() {
        long id = fixture.running(1);
        fixture.end(id, 0);
        fixture.await(id, StateName.COMPLETED);
        Answer answer = fixture.post("/api/v1/jobs/" + id + "/cancel", "");
        assertThat(answer.status()).isEqualTo(409);
        assertThat(answer.code()).isEqualTo("JOB_ENDED");
        assertThat(answer.message()).isEqualTo("job 1 is over already: COMPLETED");
    }

    @Test
    void activeJobsAreThoseThatRunAndThenThoseThatWait() {
        long ended = fixture.running(1);
        fixture.end(ended, 0);
        fixture.await(ended, StateName.COMPLETED);
        long running = fixture.running(4);
        long waiting = fixture.submitted(1);
        assertThat(ids("")).containsExactly(running, waiting);
        assertThat(ids("?scope=active")).containsExactly(running, waiting);
        assertThat(ids("?scope=all")).containsExactly(waiting, running, ended);
        assertThat(ids("?state=COMPLETED")).containsExactly(ended);
        assertThat(ids("?scope=all&state=COMPLETED,RUNNING")).containsExactly(running, ended);
        assertThat(ids("?state=LOST")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void pagesHoldEachJobOnceAndTheLastOneSaysThatItIsTheLast(int limit) {
        long running = fixture.running(4);
        List<Long> waiting =
                IntStream.range(0, 6).mapToObj(_ -> fixture.submitted(1)).toList();
        List<Long> all = new ArrayList<>(waiting.reversed());
        all.add(running);
        assertThat(walk("?scope=all&limit=" + limit, limit, 7)).isEqualTo(all);

        List<Long> active = new ArrayList<>(List.of(running));
        active.addAll(waiting);
        assertThat(walk("?limit=" + limit, limit, 6)).isEqualTo(active);
    }

    private List<Long> walk(String query, int limit, int total) {
        List<Long> walked = new ArrayList<>();
        int pages = 0;
        JsonNode page = fixture.get("/api/v1/jobs" + query).json();
        while (true) {
            pages++;
            assertThat(walked).doesNotContainAnyElementsOf(ids(page));
            walked.addAll(ids(page));
            if (page.path("next").isNull()) {
                assertThat(pages).as("no page is empty").isEqualTo((total + limit - 1) / limit);
                return walked;
            }
            page = fixture.get("/api/v1/jobs" + query + "&cursor="
                            + page.path("next").asText())
                    .json();
        }
    }

    @Test
    void placesInALongQueueAreCountedRightAlsoBehindWhatIsHeldInMemory() {
        fixture.running(4);
        String snapshot = fixture.snapshot();
        int waiting = 300;
        for (int i = 0; i < waiting; i++) {
            fixture.post("/api/v1/jobs", "{\"command\": [\"x\"], \"snapshot\": \"" + snapshot + "\", \"gpus\": 1}");
        }
        JsonNode page = fixture.get("/api/v1/jobs?limit=1000").json();
        List<Integer> positions = new ArrayList<>();
        page.path("jobs").forEach(job -> positions.add(job.path("position").asInt()));
        assertThat(positions)
                .isEqualTo(IntStream.rangeClosed(0, waiting).boxed().toList());
        List<Integer> backwards = new ArrayList<>();
        fixture.get("/api/v1/jobs?scope=all&limit=1000")
                .json()
                .path("jobs")
                .forEach(job -> backwards.add(job.path("position").asInt()));
        assertThat(backwards).isEqualTo(positions.reversed());
        assertThat(fixture.job(waiting + 1L).path("position").asInt()).isEqualTo(waiting);
    }

    @Test
    void placesAreCountedInEachQueueByItself() throws IOException {
        try (ServerFixture twoQueues = new ServerFixture(Files.createDirectory(directory.resolve("two")), 0, 1)) {
            twoQueues.running(4);
            twoQueues.running(0);
            String snapshot = twoQueues.snapshot();
            List<Integer> expected = new ArrayList<>(List.of(0, 0));
            for (int i = 0; i < 600; i++) {
                twoQueues.post("/api/v1/jobs", """
                        {"command": ["x"], "snapshot": "%s", "gpus": %d}""".formatted(snapshot, i % 3 == 0 ? 0 : 1));
                expected.add(i % 3 == 0 ? i / 3 + 1 : i - i / 3);
            }
            List<Integer> positions = new ArrayList<>();
            twoQueues
                    .get("/api/v1/jobs?limit=1000")
                    .json()
                    .path("jobs")
                    .forEach(job -> positions.add(job.path("position").asInt()));
            assertThat(positions).isEqualTo(expected);
            assertThat(twoQueues.job(602).path("position").asInt()).isEqualTo(expected.getLast());
        }
    }

    @Test
    void aJobThatCanNeverFitIsRefusedWithTheNumbersAndLeavesNoTrace() {
        Answer answer = fixture.post("/api/v1/jobs", """
                {"command": ["x"], "snapshot": "%s", "gpus": 5}""".formatted(fixture.snapshot()));
        assertThat(answer.status()).isEqualTo(422);
        assertThat(answer.code()).isEqualTo("NEVER_FITS");
        assertThat(answer.message())
                .isEqualTo("not accepted: it asks for 5 GPUs, but this server has 4; ask for at most 4");
        assertThat(ids("?scope=all")).isEmpty();
        assertThat(fixture.submitted(4)).isEqualTo(1);
    }

    @Test
    void aNameMeansOnesOwnJobsWhereNoUserIsNamed() {
        long theirs = fixture.submitted("nobody", "sweep", 0);
        assertThat(ids(fixture.get("/api/v1/jobs?scope=all&name=sweep").json())).isEmpty();
        assertThat(ids(fixture.get("/api/v1/jobs?scope=all&own=true").json())).isEmpty();
        assertThat(ids(fixture.get("/api/v1/jobs?name=sweep&scope=all&user=nobody")
                        .json()))
                .containsExactly(theirs);
        assertThat(ids(fixture.get("/api/v1/jobs?scope=all").json())).containsExactly(theirs);
        Answer refused = fixture.get("/api/v1/jobs?own=true&user=nobody");
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.message()).isEqualTo("own: 'true' and user exclude each other; give one");
    }
}
