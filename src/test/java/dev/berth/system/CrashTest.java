package dev.berth.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.system.fixture.Await;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.JobRecord;
import dev.berth.system.fixture.ProjectDirectory;
import dev.berth.system.fixture.Schedule;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.WithGpus;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The server is killed, or stopped, under jobs that run; the next one takes them over as if nothing had been. */
@SystemTest
class CrashTest {
    private static final int GPUS = 4;

    @Test
    void jobsThatRunOutliveTheServerWithTheirGpusAndEveryLine(@WithGpus(GPUS) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            berth.start("-g");
            ProjectDirectory project = berth.project("count.py", "record.py");
            SubmittedJob good = berth.submit(project, "count.py", "--num-gpus", "1", "--", "out", "0");
            SubmittedJob bad = berth.submit(project, "count.py", "--num-gpus", "1", "--", "err", "7");
            SubmittedJob early = berth.submit(project, "count.py", "--num-gpus", "1", "--", "out", "0");
            SubmittedJob waiting = berth.submit(project, "record.py", "--num-gpus", "2", "--", "gate");
            for (SubmittedJob job : List.of(good, bad, early)) {
                awaitLines(job, 200);
            }
            List<String> holders = berth.holders();
            assertThat(holders).containsExactly("0:[1]", "1:[2]", "2:[3]", "3:[]");

            berth.kill();
            early.open();
            early.awaitFile("ended");
            awaitLines(good, lines(good) + 200);
            awaitLines(bad, lines(bad) + 200);
            assertThat(waiting.output()).as("the output of the job that waits").doesNotExist();

            berth.start("-g");
            early.awaitCompleted();
            JobRecord begun = waiting.awaitBegun();
            assertThat(begun.opened()).containsExactly(2, 3);
            assertThat(berth.holders()).containsExactly("0:[1]", "1:[2]", "2:[4]", "3:[4]");

            berth.kill();
            awaitLines(good, lines(good) + 200);
            berth.start("-g");
            List.of(good, bad, waiting).forEach(SubmittedJob::open);

            assertEnded(good, 0);
            assertEnded(bad, 7);
            assertEnded(early, 0);
            assertEnded(waiting, 0);
            assertThat(Stream.of(good, bad, early)).allSatisfy(CrashTest::assertWholeLog);
        }
    }

    @Test
    void aQueueOfShortJobsRunsEachOnceThroughManyCrashes(@WithGpus(GPUS) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            berth.start("-g");
            ProjectDirectory project = berth.project("record.py");
            List<SubmittedJob> jobs = IntStream.range(0, 16)
                    .mapToObj(at -> berth.submit(project, "record.py", "--num-gpus", "" + (1 + at % 3), "--", "0.1"))
                    .toList();
            for (int at : List.of(1, 4, 6, 9, 12)) {
                jobs.get(at).await("STARTING", "RUNNING", "COMPLETED");
                berth.kill();
                berth.start("-g");
            }

            jobs.forEach(job -> assertEnded(job.awaitCompleted(), 0));
            Schedule schedule =
                    new Schedule(jobs.stream().map(SubmittedJob::record).toList(), GPUS);
            schedule.assertNoGpuTwice();
            schedule.assertFirstInFirstOut();
        }
    }

    @Test
    void anOrderlyStopLeavesJobsRunningAndStopJobsEndsThem(@WithGpus(GPUS) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            berth.start("-g");
            ProjectDirectory project = berth.project("count.py", "term.py", "record.py");
            SubmittedJob counting = berth.submit(project, "count.py", "--num-gpus", "2", "--", "out", "3");
            SubmittedJob patient = berth.submit(project, "term.py", "--num-gpus", "2");
            SubmittedJob waiting = berth.submit(project, "record.py", "--num-gpus", "4");
            awaitLines(counting, 200);
            patient.awaitFile("ready");

            assertThat(berth.stop().text())
                    .contains("2 running jobs go on, and the next server takes them over; 1 in the queue until then");
            counting.open();
            counting.awaitFile("ended");
            berth.start("-g");
            assertEnded(counting, 3);
            assertWholeLog(counting);
            assertThat(patient.state()).isEqualTo("RUNNING");
            assertThat(patient.output().resolve("told")).doesNotExist();

            assertThat(berth.stop("--stop-jobs").text()).endsWith("is stopped; 1 in the queue until then");
            assertThat(patient.read("told")).isEqualTo("SIGTERM");
            assertThat(engine.containers(berth.dataDirectory())).isEmpty();

            berth.start("-g");
            assertThat(patient.state()).isEqualTo("CANCELLED");
            assertThat(berth.run("logs", patient.idText()).lines()).containsExactly("ready", "told to end by SIGTERM");
            assertThat(waiting.awaitCompleted().record().opened()).hasSize(GPUS);
        }
    }

    private static int lines(SubmittedJob job) {
        job.awaitFile("lines");
        return Integer.parseInt(job.read("lines"));
    }

    private static void awaitLines(SubmittedJob job, int lines) {
        Await.that("job " + job.id() + " has written " + lines + " lines", () -> lines(job) >= lines);
    }

    /** It has ended with this code, for itself and for {@code berth wait}, and was started once. */
    private static void assertEnded(SubmittedJob job, int code) {
        job.await(code == 0 ? "COMPLETED" : "FAILED");
        assertThat(job.berth().command("wait", job.idText()).run().exitCode()).isEqualTo(code);
        assertThat(job.view().path("exitCode").asInt()).isEqualTo(code);
        assertThat(job.read("starts").lines()).as("starts of job %d", job.id()).hasSize(1);
        assertThat(job.view().path("attempt").asInt()).isEqualTo(1);
    }

    /** Each numbered line is there once, whole and in order. */
    private static void assertWholeLog(SubmittedJob job) {
        List<String> expected = IntStream.rangeClosed(1, lines(job))
                .mapToObj(line -> line + " " + "x".repeat(line * 37 % 500))
                .toList();
        assertThat(job.berth().run("logs", job.idText()).lines())
                .as("log of job %d", job.id())
                .isEqualTo(expected);
    }
}
