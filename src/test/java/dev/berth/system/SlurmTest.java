package dev.berth.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.system.fixture.Await;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Command;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.EngineRelay;
import dev.berth.system.fixture.JsonReading;
import dev.berth.system.fixture.ProjectDirectory;
import dev.berth.system.fixture.Ran;
import dev.berth.system.fixture.Running;
import dev.berth.system.fixture.SlurmSite;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.TestFiles;
import dev.berth.system.fixture.UnixUser;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Jobs that go to a real Slurm cluster, by the command line alone. */
@SystemTest
class SlurmTest {
    /** The socket of the machine's own engine. */
    private static final Path ENGINE = Path.of("/var/run/docker.sock");

    private static final SlurmSite SITE = SlurmSite.start("slurm");
    private static final Berth BERTH = SITE.serve(Berth.on(Engine.ofMachine()));
    private static final ProjectDirectory PROJECT = BERTH.project("gated.py");

    @AfterAll
    static void stop() {
        try {
            BERTH.close();
        } finally {
            SITE.close();
        }
    }

    private static Ran ada(String... words) {
        return ada(BERTH, words);
    }

    private static Ran ada(Berth berth, String... words) {
        return SITE.as(SITE.ada(), berth, words).run();
    }

    /** Submits a job of gated.py. */
    private static SubmittedJob gated(String target, int gpus, Path folder, String name, int code) {
        return gated(BERTH, target, gpus, folder, name, code);
    }

    private static SubmittedJob gated(Berth berth, String target, int gpus, Path folder, String name, int code) {
        return SITE.submit(
                SITE.ada(),
                berth,
                target,
                PROJECT,
                "gated.py",
                "--num-gpus",
                "" + gpus,
                "--",
                folder.toString(),
                name,
                "" + code);
    }

    private static void assertEnded(SubmittedJob job, int code) {
        assertThat(ada(job.berth(), "wait", job.idText()).exitCode()).isEqualTo(code);
        assertThat(job.state()).isEqualTo(code == 0 ? "COMPLETED" : "FAILED");
    }

    @Test
    void aJobRunsThereAndAllOfItComesBack() {
        Path folder = SITE.folder(SITE.ada());
        // The only node of its partition is full, so that the next one waits.
        SubmittedJob first = gated("big", 4, folder, "first", 0);
        first.await("RUNNING");
        SubmittedJob job = gated("big", 1, folder, "job", 3);
        Await.that(
                "Slurm's words",
                () -> job.sentence().matches("Slurm waits for Resources \\(job \\d+, place unknown\\)"));
        assertThat(ada("ps").out()).containsPattern("gated\\.py +\\S+ +QUEUED +big .* Slurm waits for Resources");
        assertThat(ada("status", job.idText()).out()).contains("target      big (Slurm)");
        assertThat(ada("explain", job.idText()).out()).contains("QUEUED: Slurm waits for Resources");

        SlurmSite.open(folder, "first");
        job.await("RUNNING");
        assertThat(ada("status", job.idText()).out()).contains("runs at target big (Slurm): job ", "on node3");
        try (Running follow =
                SITE.as(SITE.ada(), BERTH, "logs", "-f", job.idText()).start()) {
            Await.that("a line while it runs", () -> follow.said().contains("devices"));
            SlurmSite.open(folder, "job");
            assertEnded(job, 3);
            Ran followed = follow.end().expect(0);
            assertThat(followed.lines()).hasSize(2).endsWith("the gate of job is open");
            JsonNode seen = JsonReading.of(followed.lines().getFirst());
            assertThat(seen.path("user").asText()).isEqualTo(SITE.ada().name());
            assertThat(seen.path("uid").asLong()).isEqualTo(SITE.ada().uid());
            assertThat(JsonReading.strings(seen.path("files"))).containsExactly("gated.py");
            assertThat(seen.path("devices").asText()).matches("[0-3]");
        }
        assertBroughtBack(job);
    }

