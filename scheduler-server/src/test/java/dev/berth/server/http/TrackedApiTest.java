package dev.berth.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.core.job.StateName;
import dev.berth.server.store.Tables;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jobs by what they told: lists with columns and conditions, the best, several side by side, tags. */
class TrackedApiTest {
    @TempDir
    private Path directory;

    @AutoClose
    private ServerFixture fixture;

    @BeforeEach
    void open() {
        fixture = new ServerFixture(directory);
    }

    private void tell(long id, String line) throws IOException {
        Files.writeString(directory.resolve("users/0/track/" + id + ".1"), line + "\n", StandardOpenOption.APPEND);
        fixture.get("/api/v1/jobs/" + id + "/tracking").expect(200);
    }

    /** A job that told its learning rate and its accuracy, and is over. */
    private long ended(String fields, double rate, double... accuracies) throws IOException {
        long id = fixture.submit("\"gpus\": 1" + fields)
                .expect(201)
                .json()
                .path("id")
                .asLong();
        fixture.await(id, StateName.RUNNING);
        tell(id, "{\"param\":{\"lr\":" + rate + "}}");
        for (double accuracy : accuracies) {
            tell(id, "{\"metric\":\"acc\",\"value\":" + accuracy + "}");
        }
        fixture.end(id, 0);
        fixture.await(id, StateName.COMPLETED);
        return id;
    }

    private List<Long> ids(String target) {
        return ids(fixture.get(target).expect(200).json());
    }

    private static List<Long> ids(JsonNode list) {
        List<Long> ids = new ArrayList<>();
        list.path("jobs").forEach(job -> ids.add(job.path("id").asLong()));
        return ids;
    }

    private static String coded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    @Test
    void listsShowWhatJobsTold() throws IOException {
        long first = ended("", 0.1, 0.5, 0.25);
        JsonNode list = fixture.get("/api/v1/jobs?scope=ended&columns=lr,acc,acc:max,missing")
                .expect(200)
                .json();
        assertThat(list.path("jobs").path(0).path("values").toString())
                .isEqualTo("{\"acc\":\"0.25\",\"acc:max\":\"0.5\",\"lr\":\"0.1\"}");
        assertThat(fixture.get("/api/v1/jobs?scope=ended")
                        .json()
                        .path("jobs")
                        .path(0)
                        .path("values")
                        .isNull())
                .isTrue();
        long running = fixture.running(1);
        tell(running, "{\"metric\":\"acc\",\"value\":NaN}");
        assertThat(fixture.get("/api/v1/jobs?columns=acc")
                        .json()
                        .path("jobs")
                        .path(0)
                        .path("values")
                        .toString())
                .isEqualTo("{\"acc\":\"NaN\"}");
        assertThat(ids("/api/v1/tracked")).containsExactly(running, first);
        assertThat(ids("/api/v1/tracked?scope=active")).containsExactly(running);
        assertThat(ids("/api/v1/tracked?scope=ended")).containsExactly(first);
    }

    @Test
    void conditionsChooseJobs() throws IOException {
        long low = ended(",\"project\":\"ships\"", 0.01, 0.9, 0.95);
        long high = ended(",\"project\":\"ships\"", 0.1, 0.97);
        long other = ended(",\"project\":\"cars\"", 0.01, 0.99);
        ended("", 0.01);
        assertThat(ids("/api/v1/tracked?where=" + coded("acc>0.9 and lr=0.01"))).containsExactly(other, low);
        assertThat(ids("/api/v1/tracked?project=ships&where=" + coded("acc>0.9")))
                .containsExactly(high, low);
        assertThat(ids("/api/v1/tracked?state=FAILED&where=" + coded("acc>0.9")))
                .isEmpty();
        assertThat(ids("/api/v1/tracked?user=nobody&where=acc")).isEmpty();
        JsonNode page =
                fixture.get("/api/v1/tracked?limit=2&where=acc").expect(200).json();
        assertThat(ids(page)).containsExactly(other, high);
        assertThat(page.path("next").asLong()).isEqualTo(high);
        JsonNode last = fixture.get("/api/v1/tracked?limit=2&where=acc&cursor=" + high)
                .expect(200)
                .json();
        assertThat(ids(last)).containsExactly(low);
        assertThat(last.path("next").isNull()).isTrue();
        assertThat(fixture.get("/api/v1/tracked?where=" + coded("acc>"))
                        .expect(400)
                        .message())
                .isEqualTo("where: 'acc>' must have a value in the place of the end, as in acc>0.9 and lr=0.01");
    }

