package dev.berth.system;

import static dev.berth.system.EngineOutages.assertGoesOnSoon;
import static dev.berth.system.EngineOutages.assertLog;
import static dev.berth.system.EngineOutages.assertWholeLog;
import static dev.berth.system.EngineOutages.awaitLines;
import static dev.berth.system.EngineOutages.lines;
import static dev.berth.system.EngineOutages.writtenLines;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.system.fixture.Await;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Command;
import dev.berth.system.fixture.OwnEngine;
import dev.berth.system.fixture.ProjectDirectory;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.TestFiles;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The engine goes away under jobs that run and jobs that wait, in every way; none fails for it. */
@SystemTest
class EngineOutageTest {
    private static final int GPUS = 2;

    private static OwnEngine engine;

    @BeforeAll
    static void startEngine() {
        engine = OwnEngine.start(GPUS);
    }

    @AfterAll
    static void removeEngine() {
        engine.close();
    }

    @Test
    void withLiveRestoreJobsDoNotNoticeAndWhatEndedMeanwhileIsRecorded() {
        engine.keepContainers(true);
        try (Berth berth = Berth.on(engine.engine())) {
            berth.start("-g");
            ProjectDirectory project = berth.project("count.py", "record.py");
            SubmittedJob long1 = berth.submit(project, "count.py", "--num-gpus", "1", "--", "out", "0");
            SubmittedJob early = berth.submit(project, "count.py", "--num-gpus", "1", "--", "err", "7");
            SubmittedJob waiting = berth.submit(project, "record.py", "--num-gpus", "1", "--", "gate");
            awaitLines(long1, 100);
            awaitLines(early, 100);

            engine.end();
            // At once: once the pipe is full that the engine reads from, the program waits for the next engine.
            awaitLines(long1, lines(long1) + 50);
            early.open();
            early.awaitFile("ended");
            Instant ended = Instant.now();
            waiting.awaitReason("ENGINE_UNREACHABLE");
            assertThat(waiting.sentence()).contains("first in the queue; engine unreachable since ");
            assertThat(berth.run("server", "status").out()).contains("engine unreachable since");
            assertThat(berth.run("explain", waiting.idText()).out()).contains("engine unreachable since");
            assertThat(long1.state()).isEqualTo("RUNNING");

            engine.startAgain();
            assertGoesOnSoon("after a restart with live-restore", waiting, "RUNNING");
            early.await("FAILED");
            assertThat(early.view().path("exitCode").asInt()).isEqualTo(7);
            assertThat(Instant.parse(early.view().path("endedAt").asText())).isBefore(ended.plusSeconds(3));
            awaitLines(long1, lines(long1) + 100);
            List<String> lost = lostByTheEngine(long1);
            List.of(long1, waiting).forEach(SubmittedJob::open);
            long1.awaitCompleted();
            waiting.awaitCompleted();
            assertLog(long1, lost);
            // What a program writes that ends before Docker is back, Docker itself may never read.
            assertThat(berth.run("logs", early.idText()).lines())
                    .as("log of job %d", early.id())
                    .startsWith("1 " + "x".repeat(37))
                    .doesNotHaveDuplicates();
            assertThat(serverLog(berth, "engine unreachable: ")).hasSize(1);
            assertThat(serverLog(berth, "the engine answers again, after ")).hasSize(1);
        }
    }

    @Test
    void withoutLiveRestoreItsEndIsNoFaultOfTheJobs() {
        engine.keepContainers(false);
        try (Berth berth = Berth.on(engine.engine())) {
            berth.start("-g");
            ProjectDirectory project = berth.project("count.py");
            SubmittedJob lost = berth.submit(project, "count.py", "--num-gpus", "1", "--", "out", "0");
            SubmittedJob again = berth.submit(project, "count.py", "--num-gpus", "1", "--requeue", "--", "out", "0");
            awaitLines(lost, 50);
            awaitLines(again, 50);

            engine.end();
            engine.startAgain();
            assertGoesOnSoon("after a restart without live-restore", again, "RUNNING");
            lost.await("LOST");
            assertThat(lost.view().path("reason").asText()).isEqualTo("ENGINE_STOPPED");
            assertThat(lost.sentence()).contains("the container engine was stopped while it ran");
            Await.that("it runs again", () -> again.view().path("attempt").asInt() == 2);
            again.open();
            again.awaitCompleted();
        }
    }

