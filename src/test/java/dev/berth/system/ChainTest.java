package dev.berth.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.ProjectDirectory;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.WithGpus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Jobs that wait for others, or for a date, through kills of the server, by the commands that users type. */
@SystemTest
class ChainTest {
    private static final int LENGTH = 6;

    /** As with a bisection: each step begins once the one before it has ended, and nothing is forgotten by a restart. */
    @Test
    void aChainRunsInItsOrderThroughKillsOfTheServer(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            berth.start("-g");
            ProjectDirectory project = berth.project("record.py");
            List<SubmittedJob> chain = new ArrayList<>();
            chain.add(berth.submit(project, "record.py", "--num-gpus", "1", "--", "gate"));
            for (int step = 1; step < LENGTH; step++) {
                chain.add(berth.submit(project, "record.py", "--num-gpus", "1", "--after", "last", "--", "0.1"));
            }
            SubmittedJob other = berth.submit(project, "record.py", "--num-gpus", "1", "--", "0.1");
            other.awaitCompleted();
            assertThat(chain.get(1).state()).as("it is passed").isEqualTo("QUEUED");
            assertThat(berth.run("explain", chain.get(1).idText()).text())
                    .contains("afterok:" + chain.getFirst().idText());

            berth.kill();
            chain.getFirst().open();
            berth.start("-g");
            chain.get(2).await("STARTING", "RUNNING", "COMPLETED");
            berth.kill();
            berth.start("-g");
            chain.forEach(SubmittedJob::awaitCompleted);
            for (int step = 1; step < LENGTH; step++) {
                assertThat(startedAt(chain.get(step))).isAfterOrEqualTo(endedAt(chain.get(step - 1)));
            }
        }
    }

    @Test
    void whatAFailedStepLeavesIsNotTouchedAndTheRestEndsWithASentence(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            berth.start("-g");
            ProjectDirectory project = berth.project("count.py", "record.py");
            SubmittedJob failing = berth.submit(project, "count.py", "--name", "first", "--", "err", "3");
            SubmittedJob next = berth.submit(project, "record.py", "--name", "second", "--after", "first");
            SubmittedJob last = berth.submit(project, "record.py", "--after", "second");
            SubmittedJob cleanup = berth.submit(project, "record.py", "--dependency", "afternotok:first", "--", "0.1");
            SubmittedJob either =
                    berth.submit(project, "record.py", "--dependency", "afterany:first:last", "--", "0.1");
            SubmittedJob kept = berth.submit(project, "record.py", "--after", "first", "--keep-waiting", "--", "0.1");
            failing.open();
            cleanup.awaitCompleted();
            either.awaitCompleted();
            for (SubmittedJob job : List.of(next, last)) {
                job.await("FAILED");
                assertThat(berth.run("status", job.idText()).text()).contains("cannot be met");
            }
            assertThat(berth.run("ps").text()).contains("QUEUED");
            assertThat(berth.run("release", kept.idText()).exitCode()).isZero();
            kept.awaitCompleted();
        }
    }

    @Test
    void aDateIsWaitedForAlsoByTheNextServer(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            berth.start("-g");
            ProjectDirectory project = berth.project("record.py");
            Instant before = Instant.now();
            SubmittedJob later = berth.submit(project, "record.py", "--begin", "+5s", "--", "0.1");
            SubmittedJob never = berth.submit(project, "record.py", "--begin", "tomorrow 8:00", "--", "0.1");
            berth.kill();
            berth.start("-g");
            later.awaitCompleted();
            assertThat(startedAt(later)).isAfterOrEqualTo(before.plus(Duration.ofSeconds(5)));
            assertThat(berth.run("explain", never.idText()).text()).contains("does not start before");
            assertThat(berth.run("cancel", never.idText()).exitCode()).isZero();
            never.await("CANCELLED");
        }
    }

    private static Instant startedAt(SubmittedJob job) {
        return Instant.parse(job.view().path("startedAt").asText());
    }

    private static Instant endedAt(SubmittedJob job) {
        return Instant.parse(job.view().path("endedAt").asText());
    }
}
