package dev.berth.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.core.job.JobId;
import dev.berth.core.job.StateName;
import dev.berth.core.machine.JobEvent.RunExited;
import dev.berth.server.example.Jobs;
import dev.berth.testclient.Answer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An array of five tasks in packs of two, on four GPUs: all its packs have their turn at once, and their tasks do not begin. */
class PacksApiTest {
    @TempDir
    private Path directory;

    private ServerFixture fixture;
    private long array;
    private long pack;

    @BeforeEach
    void open() {
        fixture = new ServerFixture(directory);
        array = fixture.submit("\"gpus\": 1, \"array\": \"0-4\", \"pack\": 2")
                .expect(201)
                .json()
                .path("id")
                .asLong();
        pack = running(array, "0-1");
        running(array, "2-3");
        running(array, "4");
    }

    /** Waits until the pack of these tasks, which need not be there yet, runs. */
    private long running(long of, String tasks) {
        return awaited(of, tasks, "\"state\":\"RUNNING\"");
    }

    /** Waits until what is told of the pack of these tasks, which need not be there yet, has the text. */
    private long awaited(long of, String tasks, String text) {
        String number = of + "_%5B" + tasks + "%5D";
        fixture.await(
                "pack " + number,
                () -> fixture.get("/api/v1/jobs/" + number).text().contains(text));
        return fixture.job(number).path("id").asLong();
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void aTaskIsToldOfWithItsPack() {
        JsonNode task = fixture.job(array + "_1");
        assertThat(task.path("state").asText()).isEqualTo("QUEUED");
        assertThat(task.path("reason").asText()).isEqualTo("IN_PACK");
        assertThat(task.path("sentence").asText())
                .matches("waits for its turn in the container of its pack, job " + array + "_\\[0-1] on GPU \\d");
        assertThat(task.path("packNumber").asText()).isEqualTo(array + "_[0-1]");
        assertThat(task.path("pack").asInt()).isEqualTo(2);
        assertThat(task.path("parallel").asInt()).isEqualTo(1);
        assertThat(task.path("gpuUuids")).isEmpty();
        assertThat(task.path("usage").isNull()).isTrue();
        assertThat(fixture.job(array).path("packNumber").isNull()).isTrue();
        JsonNode why = fixture.get("/api/v1/jobs/" + array + "_1/explanation")
                .expect(200)
                .json();
        assertThat(why.path("reason").asText()).isEqualTo("IN_PACK");
        assertThat(why.path("holders").findValuesAsText("number")).containsExactly(array + "_[0-1]");
    }

    @Test
    void aPackIsAJobInNoList() {
        String number = array + "_[0-1]";
        assertThat(fixture.job(pack).path("number").asText()).isEqualTo(number);
        assertThat(fixture.job(array + "_%5B0-1%5D").path("id").asLong()).isEqualTo(pack);
        assertThat(fixture.get("/api/v1/jobs/" + array + "_%5B0-2%5D").message())
                .startsWith("there is no job " + array + "_[0-2]");
        assertThat(fixture.listed("")).containsExactly(Long.toString(array));
        assertThat(fixture.listed("?scope=all")).containsExactly(Long.toString(array));
        assertThat(fixture.listed("?scope=all&state=RUNNING")).containsExactly(Long.toString(array));
        assertThat(fixture.listed("?tasks=true"))
                .containsExactly(
                        Long.toString(array), array + "_0", array + "_1", array + "_2", array + "_3", array + "_4");
        assertThat(fixture.get("/api/v1/gpus").expect(200).json().findValuesAsText("number"))
                .contains(number);
    }

    @Test
    void aPackGoesWithItsArrayAndHasNoOutput() {
        assertThat(fixture.delete(pack).code()).isEqualTo("JOB_NOT_ENDED");
        assertThat(fixture.get("/api/v1/jobs/" + pack + "/output").message())
                .contains("it is a pack, whose tasks have an output each; the first: berth get " + array + "_0");
        fixture.verb(array, "cancel").expect(202);
        fixture.await(pack, StateName.CANCELLED);
        assertThat(fixture.delete(pack).code()).isEqualTo("TASK_OF_ARRAY");
        JsonNode again = fixture.verb(pack, "resubmit").expect(201).json();
        assertThat(again.path("array").asText()).isEqualTo("0-1");
        assertThat(again.path("pack").asInt()).isEqualTo(2);
        assertThat(again.path("resubmitOf").asLong()).isEqualTo(array);
    }

    /** Its image went away between its turn and the start, and is pulled as long as the latch is closed. */
    private long waitingPack(CountDownLatch pulled) {
        fixture.engine().withPullable(ServerFixture.IMAGE).strikeWith((verb, done) -> {
            if (verb.equals("create") && !done && pulled.getCount() > 0) {
                fixture.engine().removeImage(ServerFixture.IMAGE);
            } else if (verb.equals("pull")) {
                closed(pulled);
            }
        });
        long other = fixture.submit("\"gpus\": 1, \"array\": \"0-1\", \"pack\": 2")
                .expect(201)
                .json()
                .path("id")
                .asLong();
        awaited(other, "0-1", "PULLING_IMAGE");
        return other;
    }

    /** Adds to a file of a task, as the script in the container of its pack does. */
    private void write(long task, String file, String text) throws IOException {
        try (Stream<Path> files = Files.find(
                directory, Integer.MAX_VALUE, (path, _) -> path.endsWith(Path.of(Long.toString(task), file)))) {
            Files.writeString(files.findFirst().orElseThrow(), text, StandardOpenOption.APPEND);
        }
    }

    @Test
    void theGpusOfAnAttemptInAPackAreThePacks() throws IOException {
        long other = fixture.submit("\"gpus\": 1, \"array\": \"0-1\", \"pack\": 2, \"retries\": 1")
                .expect(201)
                .json()
                .path("id")
                .asLong();
        long itsPack = running(other, "0-1");
        String held = fixture.job(itsPack).path("gpuIndices").toString();
        assertThat(fixture.job(other + "_0").path("gpuIndices"))
                .as("before it begins")
                .isEmpty();
        write(other + 1, "began", "began\n");
        fixture.await(other + 1, StateName.RUNNING);
        assertThat(fixture.job(other + "_0").path("gpuIndices").toString()).isEqualTo(held);

        write(other + 1, "ended", "exit 3\n");
        fixture.await(other + 1, StateName.QUEUED);
        JsonNode waits = fixture.job(other + "_0");
        assertThat(waits.path("gpuIndices")).as("it holds none while it waits").isEmpty();
        JsonNode first = waits.path("earlierAttempts").path(0);
        assertThat(first.path("exitCode").asInt()).isEqualTo(3);
        assertThat(first.path("packNumber").asText()).isEqualTo(other + "_[0-1]");
        assertThat(first.path("gpuIndices").toString()).isEqualTo(held);

        fixture.verb(other, "cancel").expect(202);
        fixture.await(other + 2, StateName.CANCELLED);
        assertThat(fixture.job(other + "_1").path("gpuIndices").toString())
                .as("it ended in its pack")
                .isEqualTo(held);
    }

    private static void closed(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void aPackThatWaitsIsHeldAndReleasedAsOne() {
        CountDownLatch pulled = new CountDownLatch(1);
        long other = waitingPack(pulled);
        String number = other + "_%5B0-1%5D";
        assertThat(fixture.verb(other + "_1", "hold").message())
                .isEqualTo("job %d_1 is one of pack %d_[0-1] and waits with that: berth hold '%d_[0-1]'"
                        .formatted(other, other, other));
        assertThat(fixture.verb(number, "hold").json().path("state").asText()).isEqualTo("HELD");
        assertThat(fixture.job(other + "_1").path("sentence").asText())
                .isEqualTo("waits for its turn in the container of its pack, job " + other + "_[0-1], which is held");
        Answer alone = fixture.verb(other + "_1", "release");
        assertThat(alone.code()).isEqualTo("TASK_OF_PACK");
        assertThat(alone.message()).endsWith(": berth release '" + other + "_[0-1]'");
        pulled.countDown();
        assertThat(fixture.verb(number, "release").json().path("state").asText())
                .isEqualTo("QUEUED");
        running(other, "0-1");
    }

    @Test
    void aPackThatHasHadItsTurnIsNotHeldAndNoTaskOfIts() {
        Answer whole = fixture.verb(pack, "hold");
        assertThat(whole.code()).isEqualTo("JOB_STARTED");
        assertThat(whole.message()).startsWith("job " + array + "_[0-1] is RUNNING");
        Answer one = fixture.verb(array + "_1", "hold");
        assertThat(one.code()).isEqualTo("JOB_STARTED");
        assertThat(one.message())
                .isEqualTo(
                        "job %d_1 is one of pack %d_[0-1], which has had its turn; only a job that waits can be held;"
                                        .formatted(array, array)
                                + " berth cancel " + array + "_1 keeps it from beginning");
        assertThat(fixture.verb(array + "_1", "release").status()).isEqualTo(202);
    }

    @Test
    void theFailedTasksOfAPackAreRunAgain() {
        fixture.scheduling()
                .request(new JobId(array + 1), new RunExited(1, 0, false, Jobs.STARTED, Jobs.STARTED))
                .join();
        fixture.verb(array, "cancel").expect(202);
        fixture.await(pack, StateName.CANCELLED);
        fixture.await(array + "_1", StateName.CANCELLED);
        JsonNode again = fixture.verb(pack, "resubmit?failed=true").expect(201).json();
        assertThat(again.path("array").asText()).isEqualTo("1");
        assertThat(again.path("resubmitOf").asLong()).isEqualTo(array);
        fixture.end(running(again.path("id").asLong(), "1"), 0);
        fixture.await(again.path("id").asText(), StateName.FAILED);
    }
}
