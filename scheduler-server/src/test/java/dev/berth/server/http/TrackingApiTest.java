package dev.berth.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.core.job.JobId;
import dev.berth.core.job.StateName;
import dev.berth.core.machine.Attempt;
import dev.berth.server.store.Tables;
import dev.berth.server.store.track.Entry;
import dev.berth.server.store.track.Reading;
import dev.berth.server.store.track.TrackStore;
import dev.berth.server.track.source.EventFile;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a program told of its job, over the API: while it runs, after its end, and of another's jobs never. */
class TrackingApiTest {
    @TempDir
    private Path directory;

    @AutoClose
    private ServerFixture fixture;

    @BeforeEach
    void open() {
        fixture = new ServerFixture(directory);
    }

    /** The file that the program of a job finds by {@code BERTH_TRACK}. */
    private Path file(long id) {
        return directory.resolve("users/0/track/" + id + ".1");
    }

    private void tell(long id, String... lines) throws IOException {
        Files.writeString(file(id), String.join("\n", lines) + "\n", StandardOpenOption.APPEND);
    }

    private JsonNode tracking(Object id) {
        return fixture.get("/api/v1/jobs/" + id + "/tracking").expect(200).json();
    }

    private JsonNode points(long id, String query) {
        return fixture.get("/api/v1/jobs/" + id + "/points?" + query)
                .expect(200)
                .json();
    }

    @Test
    void whatAProgramTellsIsThereWhileItRuns() throws IOException {
        long id = fixture.running(1);
        assertThat(tracking(id).path("metrics")).isEmpty();
        tell(
                id,
                "{\"param\":{\"lr\":0.1,\"net\":{\"depth\":3}}}",
                "{\"metric\":{\"loss\":0.5,\"acc\":0.25},\"step\":10,\"time\":1700000000}",
                "{\"tag\":\"best\"}",
                "{\"artifact\":\"model.pt\",\"key\":\"model\"}",
                "{\"metric\":\"loss\",\"value\":\"NaN\"}");
        JsonNode told = tracking(id);
        assertThat(told.path("params").toString()).isEqualTo("{\"lr\":\"0.1\",\"net.depth\":\"3\"}");
        assertThat(told.path("tags").path("best").asText("?")).isEmpty();
        assertThat(told.path("artifacts").path(0).path("path").asText()).isEqualTo("model.pt");
        JsonNode loss = told.path("metrics").path(1);
        assertThat(loss.path("name").asText()).isEqualTo("loss");
        assertThat(loss.path("count").asInt()).isEqualTo(2);
        assertThat(loss.path("last").path("step").asInt()).isEqualTo(11);
        assertThat(loss.path("last").path("value").asText()).isEqualTo("NaN");
        assertThat(loss.path("max").path("value").asDouble()).isEqualTo(0.5);
        assertThat(loss.path("max").path("time").asText()).isEqualTo("2023-11-14T22:13:20Z");
        assertThat(told.path("warnings")).isEmpty();
    }

    @Test
    void allIsThereAfterTheEndAndItsFileIsRemoved() throws IOException {
        long id = fixture.running(1);
        tell(id, "{\"metric\":\"loss\",\"value\":1}");
        Files.writeString(file(id), "{\"metric\":\"loss\",\"value\":2}", StandardOpenOption.APPEND);
        assertThat(tracking(id).path("metrics").path(0).path("count").asInt())
                .as("a line that has not ended")
                .isEqualTo(1);
        fixture.end(id, 0);
        fixture.await(id, StateName.COMPLETED);
        assertThat(tracking(id).path("metrics").path(0).path("count").asInt()).isEqualTo(2);
        assertThat(file(id)).doesNotExist();
        assertThat(points(id, "metric=loss").path("points")).hasSize(2);
        fixture.delete(id).expect(200);
        assertThat(fixture.get("/api/v1/jobs/" + id + "/tracking").code()).isEqualTo("JOB_NOT_FOUND");
    }

