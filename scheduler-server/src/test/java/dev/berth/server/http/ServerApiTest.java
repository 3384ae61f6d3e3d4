package dev.berth.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.core.job.StateName;
import dev.berth.server.http.exchange.Router;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.docker.FakeContainerEngine;
import dev.berth.testclient.Answer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code /server}, {@code /gpus} and {@code /health} over a real socket, and TCP. */
@Timeout(60)
class ServerApiTest {
    @TempDir
    private Path directory;

    /** Whether the server is well is told to everybody, and a session begins by a secret of its own. */
    private static final Set<String> OPEN = Set.of(
            "GET /api/v1/health",
            "GET /health/live",
            "GET /health/ready",
            "POST /api/v1/session",
            "GET /api/v1/handovers/{token}/snapshot");

    @AutoClose
    private ServerFixture fixture;

    @BeforeEach
    void open() {
        fixture = new ServerFixture(directory);
    }

    @Test
    void healthIsToldToEverybody() {
        Answer answer = fixture.get("/api/v1/health");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.text()).isEqualTo("{\"status\":\"ok\",\"version\":\"1.2.3\"}");
        assertThat(answer.headers()).containsEntry("cache-control", "no-store").doesNotContainKey("server");
        Answer overTcp = Wire.ask(fixture.tcp(), "GET", "/api/v1/health", new byte[0]);
        assertThat(overTcp.status()).isEqualTo(200);
        assertThat(overTcp.text()).isEqualTo(answer.text());
    }

    @Test
    void overTcpNothingElseIsAnswered() {
        long id = fixture.running(1);
        for (Router.Route route : fixture.routes()) {
            if (!OPEN.contains(route.method() + " " + route.pattern())) {
                String path = route.pattern()
                        .replace("{id}", Long.toString(id))
                        .replace("{gpu}", "0")
                        .replace("{name}", "cluster");
                Answer answer = Wire.ask(fixture.tcp(), route.method(), path, "{}".getBytes(StandardCharsets.UTF_8));
                assertThat(answer.status()).as("%s %s", route.method(), path).isEqualTo(401);
                assertThat(answer.code()).isEqualTo("NO_IDENTITY");
            }
        }
        assertThat(fixture.stopped()).isNotDone();
        assertThat(fixture.job(id).path("state").asText()).isEqualTo("RUNNING");
    }

    @Test
    void theServerDescribesItself() {
        long running = fixture.running(3);
        fixture.submitted(2);
        fixture.submitted(2);
        JsonNode server = fixture.get("/api/v1/server").json();
        assertThat(server.path("version").asText()).isEqualTo("1.2.3");
        assertThat(server.path("pid").asLong()).isEqualTo(4711);
        assertThat(server.path("socket").asText()).isEqualTo(fixture.socket().toString());
        assertThat(server.path("dataDirectory").asText()).isEqualTo(directory.toString());
        assertThat(server.path("since").asText()).isEqualTo("1970-01-01T00:00:00Z");
        assertThat(server.path("workers").asInt()).isEqualTo(4);
        assertThat(server.path("image").asText()).isEqualTo(ServerFixture.IMAGE);
        assertThat(server.path("warnings").toString()).isEqualTo("[\"a warning\"]");
        assertThat(server.path("jobs").toString())
                .isEqualTo("[{\"state\":\"QUEUED\",\"jobs\":2},{\"state\":\"RUNNING\",\"jobs\":1}]");
        assertThat(server.path("gpus"))
                .isEqualTo(fixture.get("/api/v1/gpus").json().path("gpus"));
        assertThat(running).isEqualTo(1);
    }

    @Test
    void gpusTellWhoHoldsThem() {
        long id = fixture.running(2);
        JsonNode list = fixture.get("/api/v1/gpus").json();
        assertThat(list.path("simulated").asBoolean()).isTrue();
        assertThat(list.path("gpus")).hasSize(4);
        String holder = "[{\"job\":%d,\"user\":\"root\",\"milli\":1000,\"memoryMiB\":null,\"number\":\"%d\"}]"
                .formatted(id, id);
        assertThat(list.path("gpus").path(0).path("holders").toString()).isEqualTo(holder);
        assertThat(list.path("gpus").path(1).path("holders").toString()).isEqualTo(holder);
        assertThat(list.path("gpus").path(2).path("holders")).isEmpty();
        assertThat(list.path("gpus").path(3).path("index").asInt()).isEqualTo(3);
    }

    @Test
    void aDrainedGpuIsPassedOverUntilItIsResumed() {
        Answer drained = fixture.post("/api/v1/gpus/0/drain", "{\"reason\":\"loud fan\"}");
        assertThat(drained.status()).isEqualTo(202);
        assertThat(drained.json().path("drain").path("by").asText()).isEqualTo("root");
        assertThat(drained.json().path("drain").path("reason").asText()).isEqualTo("loud fan");
        long id = fixture.submitted(4);
        fixture.awaitSentence(id, "GPU 0 is drained by root: loud fan");
        assertThat(fixture.job(id).path("reason").asText()).isEqualTo("GPU_DRAINED");
        String uuid = drained.json().path("uuid").asText();
        Answer resumed = fixture.post("/api/v1/gpus/" + uuid + "/resume", "{}");
        assertThat(resumed.json().path("drain").isNull()).isTrue();
        fixture.await(id, StateName.RUNNING);
    }

    @Test
    void onlyAGpuThatIsThereIsDrainedAndOnlyForAReasonThatCanBeShown() {
        assertThat(fixture.post("/api/v1/gpus/9/drain", "{}").code()).isEqualTo("NO_SUCH_GPU");
        assertThat(fixture.post("/api/v1/gpus/GPU-/resume", "{}").code()).isEqualTo("NO_SUCH_GPU");
        Answer refused = fixture.post("/api/v1/gpus/0/drain", "{\"reason\":\"a\\nb\"}");
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.text()).contains("reason");
    }

    /** The job that runs has a time limit, but nobody can stop it by then. */
    @Test
    void noStartIsForetoldWhileTheEngineIsAway() {
        long first = runningForAnHour();
        long second = fixture.submitted(1);
        fixture.awaitSentence(second, "waits for 1 GPU");
        assertThat(fixture.job(second).path("latestStart").isTextual()).isTrue();
        fixture.engine().strikeWith((verb, _) -> {
            throw new EngineException(EngineException.Kind.UNREACHABLE, "nobody answers");
        });
        fixture.post("/api/v1/jobs/" + first + "/cancel", "");
        fixture.awaitSentence(first, "engine unreachable since ");
        assertThat(fixture.job(second).path("latestStart").isNull()).isTrue();
        String explanation = "/api/v1/jobs/" + second + "/explanation";
        assertThat(fixture.get(explanation).json().path("latestStart").isNull()).isTrue();
        fixture.engine().strikeWith(FakeContainerEngine.Faults.NONE);
        fixture.await(second, StateName.RUNNING);
    }

    /** An engine that answers may fail at the stop alone. */
    @Test
    void noStartIsForetoldWhileTheEngineFailsAtAStop() {
        long first = runningForAnHour();
        long second = fixture.submitted(1);
        fixture.awaitSentence(second, "waits for 1 GPU");
        fixture.engine().strikeWith((verb, _) -> {
            if (verb.equals("stop")) {
                throw new EngineException(EngineException.Kind.FAILING, "it cannot");
            }
        });
        fixture.post("/api/v1/jobs/" + first + "/cancel", "");
        fixture.awaitSentence(first, "it cannot");
        assertThat(fixture.job(second).path("latestStart").isNull()).isTrue();
        fixture.engine().strikeWith(FakeContainerEngine.Faults.NONE);
        fixture.await(second, StateName.RUNNING);
    }

    private long runningForAnHour() {
        String job = "{\"command\": [\"x\"], \"snapshot\": \"%s\", \"gpus\": 4, \"timeLimitSeconds\": 3600}"
                .formatted(fixture.snapshot());
        long id = fixture.post("/api/v1/jobs", job).json().path("id").asLong();
        fixture.await(id, StateName.RUNNING);
        return id;
    }

    @Test
    void anEngineThatIsAwayIsSaidOnceForAllAndByEachJobThatWaitsForIt() {
        fixture.submit(4);
        fixture.await(1, StateName.RUNNING);
        fixture.engine().strikeWith((verb, _) -> {
            throw new EngineException(EngineException.Kind.UNREACHABLE, "nobody answers");
        });
        long first = fixture.submitted(4);
        long second = fixture.submitted(1);
        fixture.post("/api/v1/jobs/1/cancel", "");
        fixture.awaitSentence(1, "engine unreachable since ");
        JsonNode stopping = fixture.job(1);
        assertThat(stopping.path("state").asText()).isEqualTo("STOPPING");
        assertThat(stopping.path("reason").asText()).isEqualTo("ENGINE_UNREACHABLE");
        assertThat(stopping.path("sentence").asText()).endsWith("(nobody answers)");
        assertThat(fixture.job(first).path("reason").asText()).isEqualTo("ENGINE_UNREACHABLE");
        assertThat(fixture.job(second).path("reason").asText()).isEqualTo("BEHIND_HEAD");
        assertThat(fixture.job(second).path("sentence").asText()).contains("; engine unreachable since ");
        JsonNode outage = fixture.get("/api/v1/server").json().path("engineOutage");
        assertThat(outage.path("sentence").asText()).isEqualTo("nobody answers");
        assertThat(Instant.parse(outage.path("since").asText())).isNotNull();

        fixture.engine().strikeWith(FakeContainerEngine.Faults.NONE);
        fixture.await(first, StateName.RUNNING);
        assertThat(fixture.get("/api/v1/server").json().path("engineOutage").isNull())
                .isTrue();
        assertThat(fixture.job(1).path("state").asText()).isEqualTo("CANCELLED");
        assertThat(fixture.job(first).path("reason").isNull()).isTrue();
    }

    @Test
    void whatTheEngineFailsAtIsSaidByTheJobAndTriedAgain() {
        fixture.engine().strikeWith((verb, done) -> {
            if (verb.equals("create") && !done) {
                throw new EngineException(EngineException.Kind.UNABLE, "no space left on device");
            }
        });
        long id = fixture.submitted(1);
        fixture.awaitSentence(id, "no space left on device");
        assertThat(fixture.job(id).path("reason").asText()).isEqualTo("ENGINE_FAILING");
        assertThat(fixture.job(id).path("sentence").asText())
                .startsWith("its container is being made on GPU 0; the engine fails at it since ");
        assertThat(fixture.get("/api/v1/server").json().path("engineOutage").isNull())
                .isTrue();
        fixture.engine().strikeWith(FakeContainerEngine.Faults.NONE);
        fixture.await(id, StateName.RUNNING);
    }

    @Test
    void stopLeavesTheJobsRunning() throws Exception {
        long id = fixture.running(1);
        Answer answer = fixture.post("/api/v1/server/stop", "{}");
        assertThat(answer.status()).isEqualTo(202);
        assertThat(answer.json().path("pid").asLong()).isEqualTo(4711);
        assertThat(fixture.stopped().get(30, TimeUnit.SECONDS)).isFalse();
        assertThat(fixture.engine().running()).containsExactly(fixture.container(id));
    }

    @Test
    void stopAfterTheJobsCancelsThemAndStartsNoOther() throws Exception {
        long id = fixture.running(4);
        long waiting = fixture.submitted(4);
        Answer answer = fixture.post("/api/v1/server/stop", "{\"stopJobs\": true}");
        assertThat(answer.status()).isEqualTo(202);
        assertThat(fixture.stopped().get(30, TimeUnit.SECONDS)).isTrue();
        fixture.await(id, StateName.CANCELLED);
        assertThat(fixture.engine().startedEver()).containsExactly(fixture.container(id));
        assertThat(fixture.job(waiting).path("state").asText()).isEqualTo("QUEUED");
    }

    @Test
    void everyUserOfTheMachineMayConnect() throws IOException {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(fixture.socket())))
                .isEqualTo("rw-rw-rw-");
    }
}
