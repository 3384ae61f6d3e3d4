package dev.berth.server.runner.docker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.GpuId;
import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import java.time.Instant;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Whose launches may be late, and how often. */
class LaunchFailuresTest {
    private static final long BOB = 1_001;
    private static final long ADA = 1_000;

    private Instant now = Instant.parse("2026-03-01T09:00:00Z");
    private StartCheck.Verdict own = new StartCheck.Verdict.Well();
    private long jobs;
    private final StartCheck starts = new StartCheck() {
        @Override
        public StartCheck.Verdict engine() {
            return own;
        }

        @Override
        public void doubt() {}

        @Override
        public SortedMap<GpuId, String> faults(Allocation allocation) {
            return new TreeMap<>();
        }

        @Override
        public Optional<String> complaint() {
            return Optional.empty();
        }
    };
    private final LaunchFailures failures = new LaunchFailures(starts, () -> now);

    /** How often a further job of that user's is late until something follows. */
    private int triesOf(long owner, LaunchFailures.Verdict verdict) {
        jobs++;
        Attempt attempt = new Attempt(new JobId(jobs), 1);
        for (int tries = 1; ; tries++) {
            now = now.plusSeconds(30);
            LaunchFailures.Verdict answer =
                    failures.judge(attempt, owner, new EngineException(Kind.LATE, "late"), false);
            if (answer != LaunchFailures.Verdict.AGAIN) {
                assertThat(answer).isEqualTo(verdict);
                failures.forget(attempt);
                return tries;
            }
        }
    }

    @Test
    void afterThreeLateLaunchesOfAUserTheNextHasOneTry() {
        for (int late = 0; late < LaunchFailures.MAX_LATE_OF_USER; late++) {
            assertThat(triesOf(BOB, LaunchFailures.Verdict.REFUSED)).isEqualTo(LaunchFailures.MAX_LATE);
        }
        assertThat(triesOf(BOB, LaunchFailures.Verdict.REFUSED)).isEqualTo(1);
        assertThat(triesOf(BOB, LaunchFailures.Verdict.REFUSED)).isEqualTo(1);
        assertThat(triesOf(ADA, LaunchFailures.Verdict.REFUSED))
                .as("another user's")
                .isEqualTo(LaunchFailures.MAX_LATE);
        now = now.plus(LaunchFailures.MEMORY);
        assertThat(triesOf(BOB, LaunchFailures.Verdict.REFUSED))
                .as("ten minutes later")
                .isEqualTo(LaunchFailures.MAX_LATE);
    }

    /** The engine is late for everybody: that says nothing of the user. */
    @Test
    void whatIsLateWhereBerthsOwnFailsTooCountsForNobody() {
        own = new StartCheck.Verdict.Failing("no room");
        for (int late = 0; late < 10; late++) {
            assertThat(triesOf(BOB, LaunchFailures.Verdict.PUT_OFF)).isEqualTo(LaunchFailures.MAX_LATE);
        }
    }

    @Test
    void oneThatIsLateForTheFourthTimeIsPutOffWhereBerthsOwnFailsToo() {
        for (int late = 0; late < LaunchFailures.MAX_LATE_OF_USER; late++) {
            assertThat(triesOf(BOB, LaunchFailures.Verdict.REFUSED)).isEqualTo(LaunchFailures.MAX_LATE);
        }
        own = new StartCheck.Verdict.Failing("no room");
        assertThat(triesOf(BOB, LaunchFailures.Verdict.PUT_OFF)).isEqualTo(1);
    }
}