    @Test
    void theBestComeFirst() throws IOException {
        long low = ended(",\"project\":\"ships\"", 0.01, 0.99, 0.5);
        long high = ended(",\"project\":\"ships\"", 0.1, 0.75);
        ended(",\"project\":\"cars\"", 0.01, 1);
        assertThat(ids("/api/v1/tracked?project=ships&best=acc&order=max")).containsExactly(low, high);
        assertThat(ids("/api/v1/tracked?project=ships&best=acc&order=min")).containsExactly(low, high);
        assertThat(ids("/api/v1/tracked?project=ships&best=acc&order=max&last=true"))
                .containsExactly(high, low);
        assertThat(ids("/api/v1/tracked?project=ships&best=acc&order=max&limit=1"))
                .containsExactly(low);
        assertThat(ids("/api/v1/tracked?project=ships&best=acc&order=max&where=" + coded("lr>0.05")))
                .containsExactly(high);
        assertThat(fixture.get("/api/v1/tracked?best=acc").expect(400).message())
                .isEqualTo("order: '' must be max or min, the best value of a metric");
        assertThat(fixture.get("/api/v1/tracked?project=ships&best=loss&order=min")
                        .expect(404)
                        .message())
                .isEqualTo("metric: none of these jobs has told a number for 'loss'; the newest have told acc");
        assertThat(fixture.get("/api/v1/tracked?order=max").expect(400).message())
                .isEqualTo("order: 'max' goes with best, which names the metric");
        assertThat(fixture.get("/api/v1/tracked?best=acc&order=max&cursor=3")
                        .expect(400)
                        .message())
                .isEqualTo("cursor: '3' does not go with best, which has one page");
    }

    /** Makes as many copies of a job in another project, and lets each tell the same. */
    private void copy(long job, int copies) {
        fixture.close();
        Path database = directory.resolve("berth.db");
        List<String> columns = Tables.rows(database, "SELECT name FROM pragma_table_info('job')").stream()
                .filter(name -> !name.equals("id") && !name.equals("project"))
                .toList();
        String numbers = "WITH RECURSIVE n(i) AS (SELECT " + (job + 1) + " UNION ALL SELECT i + 1 FROM n WHERE i < "
                + (job + copies) + ") ";
        String others = String.join(", ", columns);
        Tables.run(
                database,
                "INSERT INTO job (id, project, " + others + ") " + numbers + "SELECT n.i, 'copies', " + others
                        + " FROM n, job WHERE job.id = " + job);
        Tables.run(
                directory.resolve("tracking.db"),
                "INSERT INTO tracked (job) " + numbers + "SELECT i FROM n",
                "INSERT INTO series (job, name, points, loose, last_step, last_at, last_value, max_step, max_at, max_value) "
                        + numbers + "SELECT i, 'acc', 1, 0, 0, 0, 1, 0, 0, i FROM n");
        fixture = new ServerFixture(directory);
    }

