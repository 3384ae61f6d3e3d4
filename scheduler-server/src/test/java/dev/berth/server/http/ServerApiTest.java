package dev.berth.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.core.job.StateName;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.docker.FakeContainerEngine;
import dev.berth.testclient.Answer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code /server}, {@code /gpus} and {@code /health} over a real socket, and TCP. */
@Timeout(60)
class ServerApiTest {
    @TempDir
    private Path directory;

    private Harbour harbour;

    @BeforeEach
    void open() {
        harbour = new Harbour(directory);
    }

    @AfterEach
    void close() {
        harbour.close();
    }

    @Test
    void healthIsToldToEverybody() {
        Answer answer = harbour.get("/api/v1/health");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.text()).isEqualTo("{\"status\":\"ok\",\"version\":\"1.2.3\"}");
        assertThat(answer.headers()).containsEntry("cache-control", "no-store").doesNotContainKey("server");
        Answer overTcp = Wire.ask(harbour.tcp(), "GET", "/api/v1/health", new byte[0]);
        assertThat(overTcp.status()).isEqualTo(200);
        assertThat(overTcp.text()).isEqualTo(answer.text());
    }

    @Test
    void overTcpNothingElseIsAnswered() {
        long id = harbour.running(1);
        for (Router.Route route : harbour.routes()) {
            if (!route.pattern().equals("/api/v1/health")) {
                String path = route.pattern().replace("{id}", Long.toString(id)).replace("{gpu}", "0");
                Answer answer = Wire.ask(harbour.tcp(), route.method(), path, "{}".getBytes(StandardCharsets.UTF_8));
                assertThat(answer.status()).as("%s %s", route.method(), path).isEqualTo(401);
                assertThat(answer.code()).isEqualTo("NO_IDENTITY");
            }
        }
        assertThat(harbour.stopped()).isNotDone();
        assertThat(harbour.job(id).path("state").asText()).isEqualTo("RUNNING");
    }

    @Test
    void theServerDescribesItself() {
        long running = harbour.running(3);
        harbour.submitted(2);
        harbour.submitted(2);
        JsonNode server = harbour.get("/api/v1/server").json();
        assertThat(server.path("version").asText()).isEqualTo("1.2.3");
        assertThat(server.path("pid").asLong()).isEqualTo(4711);
        assertThat(server.path("socket").asText()).isEqualTo(harbour.socket().toString());
        assertThat(server.path("dataDirectory").asText()).isEqualTo(directory.toString());
        assertThat(server.path("since").asText()).isEqualTo("1970-01-01T00:00:00Z");
        assertThat(server.path("workers").asInt()).isEqualTo(4);
        assertThat(server.path("image").asText()).isEqualTo(Harbour.IMAGE);
        assertThat(server.path("warnings").toString()).isEqualTo("[\"a warning\"]");
        assertThat(server.path("jobs").toString())
                .isEqualTo("[{\"state\":\"QUEUED\",\"jobs\":2},{\"state\":\"RUNNING\",\"jobs\":1}]");
        assertThat(server.path("gpus"))
                .isEqualTo(harbour.get("/api/v1/gpus").json().path("gpus"));
        assertThat(running).isEqualTo(1);
    }

    @Test
    void gpusTellWhoHoldsThem() {
        long id = harbour.running(2);
        JsonNode list = harbour.get("/api/v1/gpus").json();
        assertThat(list.path("simulated").asBoolean()).isTrue();
        assertThat(list.path("gpus")).hasSize(4);
        String holder = "[{\"job\":%d,\"user\":\"root\",\"milli\":1000,\"memoryMiB\":null}]".formatted(id);
        assertThat(list.path("gpus").path(0).path("holders").toString()).isEqualTo(holder);
        assertThat(list.path("gpus").path(1).path("holders").toString()).isEqualTo(holder);
        assertThat(list.path("gpus").path(2).path("holders")).isEmpty();
        assertThat(list.path("gpus").path(3).path("index").asInt()).isEqualTo(3);
    }

    @Test
    void aDrainedGpuIsPassedOverUntilItIsResumed() {
        Answer drained = harbour.post("/api/v1/gpus/0/drain", "{\"reason\":\"loud fan\"}");
        assertThat(drained.status()).isEqualTo(202);
        assertThat(drained.json().path("drain").path("by").asText()).isEqualTo("root");
        assertThat(drained.json().path("drain").path("reason").asText()).isEqualTo("loud fan");
        long id = harbour.submitted(4);
        harbour.awaitSentence(id, "GPU 0 is drained by root: loud fan");
        assertThat(harbour.job(id).path("reason").asText()).isEqualTo("GPU_DRAINED");
        String uuid = drained.json().path("uuid").asText();
        Answer resumed = harbour.post("/api/v1/gpus/" + uuid + "/resume", "{}");
        assertThat(resumed.json().path("drain").isNull()).isTrue();
        harbour.await(id, StateName.RUNNING);
    }

    @Test
    void onlyAGpuThatIsThereIsDrainedAndOnlyForAReasonThatCanBeShown() {
        assertThat(harbour.post("/api/v1/gpus/9/drain", "{}").code()).isEqualTo("NO_SUCH_GPU");
        assertThat(harbour.post("/api/v1/gpus/GPU-/resume", "{}").code()).isEqualTo("NO_SUCH_GPU");
        Answer refused = harbour.post("/api/v1/gpus/0/drain", "{\"reason\":\"a\\nb\"}");
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.text()).contains("reason");
    }

    @Test
    void anEngineThatIsAwayIsSaidOnceForAllAndByEachJobThatWaitsForIt() {
        harbour.submit(4);
        harbour.await(1, StateName.RUNNING);
        harbour.engine().strikeWith((verb, _) -> {
            throw new EngineException(EngineException.Kind.UNREACHABLE, "nobody answers");
        });
        long first = harbour.submitted(4);
        long second = harbour.submitted(1);
        harbour.post("/api/v1/jobs/1/cancel", "");
        harbour.awaitSentence(1, "engine unreachable since ");
        JsonNode stopping = harbour.job(1);
        assertThat(stopping.path("state").asText()).isEqualTo("STOPPING");
        assertThat(stopping.path("reason").asText()).isEqualTo("ENGINE_UNREACHABLE");
        assertThat(stopping.path("sentence").asText()).endsWith("(nobody answers)");
        assertThat(harbour.job(first).path("reason").asText()).isEqualTo("ENGINE_UNREACHABLE");
        assertThat(harbour.job(second).path("reason").asText()).isEqualTo("BEHIND_HEAD");
        assertThat(harbour.job(second).path("sentence").asText()).contains("; engine unreachable since ");
        JsonNode outage = harbour.get("/api/v1/server").json().path("engineOutage");
        assertThat(outage.path("sentence").asText()).isEqualTo("nobody answers");
        assertThat(Instant.parse(outage.path("since").asText())).isNotNull();

        harbour.engine().strikeWith(FakeContainerEngine.Faults.NONE);
        harbour.await(first, StateName.RUNNING);
        assertThat(harbour.get("/api/v1/server").json().path("engineOutage").isNull())
                .isTrue();
        assertThat(harbour.job(1).path("state").asText()).isEqualTo("CANCELLED");
        assertThat(harbour.job(first).path("reason").isNull()).isTrue();
    }

    @Test
    void whatTheEngineFailsAtIsSaidByTheJobAndTriedAgain() {
        harbour.engine().strikeWith((verb, done) -> {
            if (verb.equals("create") && !done) {
                throw new EngineException(EngineException.Kind.UNABLE, "no space left on device");
            }
        });
        long id = harbour.submitted(1);
        harbour.awaitSentence(id, "no space left on device");
        assertThat(harbour.job(id).path("reason").asText()).isEqualTo("ENGINE_FAILING");
        assertThat(harbour.job(id).path("sentence").asText())
                .startsWith("its container is being made on GPU 0; the engine fails at it since ");
        assertThat(harbour.get("/api/v1/server").json().path("engineOutage").isNull())
                .isTrue();
        harbour.engine().strikeWith(FakeContainerEngine.Faults.NONE);
        harbour.await(id, StateName.RUNNING);
    }

    @Test
    void stopLeavesTheJobsRunning() throws Exception {
        long id = harbour.running(1);
        Answer answer = harbour.post("/api/v1/server/stop", "{}");
        assertThat(answer.status()).isEqualTo(202);
        assertThat(answer.json().path("pid").asLong()).isEqualTo(4711);
        assertThat(harbour.stopped().get(30, TimeUnit.SECONDS)).isFalse();
        assertThat(harbour.engine().running()).containsExactly(harbour.container(id));
    }

    @Test
    void stopAfterTheJobsCancelsThemAndStartsNoOther() throws Exception {
        long id = harbour.running(4);
        long waiting = harbour.submitted(4);
        Answer answer = harbour.post("/api/v1/server/stop", "{\"stopJobs\": true}");
        assertThat(answer.status()).isEqualTo(202);
        assertThat(harbour.stopped().get(30, TimeUnit.SECONDS)).isTrue();
        harbour.await(id, StateName.CANCELLED);
        assertThat(harbour.engine().startedEver()).containsExactly(harbour.container(id));
        assertThat(harbour.job(waiting).path("state").asText()).isEqualTo("QUEUED");
    }

    @Test
    void everyUserOfTheMachineMayConnect() throws IOException {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(harbour.socket())))
                .isEqualTo("rw-rw-rw-");
    }
}
