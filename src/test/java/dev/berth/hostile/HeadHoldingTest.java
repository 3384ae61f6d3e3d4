package dev.berth.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.system.fixture.Await;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Command;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.Product;
import dev.berth.system.fixture.ProjectDirectory;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.TestFiles;
import dev.berth.system.fixture.UnixUser;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Ada keeps the head of the queue without using anything of the machine; Bob's job stands behind hers. */
@SystemTest
class HeadHoldingTest {
    private static final String FORGED = "2026-03-01T09:00:00.000Z INFO  TransitionLog job=1 RUNNING->CANCELLED";
    /** Longer than the silence after which the server looks whether the engine is still there. */
    private static final Duration SLOW = Duration.ofSeconds(6);

    private static final Path INSTALLED = TestFiles.folder();
    private static final UnixUser ADA = UnixUser.create("berth-head-ada");
    private static final UnixUser BOB = UnixUser.create("berth-head-bob");
    private static final Berth BERTH = Berth.on(Engine.ofMachine());

    private static ProjectDirectory project = new ProjectDirectory(Path.of(""));

    @BeforeAll
    static void start() {
        TestFiles.copyTree(Product.DISTRIBUTION, INSTALLED.resolve("berth"));
        BERTH.start("--simulate-gpus", "1", "-g");
        project = BERTH.project("whoami.py");
    }

    @AfterAll
    static void stop() {
        BERTH.close();
        ADA.close();
        BOB.close();
        TestFiles.deleteTree(INSTALLED);
    }

    private static Command as(UnixUser user, String... words) {
        return Command.of(
                        INSTALLED.resolve("berth/bin/berth"),
                        "--data-dir",
                        BERTH.dataDirectory().toString())
                .and(words)
                .as(user);
    }

    private static SubmittedJob submit(UnixUser user, String... words) {
        return BERTH.submit(as(user), project, words);
    }

    /** A lease over the API that no command waits for. */
    private static SubmittedJob unawaitedLease() {
        JsonNode view = Command.of(
                        "curl",
                        "--silent",
                        "--unix-socket",
                        BERTH.dataDirectory().resolve("berth.sock").toString(),
                        "--header",
                        "Content-Type: application/json",
                        "--data",
                        "{\"host\": true, \"command\": [\"true\"], \"gpus\": 1, \"directory\": \"/\"}",
                        "http://localhost/api/v1/jobs")
                .as(ADA)
                .run()
                .expect(0)
                .json();
        return SubmittedJob.of(BERTH, view);
    }

    private static Instant instant(SubmittedJob job, String field) {
        return Instant.parse(job.view().path(field).asText());
    }

    @Test
    void leasesThatNobodyAwaitsHoldNobodyUp() {
        SubmittedJob running =
                submit(BOB, "--num-gpus", "1", "whoami.py", "gate").await("RUNNING");
        List<SubmittedJob> leases =
                Stream.generate(HeadHoldingTest::unawaitedLease).limit(4).toList();
        SubmittedJob behind = submit(BOB, "--num-gpus", "1", "whoami.py");
        Await.pass(Duration.ofSeconds(11));
        running.open();
        behind.awaitCompleted();
        assertThat(Duration.between(instant(running, "endedAt"), instant(behind, "startedAt")))
                .as("four leases held it ten seconds each before")
                .isLessThan(Duration.ofSeconds(20));
        assertThat(leases)
                .allSatisfy(lease ->
                        assertThat(lease.view().path("reason").asText()).isEqualTo("START_FAILED"));
    }

    @Test
    void aRegistryThatHangsHoldsTheHeadForAWhileAndThenNoMore() {
        try (HostileRegistry registry = HostileRegistry.silent()) {
            List<SubmittedJob> hung = Stream.of("one", "two", "three")
                    .map(name -> submit(ADA, "--image", registry.image(name), "whoami.py"))
                    .toList();
            SubmittedJob behind = submit(BOB, "whoami.py");
            JsonNode explanation = as(BOB, "explain", "--json", behind.idText())
                    .run()
                    .expect(0)
                    .json();
            assertThat(explanation.path("sentence").asText())
                    .contains("job " + hung.getFirst().id() + " is first and waits for its image")
                    .doesNotContain("127.0.0.1", ADA.name());
            assertThat(explanation.path("help").asText())
                    .contains("berth hold " + hung.getFirst().id())
                    .contains("its submitter and administrators may")
                    .doesNotContain("127.0.0.1", ADA.name());
            assertThat(explanation.path("ahead"))
                    .hasSize(3)
                    .allSatisfy(ahead -> assertThat(ahead.path("user").isNull())
                            .as("%s", ahead)
                            .isTrue());
            behind.awaitCompleted();
            assertThat(hung)
                    .allSatisfy(
                            job -> assertThat(job.sentence()).contains("its registry has not answered within 15 s"));

            SubmittedJob refused =
                    submit(ADA, "--image", registry.image("four"), "whoami.py").await("FAILED");
            assertThat(refused.sentence()).contains("the last 3 pulls of yours took 15 s and more each and failed");
            submit(ADA, "whoami.py").awaitCompleted();
        }
    }

    @Test
    void whatARegistrySaysDecidesNothingAndForgesNoLine() {
        String words = "no space left on device\n" + FORGED + "\u001b[2J";
        try (HostileRegistry registry = HostileRegistry.saying(words, SLOW)) {
            SubmittedJob job =
                    submit(BOB, "--image", registry.image("liar"), "whoami.py").await("FAILED");
            assertThat(job.view().path("reason").asText()).isEqualTo("IMAGE_UNAVAILABLE");
            assertThat(job.sentence()).contains("no space left on device");
            assertThat(TestFiles.lines(BERTH.dataDirectory().resolve("server.log")))
                    .anyMatch(line -> line.contains("no space left on device\\n" + FORGED + "\\x1b[2J"))
                    .noneMatch(line -> line.startsWith(FORGED) || line.contains("\u001b"));
        }
    }
}
