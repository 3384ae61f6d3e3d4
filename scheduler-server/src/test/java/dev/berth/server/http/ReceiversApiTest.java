package dev.berth.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.core.job.StateName;
import dev.berth.server.config.Settings;
import dev.berth.testclient.Answer;
import dev.berth.testclient.HookServer;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Receivers of notices, from the request to what they are sent. */
@Timeout(120)
class ReceiversApiTest {
    private static final String RECEIVERS = "/api/v1/receivers";
    private static final String SECRET = "sEcReT-0815-kEy";

    @TempDir
    private Path directory;

    private ServerFixture fixture;
    private HookServer hook;

    @BeforeEach
    void open() {
        fixture = new ServerFixture(directory, Settings.of("notify.allow=127.0.0.1"));
        fixture.sendNotices();
        hook = new HookServer(request -> request.path().contains("broken") ? 500 : 200);
    }

    @AfterEach
    void close() {
        fixture.close();
        hook.close();
    }

    private Answer add(String wish) {
        return fixture.post(RECEIVERS, "{\"receiver\": \"" + wish + "\"}");
    }

    private static void await(BooleanSupplier isThere) {
        Instant end = InstantSource.system().instant().plus(Duration.ofSeconds(60));
        while (!isThere.getAsBoolean()) {
            assertThat(InstantSource.system().instant()).isBefore(end);
            Thread.onSpinWait();
        }
    }

    private List<String> bodies() {
        return hook.received().stream().map(HookServer.Received::body).toList();
    }

    @Test
    void aReceiverIsAddedListedTestedAndRemoved() {
        JsonNode added = add("end,fail:" + hook.url() + SECRET).expect(201).json();
        long id = added.path("id").asLong();
        assertThat(added.path("moments").toString()).isEqualTo("[\"end\",\"fail\"]");
        assertThat(added.path("receiver").asText()).isEqualTo(hook.url() + "...-kEy");
        assertThat(fixture.get(RECEIVERS).expect(200).json().path("receivers").path(0))
                .isEqualTo(added);

        JsonNode tested =
                fixture.post(RECEIVERS + "/" + id + "/test", "{}").expect(200).json();
        assertThat(tested.path("arrived").asBoolean()).isTrue();
        assertThat(tested.path("sentence").asText()).isEqualTo("it answered 200");
        assertThat(hook.received()).singleElement().satisfies(received -> {
            assertThat(received.path()).isEqualTo("/" + SECRET);
            assertThat(received.body()).contains("This is a test of berth notify");
        });

        assertThat(Wire.ask(UnixDomainSocketAddress.of(fixture.socket()), "DELETE", RECEIVERS + "/" + id, new byte[0])
                        .status())
                .isEqualTo(200);
        assertThat(fixture.get(RECEIVERS).json().path("receivers")).isEmpty();
        assertThat(fixture.post(RECEIVERS + "/" + id + "/test", "{}").status()).isEqualTo(404);
    }

    @Test
    void aTestThatFailsSaysWhy() {
        long id = add(hook.url() + "broken").expect(201).json().path("id").asLong();
        JsonNode tested =
                fixture.post(RECEIVERS + "/" + id + "/test", "{}").expect(200).json();
        assertThat(tested.path("arrived").asBoolean()).isFalse();
        assertThat(tested.path("sentence").asText()).isEqualTo("it answered 500");
    }

    @Test
    void aUserMayTryOutABoundedNumberAMinute() {
        long id = add(hook.url()).expect(201).json().path("id").asLong();
        for (int i = 0; i < 10; i++) {
            fixture.post(RECEIVERS + "/" + id + "/test", "{}").expect(200);
        }
        Answer refused = fixture.post(RECEIVERS + "/" + id + "/test", "{}").expect(429);
        assertThat(refused.code()).isEqualTo("TOO_MANY_TESTS");
        assertThat(refused.message()).startsWith("you may have 10 tests of receivers a minute; try again in ");
        assertThat(Integer.parseInt(refused.header("Retry-After"))).isBetween(1, 6);
        assertThat(hook.received()).hasSize(10);
    }

    @Test
    void jobsAreToldOf() {
        add("start,fail:" + hook.url() + "all").expect(201);
        long id = fixture.submit("\"gpus\": 1, \"name\": \"one\", \"notify\": [\"end:" + hook.url() + SECRET + "\"]")
                .expect(201)
                .json()
                .path("id")
                .asLong();
        fixture.await(id, StateName.RUNNING);
        fixture.end(id, 3);
        await(() -> hook.received().size() == 3);
        assertThat(hook.received())
                .extracting(HookServer.Received::path)
                .containsExactlyInAnyOrder("/all", "/all", "/" + SECRET);
        assertThat(bodies())
                .allMatch(body -> body.contains("\"name\":\"one\""))
                .anyMatch(body -> body.contains("\"moment\":\"start\""))
                .anyMatch(body -> body.contains("\"moment\":\"fail\"") && body.contains("\"exitCode\":3"))
                .anyMatch(body -> body.contains("\"moment\":\"end\""));
    }

    @Test
    void aSecretIsNeverShownAgain() {
        String wish = "end:" + hook.url() + SECRET;
        add(wish).expect(201);
        String fields = "\"gpus\": 1, \"notify\": [\"" + wish + "\"]";
        Answer submitted = fixture.submit(fields).expect(201);
        long id = submitted.json().path("id").asLong();
        String request = "{\"command\": [\"main.py\"], \"snapshot\": \"%s\", %s}".formatted(fixture.snapshot(), fields);
        Answer dry = fixture.post("/api/v1/jobs?dryRun=true", request).expect(200);
        assertThat(submitted.json().path("notify").toString()).isEqualTo("[\"end:" + hook.url() + "...-kEy\"]");
        assertThat(List.of(
                        submitted,
                        dry,
                        fixture.get("/api/v1/jobs/" + id),
                        fixture.get("/api/v1/jobs"),
                        fixture.get("/api/v1/events"),
                        fixture.get(RECEIVERS)))
                .allSatisfy(answer -> assertThat(answer.text()).doesNotContain("sEcReT"));
        assertThat(fixture.scheduling().machine().toString()).doesNotContain("sEcReT");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "end",
                "never:https://example.org/sEcReT",
                "end:ftp://example.org/sEcReT",
                "end:https://u:sEcReT@example.org/",
                "mail:ada@example.org",
                "cmd:KEY=sEcReT told",
                "fail:cmd:told sEcReT",
            })
    void whatIsNoReceiverIsRefusedWithoutRepeatingIt(String wish) {
        assertThat(add(wish)).satisfies(answer -> {
            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.text()).contains("receiver: '").doesNotContain("sEcReT");
        });
        assertThat(fixture.submit("\"gpus\": 1, \"notify\": [\"" + wish + "\"]").status())
                .isEqualTo(400);
    }

    @Test
    void aUserHasABoundedNumberOfReceivers() {
        for (int i = 0; i < 20; i++) {
            add(hook.url() + i).expect(201);
        }
        assertThat(add(hook.url()).expect(409).text()).contains("TOO_MANY_RECEIVERS");
        assertThat(fixture.submit("\"gpus\": 1, \"notify\": [" + "\"https://example.org/x\",".repeat(10)
                                + "\"https://example.org/x\"]")
                        .status())
                .isEqualTo(400);
    }
}
