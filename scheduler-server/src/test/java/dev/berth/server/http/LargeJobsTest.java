package dev.berth.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.sun.management.ThreadMXBean;
import dev.berth.core.api.ServerView.StateCount;
import dev.berth.core.job.ImageState;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.JobState;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.Label;
import dev.berth.core.job.Mount;
import dev.berth.core.job.Place.InContainer;
import dev.berth.core.job.Program;
import dev.berth.core.job.PullPolicy;
import dev.berth.core.machine.Change;
import dev.berth.core.machine.Lane;
import dev.berth.core.machine.QueueWindow;
import dev.berth.core.machine.Starts;
import dev.berth.server.config.Settings;
import dev.berth.server.example.Jobs;
import dev.berth.server.loop.Scheduling;
import dev.berth.server.store.JobQueries.Filter;
import dev.berth.server.store.JobStore;
import dev.berth.testclient.Answer;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What jobs take in bytes: bounded for each, in sum for each user, and in no list. */
class LargeJobsTest {
    private static final int KIB = 1 << 10;

    /** Three bytes in UTF-8 and one character, which is what bounds once counted. */
    private static final String EURO = "\u20ac";

    @TempDir
    private Path directory;

    private @Nullable ServerFixture opened;

    private ServerFixture fixture() {
        return Objects.requireNonNull(opened);
    }

    private void open(String... assignments) {
        opened = new ServerFixture(directory, Settings.of(assignments), Scheduling.MAX_REQUESTS);
    }

    @AfterEach
    void close() {
        fixture().close();
    }

    /** A job whose command has so many characters beside its program's name. */
    private static String job(String character, int times) {
        return "{\"command\": [\"x\", \"" + character.repeat(times) + "\"], \"gpus\": 4}";
    }

    private Answer submit(String json) {
        return fixture().post("/api/v1/jobs", json);
    }

