package dev.berth.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.core.job.JobId;
import dev.berth.core.job.StateName;
import dev.berth.testclient.Answer;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Jobs that are retried, from the request to the end, as users see them. */
@Timeout(120)
class RetriesApiTest {
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

    private long submit(String fields) {
        return fixture.post(
                        "/api/v1/jobs",
                        "{\"command\": [\"main.py\"], \"snapshot\": \"%s\", %s}".formatted(fixture.snapshot(), fields))
                .expect(201)
                .json()
                .path("id")
                .asLong();
    }

    /** Ends an attempt once it runs. */
    private void end(long job, int attempt, int exitCode) {
        awaitAttempt(job, attempt);
        fixture.end(job, exitCode);
    }

    private void awaitAttempt(long job, int attempt) {
        fixture.await(
                "attempt " + attempt + " of job " + job,
                () -> fixture.queries()
                        .find(new JobId(job))
                        .filter(found -> found.state().name() == StateName.RUNNING)
                        .filter(found -> found.state().attempt() == attempt)
                        .isPresent());
    }

    @Test
    void eachAttemptIsKeptUnderOneNumber() {
        long job = submit("\"gpus\": 1, \"retries\": 2, \"retryOn\": [\"exit\"]");
        end(job, 1, 1);
        end(job, 2, 75);
        awaitAttempt(job, 3);
        JsonNode running = fixture.job(job);
        assertThat(running.path("retries").asInt()).isEqualTo(2);
        assertThat(running.path("retryOn").toString()).isEqualTo("[\"exit\"]");
        assertThat(running.path("attempt").asInt()).isEqualTo(3);
        assertThat(running.path("earlierAttempts")).hasSize(2);
        JsonNode first = running.path("earlierAttempts").path(0);
        assertThat(first.path("attempt").asInt()).isEqualTo(1);
        assertThat(first.path("state").asText()).isEqualTo("FAILED");
        assertThat(first.path("reason").asText()).isEqualTo("EXITED_NONZERO");
        assertThat(first.path("sentence").asText()).isEqualTo("the program ended with exit code 1");
        assertThat(first.path("exitCode").asInt()).isEqualTo(1);
        assertThat(first.path("retried").asBoolean()).isTrue();
        assertThat(first.path("gpuIndices").toString()).isEqualTo("[\"0\"]");
        assertThat(first.path("gpuUuids")).hasSize(1);
        assertThat(first.path("startedAt").isNull()).isFalse();
        assertThat(running.path("earlierAttempts").path(1).path("exitCode").asInt())
                .isEqualTo(75);

        fixture.end(job, 1);
        fixture.await(job, StateName.FAILED);
        JsonNode failed = fixture.job(job);
        assertThat(failed.path("sentence").asText()).startsWith("after 2 retries: the program ended with exit code 1");
        assertThat(failed.path("attempt").asInt()).isEqualTo(3);
        assertThat(failed.path("earlierAttempts")).hasSize(2);
        assertThat(fixture.get("/api/v1/jobs/" + job + "/events").expect(200).text())
                .contains(
                        "\"sentence\":\"FAILED: the program ended with exit code 1; retry 1 of 2\"",
                        "\"sentence\":\"FAILED: the program ended with exit code 75; retry 2 of 2\"");
        assertThat(fixture.get("/api/v1/jobs?state=FAILED")
                        .expect(200)
                        .json()
                        .path("jobs")
                        .path(0)
                        .path("earlierAttempts"))
                .as("in lists there are none")
                .isEmpty();
    }

