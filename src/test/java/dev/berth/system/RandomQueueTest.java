package dev.berth.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.JobRecord;
import dev.berth.system.fixture.Schedule;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.WithGpus;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Many short jobs that ask for 0 to 8 of 8 GPUs, as they saw it themselves. {@code -Dberth.queue.jobs=200} makes a long run of it,
 * {@code -Dberth.seed=N} repeats a queue that failed.
 */
@SystemTest
@Tag("long")
@Timeout(value = 1, unit = TimeUnit.HOURS)
class RandomQueueTest {
    private static final int JOBS = Integer.getInteger("berth.queue.jobs", 200);
    private static final int GPUS = 8;

    /** The longest a job holds its GPUs, in milliseconds. */
    private static final int LONGEST = 100;

    @Test
    void jobsStartInTheirOrderOnGpusOfTheirOwn(@WithGpus(GPUS) Engine engine) {
        long seed = Long.getLong("berth.seed", System.nanoTime());
        SplittableRandom random = new SplittableRandom(seed);
        try (Berth berth = Berth.on(engine)) {
            berth.start("-g");
            List<Integer> requests = new ArrayList<>();
            List<SubmittedJob> jobs = new ArrayList<>();
            String snapshot = "";
            for (int at = 0; at < JOBS; at++) {
                int gpus = random.nextInt(GPUS + 1);
                String hold = "0.%03d".formatted(random.nextInt(LONGEST));
                SubmittedJob job = at == 0
                        ? berth.submit(berth.project("record.py"), "record.py", hold, "--num-gpus", "" + gpus)
                        : submit(berth, snapshot, gpus, hold);
                snapshot = job.view().path("snapshot").asText();
                requests.add(gpus);
                jobs.add(job);
            }

            jobs.forEach(SubmittedJob::awaitCompleted);

            List<JobRecord> records = jobs.stream().map(SubmittedJob::record).toList();
            for (int at = 0; at < JOBS; at++) {
                JobRecord record = records.get(at);
                assertThat(record.granted())
                        .as("seed %d: job %d", seed, record.job())
                        .hasSize(requests.get(at));
                assertThat(record.opened())
                        .as("seed %d: job %d", seed, record.job())
                        .isEqualTo(record.granted());
            }
            Schedule schedule = new Schedule(records, GPUS);
            schedule.assertNoGpuTwice();
            schedule.assertFirstInFirstOut();
        }
    }

    /** Over the API, with the directory that is there already. */
    private static SubmittedJob submit(Berth berth, String snapshot, int gpus, String hold) {
        return berth.submit(Map.of("snapshot", snapshot, "gpus", gpus, "command", List.of("record.py", hold)));
    }
}
