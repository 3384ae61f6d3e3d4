package dev.berth.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.server.config.Settings;
import dev.berth.server.http.exchange.Router.Route;
import dev.berth.testclient.Answer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What those get who show nothing over TCP. */
@Timeout(120)
class AnonymousApiTest {
    private static final Set<String> OPEN = Set.of(
            "GET /api/v1/health",
            "GET /health/live",
            "GET /health/ready",
            "POST /api/v1/session",
            "GET /api/v1/handovers/{token}/snapshot");
    private static final Set<String> READABLE = Set.of(
            "GET /api/v1/session",
            "GET /api/v1/server",
            "GET /api/v1/overview",
            "GET /api/v1/gpus",
            "GET /api/v1/gpus/{gpu}/history",
            "GET /api/v1/jobs",
            "GET /api/v1/jobs/{id}",
            "GET /api/v1/jobs/{id}/explanation",
            "GET /api/v1/jobs/{id}/events",
            "GET /api/v1/events",
            "GET /metrics");

    @TempDir
    private Path directory;

    private static Answer ask(ServerFixture fixture, String method, String path, String... headers) {
        String[] all = new String[headers.length + 1];
        all[0] = "Host: localhost";
        System.arraycopy(headers, 0, all, 1, headers.length);
        return Wire.ask(fixture.tcp(), method, path, "{}".getBytes(StandardCharsets.UTF_8), all);
    }

    /** The routes that are answered without an identity, whatever they answer. */
    private static List<String> answered(ServerFixture fixture, String job) {
        List<String> answered = new ArrayList<>();
        for (Route route : fixture.routes()) {
            String path = route.pattern()
                    .replace("{gpu}", "0")
                    .replace("{name}", "cluster")
                    .replace("{token}", "1.1." + "0".repeat(64))
                    .replaceAll("\\{id}", job);
            Answer answer = ask(fixture, route.method(), path);
            if (answer.status() != 401) {
                answered.add(route.method() + " " + route.pattern());
            }
        }
        return answered;
    }

    @Test
    void withoutTheSettingNobodyReadsAnything() {
        try (ServerFixture fixture = new ServerFixture(directory)) {
            assertThat(answered(fixture, "1")).containsExactlyInAnyOrderElementsOf(OPEN);
        }
    }

    @Test
    void withItTheFirstScreenIsReadAndNothingElse() {
        try (ServerFixture fixture = new ServerFixture(directory, Settings.of("access.anonymous=read"))) {
            // One that has ended: its events end as well.
            fixture.submitted(4);
            String job = Long.toString(fixture.submitted(4));
            fixture.verb(job, "cancel");
            Set<String> all = new HashSet<>(OPEN);
            all.addAll(READABLE);
            assertThat(answered(fixture, job)).containsExactlyInAnyOrderElementsOf(all);
        }
    }

    @Test
    void aReaderWithoutANameSeesWhatAReaderSees() {
        try (ServerFixture fixture = new ServerFixture(directory, Settings.of("access.anonymous=read"))) {
            String id = Long.toString(
                    fixture.submit("\"gpus\": 1, \"name\": \"run\", \"environment\": {\"SECRET\": \"hidden\"},"
                                    + " \"notify\": [\"end:https://hidden.example.org/hook\"]")
                            .expect(201)
                            .json()
                            .path("id")
                            .asLong());
            Answer who = ask(fixture, "GET", "/api/v1/session").expect(200);
            assertThat(who.json().path("name").isNull()).isTrue();
            assertThat(who.json().path("role").asText()).isEqualTo("reader");
            assertThat(who.json().path("scope").asText()).isEqualTo("read");
            Answer job = ask(fixture, "GET", "/api/v1/jobs/" + id).expect(200);
            assertThat(job.json().path("user").asText()).isEqualTo("root");
            assertThat(job.text()).doesNotContain("hidden").contains("end:...");
            assertThat(ask(fixture, "GET", "/api/v1/jobs").expect(200).text())
                    .contains("\"id\":" + id, "end:...")
                    .doesNotContain("hidden");
            assertThat(ask(fixture, "GET", "/api/v1/jobs?scope=all&own=true")
                            .expect(200)
                            .json()
                            .path("jobs"))
                    .isEmpty();
            assertThat(ask(fixture, "GET", "/api/v1/events").expect(200).text()).contains("QUEUED");
        }
    }

    @Test
    void whoShowsSomethingWrongIsStillRefusedAndWhoHasLoggedOutReads() {
        try (ServerFixture fixture = new ServerFixture(directory, Settings.of("access.anonymous=read"))) {
            assertThat(ask(fixture, "GET", "/api/v1/gpus", "Authorization: Bearer nonsense")
                            .status())
                    .isEqualTo(401);
            assertThat(ask(fixture, "GET", "/api/v1/gpus", "Cookie: berth_harbour1=nonsense")
                            .status())
                    .isEqualTo(200);
            assertThat(Wire.ask(fixture.tcp(), "GET", "/api/v1/gpus", new byte[0], "Host: evil.example.org")
                            .status())
                    .isEqualTo(403);
        }
    }
}
