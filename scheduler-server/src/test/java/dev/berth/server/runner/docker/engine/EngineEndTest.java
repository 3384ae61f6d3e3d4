package dev.berth.server.runner.docker.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.EngineRun;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An engine that stops ends what runs in it; one that does not answer may only be slow. */
class EngineEndTest {
    private static final EngineRun HEARD = new EngineRun("run 1");
    private static final EngineRun ANOTHER = new EngineRun("run 2");

    private EngineRun heard = HEARD;
    private EngineRun now = HEARD;
    private boolean isBroken;
    private boolean isClosed;
    private boolean isRefused;
    private Instant passed = Instant.EPOCH;

    /** What comes of each question, and is done meanwhile. */
    private final Deque<Runnable> unanswered = new ArrayDeque<>();

    private boolean isStopping() {
        return new EngineEnd(
                        heard,
                        () -> isBroken,
                        this::answers,
                        () -> now,
                        () -> isClosed,
                        pause -> {
                            assertThat(isClosed).isFalse();
                            passed = passed.plus(pause);
                        },
                        () -> passed)
                .isStopping();
    }

    private boolean answers() {
        if (!unanswered.isEmpty()) {
            unanswered.pop().run();
            return false;
        }
        if (isRefused) {
            throw new EngineException(Kind.UNREACHABLE, "nobody takes connections");
        }
        return true;
    }

    private void doesNotAnswerWhile(Runnable... meanwhile) {
        unanswered.addAll(List.of(meanwhile));
    }

    @Test
    void oneThatAnswersGoesOn() {
        assertThat(isStopping()).isFalse();
    }

    @Test
    void oneThatTakesNoConnectionsStops() {
        isRefused = true;
        assertThat(isStopping()).isTrue();
    }

    @Test
    void oneThatIsSlowIsAskedUntilItAnswers() {
        doesNotAnswerWhile(() -> {}, () -> {}, () -> {});
        assertThat(isStopping()).isFalse();
        assertThat(unanswered).isEmpty();
    }

    /** One that stops would be gone by then: as where it has no descriptor left for another connection. */
    @Test
    void oneThatIsHeardAndAnswersNobodyForLongGoesOn() {
        for (int tries = 0; tries < 1_000; tries++) {
            doesNotAnswerWhile(() -> {});
        }
        assertThat(isStopping()).isFalse();
        assertThat(unanswered).isNotEmpty();
    }

    @Test
    void oneThatWasFrozenGoesOnAlsoWhereItsEventsBroke() {
        doesNotAnswerWhile(() -> isBroken = true);
        assertThat(isStopping()).isFalse();
    }

    /** The system's manager listens for it: connections are taken by its next run, or by nobody. */
    @Test
    void oneThatGivesWayToItsNextRunHasStopped() {
        doesNotAnswerWhile(() -> {}, () -> {
            isBroken = true;
            now = ANOTHER;
        });
        assertThat(isStopping()).isTrue();
    }

    @Test
    void soHasOneThatIsGone() {
        doesNotAnswerWhile(() -> {
            isBroken = true;
            now = EngineRun.UNKNOWN;
        });
        assertThat(isStopping()).isTrue();
    }

    /** Where the system's manager listens all engines of the machine count together. */
    @Test
    void whatIsHeardIsThereWhateverOthersDo() {
        now = ANOTHER;
        assertThat(isStopping()).isFalse();
    }

    @Test
    void oneWhoseRunsNobodyCanTellApartIsTheOneThatIsHeard() {
        heard = EngineRun.UNKNOWN;
        now = EngineRun.UNKNOWN;
        assertThat(isStopping()).isFalse();
        isBroken = true;
        assertThat(isStopping()).isTrue();
    }

    @Test
    void nobodyWaitsWhoDoesNotWantToKnow() {
        doesNotAnswerWhile(() -> isClosed = true, () -> {});
        assertThat(isStopping()).isFalse();
        assertThat(unanswered).hasSize(1);
    }
}
