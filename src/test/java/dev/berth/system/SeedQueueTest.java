package dev.berth.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.system.fixture.Await;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Command;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.JobRecord;
import dev.berth.system.fixture.ProjectDirectory;
import dev.berth.system.fixture.Running;
import dev.berth.system.fixture.Schedule;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.WithGpus;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The queue that all began with: four GPUs, five jobs that ask for 2, 2, 3, 3, 1. */
@SystemTest
@Tag("alone")
class SeedQueueTest {
    private static final List<Integer> REQUESTS = List.of(2, 2, 3, 3, 1);
    private static final int GPUS = 4;

    @Test
    void theThirdWaitsForThreeGpusAndTheFifthBehindTheFourth(@WithGpus(GPUS) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            berth.start("-g");
            ProjectDirectory project = berth.project("record.py");
            List<SubmittedJob> jobs = REQUESTS.stream()
                    .map(gpus -> berth.submit(project, "record.py", "--num-gpus", Integer.toString(gpus), "--", "gate"))
                    .toList();

            walk(jobs);

            List<JobRecord> records = jobs.stream().map(SubmittedJob::record).toList();
            assertEachOpensExactlyItsOwn(records);
            assertOrder(records);
            Schedule schedule = new Schedule(records, GPUS);
            schedule.assertNoGpuTwice();
            schedule.assertFirstInFirstOut();
        }
    }

    /** They come while somebody else chooses a GPU, and all at once have their turn. */
    @Test
    void theOrderIsTheSameBehindSomebodyElsesLock(@WithGpus(GPUS) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            berth.start("-g");
            ProjectDirectory project = berth.project("record.py").file("claim.py", ForeignProcessTest.LOCKS);
            Path locked = berth.home().resolve("locked");
            List<SubmittedJob> jobs;
            try (Running claim = Command.of(
                            "/usr/bin/python3",
                            project.path().resolve("claim.py").toString(),
                            ForeignProcessTest.LOCK.toString(),
                            locked.toString())
                    .start()) {
                Await.that("process " + claim.pid() + " has the lock", () -> Files.exists(locked));
                jobs = REQUESTS.stream()
                        .map(gpus ->
                                berth.submit(project, "record.py", "--num-gpus", Integer.toString(gpus), "--", "gate"))
                        .toList();
                jobs.getFirst().awaitReason("GPU_LOCK_HELD");
                assertThat(jobs).extracting(SubmittedJob::state).containsOnly("QUEUED");
            }

            walk(jobs);

            List<JobRecord> records = jobs.stream().map(SubmittedJob::record).toList();
            assertEachOpensExactlyItsOwn(records);
            Schedule schedule = new Schedule(records, GPUS);
            schedule.assertNoGpuTwice();
            schedule.assertFirstInFirstOut();
        }
    }

    /** Lets the jobs end one by one, and looks in between at what waits and why. */
    private static void walk(List<SubmittedJob> jobs) {
        jobs.get(0).awaitBegun();
        jobs.get(1).awaitBegun();
        assertThat(jobs.get(2).sentence())
                .isEqualTo("first in the queue; waits for 3 GPUs: 0 of 4 free, job 1 has 2, job 2 has 2");
        assertKernelGrants(jobs.get(0), 0, 1);
        assertKernelGrants(jobs.get(1), 2, 3);

        jobs.get(0).open();
        jobs.get(0).awaitCompleted();
        jobs.get(2).awaitSentence("first in the queue; waits for 3 GPUs: 2 of 4 free, job 2 has 2");
        assertThat(jobs.get(4).state()).as("the last job, which would fit").isEqualTo("QUEUED");

        jobs.get(1).open();
        jobs.get(2).awaitBegun();
        assertKernelGrants(jobs.get(2), 0, 1, 2);
        assertThat(jobs.get(4).sentence())
                .isEqualTo("one job is ahead of it; job 4 is first and waits for 3 GPUs: 1 of 4 free, job 3 has 3");

        jobs.get(2).open();
        for (SubmittedJob job : jobs.subList(3, 5)) {
            job.awaitBegun();
        }
        for (SubmittedJob job : jobs.subList(3, 5)) {
            job.open();
            job.awaitCompleted();
        }
    }

    private static void assertKernelGrants(SubmittedJob job, Integer... gpus) {
        List<Integer> granted = List.of(gpus);
        assertThat(job.kernelAnswers())
                .as("job %d by nodes of its own making", job.id())
                .isEqualTo(IntStream.range(0, 8)
                        .mapToObj(gpu -> granted.contains(gpu) ? "ENXIO" : "EPERM")
                        .toList());
    }

    private static void assertEachOpensExactlyItsOwn(List<JobRecord> records) {
        for (int at = 0; at < records.size(); at++) {
            JobRecord record = records.get(at);
            assertThat(record.granted()).as("GPUs of job %d", record.job()).hasSize(REQUESTS.get(at));
            assertThat(record.opened()).as("GPUs of job %d", record.job()).isEqualTo(record.granted());
            assertThat(record.others()).as("the rest, for job %d", record.job()).containsExactly("ENOENT");
        }
    }

    private static void assertOrder(List<JobRecord> jobs) {
        long firstTwoEnded = Math.max(jobs.get(0).end(), jobs.get(1).end());
        assertThat(jobs.get(0).begin()).isLessThan(jobs.get(1).end());
        assertThat(jobs.get(1).begin()).isLessThan(jobs.get(0).end());
        assertThat(jobs.get(2).begin()).isGreaterThan(firstTwoEnded);
        // The fourth and the fifth fit together, and both only once the third has ended.
        assertThat(jobs.get(3).begin())
                .isGreaterThan(jobs.get(2).end())
                .isLessThan(jobs.get(4).end());
        assertThat(jobs.get(4).begin())
                .isGreaterThan(jobs.get(2).end())
                .isLessThan(jobs.get(3).end());
    }
}
