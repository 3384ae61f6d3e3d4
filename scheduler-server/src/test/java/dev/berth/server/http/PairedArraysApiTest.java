package dev.berth.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.StateName;
import dev.berth.testclient.Answer;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Arrays whose tasks wait for those of another, each for that of its index (aftercorr). */
@Timeout(120)
class PairedArraysApiTest {
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

    private Answer submit(String fields) {
        return fixture.submit("\"gpus\": 1, " + fields);
    }

    private long array(String fields) {
        return submit(fields).expect(201).json().path("id").asLong();
    }

    private static String after(long array, String tasks) {
        return "\"array\": \"%s\", \"dependencies\": [\"aftercorr:%d\"]".formatted(tasks, array);
    }

    private void end(long array, int index, int exitCode) {
        String task = array + "_" + index;
        fixture.await(task, StateName.RUNNING);
        fixture.end(fixture.job(task).path("id").asLong(), exitCode);
        fixture.await(task, exitCode == 0 ? StateName.COMPLETED : StateName.FAILED);
    }

    @Test
    void eachTaskGoesOnOnceThatOfItsIndexHasCompleted() {
        long first = array("\"array\": \"0-3\"");
        long then = array(after(first, "0-3%2"));
        long behind = array("\"name\": \"behind\"");
        assertThat(fixture.job(then).path("reason").asText()).isEqualTo("DEPENDENCY");
        assertThat(fixture.job(then).path("sentence").asText())
                .isEqualTo("waits with each of its tasks for that of the same index: job %d (aftercorr:%d);"
                                .formatted(first, first)
                        + " it keeps its place and holds nobody up");
        assertThat(fixture.get("/api/v1/jobs/" + then + "_1/explanation")
                        .json()
                        .path("sentence")
                        .asText())
                .isEqualTo("waits for the end of job %d_1 (afterok:%d_1); it keeps its place and holds nobody up"
                        .formatted(first, first));
        end(first, 2, 0);
        fixture.await(then + "_2", StateName.RUNNING);
        end(first, 1, 3);
        fixture.await(then + "_1", StateName.FAILED);
        assertThat(fixture.job(then + "_1").path("reason").asText()).isEqualTo("DEPENDENCY_FAILED");
        assertThat(fixture.job(then + "_1").path("sentence").asText())
                .startsWith("job %d_1 has ended FAILED, so that afterok:%d_1 cannot be met".formatted(first, first));
        assertThat(fixture.get("/api/v1/jobs/" + then + "_1/events").text())
                .contains("job %d_1 has ended FAILED".formatted(first));
        fixture.await(behind, StateName.RUNNING);
        assertThat(fixture.job(then).path("tasks").toString())
                .isEqualTo(
                        "{\"count\":4,\"waiting\":\"0,3\",\"states\":{\"FAILED\":1,\"QUEUED\":2,\"RUNNING\":1},\"unstarted\":\"\",\"unstartedState\":null}");
        end(first, 0, 0);
        fixture.await(then + "_0", StateName.RUNNING);
        end(first, 3, 0);
        assertThat(fixture.job(then + "_3").path("reason").asText()).isEqualTo("ARRAY_THROTTLE");
        end(then, 2, 0);
        end(then, 0, 0);
        end(then, 3, 0);
        fixture.await(then, StateName.FAILED);
        assertThat(fixture.job(then).path("reason").asText()).isEqualTo("TASKS_FAILED");
    }

    @Test
    void thoseThatHaveEndedBeforeTheSubmitCountAsTheyEnded() {
        long first = array("\"array\": \"3,5,7\"");
        end(first, 3, 0);
        end(first, 5, 1);
        long open = array(after(first, "3,5,7"));
        fixture.await(open + "_3", StateName.RUNNING);
        assertThat(fixture.job(open + "_5").path("reason").asText()).isEqualTo("DEPENDENCY_FAILED");
        assertThat(fixture.job(open).path("tasks").path("waiting").asText()).isEqualTo("7");
        end(first, 7, 0);
        fixture.await(first, StateName.FAILED);
        fixture.await(open + "_7", StateName.RUNNING);
        long later = array(after(first, "3,5,7"));
        fixture.await(later + "_7", StateName.RUNNING);
        fixture.await(later + "_3", StateName.RUNNING);
        assertThat(fixture.state(later + "_5")).isEqualTo("FAILED");
        long twice = array(
                "\"array\": \"3,5,7\", \"keepWaiting\": true, \"dependencies\": [\"aftercorr:%d\", \"afterok:%d_5\"]"
                        .formatted(first, first));
        assertThat(fixture.job(twice + "_5").path("sentence").asText())
                .startsWith("waits for somebody to decide, as afterok:%d_5 cannot be met".formatted(first));
        long failed = array(
                "\"array\": \"3,5,7\", \"dependencies\": [\"aftercorr:%d\", \"afterok:%d\"]".formatted(first, first));
        assertThat(fixture.state(failed)).isEqualTo("FAILED");
        assertThat(fixture.job(failed).path("tasks").path("states").toString()).isEqualTo("{\"FAILED\":3}");
    }

