package dev.berth.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.system.fixture.Await;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.EngineRelay;
import dev.berth.system.fixture.ProjectDirectory;
import dev.berth.system.fixture.Ran;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.TestFiles;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What waits, why, and what would wait for ever. */
@SystemTest
class WaitingJobsTest {
    private static final Path ENGINE = Path.of("/var/run/docker.sock");

    @Test
    void explainNamesWhoOrWhatAJobWaitsFor() {
        try (Berth berth = Berth.on(Engine.ofMachine())) {
            berth.start("--simulate-gpus", "3", "--workers", "2");
            ProjectDirectory project = berth.project("record.py");
            SubmittedJob one = berth.submit(project, "record.py", "--num-gpus", "2", "--", "gate");
            SubmittedJob two = berth.submit(project, "record.py", "--num-gpus", "2", "--", "gate");
            SubmittedJob three = berth.submit(project, "record.py", "gate");
            one.await("RUNNING").awaitBegun();
            two.awaitReason("AT_HEAD_WAITING_FOR_GPUS");
            three.awaitReason("BEHIND_HEAD");

            assertExplained(one, "RUNNING: runs on GPUs 0, 1");
            assertExplained(two, "QUEUED: first in the queue; waits for 2 GPUs: 1 of 3 free, job 1 has 2");
            assertExplained(
                    three,
                    "QUEUED: one job is ahead of it; job 2 is first and waits for 2 GPUs: 1 of 3 free, job 1 has 2");
            assertThat(three.view().path("position").asInt()).isEqualTo(2);

            one.open();
            two.awaitBegun();
            three.awaitBegun();
            SubmittedJob four = berth.submit(project, "record.py", "--num-gpus", "1");
            four.awaitReason("WAITING_FOR_WORKER");
            assertExplained(four, "QUEUED: first in the queue; waits for a worker: all 2 have jobs, job 2, job 3");
            two.open();
            three.open();
            four.awaitCompleted();
            assertExplained(four, "COMPLETED: the program ended with exit code 0");
        }
    }

    private static void assertExplained(SubmittedJob job, String sentence) {
        assertThat(job.berth().run("explain", job.idText()).text().lines().findFirst())
                .contains("job " + job.id() + " " + sentence);
    }

    @Test
    void jobsWithoutGpusPassInALaneOfTheirOwn() {
        try (Berth berth = Berth.on(Engine.ofMachine())) {
            berth.start("--simulate-gpus", "1", "--cpu-workers", "1");
            ProjectDirectory project = berth.project("record.py");
            SubmittedJob withGpu = berth.submit(project, "record.py", "--num-gpus", "1", "--", "gate");
            SubmittedJob behindIt = berth.submit(project, "record.py", "--num-gpus", "1");
            SubmittedJob without = berth.submit(project, "record.py", "gate");
            SubmittedJob alsoWithout = berth.submit(project, "record.py");

            withGpu.awaitBegun();
            without.awaitBegun();
            assertThat(behindIt.state()).isEqualTo("QUEUED");
            alsoWithout.awaitReason("WAITING_FOR_WORKER");
            assertExplained(
                    alsoWithout,
                    "QUEUED: first in the queue; waits for a worker: the only one has job " + without.id());
            without.open();
            alsoWithout.awaitCompleted();
            assertThat(behindIt.state()).isEqualTo("QUEUED");
            withGpu.open();
            behindIt.awaitCompleted();
        }
    }

    @Test
    void withoutGpusOneJobRunsAtATimeAndNoGpuCanBeAskedFor() {
        try (Berth berth = Berth.on(Engine.ofMachine())) {
            berth.start();
            ProjectDirectory project = berth.project("record.py");

            Ran refused = berth.command("submit", "scheduler", project.path().toString())
                    .and("record.py", "--num-gpus", "1")
                    .run()
                    .expect(2);
            assertThat(refused.complaint())
                    .isEqualTo(
                            "berth: not accepted: it asks for 1 GPU, but this server allocates none; start it with -g"
                                    + " (berth server start -g)");
            SubmittedJob one = berth.submit(project, "record.py", "gate");
            SubmittedJob two = berth.submit(project, "record.py");
            one.awaitBegun();
            assertThat(two.state()).isEqualTo("QUEUED");
            one.open();
            two.awaitCompleted();
            assertThat(two.record().begin()).isGreaterThan(one.record().end());
            assertThat(two.record().nodes()).isEmpty();
        }
    }

    /** Both rules on one server, whose engine is slow where the test wants it so. */
    @Test
    void withTheRulesForItProgramsStartOneByOneAndAPullLetsOthersBy() throws IOException {
        Path folder = TestFiles.folder();
        Path socket = folder.resolve("relay.sock");
        try (EngineRelay relay = EngineRelay.between(socket, ENGINE);
                Berth berth = Berth.on(new Engine(Map.of("DOCKER_HOST", "unix://" + socket), Optional.empty()))) {
            berth.start(
                    Map.of("BERTH_QUEUE_START_ONE_BY_ONE", "true", "BERTH_QUEUE_PASS_WHILE_PULLING", "true"),
                    "--simulate-gpus",
                    "3");
            String snapshot = berth.submit(berth.project("record.py"), "record.py")
                    .awaitCompleted()
                    .view()
                    .path("snapshot")
                    .asText();
            assertStartOneByOne(berth, relay, snapshot);
            assertPassWhilePulling(berth, snapshot);
        }
        TestFiles.deleteTree(folder);
    }