    private static void assertBroughtBack(SubmittedJob job) {
        Path into = SITE.folder(SITE.ada()).resolve("outputs");
        Ran _ = ada("get", job.idText(), "-o", into.toString()).expect(0);
        assertThat(TestFiles.read(into.resolve("result"))).isEqualTo("of job\n");
        assertThat(TestFiles.owner(into.resolve("result")))
                .isEqualTo(SITE.ada().uid() + ":" + SITE.ada().gid());
        assertThat(ada("metrics", job.idText()).out()).contains("loss").contains("0.5");
        assertThat(ada("status", job.idText(), "--json").json().path("exitCode").asInt())
                .isEqualTo(3);
        // The accounts may be behind; less than a second of it on a quick machine.
        Await.that(
                "its use is accounted",
                () -> ada("status", job.idText(), "--json")
                                .json()
                                .path("machineUsage")
                                .path("meanCpuMilli")
                                .asInt()
                        > 0);
        assertThat(ada("status", job.idText()).out()).contains("GPU-hours", "CPU-hours", "memory used");
        assertThat(ada("history").out())
                .containsPattern(" \\d+\\.\\d\\d h, \\d+\\.\\d\\d CPU-h, \\d.* the program ended with exit code 3");
    }

    @Test
    void aJobRunsInAContainerOfItsNode() {
        assertThat(ada("submit", "docked", PROJECT.path().toString(), "true")
                        .expect(2)
                        .complaint())
                .contains("--image is not given: it must name an image that target docked can pull");
        SubmittedJob job = SITE.submit(
                SITE.ada(),
                BERTH,
                "docked",
                PROJECT,
                "sh",
                "--image",
                Engine.IMAGE,
                "--",
                "-c",
                "ls /.dockerenv *; id -u");
        assertEnded(job, 0);
        assertThat(ada("logs", job.idText()).lines())
                .containsExactly("/.dockerenv", "gated.py", "" + SITE.ada().uid());
        assertThat(SITE.asRoot(BERTH, "doctor", "--target", "docked")
                        .run()
                        .expect(0)
                        .out())
                .contains("add --image IMAGE to try one");
        assertThat(SITE.asRoot(BERTH, "doctor", "--target", "docked", "--image", Engine.IMAGE)
                        .run()
                        .expect(0)
                        .out())
                .contains("and what it wrote came back");
    }

    /** Whether it sees them depends on the machine: made-up ones have no driver. */
    @Test
    void doctorTriesAJobWithGpus() {
        assertThat(SITE.asRoot(BERTH, "doctor", "--target", "cluster", "--num-gpus", "1")
                        .run()
                        .out())
                .contains("a job of root with 1 GPU ran (");
    }

    @Test
    void aJobWithoutGpusSeesNone() {
        Path folder = SITE.folder(SITE.ada());
        SlurmSite.open(folder, "none");
        SubmittedJob job = gated("cluster", 0, folder, "none", 0);
        assertEnded(job, 0);
        assertThat(ada("logs", job.idText()).out()).contains("\"devices\": \"\"");
    }

    @Test
    void theSeedsQueueStartsInItsOrder() {
        Path folder = SITE.folder(SITE.ada());
        List<String> names = List.of("1st", "2nd", "3rd", "4th", "5th");
        List<Integer> gpus = List.of(2, 2, 3, 3, 1);
        List<SubmittedJob> jobs = IntStream.range(0, names.size())
                .mapToObj(at -> gated("big", gpus.get(at), folder, names.get(at), 0))
                .toList();
        jobs.get(1).await("RUNNING");
        for (SubmittedJob waiting : jobs.subList(2, 5)) {
            Await.that("Slurm's words", () -> waiting.sentence().startsWith("Slurm waits for "));
        }
        awaitStarted(folder, 2);
        assertThat(SlurmSite.started(folder)).containsExactlyInAnyOrder("1st", "2nd");

        SlurmSite.open(folder, "1st");
        assertEnded(jobs.get(0), 0);
        assertThat(SlurmSite.started(folder)).hasSize(2);
        SlurmSite.open(folder, "2nd");
        jobs.get(2).await("RUNNING");
        // One GPU is free, and the fifth would fit; it stays behind the fourth.
        assertThat(jobs.get(4).sentence()).startsWith("Slurm waits for Priority");
        awaitStarted(folder, 3);
        assertThat(SlurmSite.started(folder)).hasSize(3).endsWith("3rd");
        SlurmSite.open(folder, "3rd", "4th", "5th");
        jobs.forEach(job -> assertEnded(job, 0));
        assertThat(jobs.stream().map(SubmittedJob::startedAt)).isSorted();
    }

