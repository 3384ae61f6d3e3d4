package dev.berth.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Command;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.Product;
import dev.berth.system.fixture.Ran;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.TestFiles;
import dev.berth.system.fixture.UnixUser;
import dev.berth.system.fixture.WithGpus;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Commands that see nothing of the server but its port, as on another machine. */
@SystemTest
class TokenCommandTest {
    private static final Path INSTALLED = TestFiles.folder();
    private static final Path PROGRAM = INSTALLED.resolve("berth/bin/berth");
    private static final UnixUser ADA = UnixUser.create("berth-token-ada");

    @BeforeAll
    static void install() {
        TestFiles.copyTree(Product.DISTRIBUTION, INSTALLED.resolve("berth"));
    }

    @AfterAll
    static void removeUsers() {
        ADA.close();
        TestFiles.deleteTree(INSTALLED);
    }

    private static Command local(Berth berth, String... words) {
        return Command.of(PROGRAM, "--data-dir", berth.dataDirectory().toString())
                .and(words)
                .as(ADA);
    }

    @Test
    void aTokensJobsRunAsItsMakerUntilItIsRevoked(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            berth.start("-g");
            String url =
                    berth.run("server", "status", "--json").json().path("url").asText();
            String token = local(berth, "token", "create", "--name", "laptop", "-q")
                    .run()
                    .expect(0)
                    .text();
            Command elsewhere = Command.of(PROGRAM).with(Map.of("BERTH_URL", url, "BERTH_TOKEN", token));
            String project = berth.project("whoami.py").path().toString();

            Ran followed = elsewhere
                    .and("submit", "--follow", "--num-gpus", "1", "scheduler", project, "whoami.py")
                    .run()
                    .expect(0);
            assertThat(followed.text()).isEqualTo("I am " + ADA.name());
            assertThat(elsewhere.and("logs", "-f", "1").run().expect(0).text()).isEqualTo("I am " + ADA.name());
            assertThat(elsewhere.and("ps", "-a", "-q").run().expect(0).text()).isEqualTo("1");
            assertThat(elsewhere
                            .and("server", "stop", "--url", url)
                            .run()
                            .expect(1)
                            .complaint())
                    .contains("only administrators may do that; you are " + ADA.name());

            Ran waiting = elsewhere
                    .and("submit", "-q", "scheduler", project, "whoami.py", "gate")
                    .run()
                    .expect(0);
            assertThat(elsewhere.and("cancel", waiting.text()).run().expect(0).text())
                    .startsWith("job 2 is ");

            String id = elsewhere.and("token", "list", "-q").run().expect(0).text();
            assertThat(local(berth, "token", "revoke", id).run().expect(0).text())
                    .isEqualTo("token " + id + " (laptop) is revoked");
            assertThat(elsewhere.and("ps").run().expect(1).complaint()).contains("token " + id + " was revoked at ");
            assertThat(Command.of(PROGRAM, "ps")
                            .with("BERTH_URL", url)
                            .run()
                            .expect(1)
                            .complaint())
                    .contains("berth token create");
        }
    }
}