    @Test
    void whatWaitsForTasksThatGetNoTurnEndsWithTheirArray() {
        long first = array("\"array\": \"0-3%1\"");
        long then = array(after(first, "0-3"));
        long patient = array(after(first, "0-3") + ", \"keepWaiting\": true");
        end(first, 0, 0);
        fixture.await(then + "_0", StateName.RUNNING);
        end(then, 0, 0);
        end(patient, 0, 0);
        fixture.await(first + "_1", StateName.RUNNING);
        fixture.verb(first, "cancel").expect(202);
        fixture.await(first, StateName.CANCELLED);
        fixture.await(then, StateName.FAILED);
        assertThat(fixture.state(then + "_1")).isEqualTo("FAILED");
        assertThat(fixture.job(then + "_3").path("sentence").asText())
                .startsWith("job %d has ended CANCELLED, so that aftercorr:%d cannot be met".formatted(first, first));
        assertThat(fixture.state(patient)).isEqualTo("QUEUED");
        assertThat(fixture.job(patient).path("sentence").asText())
                .startsWith("waits for somebody to decide, as aftercorr:%d cannot be met".formatted(first));
        fixture.verb(patient + "_2", "release").expect(202);
        fixture.await(patient + "_2", StateName.RUNNING);
        fixture.verb(patient, "release").expect(202);
        end(patient, 2, 0);
        end(patient, 1, 0);
        end(patient, 3, 0);
        fixture.await(patient, StateName.COMPLETED);
    }

    @Test
    void itIsHeldReleasedAndCancelledAsAWhole() {
        long first = array("\"array\": \"0-3\"");
        long then = array(after(first, "0-3"));
        assertThat(fixture.verb(then + "_1", "hold").message())
                .contains("task %d_1 waits for the end of a task of another array (aftercorr)".formatted(then));
        assertThat(submit("\"dependencies\": [\"afterok:%d_1\"]".formatted(then))
                        .message())
                .contains("task %d_1 waits".formatted(then), "wait for the array");
        fixture.verb(then + "_1", "cancel").expect(202);
        assertThat(fixture.state(then + "_1")).isEqualTo("CANCELLED");
        fixture.verb(then, "hold").expect(202);
        end(first, 1, 0);
        end(first, 2, 0);
        assertThat(fixture.state(then + "_2")).isEqualTo("HELD");
        fixture.verb(then, "release").expect(202);
        fixture.await(then + "_2", StateName.RUNNING);
        assertThat(fixture.job(then).path("tasks").path("waiting").asText()).isEqualTo("0,3");
        fixture.verb(then, "cancel").expect(202);
        fixture.await(then, StateName.CANCELLED);
        end(first, 0, 0);
        end(first, 3, 0);
        fixture.await(first, StateName.COMPLETED);
    }

    @Test
    void onlyArraysWithTheSameIndicesArePairs() {
        long single = array("\"name\": \"single\"");
        long first = array("\"array\": \"0-3\"");
        assertThat(submit(after(single, "0-3")).message()).contains("job %d is none".formatted(single));
        assertThat(submit("\"dependencies\": [\"aftercorr:%d\"]".formatted(first))
                        .message())
                .contains("this is none (--array)");
        assertThat(submit(after(first, "0-4")).message())
                .contains("array %d has 0-3, this one 0-4; afterok waits for the whole array".formatted(first));
        assertThat(submit("\"array\": \"0-3\", \"dependencies\": [\"aftercorr:%d_1\"]".formatted(first))
                        .message())
                .contains("job %d_1 is none".formatted(first));
        long large = array("\"array\": \"0-1000\"");
        assertThat(submit(after(large, "0-1000")).message()).contains("arrays of at most 1000 tasks, not 1001");
        for (int pair = 0; pair < 16; pair++) {
            array(after(first, "0-3"));
        }
        assertThat(submit(after(first, "0-3")).message())
                .contains("the tasks of 16 arrays wait for those of array %d already".formatted(first));
    }
}