    @Test
    void theLastOfALongFileIsThereAtTheFirstQuestionAfterTheEnd() throws IOException {
        long id = fixture.running(1);
        byte[] line = "{\"metric\":\"loss\",\"value\":1}".getBytes(StandardCharsets.UTF_8);
        byte[] padded = new byte[60_000];
        Arrays.fill(padded, (byte) ' ');
        System.arraycopy(line, 0, padded, 0, line.length);
        padded[padded.length - 1] = '\n';
        try (OutputStream file = Files.newOutputStream(file(id), StandardOpenOption.APPEND)) {
            for (int i = 0; i < 600; i++) {
                file.write(padded);
            }
        }
        fixture.end(id, 0);
        fixture.await(id, StateName.COMPLETED);
        assertThat(tracking(id).path("metrics").path(0).path("count").asInt()).isEqualTo(600);
    }

    @Test
    void aProgramThatToldNothingLeavesNothing() {
        long id = fixture.running(1);
        fixture.end(id, 0);
        fixture.await(id, StateName.COMPLETED);
        assertThat(tracking(id).path("metrics")).isEmpty();
        assertThat(file(id)).doesNotExist();
        assertThat(Tables.rows(
                        directory.resolve("tracking.db"), "SELECT job FROM tracked UNION SELECT job FROM source"))
                .isEmpty();
    }

