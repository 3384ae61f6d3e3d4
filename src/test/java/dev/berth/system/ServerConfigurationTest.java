package dev.berth.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Command;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.Product;
import dev.berth.system.fixture.Ran;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.TestFiles;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** A server does what its configuration says, and the operator is told what that is and what is wrong with it. */
@SystemTest
class ServerConfigurationTest {
    private static final int USAGE = 2;

    private static Path file(Berth berth, String text) {
        return TestFiles.write(berth.home().resolve("berth.yaml"), text);
    }

    private static String line(Ran shown, String key) {
        return shown.lines().stream()
                .filter(line -> line.startsWith(key + " "))
                .findFirst()
                .orElseThrow()
                .replaceAll(" +", " ");
    }

    @Test
    void showNamesEverySourceAndTakesTheOptionsOfAStart() {
        try (Berth berth = Berth.on(Engine.ofMachine())) {
            Path file = file(berth, "server:\n  gpus: true\n  port: 1\n");
            Command show = berth.command("config", "show", "--config", file.toString(), "--port", "7")
                    .and("--set", "jobs.time-limit=2h")
                    .with("BERTH_JOBS_IMAGE", "lab:3");

            Ran shown = show.run().expect(0);

            assertThat(line(shown, "server.gpus")).isEqualTo("server.gpus true " + file + ":2");
            assertThat(line(shown, "server.port")).isEqualTo("server.port 7 --port");
            assertThat(line(shown, "jobs.time-limit")).isEqualTo("jobs.time-limit 2h --set");
            assertThat(line(shown, "jobs.image")).isEqualTo("jobs.image lab:3 BERTH_JOBS_IMAGE");
            assertThat(line(shown, "jobs.network")).isEqualTo("jobs.network bridge default");
            assertThat(line(shown, "server.data-dir"))
                    .isEqualTo("server.data-dir " + berth.dataDirectory() + " --data-dir");
            JsonNode json = show.and("--json").run().expect(0).json();
            assertThat(json.path("files").get(0).asText()).isEqualTo(file.toString());
            assertThat(json.path("settings").findValuesAsText("key")).contains("server.port", "retention.jobs");
        }
    }

    @Test
    void checkSaysAllThatIsWrong() {
        try (Berth berth = Berth.on(Engine.ofMachine())) {
            Path file = file(berth, "server:\n  prot: 1\njobs:\n  memory: much\n");

            Ran wrong = berth.command("config", "check", file.toString()).run().expect(USAGE);

            assertThat(wrong.out()).isEmpty();
            assertThat(wrong.err().lines())
                    .containsExactly(
                            "berth: the configuration has 2 problems:",
                            file + ":2: server.prot: is not a setting; did you mean server.port?",
                            file + ":4: jobs.memory: 'much' must be a size such as 512m, 8g or 1GiB, or none");
            assertThat(berth.command("server", "start", "--config", file.toString())
                            .run()
                            .expect(USAGE)
                            .err())
                    .isEqualTo(wrong.err());
            assertThat(berth.processes()).isEmpty();
            assertThat(berth.dataDirectory()).doesNotExist();
            TestFiles.write(file, "server:\n  port: 1\n");
            assertThat(berth.run("config", "check", file.toString()).text())
                    .isEqualTo("the configuration is good; read: " + file);
        }
    }

    @Test
    void aServerIsWhereItsFileSaysAndNamesTheFile() {
        try (Berth berth = Berth.on(Engine.ofMachine())) {
            Path file = file(berth, """
                    server:
                      data-dir: %s
                      simulate-gpus: 3
                      port: 0
                    jobs:
                      image: %s
                    """.formatted(berth.dataDirectory(), Engine.IMAGE));

            Ran started = Command.of(Product.BERTH, "server", "start", "--json", "--config", file.toString())
                    .with(berth.engine().variables())
                    .run()
                    .expect(0);

            assertThat(started.out()).contains("\"" + berth.dataDirectory() + "\"");
            assertThat(berth.run("gpus", "--json").json().path("gpus")).hasSize(3);
            berth.run("server", "stop");
            assertThat(berth.start("--config", file.toString()).lines().get(1)).isEqualTo("  config   " + file);
        }
    }
}
