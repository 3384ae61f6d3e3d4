package dev.berth.server.usage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Job;
import dev.berth.core.machine.JobEvent;
import dev.berth.server.example.Jobs;
import dev.berth.server.store.JobWarning;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IdleWatchTest {
    private static final int QUARTER = 15 * 60;

    @TempDir
    private Path directory;

    private Watchtower tower;

    @BeforeEach
    void open() {
        tower = new Watchtower(directory);
    }

    @AfterEach
    void close() {
        tower.close();
    }

    private List<JobWarning> warnings(Job job) {
        return tower.queries().warnings(job.id(), 1);
    }

    @Test
    void aJobThatLeavesItsGpusIdleIsWarnedUntilItComputes() {
        Job job = tower.run(1, null, 0, 1);
        tower.pass(QUARTER);
        assertThat(warnings(job)).isEmpty();
        tower.pass(1);
        assertThat(warnings(job)).singleElement().satisfies(warning -> {
            assertThat(warning.code()).isEqualTo("GPU_IDLE");
            assertThat(warning.sentence()).isEqualTo("its GPUs 0, 1 are idle since 2026-01-01T09:00:01Z");
            assertThat(warning.endedAt()).isNull();
        });
        tower.cards.set(Jobs.gpu(1), 5, 100);
        tower.pass(1);
        assertThat(warnings(job)).extracting(JobWarning::endedAt).containsExactly(tower.now());
        tower.pass(5);
        assertThat(warnings(job))
                .extracting(JobWarning::endedAt)
                .containsExactly(tower.now().minusSeconds(5));
        tower.cards.set(Jobs.gpu(1), 0, 100);
        tower.pass(QUARTER + 1);
        assertThat(warnings(job)).singleElement().satisfies(warning -> {
            assertThat(warning.endedAt()).isNull();
            assertThat(warning.since()).isEqualTo(tower.now().minusSeconds(QUARTER));
        });
        assertThat(tower.events).isEmpty();
    }

    @Test
    void anIdleTimeoutEndsTheJobAfterAWarning() {
        Job job = tower.run(1, Duration.ofMinutes(12), 0);
        tower.pass(7 * 60);
        assertThat(warnings(job)).isEmpty();
        tower.pass(1);
        assertThat(warnings(job))
                .extracting(JobWarning::sentence)
                .containsExactly(
                        "its GPU 0 is idle since 2026-01-01T09:00:01Z; it is stopped at 2026-01-01T09:12:01Z if"
                                + " that goes on, because its --idle-timeout is 12m");
        tower.pass(5 * 60 - 1);
        assertThat(tower.events).isEmpty();
        tower.pass(2);
        assertThat(tower.events)
                .containsExactly(
                        new JobEvent.IdleTimeoutReached(
                                1,
                                "its GPU 0 was idle from 2026-01-01T09:00:01Z on, as long as its --idle-timeout of 12m allows"));
    }

    @Test
    void theWarningComesHalfWayAtTheEarliest() {
        assertThat(IdleWatch.noticeAfter(Duration.ofMinutes(2))).isEqualTo(Duration.ofMinutes(1));
        assertThat(IdleWatch.noticeAfter(Duration.ofMinutes(10))).isEqualTo(Duration.ofMinutes(5));
        assertThat(IdleWatch.noticeAfter(Duration.ofHours(2))).isEqualTo(Duration.ofMinutes(115));
    }

    @Test
    void aDateThatIsSetMakesNobodyIdle() {
        Job job = tower.run(1, Duration.ofMinutes(12), 0);
        tower.pass(60);
        tower.setDate(Duration.ofHours(2));
        tower.pass(10 * 60);
        assertThat(tower.events).isEmpty();
        assertThat(warnings(job))
                .singleElement()
                .satisfies(warning -> assertThat(warning.sentence())
                        .startsWith(
                                "its GPU 0 is idle since 2026-01-01T11:00:01Z; it is stopped at 2026-01-01T11:12:01Z"));
        tower.setDate(Duration.ofHours(-4));
        tower.pass(60 + 1);
        assertThat(tower.events).hasSize(1);
        assertThat(tower.keeper().running(job.id()).orElseThrow().idleMillis()).isLessThan(13 * 60_000L);
    }

    @Test
    void whoComputesOnOneCardIsNotIdle() {
        tower.run(1, Duration.ofMinutes(1), 0, 1);
        tower.cards.set(Jobs.gpu(1), 1, 100);
        tower.pass(100);
        assertThat(tower.events).isEmpty();
    }

    @Test
    void nobodyIsEndedByWhatWasNotSeen() {
        tower.run(1, Duration.ofMinutes(1), 0);
        tower.pass(50);
        tower.cards.fail(Jobs.gpu(0));
        tower.pass(30);
        tower.cards.set(Jobs.gpu(0), 0, 100);
        tower.pass(59);
        assertThat(tower.events).isEmpty();
        tower.cards.set(Jobs.gpu(0), null, 100);
        tower.pass(200);
        assertThat(tower.events).isEmpty();
    }

    @Test
    void aRestartOfTheServerBeginsTheTimeAnew() {
        Job job = tower.run(1, Duration.ofMinutes(2), 0);
        tower.pass(70);
        assertThat(warnings(job)).extracting(JobWarning::endedAt).containsOnlyNulls();
        tower.restart();
        tower.pass(1);
        assertThat(warnings(job)).extracting(JobWarning::endedAt).containsExactly(tower.now());
        tower.pass(119);
        assertThat(tower.events).isEmpty();
        tower.pass(2);
        assertThat(tower.events).hasSize(1);
    }

    @Test
    void withTheJobEndsItsWarning() {
        Job job = tower.run(1, Duration.ofMinutes(2), 0);
        tower.pass(70);
        tower.end(job);
        tower.pass(1);
        assertThat(warnings(job)).extracting(JobWarning::endedAt).containsExactly(tower.now());
    }

    @Test
    void durationsAreSaidAsTheyAreTyped() {
        assertThat(IdleWatch.inWords(Duration.ofMinutes(90))).isEqualTo("1h30m");
        assertThat(IdleWatch.inWords(Duration.ofDays(1).plusSeconds(5))).isEqualTo("1d5s");
    }
}
