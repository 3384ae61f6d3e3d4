package dev.berth.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.system.fixture.Api;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Command;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.Product;
import dev.berth.system.fixture.Ran;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.TestFiles;
import dev.berth.system.fixture.UnixUser;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What Bob finds out about Ada's jobs, beside what he is told. */
@SystemTest
class ConfidentialityTest {
    private static final Path INSTALLED = TestFiles.folder();
    private static final Path PROGRAM = INSTALLED.resolve("berth/bin/berth");
    private static final UnixUser ADA = UnixUser.create("berth-secret-ada");
    private static final UnixUser BOB = UnixUser.create("berth-secret-bob");
    private static final Berth BERTH = Berth.on(Engine.ofMachine());

    @BeforeAll
    static void start() {
        TestFiles.copyTree(Product.DISTRIBUTION, INSTALLED.resolve("berth"));
        BERTH.start();
    }

    @AfterAll
    static void stop() {
        BERTH.close();
        List.of(ADA, BOB).forEach(UnixUser::close);
        TestFiles.deleteTree(INSTALLED);
    }

    private static Command as(UnixUser user, String... words) {
        return Command.of(PROGRAM, "--data-dir", BERTH.dataDirectory().toString())
                .and(words)
                .as(user);
    }

    private static SubmittedJob submit(UnixUser user, String... words) {
        return BERTH.submit(as(user), BERTH.project("whoami.py"), words);
    }

    private static Ran stat(UnixUser user, Path path) {
        return Command.of("stat", "--format=%h %s %Y %Z", path.toString())
                .as(user)
                .run();
    }

    @Test
    void theFileSystemTellsNothingOfOthersJobs() {
        SubmittedJob job = submit(ADA, "whoami.py").awaitCompleted();
        Path data = BERTH.dataDirectory();
        Path jobs = data.resolve("jobs");
        Path home = data.resolve("users/" + ADA.uid());
        assertThat(Command.of("cat", job.output().resolve("whoami.json").toString())
                        .as(ADA)
                        .run()
                        .expect(0)
                        .out())
                .contains(ADA.name());
        for (Path path : List.of(
                jobs.resolve(job.idText()),
                jobs.resolve(job.idText()).resolve("log.0"),
                jobs.resolve("999999"),
                job.output(),
                job.output().resolve("whoami.json"),
                job.output().resolveSibling("999999"),
                home.resolve("output"))) {
            assertThat(stat(BOB, path).expect(1).err()).as("%s", path).contains("Permission denied");
        }
        String before = stat(BOB, home).expect(0).text();
        assertThat(submit(ADA, "whoami.py").awaitCompleted().output()).exists();
        assertThat(stat(BOB, home).expect(0).text()).as("links, size and times").isEqualTo(before);
    }

    @Test
    void withATokenGoThoseThatItMade() {
        String first = token(ADA, "submit");
        String second = Command.of(PROGRAM, "token", "create", "--name", "hidden", "--expires", "1h", "--json")
                .with(Map.of("BERTH_URL", url(), "BERTH_TOKEN", first))
                .run()
                .expect(0)
                .json()
                .path("secret")
                .asText();
        assertThat(over(second, "/jobs?scope=all").has("jobs")).isTrue();

        Ran _ = as(ADA, "token", "revoke", first.split("_")[1]).run().expect(0);

        assertThat(over(first, "/jobs").path("code").asText()).isEqualTo("TOKEN_REVOKED");
        assertThat(over(second, "/jobs").path("code").asText()).isEqualTo("TOKEN_REVOKED");
    }

    @Test
    void aTokenOfLessScopeSeesItsUsersJobsAlone() {
        SubmittedJob job = submit(ADA, "whoami.py").awaitCompleted();
        for (String scope : List.of("read", "submit")) {
            String token = token(scope);
            assertThat(over(token, "/jobs?scope=all&user=" + ADA.name()).path("jobs"))
                    .isEmpty();
            assertThat(over(token, "/jobs?scope=all").findValuesAsText("user")).doesNotContain(ADA.name());
            assertThat(over(token, "/jobs/" + job.id()).path("code").asText()).isEqualTo("JOB_NOT_FOUND");
        }
    }

    /** Bob calls his job as root calls one, and hopes that it is taken for root's. */
    @Test
    void namesMeanOnesOwnJobs() {
        SubmittedJob trap = submit(BOB, "--name", "nightly", "whoami.py", "gate");
        trap.await("RUNNING");
        String id = trap.idText();

        assertThat(BERTH.command("status", "nightly").run().expect(1).complaint())
                .contains("you have no job named 'nightly'");
        assertThat(BERTH.command("cancel", "nightly").run().expect(1).complaint())
                .contains("you have no job named 'nightly'");
        assertThat(BERTH.command("cancel", id + "-" + id).run().expect(1).complaint())
                .contains("is yours");
        assertThat(BERTH.run("cancel", "--name", "nightly", "-y").expect(0).err())
                .contains("no jobs to cancel");
        assertThat(BERTH.run("ps", "--name", "nightly", "-q").expect(0).out()).isEmpty();
        assertThat(BERTH.run("ps", "--user", BOB.name(), "--name", "nightly", "-q")
                        .expect(0)
                        .text())
                .isEqualTo(id);
        assertThat(trap.state()).isEqualTo("RUNNING");
        Ran _ = BERTH.run("cancel", "--user", BOB.name(), "--name", "nightly", "-y")
                .expect(0);
        trap.await("CANCELLED");
    }

    private static String token(UnixUser user, String scope) {
        return secret(as(user, "token", "create", "--scope", scope, "--json").run());
    }

    /** One of root's. */
    private static String token(String scope) {
        return secret(BERTH.run("token", "create", "--scope", scope, "--json"));
    }

    private static String secret(Ran made) {
        return made.expect(0).json().path("secret").asText();
    }

    private static String url() {
        return BERTH.run("server", "status", "--json").json().path("url").asText();
    }

    private static JsonNode over(String token, String path) {
        return Api.tcp(url(), "GET", path, Map.of("Authorization", "Bearer " + token))
                .json();
    }
}
