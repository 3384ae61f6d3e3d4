package dev.berth.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.system.fixture.Await;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Command;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.Product;
import dev.berth.system.fixture.ProjectDirectory;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.WithGpus;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a server finds that was away while the machine was not idle. */
@SystemTest
class ServerRecoveryTest {
    private static final int GPUS = 4;

    /** Puts what a database holds into one of an earlier schema, as far as that has a place for it. */
    private static final String DOWNGRADE = """
            import os, shutil, sqlite3, sys
            database, released = sys.argv[1:]
            older = database + ".older"
            shutil.copy(released, older)
            connection = sqlite3.connect(older)
            connection.execute("ATTACH ? AS newest", (database,))
            tables = [row[0] for row in connection.execute(
                "SELECT name FROM main.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")]
            for table in tables:
                connection.execute("DELETE FROM main." + table)
            for table in tables:
                if table != "job_count":  # Its triggers count.
                    columns = ", ".join(row[1] for row in connection.execute(f"PRAGMA main.table_info({table})"))
                    connection.execute(
                        f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM newest.{table}")
            connection.execute("DELETE FROM main.server WHERE name NOT IN ('id', 'boot')")
            connection.commit()
            connection.close()
            for file in (database, database + "-wal", database + "-shm"):
                if os.path.exists(file):
                    os.remove(file)
            os.rename(older, database)
            """;