    @Test
    void manyJobsAreLookedThroughPieceByPiece() throws IOException {
        long only = ended(",\"project\":\"ships\"", 0.1, 0.5);
        int copies = 25_000;
        copy(only, copies);
        JsonNode none = fixture.get("/api/v1/tracked?project=ships&where=acc")
                .expect(200)
                .json();
        assertThat(none.path("jobs")).isEmpty();
        assertThat(ids("/api/v1/tracked?project=ships&where=acc&cursor="
                        + none.path("next").asLong()))
                .containsExactly(only);
        assertThat(ids("/api/v1/tracked?project=ships&best=acc&order=max")).containsExactly(only);
        assertThat(ids("/api/v1/tracked?best=acc&order=max&limit=2")).containsExactly(only + copies, only + copies - 1);
        List<Long> paged = new ArrayList<>();
        for (String cursor = ""; cursor != null; ) {
            JsonNode page = fixture.get(
                            "/api/v1/tracked?limit=199&where=" + coded("acc:max<" + (only + 1_000)) + cursor)
                    .expect(200)
                    .json();
            paged.addAll(ids(page));
            cursor = page.path("next").isNull()
                    ? null
                    : "&cursor=" + page.path("next").asLong();
        }
        assertThat(paged).hasSize(1_000).doesNotHaveDuplicates().isSortedAccordingTo(Comparator.reverseOrder());
    }

    @Test
    void whatIsToldOfNoJobIsForgotten() throws IOException {
        long job = ended("", 0.1, 0.5);
        fixture.close();
        Files.deleteIfExists(directory.resolve("users/0/track/" + job + ".1"));
        Path told = directory.resolve("tracking.db");
        Tables.run(directory.resolve("berth.db"), "DELETE FROM job_event", "DELETE FROM job WHERE id = " + job);
        assertThat(Tables.number(told, "SELECT count(*) FROM series")).isOne();
        fixture = new ServerFixture(directory);
        assertThat(ids("/api/v1/tracked")).isEmpty();
        fixture.close();
        assertThat(Tables.number(told, "SELECT count(*) FROM series")).isZero();
        fixture = new ServerFixture(directory);
    }

    @Test
    void aTagThatIsTakenAwayDoesNotComeBackWithAnotherAttempt() {
        long waiting = fixture.submit("\"gpus\": 4, \"tags\": [\"first\", \"second\"], \"retries\": 1")
                .expect(201)
                .json()
                .path("id")
                .asLong();
        fixture.await(waiting, StateName.RUNNING);
        fixture.post("/api/v1/jobs/" + waiting + "/tags", "{\"remove\":[\"first\"]}")
                .expect(200);
        fixture.end(waiting, 1);
        fixture.await("attempt 2", () -> Files.exists(directory.resolve("users/0/track/" + waiting + ".2")));
        String target = "/api/v1/jobs/" + waiting + "/tracking";
        assertThat(fixture.get(target).json().path("tags").toString()).isEqualTo("{\"second\":\"\"}");
        long queued = fixture.submit("\"gpus\": 4, \"tags\": [\"first\"]")
                .expect(201)
                .json()
                .path("id")
                .asLong();
        assertThat(fixture.get("/api/v1/jobs/" + queued + "/tracking")
                        .json()
                        .path("tags")
                        .toString())
                .isEqualTo("{\"first\":\"\"}");
        fixture.post("/api/v1/jobs/" + queued + "/tags", "{\"remove\":[\"first\"]}")
                .expect(200);
        assertThat(fixture.get("/api/v1/jobs/" + queued + "/tracking").json().path("tags"))
                .isEmpty();
    }

    @Test
    void whatWasToldByTheEndIsInTheListsAtOnce() throws IOException {
        long id = fixture.running(1);
        Files.writeString(directory.resolve("users/0/track/" + id + ".1"), "{\"metric\":\"acc\",\"value\":1}");
        fixture.end(id, 0);
        fixture.await(id, StateName.COMPLETED);
        assertThat(ids("/api/v1/tracked?best=acc&order=max")).containsExactly(id);
    }