    @Test
    void aCommandIsMeasuredInBytesAndNotInCharacters() {
        open();
        assertThat(submit(job(EURO, 43_690)).status()).isEqualTo(201);
        Answer refused = submit(job(EURO, 43_691));
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.message())
                .isEqualTo("command: 'x ...' must have at most 4096 words and 131072 bytes in UTF-8");
    }

    @Test
    void aJobTooLargeInAllIsToldWhatOfItIs() {
        open("jobs.max-queued-per-user=10", "jobs.max-spec-bytes=64k", "jobs.max-queued-bytes-per-user=1m");
        assertThat(submit(job("a", 60 * KIB)).status()).isEqualTo(201);
        Answer refused = submit("{\"command\": [\"x\"], \"environment\": {\"A\": \"" + EURO.repeat(30 * KIB) + "\"}}");
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.message())
                .startsWith(
                        "environment: '92161 bytes' makes the job larger than this server takes (jobs.max-spec-bytes)")
                .contains("its command has 1 bytes in UTF-8, its variables 92161, all else ", "together at most 65536")
                .endsWith("put what is large into a file of the submitted directory");
        assertThat(fixture().queries().counts(null))
                .extracting(StateCount::jobs)
                .containsExactly(1L);
    }

    @Test
    void aSweepThatIsTooLargeIsToldHowItFits() {
        open("jobs.max-spec-bytes=1k");
        String rows =
                IntStream.range(0, 100).mapToObj(run -> "[\"run-" + run + "\"]").collect(Collectors.joining(","));
        Answer file = submit("{\"command\": [\"x\"], \"parameters\": [{\"factors\": [{\"names\": [\"a\"], \"rows\": ["
                + rows + "]}]}]}");
        assertThat(file.message())
                .startsWith("parameters: '2")
                .contains(
                        "(jobs.max-spec-bytes)",
                        "together at most 1024; submit a part of the sweep file at a time, as with --array 0-")
                .endsWith(" or --experiment, or have the operator raise jobs.max-spec-bytes");
        assertThat(submit("{\"command\": [\"x\"], \"sweep\": [\"a=0..1\", \"b=0.1..0.5\"], \"sample\": 50}")
                        .message())
                .startsWith("sweep: '")
                .endsWith("; give fewer values, or a lower --sample, or have the operator raise jobs.max-spec-bytes");
    }

    @Test
    void manyAtOnceDoNotPassTheBoundInBytesOfAUsersJobs() throws Exception {
        open("jobs.max-queued-per-user=1000", "jobs.max-spec-bytes=64k", "jobs.max-queued-bytes-per-user=200k");
        Queue<Answer> answers = new ConcurrentLinkedQueue<>();
        try (ExecutorService clients = Executors.newFixedThreadPool(20)) {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                all.add(clients.submit(() -> answers.add(submit(job("a", 48 * KIB)))));
            }
            for (Future<?> one : all) {
                one.get();
            }
        }
        assertThat(answers).filteredOn(answer -> answer.status() == 201).hasSize(4);
        assertThat(answers)
                .filteredOn(answer -> answer.status() != 201)
                .hasSize(16)
                .allSatisfy(refused -> {
                    assertThat(refused.status()).isEqualTo(429);
                    assertThat(refused.code()).isEqualTo("QUEUE_FULL");
                    assertThat(refused.headers()).containsEntry("retry-after", "60");
                    assertThat(refused.message())
                            .startsWith("not accepted: the commands, variables and options of ")
                            .contains(
                                    "this server lets one user's take 204800 in all (jobs.max-queued-bytes-per-user)");
                });
        Answer rehearsed = fixture().post("/api/v1/jobs?dryRun=true", job("a", 48 * KIB));
        assertThat(rehearsed.status()).isEqualTo(429);
        assertThat(submit(job("a", 1 * KIB)).status())
                .as("a small one still fits")
                .isEqualTo(201);
        long first = fixture()
                .get("/api/v1/jobs?limit=1")
                .json()
                .path("jobs")
                .get(0)
                .path("id")
                .asLong();
        assertThat(fixture().post("/api/v1/jobs/" + first + "/cancel", "").status())
                .isEqualTo(202);
        assertThat(submit(job("a", 40 * KIB)).status())
                .as("one that ended makes room")
                .isEqualTo(201);
    }

    /** Jobs as a server of before the bounds took them: half a megabyte of options and more of program, each. */
    private void ofAnOlderServer(int jobs, JobState state) {
        String large = "/" + "d".repeat(300 * KIB);
        InContainer place = new InContainer(
                "",
                ServerFixture.IMAGE,
                PullPolicy.MISSING,
                large,
                null,
                InContainer.BRIDGE,
                List.of(new Mount(large, large, true)));
        JobSpec spec = Jobs.with(Jobs.with(Jobs.spec(4), place), new Label("old", "p", List.of()));
        Program program = new Program(List.of("x", EURO.repeat(128 * KIB)), Map.of("A", EURO.repeat(128 * KIB)));
        try (JobStore store = new JobStore(directory.resolve("berth.db"))) {
            store.write(List.of(new Change.StartsChanged(Jobs.SUBMITTED, new Starts.Paused("root", Jobs.SUBMITTED))));
            for (long id = 1; id <= jobs; id++) {
                Job job = Jobs.job(id, spec, Jobs.ROOT, new Queued(1, new ImageState.Ready("id")));
                store.write(List.of(new Change.Accepted(Jobs.SUBMITTED, job, program, null)));
                if (!(state instanceof Queued)) {
                    store.write(List.of(Jobs.advance(job, state)));
                }
            }
            store.commit();
        }
    }

    @Test
    void aJobOfAnOlderServerThatIsTooLargeIsShownAndNotQueuedAgain() {
        ofAnOlderServer(1, Jobs.completed());
        open();
        assertThat(fixture().get("/api/v1/jobs/1").json().path("command").get(1).asText())
                .hasSize(128 * KIB);
        Answer refused = fixture().post("/api/v1/jobs/1/resubmit", "");
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.message()).contains("jobs.max-spec-bytes");
    }

    @Test
    void theQueueOfAnOlderServerIsReadAndListedPieceByPiece() {
        ofAnOlderServer(40, new Queued(1, new ImageState.Ready("id")));
        open();
        QueueWindow window = fixture().scheduling().machine().window(Lane.MAIN);
        assertThat(window.bytes()).isLessThan(QueueWindow.MAX_BYTES + (1 << 20));
        assertThat(window.more()).isTrue();
        for (String scope : List.of("active", "all")) {
            assertThat(pages(scope)).as(scope).isBetween(6, 20);
        }
    }

    /** How many pages a list of all jobs has, each of which is on one of them. */
    private int pages(String scope) {
        List<Long> seen = new ArrayList<>();
        long jobs = fixture().queries().counts(null).stream()
                .mapToLong(StateCount::jobs)
                .sum();
        int pages = 0;
        for (JsonNode next = JsonNodeFactory.instance.numberNode(0); !next.isNull(); pages++) {
            JsonNode page = fixture()
                    .get("/api/v1/jobs?scope=" + scope + "&limit=1000" + (pages == 0 ? "" : "&cursor=" + next.asLong()))
                    .json();
            page.path("jobs").forEach(job -> seen.add(job.path("id").asLong()));
            next = page.path("next");
        }
        assertThat(seen).as(scope).hasSize((int) jobs).doesNotHaveDuplicates();
        return pages;
    }

    @Test
    void noListHoldsACommandOrTheNamesOfVariables() {
        open();
        long id = submit("{\"command\": [\"tool\"], \"environment\": {\"A\": \"1\"}, \"gpus\": 4}")
                .json()
                .path("id")
                .asLong();
        for (String list : List.of("", "?scope=all", "?state=QUEUED,RUNNING,STARTING")) {
            JsonNode job =
                    fixture().get("/api/v1/jobs" + list).json().path("jobs").get(0);
            assertThat(job.path("command").isNull()).as(list).isTrue();
            assertThat(job.path("environment").isNull()).as(list).isTrue();
        }
        JsonNode one = fixture().get("/api/v1/jobs/" + id).json();
        assertThat(one.path("command").toString()).isEqualTo("[\"tool\"]");
        assertThat(one.path("environment").toString()).isEqualTo("[\"A\"]");
    }

    @Test
    void aPageThatHasBecomeLargeEndsAndTheNextGoesOn() {
        open();
        long _ = fixture().running(4);
        String tags = IntStream.range(10, 42)
                .mapToObj(i -> "\"" + i + EURO.repeat(126) + "\"")
                .collect(Collectors.joining(",", "[", "]"));
        for (int i = 0; i < 400; i++) {
            assertThat(submit("{\"command\": [\"x\"], \"gpus\": 1, \"tags\": " + tags + "}")
                            .status())
                    .isEqualTo(201);
        }
        assertThat(pages("active")).isEqualTo(2);
        assertThat(pages("all")).isEqualTo(2);
    }

    @Test
    void aListDoesNotReadWhatJobsRun() {
        ofAnOlderServer(40, Jobs.completed());
        open();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        assertThat(fixture()
                        .queries()
                        .newest(Filter.of(null), Long.MAX_VALUE, 100)
                        .items())
                .as("a piece is one job where that is large")
                .hasSize(1);
        assertThat(threads.getCurrentThreadAllocatedBytes() - before)
                .as("its program alone has 0.8 MB, and all of them 31 MB")
                .isLessThan(12 << 20);
    }
}
