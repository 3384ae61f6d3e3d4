package dev.berth.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.system.fixture.Await;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Command;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.ProjectDirectory;
import dev.berth.system.fixture.Ran;
import dev.berth.system.fixture.Running;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.TestFiles;
import dev.berth.testclient.Answer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A data directory on a disk of its own that fills up, and a database that is broken. */
@SystemTest
class FullDiskTest {
    private static final int FAILED = 125;
    private static final String DISK = "48m";
    private static final int MORE_THAN_FIT = 20_000;

    private static void fill(Path ballast, String bytes) {
        // Ends with an error where no more fits, which is what is wanted.
        Ran _ = Command.of(Path.of("/bin/sh"), "-c", "head -c " + bytes + " /dev/zero >" + ballast)
                .run();
    }

    /** Runs until the database no longer fits; the last answer is the refusal. */
    private static Answer steerUntilRefused(Berth berth, SubmittedJob job) {
        Answer last = new Answer(0, Map.of(), "");
        for (int turn = 0; turn < MORE_THAN_FIT && last.status() < 500; turn++) {
            last = berth.api().post("/jobs/" + job.id() + (turn % 2 == 0 ? "/hold" : "/release"), "{}");
        }
        return last;
    }

    @Test
    void aFullDiskRefusesUploadsThenEndsTheServerAndLosesNothing() {
        try (Berth berth = Berth.on(Engine.ofMachine())) {
            Path disk = TestFiles.folder(berth.dataDirectory());
            Ran _ = Command.of(
                            Path.of("/bin/mount"),
                            "-t",
                            "tmpfs",
                            "-o",
                            "mode=0711,size=" + DISK,
                            "tmpfs",
                            disk.toString())
                    .run()
                    .expect(0);
            try {
                fillAndRecover(berth, disk);
            } finally {
                Ran _ = berth.command("server", "stop", "--stop-jobs").run();
                Ran _ = Command.of(Path.of("/bin/umount"), disk.toString())
                        .run()
                        .expect(0);
            }
        }
    }

    private static void fillAndRecover(Berth berth, Path disk) {
        Path ballast = disk.resolve("ballast");
        ProjectDirectory project = berth.project("record.py");
        try (Running server =
                berth.startCommand("--foreground", "--simulate-gpus", "1").start()) {
            Await.that("the server is ready", () -> server.said().contains(" is ready, pid "));
            SubmittedJob running = berth.submit(project, "record.py", "gate", "--num-gpus", "1");
            running.awaitBegun();
            SubmittedJob waiting = berth.submit(project, "record.py", "0", "--num-gpus", "1");

            fill(ballast, "40M");
            Ran refused = berth.command("submit", "scheduler", project.path().toString(), "record.py", "0")
                    .run()
                    .expect(FAILED);
            assertThat(refused.complaint())
                    .startsWith("berth: the directory was not taken: there is no room for it on the server's disk, at ")
                    .contains("nothing was queued");
            assertThat(berth.run("ps", "-q").lines()).hasSize(2);

            fill(ballast, "1G");
            Answer last = steerUntilRefused(berth, waiting);
            assertThat(last.status()).as("%s", last).isEqualTo(503);
            assertThat(last.text())
                    .contains(
                            "STORE_FAILED",
                            "not acknowledged, and the server ends: ",
                            "there is no room left at " + disk);
            Ran ended = server.end();
            assertThat(ended.exitCode()).isEqualTo(FAILED);
            assertThat(ended.err()).contains("berth: the server ends: ", "there is no room left at " + disk);

            TestFiles.deleteTree(ballast);
            berth.start("--simulate-gpus", "1");
            assertThat(berth.run("ps", "-q").lines()).containsExactlyInAnyOrder(running.idText(), waiting.idText());
            Ran _ = berth.command("release", waiting.idText()).run();
            running.open();
            running.awaitCompleted();
            waiting.awaitCompleted();
        }
    }

    @Test
    void aBrokenDatabaseIsRefusedAndTheBackupComesBack() {
        try (Berth berth = Berth.on(Engine.ofMachine())) {
            berth.start("--simulate-gpus", "1");
            SubmittedJob job = berth.submit(berth.project("record.py"), "record.py", "0");
            job.awaitCompleted();
            Path database = berth.dataDirectory().resolve("berth.db");
            assertThat(berth.run("server", "check").text()).isEqualTo("the database " + database + " is whole");
            Path backup = Path.of(berth.run("server", "backup", "-q").text());
            assertThat(berth.command("server", "restore").run().expect(FAILED).complaint())
                    .contains("a server already uses " + berth.dataDirectory());
            berth.stop();
            assertThat(berth.run("server", "check").text()).isEqualTo("the database " + database + " is whole");

            TestFiles.write(database, "no database ".repeat(1_000));
            assertThat(berth.startCommand("--simulate-gpus", "1")
                            .run()
                            .expect(FAILED)
                            .complaint())
                    .startsWith("berth: the database " + database + " is broken: ")
                    .contains("Bring the newest whole backup back with: berth server restore (the newest by its"
                            + " date is " + backup.getFileName());
            assertThat(berth.command("server", "check").run().expect(FAILED).complaint())
                    .startsWith("berth: the database " + database + " is broken: ");
            assertThat(TestFiles.read(database)).startsWith("no database ");

            List<String> said = berth.run("server", "restore").lines();
            assertThat(said.getFirst()).isEqualTo("the database is back, from " + backup);
            assertThat(said.get(1)).startsWith("  it holds 1 job, the newest is job " + job.id() + ", submitted at ");
            berth.start("--simulate-gpus", "1");
            assertThat(job.state()).isEqualTo("COMPLETED");
        }
    }
}
