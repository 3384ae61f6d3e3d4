package dev.berth.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.cli.Samples;
import dev.berth.cli.ScriptedServer;
import dev.berth.cli.client.BerthClient;
import dev.berth.cli.exit.Failure;
import dev.berth.core.api.ApiError;
import dev.berth.core.api.JobList;
import dev.berth.core.api.JobView;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JobIdsTest {
    @TempDir
    private Path directory;

    @AutoClose
    private ScriptedServer server;

    private JobIds ids;

    @BeforeEach
    void start() throws IOException {
        server = ScriptedServer.at(directory.resolve("s"));
        ids = new JobIds(new BerthClient(directory.resolve("s"), "9.9", _ -> {}, _ -> {}));
    }

    private ScriptedServer answer(String scope, int limit, String filter, JobView... jobs) {
        return server.json(
                "GET /api/v1/jobs?scope=" + scope + "&limit=" + limit + filter, 200, new JobList(List.of(jobs), null));
    }

    @Test
    void numbersAreNotLookedUp() throws IOException {
        assertThat(ids.of("cancel", List.of("17", "3"))).containsExactly(17L, 3L);
    }

    @Test
    void aRangeMeansTheCallersOwn() throws IOException {
        answer("all", 4, "&own=true&cursor=23", Samples.running(22), Samples.running(20), Samples.running(9));
        assertThat(ids.of("cancel", List.of("17", "19-22"))).containsExactly(17L, 20L, 22L);
    }

    @Test
    void aRangeOfOthersJobsIsRefused() {
        answer("all", 4, "&own=true&cursor=23", Samples.running(9));
        assertThatThrownBy(() -> ids.of("cancel", List.of("19-22")))
                .isInstanceOf(Failure.class)
                .hasMessage("none of the jobs 19-22 is yours; one of somebody else's is named by its own id");
    }

    @Test
    void lastIsTheCallersNewestJob() throws IOException {
        answer("all", 1, "&own=true", Samples.running(17));
        assertThat(ids.of("wait", List.of("last"))).containsExactly(17L);
        answer("all", 1, "&own=true");
        assertThatThrownBy(() -> ids.of("wait", List.of("last")))
                .isInstanceOf(Failure.class)
                .hasMessage("you have submitted no job, so there is no last one");
    }

    @Test
    void aNameMeansTheJobThatRunsOrWaits() throws IOException {
        answer("active", 10, "&own=true&name=my%20train%2B", Samples.running(17));
        assertThat(ids.of("logs", List.of("my train+"))).containsExactly(17L);
    }

    @Test
    void aNameThatNoActiveJobHasMeansTheOneThatIsOver() throws IOException {
        answer("active", 10, "&own=true&name=train");
        answer("all", 10, "&own=true&name=train", Samples.ended(9, "FAILED", 3));
        assertThat(ids.of("logs", List.of("train"))).containsExactly(9L);
    }

    @Test
    void aNameOfSeveralIsRefusedWithTheirIds() {
        answer("active", 10, "&own=true&name=eval", Samples.running(16), Samples.queued(17, 1));
        assertThatThrownBy(() -> ids.of("logs", List.of("eval")))
                .isInstanceOf(Failure.class)
                .hasMessage(
                        "job id: 'eval' is the name of several of your jobs: 16 (RUNNING), 17 (QUEUED); name one by its id");
    }

    @Test
    void aNameOfNobodyIsRefused() {
        answer("active", 10, "&own=true&name=x-1");
        answer("all", 10, "&own=true&name=x-1");
        assertThatThrownBy(() -> ids.of("logs", List.of("x-1")))
                .isInstanceOf(Failure.class)
                .hasMessage(
                        "you have no job named 'x-1'; berth ps -a lists your jobs, and one of somebody else's is named"
                                + " by its id");
    }

    @Test
    void aTaskIsNamedByItsArrayAndItsIndex() throws IOException {
        server.json("GET /api/v1/jobs/42_7", 200, Samples.task(50, 7, "RUNNING"));
        assertThat(ids.of("cancel", List.of("42_7", "17"))).containsExactly(50L, 17L);
    }

    @Test
    void aNameMayBeginAsATaskDoes() throws IOException {
        answer("active", 10, "&own=true&name=7_b", Samples.running(17));
        answer("active", 10, "&own=true&name=2026_11-25", Samples.running(18));
        assertThat(ids.of("logs", List.of("7_b", "2026_11-25"))).containsExactly(17L, 18L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"42_", "42_x", "42_7_8", "42_-1"})
    void whatIsNeitherATaskNorANameIsToldAsSuch(String word) {
        answer("active", 10, "&own=true&name=" + word);
        answer("all", 10, "&own=true&name=" + word);
        assertThatThrownBy(() -> ids.of("logs", List.of(word)))
                .isInstanceOf(Failure.class)
                .hasMessage(
                        "you have no job named '" + word + "'; a task of an array is named by its index, as in 42_7");
    }

    @Test
    void aPackIsNamedByItsTasks() throws IOException {
        server.json("GET /api/v1/jobs/42_%5B0-3%2C7%5D", 200, Samples.running(75));
        assertThat(ids.of("cancel", List.of("42_[0-3,7]"))).containsExactly(75L);
        assertThat(JobIds.number("42_[0-3,7]", 75)).isEqualTo("42_[0-3,7]");
    }

    @Test
    void tasksThatWaitAreNoPack() {
        server.json("GET /api/v1/jobs/42_%5B3-7%5D", 404, new ApiError("JOB_NOT_FOUND", "there is none", Map.of()));
        aRangeOfTasksIsRefused("42_[3-7]");
        server.json("GET /api/v1/jobs/42_%5B3-7%5D", 503, new ApiError("BUSY", "it is busy", Map.of()));
        assertThatThrownBy(() -> ids.of("cancel", List.of("42_[3-7]"))).hasMessage("it is busy");
    }

    @ParameterizedTest
    @ValueSource(strings = {"42_3-42_7", "42_[5-31%4]", "42_3-43_1"})
    void aRangeOfTasksIsRefused(String word) {
        assertThatThrownBy(() -> ids.of("cancel", List.of(word)))
                .isInstanceOf(Failure.class)
                .hasMessage("job id: '" + word + "' names several tasks of an array; name the whole array by 42, or its"
                        + " tasks one by one, as in 42_7 42_8");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0                    | job id: '0' is not a whole number from 1 on",
                "-1                   | job id: '-1' is not a whole number from 1 on",
                "99999999999999999999 | job id: '99999999999999999999' is not a whole number from 1 on",
                "''                   | job id: '' is not a whole number from 1 on",
                "0-3                  | job id: '0-3' is not a whole number from 1 on",
                "20-17                | job id: '20-17' must go from a lower to a higher id, over at most 1000 jobs",
                "1-1001               | job id: '1-1001' must go from a lower to a higher id, over at most 1000 jobs",
                "0_7                  | job id: '0_7' is not a whole number from 1 on",
                "99999999999999999999_7 | job id: '99999999999999999999_7' is not a whole number from 1 on",
                "1-                   | job id: '1-' is not a whole number from 1 on",
            })
    void whatLooksLikeANumberIsOne(String word, String sentence) {
        assertThatThrownBy(() -> ids.of("cancel", List.of(word)))
                .isInstanceOf(Failure.class)
                .hasMessageStartingWith(sentence);
    }

    @Test
    void someCommandsTakeOneJob() {
        assertThatThrownBy(() -> JobIds.only("status", List.of(1L, 2L)))
                .isInstanceOf(Failure.class)
                .hasMessage("berth status takes one job id, not 2");
        assertThatThrownBy(() -> ids.of("status", List.of()))
                .isInstanceOf(Failure.class)
                .hasMessageStartingWith("berth status needs a job id, for example: berth status 17");
    }
}