    @Test
    void anEngineThatHangsIsNoticedAndGoesOnWhereItWas() {
        engine.keepContainers(true);
        try (Berth berth = Berth.on(engine.engine())) {
            berth.start("-g");
            ProjectDirectory project = berth.project("count.py", "record.py");
            SubmittedJob running = berth.submit(project, "count.py", "--num-gpus", "1", "--", "out", "0");
            awaitLines(running, 50);
            SubmittedJob starting;
            engine.signal("STOP");
            try {
                starting = berth.submit(project, "record.py", "--num-gpus", "1", "--", "0");
                starting.awaitReason("ENGINE_UNREACHABLE");
                assertThat(starting.sentence()).contains("did not answer a ping within 1 s");
            } finally {
                engine.signal("CONT");
            }
            assertGoesOnSoon("after a pause of the engine", starting, "STARTING", "RUNNING", "COMPLETED");
            starting.awaitCompleted();
            assertThat(starting.read("starts").lines()).hasSize(1);
            running.open();
            running.awaitCompleted();
            assertWholeLog(running);
        }
    }

    @Test
    void aFullDiskOfTheEngineFailsNoJob() {
        Path folder = TestFiles.folder();
        Path root = TestFiles.folder(folder.resolve("root"));
        Command.of("mount", "-t", "tmpfs", "-o", "size=400m", "tmpfs", root.toString())
                .run()
                .expect(0);
        try (OwnEngine small = OwnEngine.startIn(folder, GPUS)) {
            try (Berth berth = Berth.on(small.engine())) {
                berth.start("-g");
                ProjectDirectory project = berth.project("record.py");
                Path filler = root.resolve("filler");
                assertThat(Command.of("dd", "if=/dev/zero", "of=" + filler, "bs=64k")
                                .run()
                                .exitCode())
                        .as("dd until the disk is full")
                        .isNotZero();
                SubmittedJob job = berth.submit(project, "record.py", "--num-gpus", "1", "--", "0");
                job.awaitReason("ENGINE_FAILING");
                assertThat(job.state()).isEqualTo("STARTING");
                assertThat(job.sentence()).contains("no space left on device");
                Command.of("rm", filler.toString()).run().expect(0);
                assertGoesOnSoon("after room was made", job, "RUNNING", "COMPLETED");
                job.awaitCompleted();
            }
        } finally {
            Command.of("umount", "-l", root.toString()).run();
        }
    }

    private static List<String> serverLog(Berth berth, String words) {
        return TestFiles.lines(berth.dataDirectory().resolve("server.log")).stream()
                .filter(line -> line.contains(words))
                .toList();
    }

    /**
     * The lines that the engine's own copy of a log lacks. An engine that ends loses what it has read from a program and
     * not written down yet, most often nothing: docs/reliability.md.
     */
    private static List<String> lostByTheEngine(SubmittedJob job) {
        String container = engine.engine()
                .docker("ps", "-q", "--filter", "name=-" + job.id() + "-1$")
                .text();
        List<String> copy = engine.engine().docker("logs", container).lines();
        String last = copy.getLast();
        List<String> lost = writtenLines(Integer.parseInt(last.substring(0, last.indexOf(' '))));
        lost.removeAll(Set.copyOf(copy));
        System.out.printf("job %d: the engine's copy of its log lacks %s%n", job.id(), lost);
        return lost;
    }
}