    /** Slurm says that a job runs before its program does anything. */
    private static void awaitStarted(Path folder, int many) {
        Await.that(
                many + " programs have begun", () -> SlurmSite.started(folder).size() >= many);
    }

    @Test
    void jobsOutliveTheControllersEnd() {
        Path folder = SITE.folder(SITE.ada());
        SubmittedJob running = gated("big", 4, folder, "running", 5);
        SubmittedJob waiting = gated("big", 4, folder, "waiting", 0);
        running.await("RUNNING");
        Await.that("Slurm's words", () -> waiting.sentence().startsWith("Slurm waits for "));
        untilSaved(waiting);

        SITE.cluster().script("controller", "kill");
        SubmittedJob late;
        try {
            Await.that("it is told", () -> waiting.sentence().contains("target big does not answer"));
            assertThat(ada("explain", waiting.idText()).out()).contains("Slurm's controller does not answer");
            assertThat(running.state()).isEqualTo("RUNNING");
            late = gated("big", 1, folder, "late", 0);
            SlurmSite.open(folder, "running", "waiting", "late");
            Await.that("it is told", () -> late.sentence().contains("target big does not answer"));
        } finally {
            SITE.cluster().script("controller", "start");
        }

        assertEnded(running, 5);
        assertEnded(waiting, 0);
        assertEnded(late, 0);
        assertThat(SlurmSite.started(folder)).containsExactly("running", "waiting", "late");
        assertThat(SITE.names()).doesNotHaveDuplicates();
    }

    /** The controller writes its state down seconds after a change, and forgets what it has not: here is a change. */
    private static void untilSaved(SubmittedJob waiting) {
        Path state = SITE.cluster().directory().resolve("state/job_state");
        Ran _ = ada("hold", waiting.idText()).expect(0);
        Await.that("it is held", () -> waiting.sentence().contains("it is held"));
        Ran _ = ada("release", waiting.idText()).expect(0);
        Await.that(
                "it is released",
                () -> waiting.sentence().startsWith("Slurm waits for Priority")
                        || waiting.sentence().startsWith("Slurm waits for Resources"));
        // Else what is written may be that it is held; and what was written just now is written once more.
        Instant before = Instant.now();
        String number = waiting.sentence().replaceAll(".*job (\\d+).*", "$1");
        SITE.cluster().ask("scontrol", "update", "JobId=" + number, "Comment=saved");
        Await.that(
                "the controller's state is written",
                () -> TestFiles.modified(state).isAfter(before));
    }

    @Test
    void anArrayIsOneOfSlurmsAndItsTasksAreJobsHere() {
        Path folder = SITE.folder(SITE.ada());
        SubmittedJob array = SITE.submit(
                SITE.ada(),
                BERTH,
                "cluster",
                PROJECT,
                "sh",
                "--array",
                "0-3",
                "--num-gpus",
                "1",
                "--",
                "-c",
                "until [ -e " + folder + "/open ]; do sleep 0.1; done; echo task $BERTH_ARRAY_TASK;"
                        + " exit $BERTH_ARRAY_TASK");
        Await.that(
                "its tasks run",
                () -> tasks(array).stream().filter("RUNNING"::equals).count() == 4);
        Await.that("its one array is accounted", () -> SITE.arrays(SITE.ada()).equals(List.of(4)));
        Ran _ = ada("cancel", array.idText() + "_3").expect(0);
        Await.that("it is cancelled", () -> tasks(array).contains("CANCELLED"));
        assertThat(tasks(array).stream().filter("RUNNING"::equals)).hasSize(3);

        SlurmSite.open(folder, "open");
        assertThat(ada("wait", array.idText()).exitCode()).isNotZero();
        assertThat(tasks(array)).containsExactlyInAnyOrder("COMPLETED", "FAILED", "FAILED", "CANCELLED");
        assertThat(ada("status", array.idText() + "_2", "--json")
                        .json()
                        .path("exitCode")
                        .asInt())
                .isEqualTo(2);
        assertThat(ada("logs", array.idText() + "_1").out()).isEqualTo("task 1\n");
    }

