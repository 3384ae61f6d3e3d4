package dev.berth.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.system.fixture.Await;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Command;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.ProjectDirectory;
import dev.berth.system.fixture.Running;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.TestFiles;
import dev.berth.system.fixture.WithGpus;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Somebody else is on a GPU, or chooses one: the queue waits, says for whom, and goes on as soon as it can. */
@SystemTest
@Tag("alone")
class ForeignProcessTest {
    static final Path LOCK = Path.of("/tmp/gpu-lock-magic-RaNdOM-This_Name-NEED_BE-THE_SAME-Across_Users");

    private static final String SLEEPS = "import time\ntime.sleep(1000)\n";

    /** As safe-gpu does (safe_gpu.py); it keeps the lock. */
    static final String LOCKS = """
            import fcntl, os, sys, time
            fd = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY, 0o666)
            fcntl.lockf(fd, fcntl.LOCK_EX)
            open(sys.argv[2], "w").close()
            time.sleep(1000)
            """;

    @Test
    void theHeadWaitsForAForeignProcessAndStartsWhenItIsGone(@WithGpus(4) Engine engine) {
        Path apps = engine.standIn().orElseThrow().resolve("apps.csv");
        try (Berth berth = Berth.on(engine)) {
            berth.start(Map.of("CUDA_VISIBLE_DEVICES", "0,1"), "-g");
            ProjectDirectory project = berth.project("record.py").file("train.py", SLEEPS);
            String script = project.path().resolve("train.py").toString();
            try (Running foreign =
                    Command.of("/usr/bin/python3", script, "--password=secret").start()) {
                put(apps, 0, foreign.pid(), 812);
                SubmittedJob one = berth.submit(project, "record.py", "--num-gpus", "1");
                assertThat(one.awaitCompleted().record().opened())
                        .as("a GPU that is free is given in place of one that is not")
                        .containsExactly(1);

                SubmittedJob both =
                        berth.submit(project, "record.py", "--num-gpus", "2").awaitReason("GPU_BUSY_FOREIGN");
                String who = "process " + foreign.pid() + " of root is on it with 812 MiB since ";
                assertThat(berth.run("explain", both.idText()).out())
                        .contains("GPU 0: " + who)
                        .doesNotContain("secret");
                assertThat(berth.run("gpus", "--json")
                                .json()
                                .path("gpus")
                                .path(0)
                                .toString())
                        .contains(who);

                assertThat(ProcessHandle.of(foreign.pid()))
                        .as("nobody is ended")
                        .get()
                        .returns(true, ProcessHandle::isAlive);
                TestFiles.delete(apps);
                assertThat(both.awaitCompleted().record().opened()).containsExactly(0, 1);
            } finally {
                TestFiles.write(apps, "gpu_uuid,pid,process_name,used_memory,type\n");
            }
        }
    }

    @Test
    void nobodyIsGivenAGpuWhileItIsNotKnownWhetherTheOneBeforeGetsItsOwn(@WithGpus(4) Engine engine) {
        Path apps = engine.standIn().orElseThrow().resolve("apps.csv");
        try (Berth berth = Berth.on(engine)) {
            berth.start("-g");
            ProjectDirectory project = berth.project("record.py").file("train.py", SLEEPS);
            try (Running foreign = Command.of(
                            "/usr/bin/python3",
                            project.path().resolve("train.py").toString())
                    .start()) {
                put(apps, 0, foreign.pid(), 812);
                berth.run("server", "pause");
                SubmittedJob three = gated(berth, project, 3);
                SubmittedJob one = gated(berth, project, 1);
                SubmittedJob none = gated(berth, project, 0);
                berth.run("server", "resume");

                assertThat(three.awaitBegun().opened()).containsExactly(1, 2, 3);
                one.awaitReason("GPU_BUSY_FOREIGN");
                assertThat(none.state()).as("behind it").isEqualTo("QUEUED");
                three.open();
                assertThat(one.awaitBegun().opened()).hasSize(1).doesNotContain(0);
                none.awaitBegun();
                for (SubmittedJob job : List.of(three, one, none)) {
                    job.open();
                    job.awaitCompleted();
                }
            } finally {
                TestFiles.write(apps, "gpu_uuid,pid,process_name,used_memory,type\n");
            }
        }
    }

    private static SubmittedJob gated(Berth berth, ProjectDirectory project, int gpus) {
        return berth.submit(project, "record.py", "gate", "--num-gpus", Integer.toString(gpus));
    }

    private static void put(Path apps, int gpu, long pid, int mebibytes) {
        TestFiles.write(
                apps,
                "gpu_uuid,pid,process_name,used_memory,type\n%s,%d,python3,%d,C\n"
                        .formatted(Engine.uuid(gpu), pid, mebibytes));
    }

    @Test
    void nothingIsGivenOutWhileAnotherChooses(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            berth.start("-g");
            ProjectDirectory project = berth.project("record.py").file("claim.py", LOCKS);
            Path locked = berth.home().resolve("locked");
            SubmittedJob job;
            try (Running claim = Command.of(
                            "/usr/bin/python3",
                            project.path().resolve("claim.py").toString(),
                            LOCK.toString(),
                            locked.toString())
                    .start()) {
                Await.that("the lock is taken", () -> Files.exists(locked));
                job = berth.submit(project, "record.py", "--num-gpus", "1").awaitReason("GPU_LOCK_HELD");
                assertThat(berth.run("explain", job.idText()).out())
                        .contains("safe-gpu's lock is held by process " + claim.pid() + " of root");
            }
            job.awaitCompleted();
        }
    }

    @Test
    void aGpuWhoseMemoryDoesNotComeBackIsNotGivenOutAgain(@WithGpus(4) Engine engine) {
        Path gpus = engine.standIn().orElseThrow().resolve("gpus.csv");
        String asTheyWere = TestFiles.read(gpus);
        try (Berth berth = Berth.on(engine)) {
            berth.start(Map.of("CUDA_VISIBLE_DEVICES", "0"), "-g", "--set=gpus.clean-within=1s");
            ProjectDirectory project = berth.project("record.py");
            SubmittedJob job = berth.submit(project, "record.py", "gate", "--num-gpus", "1");
            job.awaitBegun();
            TestFiles.write(gpus, asTheyWere.replaceFirst(",24576,1,24575,", ",24576,9001,15575,"));
            job.open();
            job.awaitCompleted();

            SubmittedJob next =
                    berth.submit(project, "record.py", "--num-gpus", "1").awaitReason("GPU_DRAINED");
            assertThat(berth.run("explain", next.idText()).out())
                    .contains("GPU 0 is drained by berth: after job " + job.id()
                            + " it was not clean within 1 s: 9000 MiB of its memory are still in use");
        } finally {
            TestFiles.write(gpus, asTheyWere);
        }
    }
}
