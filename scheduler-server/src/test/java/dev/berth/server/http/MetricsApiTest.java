package dev.berth.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.core.job.StateName;
import dev.berth.server.config.Settings;
import dev.berth.server.gpu.GpuReading;
import dev.berth.server.http.access.RoleNames;
import dev.berth.server.http.access.TokenSecret;
import dev.berth.server.linux.Users;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.docker.FakeContainerEngine;
import dev.berth.server.store.Token;
import dev.berth.testclient.Answer;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What Prometheus reads, who may, and what a supervisor is told of the server's health. */
@Timeout(60)
class MetricsApiTest {
    @TempDir
    private Path directory;

    private static PrometheusText metrics(ServerFixture fixture) {
        Answer answer = fixture.get("/metrics").expect(200);
        assertThat(answer.header("content-type")).isEqualTo("text/plain; version=0.0.4; charset=utf-8");
        return PrometheusText.read(answer.text());
    }

    private static Answer remote(ServerFixture fixture, String path, String... headers) {
        String[] all = new String[headers.length + 1];
        all[0] = "Host: localhost";
        System.arraycopy(headers, 0, all, 1, headers.length);
        return Wire.ask(fixture.tcp(), "GET", path, new byte[0], all);
    }

    private static String token(ServerFixture fixture, String user, String scope) {
        TokenSecret secret = TokenSecret.fresh(new SecureRandom());
        long uid = new Users().find(user).orElseThrow().uid();
        Token token =
                new Token(secret.id(), "t", secret.hash(), uid, user, scope, Instant.EPOCH, null, null, null, null);
        var _ = fixture.scheduling()
                .write(store -> assertThat(store.keepToken(token, 10)).isTrue())
                .join();
        return "Authorization: Bearer " + secret.text();
    }

    @Test
    void theQueueTheJobsAndTheGpusAreTold() {
        try (ServerFixture fixture = new ServerFixture(directory)) {
            fixture.show(0, new GpuReading(96, 3L << 30, 12L << 30, 77, 201_500, List.of()));
            fixture.look();
            fixture.running(3);
            fixture.submitted(2);
            fixture.submitted(1);
            fixture.post("/api/v1/gpus/3/drain", "{\"reason\": \"a fan\"}").expect(202);
            PrometheusText told = metrics(fixture);
            assertThat(told.value("berth_queue_jobs{lane=\"main\"}")).isEqualTo(2);
            assertThat(told.value("berth_queue_head_wait_seconds{lane=\"main\"}"))
                    .isBetween(0.0, 60.0);
            assertThat(told.value("berth_jobs{state=\"RUNNING\"}")).isEqualTo(1);
            assertThat(told.value("berth_jobs{state=\"QUEUED\"}")).isEqualTo(2);
            assertThat(told.value("berth_gpus{state=\"held\"}")).isEqualTo(3);
            assertThat(told.value("berth_gpus{state=\"drained\"}")).isEqualTo(1);
            assertThat(told.value("berth_gpus{state=\"free\"}")).isZero();
            assertThat(told.value("berth_gpu_drained{gpu=\"3\"}")).isEqualTo(1);
            assertThat(told.value("berth_gpu_utilisation_ratio{gpu=\"0\"}")).isEqualTo(0.96);
            assertThat(told.value("berth_gpu_memory_used_bytes{gpu=\"0\"}")).isEqualTo(3L << 30);
            assertThat(told.value("berth_gpu_temperature_celsius{gpu=\"0\"}")).isEqualTo(77);
            assertThat(told.value("berth_gpu_power_watts{gpu=\"0\"}")).isEqualTo(201.5);
            assertThat(told.value("berth_gpu_readable{gpu=\"1\"}")).isZero();
            assertThat(told.samples()).doesNotContainKey("berth_gpu_power_watts{gpu=\"1\"}");
            assertThat(told.value("berth_build_info{version=\"1.2.3\"}")).isEqualTo(1);
            assertThat(told.value("berth_engine_up")).isEqualTo(1);
            assertThat(told.types()).containsKeys("process_start_time_seconds", "jvm_memory_used_bytes");
        }
    }

    @Test
    void twoLanesAreCountedApart() {
        try (ServerFixture fixture = new ServerFixture(directory, 0, 1)) {
            fixture.running(4);
            fixture.running(0);
            fixture.submitted(1);
            fixture.submitted(0);
            fixture.submitted(0);
            PrometheusText told = metrics(fixture);
            assertThat(told.value("berth_queue_jobs{lane=\"main\"}")).isEqualTo(1);
            assertThat(told.value("berth_queue_jobs{lane=\"cpu\"}")).isEqualTo(2);
        }
    }

