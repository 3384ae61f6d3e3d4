package dev.berth.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.system.fixture.Api;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Disk;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.Job;
import dev.berth.system.fixture.Json;
import dev.berth.system.fixture.Project;
import dev.berth.system.fixture.Ran;
import dev.berth.system.fixture.SystemTest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

/**
 * What cannot be meant is refused with a sentence that names the field and the value, and leaves the queue as it was.
 * The tables are in the folder bad-input of the resources.
 */
@SystemTest
class BadInputTest {
    private static final Berth BERTH = Berth.on(Engine.ofMachine());
    private static final String ALL = "/jobs?scope=all";

    private static Path directory = BERTH.home();
    private static String snapshot = "";
    private static String queue = "";

    /** A job that runs and one that waits, for the bad input to disturb. */
    @BeforeAll
    static void start() {
        BERTH.start("--simulate-gpus", "2");
        Project project = BERTH.project("record.py");
        directory = project.path();
        Job running = BERTH.submit(project, "record.py", "gate", "--num-gpus", "2");
        Job waiting = BERTH.submit(project, "record.py", "gate", "--num-gpus", "1");
        running.awaitBegun();
        running.await("RUNNING");
        snapshot = waiting.view().path("snapshot").asText();
        queue = BERTH.api().get(ALL).body();
        Disk.link(Disk.folder(BERTH.home().resolve("leaky")).resolve("out"), "/etc/passwd");
    }

    @AfterAll
    static void stop() {
        BERTH.close();
    }

    private static void assertUntouched() {
        assertThat(BERTH.api().get(ALL).body()).as("the queue").isEqualTo(queue);
    }

    @ParameterizedTest(name = "berth {0}")
    @CsvFileSource(resources = "/bad-input/commands.txt", delimiter = '|', quoteCharacter = '`')
    void aCommandLine(String line, int code, String fragment) {
        Ran refused = BERTH.command(words(line)).run().expect(code);

        assertThat(refused.out()).isEmpty();
        assertThat(refused.complaint()).startsWith("berth: ").contains(fragment);
        assertUntouched();
    }

    /** Blanks separate words; '' is an empty one, ~ a blank in one, and {DIR} the project's directory. */
    private static String[] words(String line) {
        List<String> words = new ArrayList<>();
        for (String word : line.split(" +")) {
            words.add(word.equals("''") ? "" : word.replace('~', ' ').replace("{DIR}", directory.toString()));
        }
        return words.toArray(String[]::new);
    }

    @ParameterizedTest(name = "{0} {1} {2}")
    @CsvFileSource(resources = "/bad-input/requests.txt", delimiter = '|', quoteCharacter = '`')
    void aRequest(String method, String path, String body, int status, String fragment) {
        Api.Answer answer = BERTH.api()
                .call(method, path, body.replace("{SNAPSHOT}", snapshot))
                .expect(status);

        assertThat(answer.json().path("message").asText()).contains(fragment);
        assertThat(answer.json().path("code").asText()).matches("[A-Z_]+");
        assertUntouched();
    }

    @Test
    void programsGetTheirComplaintsAsJson() {
        Ran refused = BERTH.command("ps", "--json", "--colour").run().expect(2);

        assertThat(Json.of(refused.complaint()).path("code").asText()).isEqualTo("USAGE");
        assertThat(Json.of(refused.complaint()).path("message").asText()).startsWith("unknown option --colour");
    }

    @Test
    void aBodyThatIsTooLargeIsNotTaken() {
        String body = Json.text(Map.of("name", "x".repeat(1 << 20)));

        Api.Answer answer = BERTH.api().post("/jobs", body).expect(413);

        assertThat(answer.json().path("message").asText()).isEqualTo("the request's body is larger than 1048576 bytes");
        assertUntouched();
    }

    @Test
    void overTcpNobodyIsKnownAndOnlyHealthIsTold() {
        String url = BERTH.run("server", "status", "--json").json().path("url").asText();

        assertThat(Api.tcp(url, "GET", "/health")
                        .expect(200)
                        .json()
                        .path("status")
                        .asText())
                .isEqualTo("ok");
        for (String path : List.of("/jobs", "/jobs/1", "/jobs/1/log", "/server", "/gpus")) {
            assertThat(Api.tcp(url, "GET", path).expect(401).body()).contains("NO_IDENTITY");
        }
        for (String path : List.of("/jobs", "/jobs/1/cancel", "/snapshots", "/contents", "/server/stop")) {
            assertThat(Api.tcp(url, "POST", path).expect(401).body()).contains("NO_IDENTITY");
        }
        assertUntouched();
    }
}
