package dev.berth.system;

import static dev.berth.system.EngineOutages.assertGoesOnSoon;
import static dev.berth.system.EngineOutages.assertWholeLog;
import static dev.berth.system.EngineOutages.awaitLines;
import static dev.berth.system.EngineOutages.lines;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.system.fixture.Await;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.EngineRelay;
import dev.berth.system.fixture.OwnEngine;
import dev.berth.system.fixture.ProjectDirectory;
import dev.berth.system.fixture.Ran;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.TestFiles;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A relay stands between a server and its engine, which is out of order in every way. Alone, as by a relay nobody sees which
 * engine it is: one that another test starts would count as this one's beginning.
 */
@SystemTest
@Tag("alone")
class RelayedEngineTest {
    /** The server asks on a new connection, and waits for five seconds. */
    private static final Duration LONGER_THAN_A_PING = Duration.ofSeconds(7);

    private static OwnEngine engine;

    @BeforeAll
    static void startEngine() {
        engine = OwnEngine.start(2);
    }

    @AfterAll
    static void removeEngine() {
        engine.close();
    }

    /** It is asked whether it stops, and takes longer than it usually may: its program's end is known all the same. */
    @Test
    void anEngineThatIsSlowHasNotEndedTheProgramThatSomebodyKills() {
        engine.keepContainers(false);
        Path folder = TestFiles.folder();
        try (EngineRelay relay = EngineRelay.between(folder.resolve("relay.sock"), engine.socket());
                Berth berth = Berth.on(engine.by(relay))) {
            berth.start("-g");
            SubmittedJob job =
                    berth.submit(berth.project("record.py"), "record.py", "--num-gpus", "1", "--requeue", "--", "gate");
            job.awaitBegun();
            job.await("RUNNING");
            relay.delay("GET \\S*/_ping");
            String container = engine.engine().docker("ps", "-q").text();
            Ran _ = engine.engine().docker("kill", container);
            Await.pass(LONGER_THAN_A_PING);
            relay.letThrough();
            job.await("FAILED", "LOST", "QUEUED");
            assertThat(job.state()).isEqualTo("FAILED");
            assertThat(job.view().path("exitCode").asInt()).isEqualTo(137);
            assertThat(job.read("starts").lines()).hasSize(1);
        }
    }

    @Test
    void callsThatAreHeldBackAnsweredWith500OrCutFailNoJob() {
        engine.keepContainers(true);
        Path folder = TestFiles.folder();
        try (EngineRelay relay = EngineRelay.between(folder.resolve("relay.sock"), engine.socket());
                Berth berth = Berth.on(engine.by(relay))) {
            berth.start("-g");
            ProjectDirectory project = berth.project("count.py", "record.py");
            SubmittedJob counting = berth.submit(project, "count.py", "--num-gpus", "1", "--", "out", "0");
            awaitLines(counting, 50);

            relay.cut();
            awaitLines(counting, lines(counting) + 100);
            for (String refused : List.of("POST /v\\S+/create", "POST /v\\S+/start", "GET /v\\S+/json")) {
                relay.refuse(refused);
                int before = relay.requests().size();
                SubmittedJob job = berth.submit(project, "record.py", "--num-gpus", "1", "--", "0");
                Await.that("it is asked again and again", () -> relay.requests().size() > before + 8);
                assertThat(job.state()).as("while %s is refused", refused).isIn("QUEUED", "STARTING");
                relay.letThrough();
                assertGoesOnSoon("after 500 to " + refused, job, "RUNNING", "COMPLETED");
                job.awaitCompleted();
                assertThat(job.read("starts").lines()).hasSize(1);
            }

            relay.hold();
            SubmittedJob held = berth.submit(project, "record.py", "--num-gpus", "1", "--", "0");
            held.awaitReason("ENGINE_UNREACHABLE");
            int asked = relay.requests().size();
            relay.letThrough();
            assertGoesOnSoon("after calls that were held back", held, "RUNNING", "COMPLETED");
            assertThat(relay.requests().size() - asked).as("calls after that").isLessThan(100);
            held.awaitCompleted();
            counting.open();
            counting.awaitCompleted();
            assertWholeLog(counting);
        }
    }
}
