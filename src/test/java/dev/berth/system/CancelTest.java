package dev.berth.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.ProjectDirectory;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A job that is not wanted any more, wherever it stands. */
@SystemTest
class CancelTest {
    private static final Berth BERTH = Berth.on(Engine.ofMachine());

    @BeforeAll
    static void start() {
        BERTH.start("--simulate-gpus", "1");
    }

    @AfterAll
    static void stop() {
        BERTH.close();
    }

    @Test
    void aQueuedJobNeverStarts() {
        ProjectDirectory project = BERTH.project("record.py");
        SubmittedJob holder = BERTH.submit(project, "record.py", "gate");
        SubmittedJob unwanted = BERTH.submit(project, "record.py");
        SubmittedJob next = BERTH.submit(project, "record.py");

        assertThat(BERTH.run("cancel", unwanted.idText()).text()).isEqualTo("job " + unwanted.id() + " is cancelled");
        assertThat(unwanted.sentence()).startsWith("cancelled by root");
        holder.awaitBegun();
        holder.open();

        next.awaitCompleted();
        assertThat(unwanted.state()).isEqualTo("CANCELLED");
        assertNeverStarted(unwanted);
    }

    @Test
    void aRunningProgramIsToldToEndAndFreesItsGpu() {
        ProjectDirectory project = BERTH.project("term.py", "record.py");
        SubmittedJob unwanted = BERTH.submit(project, "term.py", "--num-gpus", "1");
        SubmittedJob next = BERTH.submit(project, "record.py", "--num-gpus", "1");
        unwanted.awaitFile("ready");

        assertThat(BERTH.run("cancel", unwanted.idText()).text())
                .isEqualTo("job " + unwanted.id() + " is being stopped");

        assertThat(BERTH.command("wait", unwanted.idText()).run().expect(130).text())
                .endsWith("CANCELLED: cancelled by root");
        assertThat(BERTH.run("logs", unwanted.idText()).lines()).containsExactly("ready", "told to end by SIGTERM");
        next.awaitCompleted();
    }

    @Test
    void aJobWhoseImageIsBeingPulledNeverStarts() throws IOException {
        ProjectDirectory project = BERTH.project("record.py");
        // It takes connections and never says a word.
        try (ServerSocket registry = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            String image = "127.0.0.1:" + registry.getLocalPort() + "/slow/image";
            SubmittedJob unwanted = BERTH.submit(project, "record.py", "--image", image);
            SubmittedJob next = BERTH.submit(project, "record.py");
            assertThat(unwanted.view().path("reason").asText()).isEqualTo("PULLING_IMAGE");
            assertThat(unwanted.sentence()).startsWith("first in the queue; ").contains(image);
            assertThat(next.view().path("reason").asText()).isEqualTo("BEHIND_HEAD");
            assertThat(BERTH.run("explain", next.idText()).out())
                    .contains("job " + unwanted.id() + "'s image " + image)
                    .contains("berth hold " + unwanted.id() + " lets those behind it by")
                    .contains("queue.pass-while-pulling");

            assertThat(BERTH.run("cancel", unwanted.idText()).text())
                    .isEqualTo("job " + unwanted.id() + " is cancelled");

            next.awaitCompleted();
            assertThat(unwanted.state()).isEqualTo("CANCELLED");
            assertNeverStarted(unwanted);
        }
    }

    @Test
    void severalAtOnceAndOneThatIsOver() {
        ProjectDirectory project = BERTH.project("record.py");
        SubmittedJob over = BERTH.submit(project, "record.py").awaitCompleted();
        SubmittedJob holder = BERTH.submit(project, "record.py", "gate");
        SubmittedJob waiting = BERTH.submit(project, "record.py");

        assertThat(BERTH.command("cancel", over.idText(), waiting.idText(), "999", holder.idText())
                        .run()
                        .expect(1)
                        .err()
                        .lines())
                .as("from the newest to the oldest, as they are cancelled")
                .containsExactly(
                        "berth: there is no job 999 that you may see; berth ps -a lists yours",
                        "berth: job " + over.id() + " is over already: COMPLETED");

        holder.await("CANCELLED");
        assertThat(waiting.state()).isEqualTo("CANCELLED");
        assertThat(over.state()).isEqualTo("COMPLETED");
    }

    private static void assertNeverStarted(SubmittedJob job) {
        assertThat(job.output()).doesNotExist();
        assertThat(BERTH.engine().containers(job.output())).isEmpty();
        assertThat(job.view().path("attempt").asInt()).isZero();
        assertThat(job.view().path("startedAt").isNull()).isTrue();
    }
}