    @Test
    void countersGoUp() {
        try (ServerFixture fixture = new ServerFixture(directory)) {
            long first = fixture.running(1);
            fixture.end(first, 0);
            fixture.await(first, StateName.COMPLETED);
            PrometheusText before = metrics(fixture);
            long second = fixture.running(1);
            fixture.end(second, 3);
            fixture.await(second, StateName.FAILED);
            PrometheusText after = metrics(fixture);
            assertThat(before.value("berth_jobs_ended_total{state=\"COMPLETED\"}"))
                    .isEqualTo(1);
            assertThat(before.value("berth_jobs_ended_total{state=\"FAILED\"}")).isZero();
            assertThat(after.value("berth_jobs_ended_total{state=\"COMPLETED\"}"))
                    .isEqualTo(1);
            assertThat(after.value("berth_jobs_ended_total{state=\"FAILED\"}")).isEqualTo(1);
            for (String count : List.of(
                    "berth_loop_turn_seconds_count",
                    "berth_loop_turn_seconds_sum",
                    "berth_store_commit_seconds_count",
                    "berth_engine_work_seconds_count{work=\"CreateRun\"}",
                    "berth_engine_work_seconds_count{work=\"StartRun\"}",
                    "berth_http_request_seconds_count{method=\"POST\",route=\"/api/v1/jobs\"}",
                    "berth_http_requests_total{method=\"POST\",route=\"/api/v1/jobs\",status=\"201\"}")) {
                assertThat(after.value(count)).as(count).isGreaterThan(before.value(count));
            }
            assertThat(after.value("berth_http_requests_total{method=\"GET\",route=\"/metrics\",status=\"200\"}"))
                    .isEqualTo(1);
        }
    }

    @Test
    void noWordOfAClientIsALabel() {
        try (ServerFixture fixture = new ServerFixture(directory)) {
            int before = metrics(fixture).samples().size();
            for (int i = 0; i < 40; i++) {
                fixture.get("/api/v1/jobs/" + (1_000 + i));
                fixture.get("/api/v1/jobs/secret-" + i);
                fixture.get("/secret-" + i + "/%22%7D%20berth_up%201");
                fixture.post("/metrics/secret-" + i, "");
                Wire.odd(fixture.tcp(), "SECRET" + i, "/api/v1/health");
            }
            Answer answer = fixture.get("/metrics").expect(200);
            PrometheusText after = PrometheusText.read(answer.text());
            assertThat(answer.text()).doesNotContainIgnoringCase("secret").doesNotContain("1039");
            assertThat(after.value("berth_http_requests_total{method=\"GET\",route=\"none\",status=\"404\"}"))
                    .isEqualTo(40);
            assertThat(after.samples()).hasSizeLessThan(before + 150);
        }
    }

    @Test
    void whoSeesAllReadsTheMetricsAndNobodyElse() {
        RoleNames roles = new RoleNames(List.of("@daemon"), List.of("bin"));
        try (ServerFixture fixture = new ServerFixture(
                directory,
                settings -> new HttpSettings(
                        settings.socket(), settings.address(), List.of(), null, false, roles, settings.limits()))) {
            assertThat(remote(fixture, "/metrics").status()).isEqualTo(401);
            assertThat(remote(fixture, "/metrics", "Authorization: Bearer nonsense")
                            .status())
                    .isEqualTo(401);
            assertThat(remote(fixture, "/metrics", token(fixture, "nobody", "ADMIN"))
                            .code())
                    .isEqualTo("NOT_READER");
            assertThat(remote(fixture, "/metrics", token(fixture, "bin", "READ"))
                            .code())
                    .isEqualTo("NOT_READER");
            assertThat(remote(fixture, "/metrics", token(fixture, "bin", "ADMIN"))
                            .status())
                    .isEqualTo(200);
            assertThat(remote(fixture, "/metrics", token(fixture, "daemon", "ADMIN"))
                            .status())
                    .isEqualTo(200);
        }
    }

    @Test
    void anybodyReadsThemWhereEverybodyMayRead() {
        try (ServerFixture fixture = new ServerFixture(directory, Settings.of("access.anonymous=read"))) {
            PrometheusText.read(remote(fixture, "/metrics").expect(200).text());
        }
    }

    @Test
    void aServerWhoseEngineIsAwayLivesAndIsNotReady() {
        try (ServerFixture fixture = new ServerFixture(directory)) {
            assertThat(remote(fixture, "/health/live")
                            .expect(200)
                            .json()
                            .path("status")
                            .asText())
                    .isEqualTo("ok");
            assertThat(remote(fixture, "/health/ready")
                            .expect(200)
                            .json()
                            .path("status")
                            .asText())
                    .isEqualTo("ready");
            long id = fixture.running(1);
            fixture.engine().strikeWith((_, _) -> {
                throw new EngineException(EngineException.Kind.UNREACHABLE, "no engine answers at /secret/place");
            });
            fixture.verb(id, "cancel");
            Answer away = awaitStatus(fixture, 503);
            JsonNode checks = away.json().path("checks");
            assertThat(away.json().path("status").asText()).isEqualTo("not ready");
            assertThat(checks.findValuesAsText("name")).containsExactly("store", "loop", "engine");
            assertThat(checks.findValuesAsText("ok")).containsExactly("true", "true", "false");
            assertThat(away.text()).doesNotContain("secret");
            assertThat(remote(fixture, "/health/live").status()).isEqualTo(200);
            PrometheusText told = metrics(fixture);
            assertThat(told.value("berth_engine_up")).isZero();
            assertThat(told.value("berth_engine_failures_total{kind=\"UNREACHABLE\"}"))
                    .isPositive();
            fixture.engine().strikeWith(FakeContainerEngine.Faults.NONE);
            awaitStatus(fixture, 200);
            assertThat(metrics(fixture).value("berth_engine_up")).isEqualTo(1);
        }
    }

    private static Answer awaitStatus(ServerFixture fixture, int status) {
        Answer answer = remote(fixture, "/health/ready");
        while (answer.status() != status) {
            Thread.onSpinWait();
            answer = remote(fixture, "/health/ready");
        }
        return answer;
    }
}