    /** As if each attempt so far had run for an hour, at the next start of the server. */
    private void anHourEach() throws SQLException {
        fixture.close();
        try (Connection database = DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("berth.db"));
                Statement statement = database.createStatement()) {
            assertThat(statement.executeUpdate("UPDATE attempt SET ran_micros = 3600000000"))
                    .isPositive();
        }
        fixture = new ServerFixture(directory);
    }

    private long gpuSeconds(long job) {
        return fixture.job(job).path("usage").path("gpuSeconds").asLong();
    }

    @Test
    void theGpuHoursOfAJobAreThoseOfAllItsAttempts() throws SQLException {
        long job = submit("\"gpus\": 2, \"retries\": 2");
        end(job, 1, 1);
        end(job, 2, 1);
        end(job, 3, 0);
        fixture.await(job, StateName.COMPLETED);
        long waiting = submit("\"gpus\": 1, \"retries\": 1, \"retryDelay\": \"1h\"");
        end(waiting, 1, 1);
        fixture.await(waiting, StateName.QUEUED);
        long array = submit("\"gpus\": 2, \"retries\": 1, \"array\": \"0-1\", \"retryDelay\": \"1h\"");
        end(array + 1, 1, 1);
        end(array + 2, 1, 1);
        fixture.await(array + 2, StateName.QUEUED);

        anHourEach();
        assertThat(gpuSeconds(job)).as("of three, two of them for an hour").isBetween(14_400L, 14_700L);
        assertThat(gpuSeconds(array)).as("of an array's tasks").isEqualTo(14_400);
        assertThat(gpuSeconds(waiting)).as("between two").isEqualTo(3_600);
        Answer _ = fixture.post("/api/v1/jobs/" + waiting + "/cancel", "").expect(202);
        assertThat(gpuSeconds(waiting)).as("cancelled between two").isEqualTo(3_600);
    }

    @Test
    void aRetryThatWaitsSaysHowLongAndCanBeCancelled() {
        long job = submit("\"gpus\": 1, \"retries\": 3, \"retryDelay\": \"1h..4h\"");
        end(job, 1, 1);
        fixture.await(job, StateName.QUEUED);
        JsonNode waits = fixture.job(job);
        assertThat(waits.path("reason").asText()).isEqualTo("RETRY_DELAY");
        assertThat(waits.path("sentence").asText())
                .startsWith("attempt 1 failed; retry 1 of 3 may start from ")
                .endsWith("; it keeps its place and holds nobody up");
        assertThat(waits.path("retryDelay").asText()).isEqualTo("1h..4h");
        assertThat(waits.path("attempt").asInt()).isEqualTo(1);
        assertThat(waits.path("gpuIndices")).as("it holds none").isEmpty();
        assertThat(waits.path("earlierAttempts").path(0).path("gpuIndices").toString())
                .isEqualTo("[\"0\"]");
        JsonNode explained =
                fixture.get("/api/v1/jobs/" + job + "/explanation").expect(200).json();
        assertThat(explained.path("reason").asText()).isEqualTo("RETRY_DELAY");
        Answer _ = fixture.post("/api/v1/jobs/" + job + "/cancel", "").expect(202);
        JsonNode cancelled = fixture.job(job);
        assertThat(cancelled.path("sentence").asText()).endsWith(" before retry 1 of 3");
        assertThat(cancelled.path("state").asText()).isEqualTo("CANCELLED");
        assertThat(fixture.job(job).path("earlierAttempts")).hasSize(1);

        Answer _ = Wire.ask(UnixDomainSocketAddress.of(fixture.socket()), "DELETE", "/api/v1/jobs/" + job, new byte[0])
                .expect(200);
        assertThat(fixture.queries().attempts(new JobId(job)))
                .as("its attempts go with it")
                .isEmpty();
    }

    @Test
    void aRetryAtTheEndIsListedBehindThoseThatWaitAlready() {
        long job = submit("\"gpus\": 4, \"retries\": 1, \"retryPlace\": \"end\"");
        awaitAttempt(job, 1);
        long second = submit("\"gpus\": 4");
        long third = submit("\"gpus\": 4");
        fixture.end(job, 1);
        fixture.await(
                "the second job runs",
                () -> fixture.job(second).path("state").asText().equals("RUNNING"));
        long later = submit("\"gpus\": 4");
        assertThat(later).as("the number of its turn is nobody's").isEqualTo(third + 2);
        JsonNode list =
                fixture.get("/api/v1/jobs?active=true").expect(200).json().path("jobs");
        assertThat(list.findValuesAsText("number"))
                .containsExactly(Long.toString(second), Long.toString(third), Long.toString(job), Long.toString(later));
        assertThat(fixture.job(job).path("position").asInt()).isEqualTo(2);
        assertThat(fixture.job(later).path("position").asInt()).isEqualTo(3);
        assertThat(fixture.get("/api/v1/jobs?active=true&cursor=" + third)
                        .expect(200)
                        .json()
                        .path("jobs")
                        .findValuesAsText("number"))
                .containsExactly(Long.toString(job), Long.toString(later));
    }

    @Test
    void aResubmittedJobIsRetriedAsTheFirstWas() {
        long job = submit("\"retries\": 1, \"retryOn\": [\"code:75\"]");
        end(job, 1, 1);
        fixture.await(job, StateName.FAILED);
        JsonNode again = fixture.post("/api/v1/jobs/" + job + "/resubmit", "")
                .expect(201)
                .json();
        assertThat(again.path("retryOn").toString()).isEqualTo("[\"code:75\"]");
        assertThat(again.path("earlierAttempts")).isEmpty();
        long second = again.path("id").asLong();
        end(second, 1, 75);
        end(second, 2, 0);
        fixture.await(second, StateName.COMPLETED);
    }
}