    @Test
    void whatRanWhenTheMachineWentDownIsLostOrGoesBackToItsPlace(@WithGpus(GPUS) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            berth.start("-g");
            ProjectDirectory project = berth.project("record.py");
            SubmittedJob plain = berth.submit(project, "record.py", "--num-gpus", "2", "--", "gate");
            SubmittedJob requeued = berth.submit(project, "record.py", "--num-gpus", "2", "--requeue", "--", "gate");
            SubmittedJob waiting = berth.submit(project, "record.py", "--num-gpus", "3", "--", "0");
            plain.awaitBegun();
            requeued.awaitBegun();
            berth.kill();
            engine.docker("kill", plain.container());
            engine.docker("kill", requeued.container());

            berth.startAfterReboot("11111111-2222-4333-8444-555555555555", "-g");
            plain.await("LOST");
            assertThat(plain.view().path("reason").asText()).isEqualTo("MACHINE_REBOOTED");
            assertThat(plain.sentence()).startsWith("the machine was restarted while it ran; berth resubmit 1 ");
            requeued.await("RUNNING");
            assertThat(requeued.view().path("attempt").asInt()).isEqualTo(2);
            assertThat(waiting.state())
                    .as("it stands behind the one that came back")
                    .isEqualTo("QUEUED");

            berth.kill();
            berth.startAfterReboot("11111111-2222-4333-8444-555555555555", "-g");
            assertThat(requeued.state()).as("the same boot as before").isEqualTo("RUNNING");
            requeued.open();
            requeued.awaitCompleted();
            waiting.awaitCompleted();
            assertThat(berth.run("events", requeued.idText()).out()).contains("MachineRebooted");
        }
    }

    @Test
    void aContainerThatNoJobOwnsKeepsItsGpusUntilItIsSweptAndForeignOnesAreLeftAlone(@WithGpus(GPUS) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            berth.start("-g");
            ProjectDirectory project = berth.project("record.py");
            SubmittedJob first = berth.submit(project, "record.py", "--num-gpus", "1", "--", "gate");
            first.awaitBegun();
            String server = engine.docker(
                            "inspect", "--format", "{{index .Config.Labels \"dev.berth.server\"}}", first.container())
                    .text();
            berth.kill();
            String orphan = container(engine, server, 41, Engine.uuid(3));
            String foreign = container(engine, "another1", 7, Engine.uuid(2));
            try {
                berth.start(Map.of("BERTH_JOBS_ORPHAN_GRACE", "8s"), "-g");
                SubmittedJob all = berth.submit(project, "record.py", "--num-gpus", "3", "--", "0");
                assertThat(all.id()).as("above what is there").isEqualTo(42);
                all.awaitReason("AT_HEAD_WAITING_FOR_GPUS");
                assertThat(all.sentence()).contains("of job 41, attempt 1, on 1");
                all.awaitCompleted();
                assertThat(engine.docker("ps", "-aq", "--no-trunc").out())
                        .doesNotContain(orphan)
                        .contains(foreign);
                assertThat(first.state()).isEqualTo("RUNNING");
                first.open();
                first.awaitCompleted();
            } finally {
                Command.of("docker", "rm", "-f", orphan, foreign)
                        .with(engine.variables())
                        .run();
            }
        }
    }

    private static String container(Engine engine, String server, int job, String gpu) {
        List<String> words = new ArrayList<>(List.of("run", "-d", "--name", "berth-" + server + "-" + job + "-1"));
        Map.of("server", server, "job", Integer.toString(job), "attempt", "1", "gpus", gpu)
                .forEach((name, value) -> words.addAll(List.of("--label", "dev.berth." + name + "=" + value)));
        words.addAll(List.of("--runtime", "runc", Engine.IMAGE, "sleep", "600"));
        return engine.docker(words.toArray(String[]::new)).text();
    }

    /** From the oldest schema, over all others; that each opens is a test of the store's. */
    @Test
    void anUpgradeTakesOverWhatRunsAndKeepsTheOldDatabase(@WithGpus(GPUS) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            berth.start("-g");
            ProjectDirectory project = berth.project("count.py", "record.py");
            SubmittedJob running = berth.submit(project, "count.py", "--num-gpus", "2", "--", "out", "5");
            SubmittedJob waiting = berth.submit(project, "record.py", "--num-gpus", "3", "--", "0");
            running.awaitFile("lines");
            berth.stop();
            Path released =
                    Product.ROOT.resolve("scheduler-server/src/test/resources/dev/berth/server/store/schema-001.db");
            Command.python(DOWNGRADE, berth.dataDirectory().resolve("berth.db").toString(), released.toString())
                    .run()
                    .expect(0);

            berth.start("-g");
            assertThat(running.state()).isEqualTo("RUNNING");
            assertThat(berth.holders()).containsExactly("0:[1]", "1:[1]", "2:[]", "3:[]");
            running.open();
            running.await("FAILED");
            assertThat(running.view().path("exitCode").asInt()).isEqualTo(5);
            waiting.awaitCompleted();
        }
    }

    /**
     * Anyone who removes a container kills the program in it first, so that its end alone does not tell; the third is removed while the
     * server is away.
     */
    @Test
    void aContainerThatIsRemovedIsLostOrComesBackAndIsNeverStartedASecondTime(@WithGpus(GPUS) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            berth.start("-g");
            ProjectDirectory project = berth.project("record.py");
            SubmittedJob plain = berth.submit(project, "record.py", "--num-gpus", "1", "--", "gate");
            SubmittedJob requeued = berth.submit(project, "record.py", "--num-gpus", "1", "--requeue", "--", "gate");
            SubmittedJob third = berth.submit(project, "record.py", "--num-gpus", "1", "--", "gate");
            plain.awaitBegun();
            requeued.awaitBegun();
            third.awaitBegun();
            engine.docker("rm", "-f", plain.container(), requeued.container());
            plain.await("LOST");
            Await.that(
                    "the other one runs again",
                    () -> requeued.view().path("attempt").asInt() == 2
                            && requeued.state().equals("RUNNING"));
            requeued.open();
            requeued.awaitCompleted();

            berth.kill();
            engine.docker("rm", "-f", third.container());
            berth.start("-g");
            third.await("LOST");
            assertThat(third.view().path("reason").asText()).isEqualTo("CONTAINER_LOST");
            assertThat(third.read("starts").lines()).hasSize(1);
            Await.that("its GPU is free", () -> berth.holders().equals(List.of("0:[]", "1:[]", "2:[]", "3:[]")));
        }
    }

    @Test
    void aLaterAttemptGoesOnWhereTheEarlierOneStopped(@WithGpus(GPUS) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            berth.start("-g");
            ProjectDirectory project = berth.project("epochs.py");
            SubmittedJob job = berth.submit(project, "epochs.py", "--num-gpus", "1", "--requeue");
            job.awaitFile("ready-1");
            engine.docker("rm", "-f", job.container());
            job.awaitCompleted();
            assertThat(job.view().path("attempt").asInt()).isEqualTo(2);
            assertThat(berth.run("logs", "--attempt", "1", job.idText()).out()).isEqualTo("finds nothing\n");
            assertThat(berth.run("logs", "-f", "--attempt", "2", job.idText()).out())
                    .isEqualTo("finds epoch 3 of attempt 1, 0700\n");
            Path checkpoints = job.output().resolveSibling("../checkpoint").resolve(job.idText());
            assertThat(checkpoints.resolve("epoch")).hasContent("epoch 3 of attempt 1");
            berth.run("delete", job.idText());
            assertThat(checkpoints).doesNotExist();
        }
    }
}
