package dev.berth.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.core.job.StateName;
import dev.berth.testclient.Answer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jobs that wait for others, or for a date: from the request to the end, as users see them. */
class PrerequisitesApiTest {
    @TempDir
    private Path directory;

    @AutoClose
    private ServerFixture fixture;

    @BeforeEach
    void open() {
        fixture = new ServerFixture(directory);
    }

    private Answer submit(int gpus, String options) {
        return fixture.post(
                "/api/v1/jobs",
                "{\"command\": [\"main.py\"], \"snapshot\": \"%s\", \"gpus\": %d, %s}"
                        .formatted(fixture.snapshot(), gpus, options));
    }

    private long waiting(int gpus, String options) {
        Answer answer = submit(gpus, options);
        assertThat(answer.status()).as(answer.text()).isEqualTo(201);
        return answer.json().path("id").asLong();
    }

    @Test
    void aJobThatWaitsSaysForWhatAndIsPassedAndThenFirst() {
        long first = fixture.running(4);
        long after = waiting(4, "\"dependencies\": [\"afterok:%d\"]".formatted(first));
        long next = fixture.submitted(4);
        JsonNode job = fixture.job(after);
        assertThat(job.path("state").asText()).isEqualTo("QUEUED");
        assertThat(job.path("reason").asText()).isEqualTo("DEPENDENCY");
        assertThat(job.path("sentence").asText())
                .isEqualTo("waits for the end of job %d (afterok:%d); it keeps its place and holds nobody up"
                        .formatted(first, first));
        assertThat(job.path("position").isNull()).isTrue();
        assertThat(job.path("dependencies").get(0).asText()).isEqualTo("afterok:" + first);
        assertThat(fixture.job(next).path("position").asInt()).isEqualTo(1);
        JsonNode explanation =
                fixture.get("/api/v1/jobs/" + after + "/explanation").json();
        assertThat(explanation.path("reason").asText()).isEqualTo("DEPENDENCY");

        fixture.end(first, 0);
        fixture.await(after, StateName.RUNNING);
        assertThat(fixture.job(next).path("state").asText()).isEqualTo("QUEUED");
        fixture.end(after, 0);
        fixture.await(next, StateName.RUNNING);
    }

    @Test
    void whatCannotBeMetEndsItWithASentence() {
        long first = fixture.running(4);
        long after = waiting(1, "\"dependencies\": [\"afterok:%d\"]".formatted(first));
        long last = waiting(1, "\"dependencies\": [\"afterok:%d\"]".formatted(after));
        long cleanup = waiting(1, "\"dependencies\": [\"afternotok:%d\"]".formatted(first));
        fixture.end(first, 3);
        fixture.await(last, StateName.FAILED);
        JsonNode job = fixture.job(after);
        assertThat(job.path("reason").asText()).isEqualTo("DEPENDENCY_FAILED");
        assertThat(job.path("sentence").asText())
                .isEqualTo(
                        "job %d has ended FAILED, so that afterok:%d cannot be met; berth resubmit %d queues it anew, waiting for nothing"
                                .formatted(first, first, after));
        assertThat(job.path("attempt").asInt()).isZero();
        fixture.await(cleanup, StateName.RUNNING);

        Answer late = submit(1, "\"dependencies\": [\"afterok:%d\"]".formatted(first));
        assertThat(late.status()).isEqualTo(201);
        assertThat(late.json().path("reason").asText()).isEqualTo("DEPENDENCY_FAILED");
        Answer again = fixture.post("/api/v1/jobs/" + after + "/resubmit", "");
        assertThat(again.json().path("dependencies")).isEmpty();
        fixture.await(again.json().path("id").asLong(), StateName.RUNNING);
    }

    @Test
    void whoKeepsWaitingIsReleasedByHand() {
        long first = fixture.running(4);
        long after = waiting(1, "\"dependencies\": [\"afterok:%d\"], \"keepWaiting\": true".formatted(first));
        fixture.end(first, 3);
        fixture.awaitSentence(after, "berth release " + after + " lets it go on");
        fixture.post("/api/v1/jobs/" + after + "/release", "");
        fixture.await(after, StateName.RUNNING);
    }

    @Test
    void aDateIsShownWithItsZoneAndWaitedFor() {
        Instant soon = Instant.now().plus(Duration.ofMillis(700));
        long later = waiting(1, "\"begin\": \"%s\"".formatted(Instant.now().plus(Duration.ofDays(1))));
        long next = waiting(1, "\"begin\": \"%s\"".formatted(soon));
        JsonNode job = fixture.job(later);
        assertThat(job.path("reason").asText()).isEqualTo("BEGIN_TIME");
        assertThat(job.path("sentence").asText())
                .startsWith("does not start before ")
                .contains(" (");
        assertThat(job.path("latestStart").isNull()).isTrue();
        fixture.await(next, StateName.RUNNING);
        assertThat(Instant.parse(fixture.job(next).path("startedAt").asText())).isAfterOrEqualTo(soon);
        assertThat(fixture.job(later).path("state").asText()).isEqualTo("QUEUED");
    }

    @Test
    void theyAreListedAndCountedAsQueued() {
        long first = fixture.running(4);
        long after = waiting(1, "\"dependencies\": [\"afterok:%d\"]".formatted(first));
        assertThat(fixture.get("/api/v1/jobs?state=QUEUED&scope=all")
                        .json()
                        .path("jobs")
                        .findValuesAsText("id"))
                .contains(Long.toString(after));
        fixture.post("/api/v1/jobs/" + after + "/hold", "");
        assertThat(fixture.job(after).path("sentence").asText())
                .contains("held by root", "after that it waits for the end of job");
        fixture.post("/api/v1/jobs/" + after + "/release", "");
        assertThat(fixture.job(after).path("reason").asText()).isEqualTo("DEPENDENCY");
    }
}