    private static void assertStartOneByOne(Berth berth, EngineRelay relay, String snapshot) {
        relay.delay("/start ");
        List<SubmittedJob> jobs = Stream.generate(() -> submit(berth, snapshot, Engine.IMAGE, 1, "0"))
                .limit(3)
                .toList();
        String first = "-" + jobs.getFirst().id() + "-1/start ";
        Await.that(
                "the first start is under way",
                () -> relay.requests().stream().anyMatch(request -> request.contains(first)));
        jobs.get(1).awaitReason("BEHIND_START");
        jobs.get(2).awaitReason("BEHIND_HEAD");
        relay.letThrough();
        jobs.forEach(SubmittedJob::awaitCompleted);
        assertThat(jobs).extracting(job -> job.record().begin()).isSorted();
    }

    private static void assertPassWhilePulling(Berth berth, String snapshot) throws IOException {
        String image;
        SubmittedJob slow;
        SubmittedJob passing;
        SubmittedJob behind;
        // It takes connections and never says a word.
        try (ServerSocket registry = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            image = "127.0.0.1:" + registry.getLocalPort() + "/slow/image:latest";
            slow = submit(berth, snapshot, image, 3, "0");
            passing = submit(berth, snapshot, Engine.IMAGE, 3, "gate");
            behind = submit(berth, snapshot, Engine.IMAGE, 3, "0");
            passing.awaitBegun();
            assertThat(slow.view().path("reason").asText()).isEqualTo("PULLING_IMAGE");
            assertThat(slow.view().path("position").asInt()).isEqualTo(1);
            berth.engine().docker("tag", Engine.IMAGE, image);
        }
        try {
            slow.awaitReason("AT_HEAD_WAITING_FOR_GPUS");
            passing.open();
            slow.awaitCompleted();
            behind.awaitCompleted();
            assertThat(behind.record().begin()).isGreaterThan(slow.record().end());
        } finally {
            berth.engine().docker("rmi", image);
        }
    }

    /** Over the API, with the directory that is there already. */
    private static SubmittedJob submit(Berth berth, String snapshot, String image, int gpus, String hold) {
        return berth.submit(
                Map.of("snapshot", snapshot, "image", image, "gpus", gpus, "command", List.of("record.py", hold)));
    }

    @Test
    void whatASmallerMachineCannotRunIsSetAsideUntilThereIsEnoughAgain() {
        try (Berth berth = Berth.on(Engine.ofMachine())) {
            berth.start("--simulate-gpus", "2");
            ProjectDirectory project = berth.project("record.py");
            Ran refused = berth.command("submit", "scheduler", project.path().toString())
                    .and("record.py", "--num-gpus", "3")
                    .run()
                    .expect(2);
            assertThat(refused.complaint())
                    .isEqualTo("berth: not accepted: it asks for 3 GPUs, but this server has 2; ask for at most 2");
            SubmittedJob running = berth.submit(project, "record.py", "--num-gpus", "2", "--", "gate");
            SubmittedJob tooLarge = berth.submit(project, "record.py", "--num-gpus", "2");
            SubmittedJob small = berth.submit(project, "record.py", "--num-gpus", "1");
            running.awaitBegun();

            berth.stop();
            assertThat(berth.start("--simulate-gpus", "1").complaint())
                    .isEqualTo("berth: warning: job " + tooLarge.id()
                            + ", which waits, cannot run here: it asks for 2 GPUs, but this server has 1; at the front"
                            + " of the queue such a job is held until a server is started that can run it"
                            + " (--drop-unfit fails it)");

            assertThat(tooLarge.await("HELD").sentence())
                    .isEqualTo("set aside, as this server cannot run it: it asks for 2 GPUs, but this server has 1; it"
                            + " keeps its place, and goes on by itself once a server is started that can; berth"
                            + " cancel "
                            + tooLarge.id() + " gives it up");
            assertThat(running.state()).isEqualTo("RUNNING");
            assertThat(running.sentence()).contains(", which this server does not allocate");
            assertThat(small.state()).isEqualTo("QUEUED");
            running.open();
            running.awaitCompleted();
            small.awaitCompleted();
            assertThat(small.record().begin()).isGreaterThan(running.record().end());

            berth.stop();
            berth.start("--simulate-gpus", "2");
            tooLarge.awaitCompleted();

            SubmittedJob dropped = berth.submit(project, "record.py", "--num-gpus", "2", "--", "gate");
            SubmittedJob behind = berth.submit(project, "record.py", "--num-gpus", "2");
            dropped.awaitBegun();
            berth.stop();
            assertThat(berth.start().complaint())
                    .startsWith("berth: warning: job " + behind.id()
                            + ", which waits, cannot run here: it asks for 2 GPUs, but this server allocates none; at"
                            + " the front of the queue");
            behind.await("HELD");
            assertThat(dropped.state()).isEqualTo("RUNNING");
            berth.stop();
            berth.start("--simulate-gpus", "1");
            behind.await("HELD");
            berth.stop();
            berth.start("--simulate-gpus", "1", "--drop-unfit");
            dropped.open();
            dropped.awaitCompleted();
            assertThat(behind.await("FAILED").sentence())
                    .isEqualTo("it asks for 2 GPUs, but this server has 1; ask for at most 1");
            assertThat(behind.view().path("reason").asText()).isEqualTo("NEVER_FITS");
        }
    }
}