    @Test
    void severalJobsAreThereAtOnce() throws IOException {
        long first = ended("", 0.1, 0.5);
        long second = ended("", 0.2, 0.75);
        JsonNode list = fixture.get("/api/v1/tracking?jobs=" + second + "," + first)
                .expect(200)
                .json();
        assertThat(ids(list)).containsExactly(second, first);
        assertThat(list.path("jobs").path(0).path("state").asText()).isEqualTo("COMPLETED");
        assertThat(list.path("jobs").path(0).path("params").path("lr").asText()).isEqualTo("0.2");
        assertThat(ids("/api/v1/tracking?after=1&jobs=" + second + "," + first)).containsExactly(first);
        assertThat(ids("/api/v1/tracking?skipMissing=true&jobs=99," + first)).containsExactly(first);
        assertThat(fixture.get("/api/v1/tracking?jobs=").expect(400).message())
                .startsWith("jobs: '' must be jobs' numbers");
        assertThat(fixture.get("/api/v1/tracking?jobs=" + first + ",99")
                        .expect(404)
                        .code())
                .isEqualTo("JOB_NOT_FOUND");
    }

    @Test
    void anArrayStandsForItsTasks() {
        long sweep = fixture.submit("\"gpus\": 1, \"sweep\": [\"lr=0.1,0.01\"]")
                .expect(201)
                .json()
                .path("id")
                .asLong();
        fixture.await(sweep + "_1", StateName.RUNNING);
        JsonNode list =
                fixture.get("/api/v1/tracking?jobs=" + sweep).expect(200).json();
        assertThat(list.path("jobs").findValuesAsText("number")).containsExactly(sweep + "_0", sweep + "_1");
        assertThat(ids("/api/v1/tracked?where=" + coded("lr<0.05"))).containsExactly(sweep + 2);
    }

    @Test
    void tagsAreSetAndRemoved() throws IOException {
        long id = ended(",\"tags\":[\"given\"]", 0.1);
        String target = "/api/v1/jobs/" + id + "/tags";
        JsonNode tagged = fixture.post(target, "{\"set\":{\"best\":\"\",\"stage\":\"2\"}}")
                .expect(200)
                .json();
        assertThat(tagged.path("tags").toString()).isEqualTo("{\"best\":\"\",\"given\":\"\",\"stage\":\"2\"}");
        assertThat(fixture.post(target, "{\"remove\":[\"best\",\"nothing\"]}")
                        .expect(200)
                        .json()
                        .path("tags")
                        .toString())
                .isEqualTo("{\"given\":\"\",\"stage\":\"2\"}");
        assertThat(ids("/api/v1/tracked?where=" + coded("stage=2"))).containsExactly(id);
        assertThat(fixture.post(target, "{\"set\":{\"a\\nb\":\"\"}}")
                        .expect(400)
                        .message())
                .contains("must be names of 1 to 250 bytes without control characters");
        assertThat(fixture.post(target, "{\"set\":{\"a\":\"" + "x".repeat(4097) + "\"}}")
                        .expect(400)
                        .message())
                .contains("must be a text of at most 4096 bytes");
        fixture.post(target, "{\"set\":{\"a\":null}}").expect(400);
        StringBuilder many = new StringBuilder();
        for (int i = 0; i < 101; i++) {
            many.append(i == 0 ? "" : ",").append("\"t").append(i).append("\":\"\"");
        }
        assertThat(fixture.post(target, "{\"set\":{" + many + "}}").expect(409).code())
                .isEqualTo("TOO_MANY_TAGS");
        assertThat(fixture.get("/api/v1/jobs/" + id + "/tracking")
                        .json()
                        .path("tags")
                        .size())
                .isEqualTo(2);
    }

    @Test
    void aRunningJobKnowsWhichTagsItHas() throws IOException {
        long id = fixture.running(1);
        tell(id, "{\"tag\":\"own\"}");
        fixture.post("/api/v1/jobs/" + id + "/tags", "{\"set\":{\"mine\":\"1\"},\"remove\":[\"own\"]}")
                .expect(200);
        tell(id, "{\"tag\":\"later\"}");
        assertThat(fixture.get("/api/v1/jobs/" + id + "/tracking")
                        .json()
                        .path("tags")
                        .toString())
                .isEqualTo("{\"later\":\"\",\"mine\":\"1\"}");
    }
}
