package dev.berth.server.runner.docker.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.EngineOutage;
import dev.berth.server.upkeep.BackgroundWork;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Each ping waits for the test's answer, so that none goes uncounted. */
class EngineWatchTest {
    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

    private final BlockingQueue<Boolean> answers = new SynchronousQueue<>();
    private final BlockingQueue<String> backs = new LinkedBlockingQueue<>();
    private final AtomicInteger pings = new AtomicInteger();
    private final CountDownLatch secondPing = new CountDownLatch(2);

    @AutoClose
    private final EngineWatch watch = new EngineWatch(
            this::ping,
            InstantSource.fixed(NOON.plusSeconds(7)),
            BackgroundWork.onVirtualThreads(InstantSource.system()).tasks("a watch"));

    private void ping() {
        pings.incrementAndGet();
        secondPing.countDown();
        try {
            if (!answers.take()) {
                throw new EngineException(Kind.UNREACHABLE, "nobody answers");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    @Test
    void nobodyAsksWhileNothingIsSuspicious() {
        assertThat(watch.outage()).isEmpty();
        assertThat(pings).hasValue(0);
    }

    @Test
    void aFalseAlarmIsOnePingAndNoOutage() throws InterruptedException {
        watch.whenBack(() -> backs.add("back"));
        watch.suspect(NOON);
        answers.put(true);
        watch.suspect(NOON);
        watch.suspect(NOON);
        // A second alarm comes after the first, or as a part of it: never two at once.
        boolean _ = answers.offer(true, 200, TimeUnit.MILLISECONDS);
        assertThat(pings.get()).isBetween(1, 2);
        assertThat(watch.outage()).isEmpty();
        assertThat(watch.departures()).isZero();
        assertThat(backs).isEmpty();
    }

    @Test
    void anOutageLastsFromTheSuspicionToTheFirstAnswer() throws InterruptedException {
        watch.whenBack(() -> backs.add("back"));
        watch.suspect(NOON);
        answers.put(false);
        assertThat(secondPing.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(watch.outage()).contains(new EngineOutage(NOON, "nobody answers"));
        assertThat(watch.departures()).isEqualTo(1);
        for (int more = 0; more < 10; more++) {
            watch.suspect(NOON.plusSeconds(1));
        }
        answers.put(false);
        assertThat(watch.returns()).isZero();
        answers.put(true);
        assertThat(backs.poll(10, TimeUnit.SECONDS)).isEqualTo("back");
        assertThat(watch.outage()).isEmpty();
        assertThat(watch.returns()).isEqualTo(1);
        assertThat(pings).as("one asks, however many suspect").hasValue(3);
    }
}