    private static List<String> tasks(SubmittedJob array) {
        JsonNode all = ada("ps", "--tasks", array.idText(), "--json").json();
        return JsonReading.each(all.path("jobs"), "state");
    }

    /** Slurm starts the next job of a chain while this server is away, and ends the one that can never start. */
    @Test
    void whatWaitsForAJobThereWaitsThere() {
        Path folder = SITE.folder(SITE.ada());
        SubmittedJob first = gated("big", 4, folder, "first", 3);
        SubmittedJob failed = after("afternotok", first, folder, "failed");
        SubmittedJob last = after("afterany", failed, folder, "last");
        SubmittedJob never = after("afterok", first, folder, "never");
        for (SubmittedJob waiting : List.of(failed, last, never)) {
            Await.that("Slurm's words", () -> waiting.sentence().startsWith("Slurm waits for Dependency"));
        }
        awaitStarted(folder, 1);
        BERTH.kill();
        SlurmSite.open(folder, "first", "failed", "last");
        awaitStarted(folder, 3);
        SITE.restart(BERTH);

        assertEnded(first, 3);
        assertEnded(failed, 0);
        assertEnded(last, 0);
        assertThat(ada("wait", never.idText()).exitCode()).isNotZero();
        assertThat(never.state()).isEqualTo("FAILED");
        assertThat(never.view().path("reason").asText()).isEqualTo("DEPENDENCY_FAILED");
        assertThat(SlurmSite.started(folder)).containsExactly("first", "failed", "last");
    }

    private static SubmittedJob after(String kind, SubmittedJob other, Path folder, String name) {
        return SITE.submit(
                SITE.ada(),
                BERTH,
                "big",
                PROJECT,
                "gated.py",
                "--dependency",
                kind + ":" + other.idText(),
                "--",
                folder.toString(),
                name,
                "0");
    }

    /** As in a lab that has a server on each of its workstations. */
    @Test
    void anotherServersJobsOfTheSameUserAreNoneOfOurs() {
        Path folder = SITE.folder(SITE.ada());
        SubmittedJob here = gated("cluster", 1, folder, "here", 0);
        try (Berth other = SITE.serve(Berth.on(Engine.ofMachine()))) {
            SubmittedJob ended = gated(other, "cluster", 1, folder, "ended", 0);
            SubmittedJob cancelled = gated(other, "cluster", 1, folder, "cancelled", 0);
            here.await("RUNNING");
            cancelled.await("RUNNING");
            Ran _ = SITE.as(SITE.ada(), other, "cancel", cancelled.idText())
                    .run()
                    .expect(0);
            cancelled.await("CANCELLED");
            SlurmSite.open(folder, "ended");
            ended.awaitCompleted();
        }
        assertThat(here.state()).isEqualTo("RUNNING");
        SlurmSite.open(folder, "here");
        assertEnded(here, 0);
        assertThat(ada("logs", here.idText()).out()).endsWith("the gate of here is open\n");
    }