    @Test
    void pointsComePieceByPieceOrThinned() throws IOException {
        long id = fixture.running(1);
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < 25_000; i++) {
            lines.append("{\"metric\":\"train/loss\",\"value\":").append(i % 7).append("}\n");
        }
        Files.writeString(file(id), lines, StandardOpenOption.APPEND);
        String name = "metric=" + URLEncoder.encode("train/loss", StandardCharsets.UTF_8);
        JsonNode first = points(id, name);
        assertThat(first.path("points")).hasSize(10_000);
        assertThat(first.path("count").asInt()).isEqualTo(25_000);
        assertThat(first.path("next").asInt()).isEqualTo(10_000);
        assertThat(first.path("thinned").asBoolean()).isFalse();
        JsonNode last = points(id, name + "&after=20000");
        assertThat(last.path("points")).hasSize(5_000);
        assertThat(last.path("points").path(0).path("step").asInt()).isEqualTo(20_000);
        assertThat(last.path("next").isNull()).isTrue();
        assertThat(points(id, name + "&after=3&limit=2").path("points")).hasSize(2);
        JsonNode curve = points(id, name + "&width=50");
        assertThat(curve.path("thinned").asBoolean()).isTrue();
        assertThat(curve.path("points").size()).isBetween(50, 150);
    }

    @Test
    void whatCannotBeAskedIsRefused() throws IOException {
        long id = fixture.running(1);
        assertThat(fixture.get("/api/v1/jobs/" + id + "/points").message())
                .isEqualTo("metric: job " + id
                        + " has told no metric '', nor any other; a program tells them in the file" + " $BERTH_TRACK");
        tell(id, "{\"metric\":{\"acc\":1,\"loss\":2}}");
        assertThat(fixture.get("/api/v1/jobs/" + id + "/points?metric=los").message())
                .isEqualTo("metric: job " + id + " has told no metric 'los'; there is acc, loss");
        assertThat(fixture.get("/api/v1/jobs/" + id + "/points?metric=loss&width=0")
                        .message())
                .isEqualTo("width: '0' must be a whole number from 1 to 3000");
        assertThat(fixture.get("/api/v1/jobs/" + id + "/points?metric=loss&limit=10001")
                        .message())
                .isEqualTo("limit: '10001' must be a whole number from 1 to 10000");
    }

    @Test
    void whatIsLeftOutIsTold() throws IOException {
        long id = fixture.running(1);
        tell(id, "no JSON", "[1]", "{\"metric\":\"loss\",\"value\":1}", "{\"metric\":\"loss\",\"value\":\"x\"}");
        Files.writeString(file(id), "x".repeat(1 << 20) + "\n", StandardOpenOption.APPEND);
        JsonNode told = tracking(id);
        assertThat(told.path("metrics").path(0).path("count").asInt()).isEqualTo(1);
        assertThat(Stream.of(0, 1, 2).map(i -> told.path("warnings").path(i).asText()))
                .satisfiesExactly(
                        first -> assertThat(first).startsWith("A line is longer than 65,536 bytes."),
                        second -> assertThat(second)
                                .startsWith("A line is no JSON object.")
                                .endsWith("(2 times)"),
                        third -> assertThat(third).startsWith("The value of a metric must be a number"));
    }

    @Test
    void aFileThatIsCutIsReadAnew() throws IOException {
        long id = fixture.running(1);
        tell(id, "{\"metric\":\"loss\",\"value\":1}", "{\"metric\":\"loss\",\"value\":2}");
        assertThat(tracking(id).path("metrics").path(0).path("count").asInt()).isEqualTo(2);
        Files.writeString(file(id), "{\"metric\":\"loss\",\"value\":3}\n");
        JsonNode told = tracking(id);
        assertThat(told.path("metrics").path(0).path("count").asInt()).isEqualTo(3);
        assertThat(told.path("warnings").path(0).asText()).contains("was cut");
    }

    @Test
    void aFileThatIsClosedToItsReaderIsToldAndNoOtherWaitsForIt() throws Exception {
        long first = fixture.running(1);
        long second = fixture.running(1);
        Files.delete(file(first));
        // What reading ends at, whoever the server is.
        Files.createSymbolicLink(file(first), file(first));
        tell(second, "{\"metric\":\"loss\",\"value\":1}");
        assertThat(tracking(second).path("metrics")).hasSize(1);
        assertThat(tracking(first).path("warnings").path(0).asText()).contains("replaced by what is no file");
        // The server may have removed it.
        Files.deleteIfExists(file(first));
        Files.createDirectories(file(first).resolve("full"));
        fixture.end(first, 0);
        fixture.await(first, StateName.COMPLETED);
        assertThat(tracking(first).path("warnings").path(0).asText()).contains("replaced by what is no file");
        tell(second, "{\"metric\":\"loss\",\"value\":1}");
        assertThat(tracking(second).path("metrics").path(0).path("count").asInt())
                .isEqualTo(2);
    }

    @Test
    void whatAForgottenJobOfThatNumberToldIsForgotten() throws IOException {
        long id = fixture.running(1);
        tell(id, "{\"metric\":\"own\",\"value\":1}");
        try (TrackStore before = new TrackStore(directory.resolve("tracking.db"))) {
            Reading old = new Reading(new Attempt(new JobId(id + 1), 1), "", Reading.Position.START);
            old.add(new Entry.Point("old", null, null, 1));
            old.readTo(new Reading.Position(9, false, true));
            before.finish(old, 0);
        }
        assertThat(fixture.running(1)).isEqualTo(id + 1);
        tell(id + 1, "{\"metric\":\"new\",\"value\":1}");
        assertThat(tracking(id + 1).path("metrics").findValuesAsText("name")).containsExactly("new");
        assertThat(tracking(id).path("metrics").findValuesAsText("name")).containsExactly("own");
    }

    @Test
    void progressHasAnExpectedEnd() throws IOException {
        long id = fixture.running(1);
        tell(
                id,
                "{\"progress\":1,\"of\":10,\"unit\":\"epoch\",\"time\":1700000000}",
                "{\"progress\":4,\"of\":10,\"unit\":\"epoch\",\"time\":1700000300}");
        JsonNode progress = tracking(id).path("progress");
        assertThat(progress.path("value").asDouble()).isEqualTo(4);
        assertThat(progress.path("of").asDouble()).isEqualTo(10);
        assertThat(progress.path("unit").asText()).isEqualTo("epoch");
        assertThat(progress.path("expectedEnd").asText()).isEqualTo("2023-11-14T22:28:20Z");
    }

    /** Six steps of that many seconds are left to it. */
    private void tellProgress(long id, int secondsAStep) throws IOException {
        Instant now = Instant.now();
        tell(
                id,
                "{\"progress\":1,\"of\":10,\"unit\":\"epoch\",\"time\":\"" + now.minusSeconds(3L * secondsAStep)
                        + "\"}",
                "{\"progress\":4,\"of\":10,\"unit\":\"epoch\",\"time\":\"" + now + "\"}");
        tracking(id);
    }

    private static void assertInSeconds(JsonNode time, int seconds) {
        assertThat(Instant.parse(time.asText()))
                .isCloseTo(Instant.now().plusSeconds(seconds), within(30, ChronoUnit.SECONDS));
    }

    @Test
    void listsAndAJobShowHowFarAProgramIs() throws IOException {
        long first = fixture.running(1);
        long silent = fixture.running(1);
        assertThat(fixture.job(first).path("progress").isNull()).isTrue();
        tellProgress(first, 100);
        JsonNode jobs = fixture.get("/api/v1/jobs").json().path("jobs");
        assertThat(jobs.path(0).path("progress").path("unit").asText()).isEqualTo("epoch");
        assertThat(jobs.path(1).path("progress").isNull()).isTrue();
        assertInSeconds(fixture.job(first).path("progress").path("expectedEnd"), 600);
        assertThat(fixture.job(silent).path("progress").isNull()).isTrue();
        fixture.end(first, 0);
        fixture.await(first, StateName.COMPLETED);
        assertThat(fixture.job(first).path("progress").isNull()).isTrue();
    }

    /** Its own program has not said anything yet. */
    @Test
    void whatAnEarlierAttemptToldIsNoProgressOfTheNext() throws IOException {
        long id = fixture.submit("\"gpus\": 1, \"retries\": 1")
                .expect(201)
                .json()
                .path("id")
                .asLong();
        fixture.await(id, StateName.RUNNING);
        tellProgress(id, 100);
        fixture.end(id, 1);
        fixture.await("attempt 2", () -> Files.exists(directory.resolve("users/0/track/" + id + ".2")));
        fixture.await(id, StateName.RUNNING);
        fixture.await(id, StateName.RUNNING);
        assertThat(fixture.job(id).path("attempt").asInt()).isEqualTo(2);
        assertThat(fixture.job(id).path("progress").isNull()).isTrue();
        assertThat(tracking(id).path("progress").isNull()).isFalse();
    }

    @Test
    void whoWaitsHearsWhenItIsExpectedToStart() throws IOException {
        long one = fixture.running(2);
        long other = fixture.running(2);
        long next = fixture.submitted(2);
        fixture.awaitSentence(next, "waits for 2 GPUs");
        long both = fixture.submitted(4);
        assertThat(fixture.job(next).path("expectedStart").isNull()).isTrue();
        tellProgress(one, 100);
        assertInSeconds(fixture.job(next).path("expectedStart"), 600);
        assertThat(fixture.job(next).path("latestStart").isNull()).isTrue();
        assertThat(fixture.job(both).path("expectedStart").isNull()).isTrue();
        JsonNode why = fixture.get("/api/v1/jobs/" + next + "/explanation").json();
        assertInSeconds(why.path("expectedStart"), 600);
        assertInSeconds(why.path("holders").path(0).path("expectedEnd"), 600);
        assertThat(why.path("holders").path(1).path("expectedEnd").isNull()).isTrue();
        tellProgress(other, 10);
        assertInSeconds(fixture.job(next).path("expectedStart"), 60);
    }

    /** An end that should have been is none to wait for. */
    @Test
    void anExpectationThatHasPassedIsNone() throws IOException {
        long id = fixture.running(4);
        long next = fixture.submitted(4);
        fixture.awaitSentence(next, "waits for 4 GPUs");
        tell(id, "{\"progress\":1,\"of\":10,\"time\":1700000000}", "{\"progress\":4,\"of\":10,\"time\":1700000300}");
        tracking(id);
        assertThat(fixture.job(id).path("progress").path("value").asDouble()).isEqualTo(4);
        assertThat(fixture.job(id).path("progress").path("expectedEnd").isNull())
                .isTrue();
        assertThat(fixture.job(next).path("expectedStart").isNull()).isTrue();
    }

    @Test
    void listsDoWithoutWhatCannotBeRead() throws IOException {
        long id = fixture.running(4);
        long next = fixture.submitted(4);
        fixture.awaitSentence(next, "waits for 4 GPUs");
        tellProgress(id, 100);
        assertThat(fixture.job(next).path("expectedStart").isNull()).isFalse();
        for (String name : List.of("tracking.db", "tracking.db-wal", "tracking.db-shm")) {
            try (FileChannel file = FileChannel.open(directory.resolve(name), StandardOpenOption.WRITE)) {
                file.write(ByteBuffer.allocate(Math.toIntExact(file.size())));
            }
        }
        JsonNode jobs = fixture.get("/api/v1/jobs").expect(200).json().path("jobs");
        assertThat(jobs).hasSize(2);
        assertThat(jobs.path(0).path("progress").isNull()).isTrue();
        assertThat(jobs.path(1).path("expectedStart").isNull()).isTrue();
        fixture.get("/api/v1/jobs/" + next + "/explanation").expect(200);
    }

    @Test
    void listsDoWithoutATrackingDatabase() throws IOException {
        Files.writeString(directory.resolve("tracking.db"), "no database".repeat(1_000));
        long id = fixture.running(4);
        assertThat(fixture.get("/api/v1/jobs/" + id + "/tracking").status()).isEqualTo(503);
        for (String target : List.of(
                "/jobs/" + id + "/points?metric=a", "/tracked", "/jobs?columns=a", "/projects/notes?project=p")) {
            assertThat(fixture.get("/api/v1" + target).code()).as(target).isEqualTo("TRACKING_FAILED");
        }
        assertThat(fixture.get("/api/v1/jobs").expect(200).json().path("jobs")).hasSize(1);
        assertThat(fixture.job(id).path("progress").isNull()).isTrue();
    }

    @Test
    void theValuesOfASweepAreParameters() {
        long sweep = fixture.submit("\"gpus\": 1, \"sweep\": [\"lr=0.1,0.01\", \"seed=1..2\"]")
                .expect(201)
                .json()
                .path("id")
                .asLong();
        fixture.await(sweep + "_3", StateName.RUNNING);
        assertThat(tracking(sweep + "_3").path("params").toString()).isEqualTo("{\"lr\":\"0.01\",\"seed\":\"2\"}");
        assertThat(fixture.get("/api/v1/jobs/" + sweep + "/tracking")
                        .expect(409)
                        .message())
                .isEqualTo(
                        ("job %d is an array, whose tasks tell of themselves each; the first: berth metrics %d_0, and all"
                                        + " side by side: berth compare %d")
                                .formatted(sweep, sweep, sweep));
    }

    @Test
    void anotherAttemptGoesOnWithTheSameMetric() throws IOException {
        long id = fixture.submit("\"gpus\": 1, \"retries\": 1")
                .expect(201)
                .json()
                .path("id")
                .asLong();
        fixture.await(id, StateName.RUNNING);
        tell(id, "{\"metric\":\"loss\",\"value\":1}");
        fixture.end(id, 1);
        Path second = directory.resolve("users/0/track/" + id + ".2");
        fixture.await("attempt 2", () -> Files.exists(second));
        Files.writeString(second, "{\"metric\":\"loss\",\"value\":2}\n", StandardOpenOption.APPEND);
        assertThat(points(id, "metric=loss").path("points")).hasSize(2);
        assertThat(file(id)).doesNotExist();
    }

    /** A file in the output of a job, with events of that tag and those steps. */
    private void tellTensorBoard(long id, String path, String tag, long... steps) throws IOException {
        EventFile events = new EventFile();
        for (long step : steps) {
            events.record(EventFile.event(1_764_200_000, step, EventFile.scalar(tag, (float) step)));
        }
        Path file = directory.resolve("users/0/output/" + id).resolve(path);
        Files.createDirectories(Objects.requireNonNull(file.getParent()));
        Files.write(file, events.bytes(), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    private List<Long> steps(long id, String metric) {
        List<Long> steps = new ArrayList<>();
        points(id, "metric=" + metric)
                .path("points")
                .forEach(point -> steps.add(point.path("step").asLong()));
        return steps;
    }

    @Test
    void filesOfTensorBoardAndCw2InTheOutputAreRead() throws IOException {
        long id = fixture.running(1);
        tellTensorBoard(id, "logs/events.out.tfevents.1", "loss", 1, 2);
        fixture.await("the first two", () -> tracking(id).path("metrics").size() == 1);
        assertThat(steps(id, "loss")).containsExactly(1L, 2L);
        tellTensorBoard(id, "logs/events.out.tfevents.1", "loss", 3);
        Files.writeString(directory.resolve("users/0/output/" + id + "/rep_0.csv"), "iter,reward\n0,1\n1,2\n");
        fixture.end(id, 0);
        fixture.await(id, StateName.COMPLETED);
        // The last look waits for no time to come.
        assertThat(steps(id, "loss")).containsExactly(1L, 2L, 3L);
        assertThat(steps(id, "reward")).containsExactly(0L, 1L);
        assertThat(file(id)).doesNotExist();
        assertThat(Tables.rows(directory.resolve("tracking.db"), "SELECT count(*) FROM loose_point"))
                .as("points that are not packed")
                .containsExactly("0");
    }

    @Test
    void anOutputOfSeveralAttemptsIsReadOnce() throws IOException {
        long id = fixture.submit("\"gpus\": 1, \"retries\": 1")
                .expect(201)
                .json()
                .path("id")
                .asLong();
        fixture.await(id, StateName.RUNNING);
        tellTensorBoard(id, "events.out.tfevents.1", "loss", 1, 2);
        fixture.end(id, 1);
        fixture.await("attempt 2", () -> Files.exists(directory.resolve("users/0/track/" + id + ".2")));
        fixture.await(id, StateName.RUNNING);
        tellTensorBoard(id, "events.out.tfevents.2", "loss", 3);
        fixture.end(id, 0);
        fixture.await(id, StateName.COMPLETED);
        assertThat(steps(id, "loss")).containsExactly(1L, 2L, 3L);
    }

    @Test
    void aJobThatToldWhatIsLeftOutHasOneWarning() throws IOException {
        long id = fixture.running(1);
        tell(id, "no JSON", "neither");
        assertThat(tracking(id).path("warnings")).hasSize(1);
        tell(id, "[1]");
        assertThat(tracking(id).path("warnings")).hasSize(1);
        String sentence = "some of what it told of itself is left out; what, and how often, says berth metrics " + id;
        fixture.await(
                "the warning",
                () -> fixture.get("/api/v1/jobs/" + id).json().path("warnings").size() == 1);
        JsonNode warning =
                fixture.get("/api/v1/jobs/" + id).json().path("warnings").path(0);
        assertThat(warning.path("code").asText()).isEqualTo("TRACKING");
        assertThat(warning.path("sentence").asText()).isEqualTo(sentence);
        assertThat(Tables.rows(directory.resolve("berth.db"), "SELECT sentence FROM job_event"))
                .containsOnlyOnce(sentence);
    }
}
