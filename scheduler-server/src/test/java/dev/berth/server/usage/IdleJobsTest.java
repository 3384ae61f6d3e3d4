package dev.berth.server.usage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Job;
import dev.berth.core.machine.JobEvent;
import dev.berth.server.example.Jobs;
import dev.berth.server.store.JobWarning;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IdleJobsTest {
    private static final int QUARTER = 15 * 60;

    @TempDir
    private Path directory;

    @AutoClose
    private UsageStage stage;

    @BeforeEach
    void open() {
        stage = new UsageStage(directory);
    }

    private List<JobWarning> warnings(Job job) {
        return stage.queries().warnings(job.id(), 1);
    }

    @Test
    void aJobThatLeavesItsGpusIdleIsWarnedUntilItComputes() {
        Job job = stage.run(1, null, 0, 1);
        stage.pass(QUARTER);
        assertThat(warnings(job)).isEmpty();
        stage.pass(1);
        assertThat(warnings(job)).singleElement().satisfies(warning -> {
            assertThat(warning.code()).isEqualTo("GPU_IDLE");
            assertThat(warning.sentence()).isEqualTo("its GPUs 0, 1 are idle since 2026-01-01T09:00:01Z");
            assertThat(warning.endedAt()).isNull();
        });
        stage.gpus.set(Jobs.gpu(1), 5, 100);
        stage.pass(1);
        assertThat(warnings(job)).extracting(JobWarning::endedAt).containsExactly(stage.now());
        stage.pass(5);
        assertThat(warnings(job))
                .extracting(JobWarning::endedAt)
                .containsExactly(stage.now().minusSeconds(5));
        stage.gpus.set(Jobs.gpu(1), 0, 100);
        stage.pass(QUARTER + 1);
        assertThat(warnings(job)).singleElement().satisfies(warning -> {
            assertThat(warning.endedAt()).isNull();
            assertThat(warning.since()).isEqualTo(stage.now().minusSeconds(QUARTER));
        });
        assertThat(stage.events).isEmpty();
    }

    @Test
    void anIdleTimeoutEndsTheJobAfterAWarning() {
        Job job = stage.run(1, Duration.ofMinutes(12), 0);
        stage.pass(7 * 60);
        assertThat(warnings(job)).isEmpty();
        stage.pass(1);
        assertThat(warnings(job))
                .extracting(JobWarning::sentence)
                .containsExactly(
                        "its GPU 0 is idle since 2026-01-01T09:00:01Z; it is stopped at 2026-01-01T09:12:01Z if"
                                + " that goes on, because its --idle-timeout is 12m");
        stage.pass(5 * 60 - 1);
        assertThat(stage.events).isEmpty();
        stage.pass(2);
        assertThat(stage.events)
                .containsExactly(new JobEvent.IdleTimeoutReached(
                        1,
                        "its GPU 0 was idle from 2026-01-01T09:00:01Z on, as long as its --idle-timeout of 12m"
                                + " allows"));
    }

    @Test
    void theWarningComesHalfWayAtTheEarliest() {
        assertThat(IdleJobs.noticeAfter(Duration.ofMinutes(2))).isEqualTo(Duration.ofMinutes(1));
        assertThat(IdleJobs.noticeAfter(Duration.ofMinutes(10))).isEqualTo(Duration.ofMinutes(5));
        assertThat(IdleJobs.noticeAfter(Duration.ofHours(2))).isEqualTo(Duration.ofMinutes(115));
    }

    @Test
    void aDateThatIsSetMakesNobodyIdle() {
        Job job = stage.run(1, Duration.ofMinutes(12), 0);
        stage.pass(60);
        stage.setDate(Duration.ofHours(2));
        stage.pass(10 * 60);
        assertThat(stage.events).isEmpty();
        assertThat(warnings(job))
                .singleElement()
                .satisfies(warning -> assertThat(warning.sentence())
                        .startsWith(
                                "its GPU 0 is idle since 2026-01-01T11:00:01Z; it is stopped at 2026-01-01T11:12:01Z"));
        stage.setDate(Duration.ofHours(-4));
        stage.pass(60 + 1);
        assertThat(stage.events).hasSize(1);
        assertThat(stage.keeper().running(job.id()).orElseThrow().idleMillis()).isLessThan(13 * 60_000L);
    }

    @Test
    void whoComputesOnOneGpuIsNotIdle() {
        stage.run(1, Duration.ofMinutes(1), 0, 1);
        stage.gpus.set(Jobs.gpu(1), 1, 100);
        stage.pass(100);
        assertThat(stage.events).isEmpty();
    }

    @Test
    void nobodyIsEndedByWhatWasNotSeen() {
        stage.run(1, Duration.ofMinutes(1), 0);
        stage.pass(50);
        stage.gpus.fail(Jobs.gpu(0));
        stage.pass(30);
        stage.gpus.set(Jobs.gpu(0), 0, 100);
        stage.pass(59);
        assertThat(stage.events).isEmpty();
        stage.gpus.set(Jobs.gpu(0), null, 100);
        stage.pass(200);
        assertThat(stage.events).isEmpty();
    }

    @Test
    void aRestartOfTheServerBeginsTheTimeAnew() {
        Job job = stage.run(1, Duration.ofMinutes(2), 0);
        stage.pass(70);
        assertThat(warnings(job)).extracting(JobWarning::endedAt).containsOnlyNulls();
        stage.restart();
        stage.pass(1);
        assertThat(warnings(job)).extracting(JobWarning::endedAt).containsExactly(stage.now());
        stage.pass(119);
        assertThat(stage.events).isEmpty();
        stage.pass(2);
        assertThat(stage.events).hasSize(1);
    }

    @Test
    void withTheJobEndsItsWarning() {
        Job job = stage.run(1, Duration.ofMinutes(2), 0);
        stage.pass(70);
        stage.end(job);
        stage.pass(1);
        assertThat(warnings(job)).extracting(JobWarning::endedAt).containsExactly(stage.now());
    }

    @Test
    void durationsAreSaidAsTheyAreTyped() {
        assertThat(IdleJobs.inWords(Duration.ofMinutes(90))).isEqualTo("1h30m");
        assertThat(IdleJobs.inWords(Duration.ofDays(1).plusSeconds(5))).isEqualTo("1d5s");
    }
}