    /** As where nobody starts one as root. */
    @Test
    void anOrdinaryUsersServerHandsOverThatUsersJobsAlone() {
        Path folder = SITE.folder(SITE.ada());
        Path socket = SITE.home().resolve("engine.sock");
        Engine engine = new Engine(Map.of("DOCKER_HOST", "unix://" + socket), Optional.empty());
        try (EngineRelay _ = EngineRelay.between(socket, ENGINE)) {
            TestFiles.give(socket, SITE.ada());
            try (Berth own = SITE.serve(Berth.on(engine, SITE.program(), SITE.ada()))) {
                SlurmSite.open(folder, "own");
                SubmittedJob job = gated(own, "cluster", 1, folder, "own", 0);
                assertEnded(job, 0);
                assertThat(ada(own, "logs", job.idText()).out())
                        .contains("\"user\": \"" + SITE.ada().name() + "\"")
                        .endsWith("the gate of own is open\n");
                Ran _ = ada(
                                own,
                                "get",
                                job.idText(),
                                "-o",
                                folder.resolve("outputs").toString())
                        .expect(0);
                assertThat(TestFiles.read(folder.resolve("outputs/result"))).isEqualTo("of own\n");
                assertThat(ada(own, "doctor", "--target", "cluster").expect(0).out())
                        .contains("a job of " + SITE.ada().name() + " ran (");
                assertServesNobodyElse(own, job);
            }
        }
    }

    private static void assertServesNobodyElse(Berth own, SubmittedJob only) {
        String[] submit = {"submit", "cluster", PROJECT.path().toString(), "true"};
        assertThat(SITE.as(SITE.bob(), own, submit).run().expect(125).complaint())
                .endsWith("may not be used by you (permission denied)");
        String alone = "this server runs as user " + SITE.ada().uid() + " and serves that user alone; you are root";
        assertThat(SITE.asRoot(own, submit).run().expect(1).complaint()).contains(alone);
        assertThat(SITE.asRoot(own, "doctor", "--target", "cluster")
                        .run()
                        .expect(1)
                        .complaint())
                .contains(alone);
        assertThat(SITE.asRoot(own, "ps", "-a", "-q").run().expect(0).lines()).containsExactly(only.idText());
    }

    @Test
    void othersNeitherSeeNorEndAJobNorReadItsFiles() {
        Path folder = SITE.folder(SITE.ada());
        SubmittedJob job = gated("cluster", 1, folder, "secret", 0);
        job.await("RUNNING");

        for (String verb : List.of("status", "logs", "explain", "wait", "cancel", "hold", "get", "metrics")) {
            Ran refused = SITE.as(SITE.bob(), BERTH, verb, job.idText()).run().expect(1);
            assertThat(refused.complaint()).contains("there is no job " + job.id() + " that you may see");
        }
        assertThat(SITE.as(SITE.bob(), BERTH, "ps", "-a", "-q").run().expect(0).out())
                .isEmpty();
        Path users = SITE.cluster().shared().resolve(SITE.ada().name());
        assertThat(TestFiles.permissions(users)).isEqualTo("rwx------");
        assertThat(TestFiles.owner(users))
                .isEqualTo(SITE.ada().uid() + ":" + SITE.ada().gid());
        assertThat(Command.of("ls", users.toString()).as(SITE.bob()).run().exitCode())
                .isNotZero();
        assertThat(Command.of("ls", users.toString())
                        .as(SITE.ada())
                        .run()
                        .expect(0)
                        .out())
                .containsPattern("berth-[0-9a-f]+-" + job.id() + "-1");

        Ran closed = SITE.as(SITE.bob(), BERTH, "submit", "big", PROJECT.path().toString())
                .and("gated.py")
                .run()
                .expect(1);
        assertThat(closed.complaint())
                .contains("target big is not open to " + SITE.bob().name());
        assertThat(open(SITE.bob())).containsExactly("true", "false", "false", "true", "true");
        assertThat(open(SITE.ada())).containsOnly("true");

        SlurmSite.open(folder, "secret");
        assertEnded(job, 0);
    }

    /** Of this machine's queue, and of the targets by their names: big, big-single, cluster and docked. */
    private static List<String> open(UnixUser user) {
        return JsonReading.each(
                SITE.as(user, BERTH, "targets", "--json").run().expect(0).json().path("targets"), "open");
    }
}
