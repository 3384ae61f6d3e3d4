package dev.berth.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.core.job.JobId;
import dev.berth.server.http.access.RoleNames;
import dev.berth.server.http.access.TokenSecret;
import dev.berth.server.linux.Users;
import dev.berth.server.store.JobWarning;
import dev.berth.server.store.Token;
import dev.berth.testclient.Answer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What each role may do with a job of root's: daemon is an administrator, bin a reader, nobody has no role. */
@Timeout(60)
class RolesApiTest {
    @TempDir
    private Path directory;

    @AutoClose
    private ServerFixture fixture;

    @BeforeEach
    void open() {
        RoleNames roles = new RoleNames(List.of("@daemon"), List.of("bin"));
        fixture = new ServerFixture(
                directory,
                settings -> new HttpSettings(
                        settings.socket(), settings.address(), List.of(), null, false, roles, settings.limits()));
    }

    private String token(String user) {
        return token(user, "ADMIN");
    }

    private String token(String user, String scope) {
        TokenSecret secret = TokenSecret.fresh(new SecureRandom());
        long uid = new Users().find(user).orElseThrow().uid();
        Token token =
                new Token(secret.id(), "t", secret.hash(), uid, user, scope, Instant.EPOCH, null, null, null, null);
        var _ = fixture.scheduling()
                .write(store -> assertThat(store.keepToken(token, 10)).isTrue())
                .join();
        return secret.text();
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /jobs/{id}, 200, 200, 404",
        "GET, /jobs/{id}/explanation, 200, 200, 404",
        "GET, /jobs/{id}/events, 200, 200, 404",
        "GET, /jobs/{id}/log, 200, 403, 404",
        "POST, /jobs/{id}/cancel, 409, 403, 404",
        "GET, /server, 200, 200, 200",
        "GET, /gpus, 200, 200, 200",
        "GET, /targets, 200, 200, 200",
        "POST, /targets/scheduler/doctor, 409, 403, 403",
        "GET, /tokens, 200, 200, 200",
        "GET, /tokens?user=root, 200, 403, 403",
        "POST, /server/stop, 202, 403, 403",
        "POST, /server/backup, 201, 403, 403",
        "POST, /server/check, 200, 403, 403"
    })
    void rolesAndVerbs(String method, String path, int administrator, int reader, int user) {
        long job = fixture.running(1);
        fixture.end(job, 0);
        fixture.await(job, dev.berth.core.job.StateName.COMPLETED);
        List<String> users = List.of("nobody", "bin", "daemon");
        List<Integer> expected = List.of(user, reader, administrator);
        for (int i = 0; i < users.size(); i++) {
            Answer answer = Wire.ask(
                    fixture.tcp(),
                    method,
                    "/api/v1" + path.replace("{id}", Long.toString(job)),
                    (method.equals("POST") ? "{}" : "").getBytes(StandardCharsets.UTF_8),
                    "Host: localhost",
                    "Authorization: Bearer " + token(users.get(i)));
            assertThat(answer.status()).as(users.get(i) + " " + answer.text()).isEqualTo(expected.get(i));
        }
    }

    /** What a role adds is in the full scope alone, as the table in docs/security.md says. */
    @ParameterizedTest
    @CsvSource({"root, READ", "root, SUBMIT", "daemon, READ", "daemon, SUBMIT", "bin, READ", "bin, SUBMIT"})
    void aTokenOfLessScopeSeesItsUsersJobsAlone(String user, String scope) {
        String other = user.equals("root") ? "nobody" : "root";
        long job = fixture.submitted(other, "theirs", 0);
        String token = token(user, scope);
        for (String list : List.of("/jobs", "/jobs?scope=all", "/jobs?scope=all&user=" + other)) {
            assertThat(get(token, list).json().path("jobs")).as(list).isEmpty();
        }
        assertThat(get(token, "/server").json().path("jobs")).isEmpty();
        assertThat(get(token, "/events").text()).isEmpty();
        assertThat(get(token, "/jobs/" + job).code()).isEqualTo("JOB_NOT_FOUND");
        assertThat(get(token, "/jobs/" + job + "/explanation").code()).isEqualTo("JOB_NOT_FOUND");
        assertThat(get(token(user), "/jobs?scope=all").json().path("jobs")).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({
        "/jobs, '{\"command\": [\"x\"]}', READ, 403",
        "/pipelines, '{\"jobs\": [{\"command\": [\"x\"]}]}', READ, 403",
        "/pipelines, '{\"jobs\": [{\"command\": [\"x\"]}]}', SUBMIT, 201",
    })
    void aTokenThatReadsSubmitsNothing(String path, String body, String scope, int status) {
        Answer answer = Wire.ask(
                fixture.tcp(),
                "POST",
                "/api/v1" + path,
                body.getBytes(StandardCharsets.UTF_8),
                "Host: localhost",
                "Authorization: Bearer " + token("nobody", scope));
        assertThat(answer.status()).as(answer.text()).isEqualTo(status);
    }

    private long submittedBy(String user, String wish) {
        String body = "{\"jobs\": [{\"command\": [\"x\"], \"gpus\": 1, \"notify\": [\"" + wish + "\"]}]}";
        return Wire.ask(
                        fixture.tcp(),
                        "POST",
                        "/api/v1/pipelines",
                        body.getBytes(StandardCharsets.UTF_8),
                        "Host: localhost",
                        "Authorization: Bearer " + token(user, "SUBMIT"))
                .expect(201)
                .json()
                .path("jobs")
                .path(0)
                .path("id")
                .asLong();
    }

    /** Where a job's notices go is its owner's: in the job, in lists, in what it waits for, in its history. */
    @Test
    void whereNoticesGoIsForOwnersAndAdministrators() {
        long job = submittedBy("nobody", "end:https://example.org/hook/a-long-secret");
        String shown = "https://example.org/...cret";
        JobWarning warning = new JobWarning(
                new JobId(job),
                1,
                JobWarning.NOTICE_FAILED,
                "end 1",
                JobWarning.NAMES_RECEIVER + "end has not arrived at " + shown + " yet: it answered 500",
                Instant.EPOCH,
                null);
        var _ = fixture.scheduling().write(store -> store.warn(warning)).join();
        requireHidden("/jobs/" + job + "/explanation", shown);
        fixture.post("/api/v1/jobs/" + job + "/cancel", "").expect(202);
        fixture.await(job, dev.berth.core.job.StateName.CANCELLED);
        requireHidden("/jobs/" + job, shown);
        requireHidden("/jobs?scope=all", shown);
        requireHidden("/jobs/" + job + "/events", shown);
        requireHidden("/events", shown);
        String other = token("games");
        assertThat(get(other, "/jobs/" + job).status()).isEqualTo(404);
        assertThat(get(other, "/events").text()).isEmpty();
    }

    private void requireHidden(String path, String receiver) {
        for (String user : List.of("nobody", "daemon")) {
            assertThat(get(token(user), path).text()).as(user + " " + path).contains(receiver);
        }
        assertThat(get(token("bin"), path).expect(200).text())
                .as(path)
                .doesNotContain("example.org", "cret", "answered 500")
                .contains(path.startsWith("/jobs?") ? "end:..." : "a notice of it has not arrived");
    }

    /** A reader sees that a job runs, and nothing that its program wrote; who waits hears when the turn is expected. */
    @Test
    void howFarAnothersProgramIsIsForAdministrators() throws IOException {
        long job = fixture.running(4);
        Instant now = Instant.now();
        Files.writeString(
                directory.resolve("users/0/track/" + job + ".1"),
                "{\"progress\":1,\"of\":3,\"time\":\"" + now.minusSeconds(300)
                        + "\"}\n{\"progress\":2,\"of\":3,\"time\":\"" + now + "\"}\n");
        fixture.get("/api/v1/jobs/" + job + "/tracking").expect(200);
        String reader = token("bin");
        for (String path : List.of("/jobs/" + job, "/jobs")) {
            assertThat(get(token("daemon"), path)
                            .json()
                            .findValue("progress")
                            .path("value")
                            .asInt())
                    .as(path)
                    .isEqualTo(2);
            assertThat(get(reader, path).json().findValue("progress").isNull())
                    .as(path)
                    .isTrue();
        }
        long own = fixture.submitted("bin", "own", 4);
        fixture.awaitSentence(own, "waits for 4 GPUs");
        JsonNode why = get(reader, "/jobs/" + own + "/explanation").json();
        assertThat(why.path("expectedStart").isTextual()).isTrue();
        assertThat(why.path("holders").path(0).path("expectedEnd").isNull()).isTrue();
    }

    /** A reader sees the projects of others, and none of their notes; a user is told of none. */
    @Test
    void projectsAreTheirUsers() {
        long job = fixture.submitted("root", "theirs", 0);
        fixture.post("/api/v1/projects/notes", "{\"project\":\"p\",\"notes\":\"secret\"}")
                .expect(200);
        String list = "/projects?user=root";
        assertThat(get(token("daemon"), list).text()).contains("secret");
        assertThat(get(token("bin"), list).json().path("projects")).hasSize(1);
        assertThat(get(token("bin"), list).text()).doesNotContain("secret");
        for (String user : List.of("nobody", "bin")) {
            String own = token(user);
            boolean reads = user.equals("bin");
            assertThat(get(own, "/projects").json().path("projects")).isEmpty();
            assertThat(get(own, "/projects/notes?project=p&user=root").code())
                    .isEqualTo(reads ? "NOT_YOURS" : "PROJECT_NOT_FOUND");
            for (String verb : List.of("rename", "delete", "notes")) {
                assertThat(post(own, verb).code()).isEqualTo(reads ? "NOT_YOURS" : "PROJECT_NOT_FOUND");
            }
        }
        for (String scope : List.of("READ", "SUBMIT")) {
            assertThat(get(token("daemon", scope), list).json().path("projects"))
                    .isEmpty();
            assertThat(post(token("daemon", scope), "rename").code())
                    .isEqualTo(scope.equals("READ") ? "SCOPE" : "PROJECT_NOT_FOUND");
        }
        assertThat(fixture.job(job).path("project").asText()).isEqualTo("p");
    }

    private Answer post(String token, String verb) {
        String body = "{\"project\":\"p\",\"user\":\"root\""
                + (verb.equals("rename") ? ",\"name\":\"q\"" : verb.equals("notes") ? ",\"notes\":\"\"" : "") + "}";
        return Wire.ask(
                fixture.tcp(),
                "POST",
                "/api/v1/projects/" + verb,
                body.getBytes(StandardCharsets.UTF_8),
                "Host: localhost",
                "Authorization: Bearer " + token);
    }

    /** How much of it is here is nobody's secret; what it is called is. */
    @Test
    void whoWaitsBehindAnothersImageHearsHowFarItIs() throws InterruptedException {
        CountDownLatch over = new CountDownLatch(1);
        CountDownLatch begun = new CountDownLatch(1);
        fixture.engine().removeImage(ServerFixture.IMAGE);
        fixture.engine().withPullable(ServerFixture.IMAGE).strikeWith((call, done) -> {
            if (call.equals("pull") && done) {
                begun.countDown();
                try {
                    assertThat(over.await(ServerFixture.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                            .isTrue();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        });
        long theirs = fixture.submitted("root", "theirs", 0);
        // Behind it: the stand-in for the engine has the image as soon as a pull has brought something.
        assertThat(begun.await(ServerFixture.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
        long own = fixture.submitted("nobody", "own", 0);
        assertThat(get(token("nobody"), "/jobs/" + own + "/explanation")
                        .json()
                        .path("help")
                        .asText())
                .startsWith("job " + theirs + "'s image is being pulled, 1 of 2 MB; berth hold " + theirs + " lets")
                .endsWith(" (its submitter and administrators may)")
                .doesNotContain(ServerFixture.IMAGE);
        over.countDown();
    }

    private Answer get(String token, String path) {
        return Wire.ask(
                fixture.tcp(),
                "GET",
                "/api/v1" + path,
                new byte[0],
                "Host: localhost",
                "Authorization: Bearer " + token);
    }

    /** Where the server writes with root's rights is root's to say, and no administrator's. */
    @Test
    void onlyRootSaysWhereABackupGoes(@TempDir Path elsewhere) {
        Path file = elsewhere.resolve("b.db");
        Answer answer = Wire.ask(
                fixture.tcp(),
                "POST",
                "/api/v1/server/backup",
                ("{\"file\": \"" + file + "\"}").getBytes(StandardCharsets.UTF_8),
                "Host: localhost",
                "Authorization: Bearer " + token("daemon"));
        assertThat(answer.status()).isEqualTo(403);
        assertThat(answer.text()).contains("only root and the user the server runs as may say where it writes");
        assertThat(file).doesNotExist();
    }
}
