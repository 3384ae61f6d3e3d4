package dev.berth.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.system.fixture.Await;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Command;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.JsonReading;
import dev.berth.system.fixture.Product;
import dev.berth.system.fixture.ProjectDirectory;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.TestFiles;
import dev.berth.system.fixture.UnixUser;
import dev.berth.system.fixture.WithGpus;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Commands of an ordinary user that a server of root's tells of jobs. */
@SystemTest
class CommandNoticesTest {
    private static final Path INSTALLED = TestFiles.folder();
    private static final Path PROGRAM = INSTALLED.resolve("berth/bin/berth");
    private static final UnixUser ADA = UnixUser.create("berth-cmd-ada");

    @BeforeAll
    static void install() {
        TestFiles.copyTree(Product.DISTRIBUTION, INSTALLED.resolve("berth"));
    }

    @AfterAll
    static void removeUsers() {
        ADA.close();
        TestFiles.deleteTree(INSTALLED);
    }

    private static Command ada(Berth berth, String... words) {
        return Command.of(PROGRAM, "--data-dir", berth.dataDirectory().toString())
                .and(words)
                .as(ADA);
    }

    private static SubmittedJob submit(Berth berth, ProjectDirectory project, String receiver) {
        return berth.submit(ada(berth), project, "whoami.py", "--notify", receiver);
    }

    private static List<JsonNode> told(String file) {
        Path path = ADA.home().resolve(file);
        return Files.exists(path)
                ? TestFiles.lines(path).stream().map(JsonReading::of).toList()
                : List.of();
    }

    private static String sleepers() {
        return Command.of("pgrep", "-u", ADA.name(), "-x", "sleep").run().out();
    }

    @Test
    void aCommandIsToldOfAJobWhereverTheServerIsKilled(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            berth.start("-g");
            ProjectDirectory project = berth.project("whoami.py");
            submit(berth, project, "end:cmd:cat >> told; id -un >> who; sleep 1000 &")
                    .awaitCompleted();
            Await.that(
                    "it is told",
                    () -> Files.exists(ADA.home().resolve("who"))
                            && TestFiles.read(ADA.home().resolve("who")).endsWith("\n"));
            assertThat(told("told")).singleElement().satisfies(notice -> {
                assertThat(notice.path("moment").asText()).isEqualTo("end");
                assertThat(notice.path("repeated").asBoolean()).isFalse();
                assertThat(notice.path("job").path("state").asText()).isEqualTo("COMPLETED");
            });
            assertThat(TestFiles.read(ADA.home().resolve("who"))).isEqualTo(ADA.name() + "\n");
            Await.that("what it has left running is ended", () -> sleepers().isEmpty());

            // Hangs the first time alone.
            submit(berth, project, "end:cmd:cat >> twice; [ -e hung ] || { touch hung; sleep 1000; }");
            Await.that(
                    "it hangs",
                    () -> Files.exists(ADA.home().resolve("hung"))
                            && !sleepers().isEmpty());
            berth.kill();
            assertThat(sleepers()).isNotEmpty();
            berth.start("-g");
            Await.that("the next server ends what was left", () -> sleepers().isEmpty());
            Await.that("it is told again", () -> told("twice").size() == 2);
            assertThat(told("twice"))
                    .extracting(notice -> notice.path("repeated").asBoolean())
                    .containsExactly(false, true);
            assertThat(told("twice"))
                    .extracting(notice -> notice.path("id").asText())
                    .satisfies(ids -> assertThat(ids.get(0)).isEqualTo(ids.get(1)));
        }
    }

    @Test
    void noTokenNamesACommand(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            berth.start("-g");
            String url =
                    berth.run("server", "status", "--json").json().path("url").asText();
            String token = ada(berth, "token", "create", "-q").run().expect(0).text();
            Command elsewhere = Command.of(PROGRAM).with(Map.of("BERTH_URL", url, "BERTH_TOKEN", token));
            ProjectDirectory project = berth.project("whoami.py");
            String line = "cmd:touch " + ADA.home().resolve("by-token");
            SubmittedJob own = submit(berth, project, "end:cmd:true").awaitCompleted();
            String receiver = ada(berth, "notify", "add", "fail:" + line, "--json")
                    .run()
                    .expect(0)
                    .json()
                    .path("id")
                    .asText();

            for (Command refused : List.of(
                    elsewhere.and("notify", "add", line),
                    elsewhere.and("notify", "test", receiver),
                    elsewhere.and("submit", "scheduler", project.path().toString(), "whoami.py", "--notify", line),
                    elsewhere.and("resubmit", own.idText()))) {
                assertThat(refused.run().complaint())
                        .as("%s", refused.words())
                        .contains("a token lets nobody run anything outside of a container");
            }
            assertThat(ADA.home().resolve("by-token")).doesNotExist();
            assertThat(ada(berth, "notify", "test", receiver).run().expect(0).out())
                    .contains("it ended with code 0");
            assertThat(ADA.home().resolve("by-token")).exists();
            assertThat(berth.command("notify", "add", line).run().complaint()).contains("none is run as root");
        }
    }

    @Test
    void theAdministratorMayHaveNoneRun(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            berth.start("-g", "--set", "notify.commands=false");
            assertThat(ada(berth, "notify", "add", "cmd:true").run().complaint())
                    .contains("this server runs none (notify.commands)");
        }
    }
}
