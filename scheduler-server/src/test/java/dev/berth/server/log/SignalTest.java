package dev.berth.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SignalTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Signal signal = new Signal();

    @Test
    void whatWasRaisedMeanwhileIsNotWaitedFor() throws InterruptedException {
        long seen = signal.count();
        signal.raise();
        assertThat(signal.awaitBeyond(seen, PATIENCE)).isTrue();
        assertThat(signal.count()).isEqualTo(seen + 1);
    }

    @Test
    void patienceEnds() throws InterruptedException {
        assertThat(signal.awaitBeyond(signal.count(), Duration.ofMillis(1))).isFalse();
        assertThat(signal.awaitBeyond(signal.count(), Duration.ZERO)).isFalse();
    }

    @Test
    void everybodyWhoWaitsIsWoken() throws Exception {
        List<Waiter> waiters = IntStream.range(0, 5).mapToObj(_ -> wait(signal)).toList();
        waiters.forEach(Waiter::untilItWaits);
        signal.raise();
        for (Waiter waiter : waiters) {
            assertThat(waiter.answer().get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
        }
    }

    @Test
    void whoWaitsCanBeInterrupted() throws Exception {
        Waiter waiter = wait(signal);
        waiter.untilItWaits();
        waiter.thread().interrupt();
        assertThat(waiter.answer())
                .failsWithin(PATIENCE)
                .withThrowableThat()
                .withCauseInstanceOf(InterruptedException.class);
    }

    private record Waiter(Thread thread, CompletableFuture<Boolean> answer) {
        void untilItWaits() {
            while (thread.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
            }
        }
    }

    private static Waiter wait(Signal signal) {
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        Thread thread = Thread.ofPlatform().start(() -> {
            try {
                answer.complete(signal.awaitBeyond(0, PATIENCE));
            } catch (InterruptedException e) {
                answer.completeExceptionally(e);
            }
        });
        return new Waiter(thread, answer);
    }
}
