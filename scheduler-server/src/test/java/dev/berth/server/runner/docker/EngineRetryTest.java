package dev.berth.server.runner.docker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.EngineRetry;
import dev.berth.server.upkeep.Tasks;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** How long work waits until it is tried again, without any time passing. */
class EngineRetryTest {
    private final List<Long> pauses = new ArrayList<>();
    private final Deque<Runnable> ready = new ArrayDeque<>();
    private final EngineRetry retry = new EngineRetry(new Tasks() {
        @Override
        public void run(Runnable work) {
            ready.add(work);
        }

        @Override
        public void runAfter(Duration delay, Runnable work) {
            pauses.add(delay.toMillis());
            ready.add(work);
        }
    });

    /** The pauses between tries that fail in these ways, one after the other, before one goes well. */
    private List<Long> pauses(List<Kind> failures) {
        Deque<Kind> left = new ArrayDeque<>(failures);
        CompletableFuture<Void> done = retry.run(() -> {
            if (!left.isEmpty()) {
                throw new EngineException(left.removeFirst(), "no");
            }
            return true;
        });
        while (!ready.isEmpty()) {
            ready.removeFirst().run();
        }
        assertThat(done).isCompleted();
        return pauses;
    }

    private static List<Kind> times(int count, Kind kind) {
        return java.util.Collections.nCopies(count, kind);
    }

    @Test
    void anEngineThatDoesNotAnswerIsAskedEachSecondInTheEnd() {
        assertThat(pauses(times(7, Kind.UNREACHABLE))).containsExactly(100L, 200L, 400L, 800L, 1_000L, 1_000L, 1_000L);
    }

    @Test
    void anEngineThatFailsIsAskedEveryTwoSecondsInTheEnd() {
        assertThat(pauses(times(7, Kind.FAILING))).containsExactly(100L, 200L, 400L, 800L, 1_600L, 2_000L, 2_000L);
    }

    @Test
    void thirtyFourFailuresTakeAMinute() {
        long all = pauses(times(LaunchFailures.MAX - 1, Kind.FAILING)).stream()
                .mapToLong(Long::longValue)
                .sum();
        assertThat(Duration.ofMillis(all)).isBetween(Duration.ofSeconds(55), Duration.ofSeconds(65));
    }

    @Test
    void alsoAfterAnotherFailureNoPauseIsLongerThanASecondWhileItIsAway() {
        List<Kind> failures = new ArrayList<>(times(9, Kind.NOT_FOUND));
        failures.addAll(times(2, Kind.UNREACHABLE));
        assertThat(pauses(failures)).endsWith(25_600L, 1_000L, 1_000L);
    }
}
