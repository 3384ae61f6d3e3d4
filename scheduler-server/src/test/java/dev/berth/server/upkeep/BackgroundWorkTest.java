package dev.berth.server.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.server.loop.BusyException;
import dev.berth.server.store.database.StoreException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class BackgroundWorkTest {
    private static final Instant NOW = Instant.parse("2026-01-01T08:00:00Z");
    private static final Duration HOUR = Duration.ofHours(1);

    private final ManualTasks tasks = new ManualTasks();
    private Instant now = NOW;
    private final BackgroundWork background = new BackgroundWork(tasks, () -> now);
    private final Deque<Exception> failures = new ArrayDeque<>();
    private final AtomicInteger done = new AtomicInteger();

    private void work() throws Exception {
        if (!failures.isEmpty()) {
            throw failures.removeFirst();
        }
        done.incrementAndGet();
    }

    private void workUnchecked() {
        if (!failures.isEmpty()) {
            throw (RuntimeException) failures.removeFirst();
        }
        done.incrementAndGet();
    }

    private void failWithAll() {
        failures.add(BusyException.full(3));
        failures.add(new StoreException("the disk is full"));
        failures.add(new IllegalStateException("a mistake"));
        failures.add(new NullPointerException());
    }

    @Test
    void workThatThrowsIsDoneAgainWithGrowingPausesUntilItSucceeds() {
        failWithAll();
        background.tasks("a task").run(this::workUnchecked);
        while (tasks.next()) {
            now = now.plusSeconds(1);
        }
        assertThat(done).hasValue(1);
        assertThat(tasks.pauses()).extracting(Duration::toMillis).containsExactly(100L, 200L, 400L, 800L);
    }

    @Test
    void noPauseIsLongerThanTheLongest() {
        assertThat(Pauses.SHORT.after(1_000)).isEqualTo(Duration.ofSeconds(30));
        assertThat(Pauses.LONG.after(1_000)).isEqualTo(HOUR);
    }

    @Test
    void periodicWorkGoesOnWhateverItThrows() {
        failWithAll();
        failures.add(new IOException("no file"));
        background.every("a task", Duration.ZERO, HOUR, this::work);
        for (int turn = 0; turn < 7; turn++) {
            assertThat(tasks.next()).isTrue();
        }
        assertThat(done).hasValue(2);
        assertThat(tasks.waiting()).isEqualTo(1);
        assertThat(tasks.pauses())
                .extracting(Duration::toSeconds)
                .containsExactly(0L, 10L, 20L, 40L, 80L, 160L, 3_600L, 3_600L);
    }

    @Test
    void whatFailsIsNamedUntilItSucceeds() {
        failWithAll();
        background.every("a task", Duration.ZERO, HOUR, this::work);
        tasks.next();
        now = now.plusSeconds(10);
        tasks.next();
        assertThat(background.failing())
                .containsExactly(new FailingWork(
                        "a task",
                        NOW,
                        2,
                        "the disk is full",
                        NOW.plusSeconds(10).plusSeconds(20)));
        failures.clear();
        tasks.next();
        assertThat(background.failing()).isEmpty();
    }

    @Test
    void aMistakeIsNamedWithItsKind() {
        failures.add(new IllegalStateException("one\ntwo"));
        background.every("a task", Duration.ZERO, HOUR, this::work);
        tasks.next();
        assertThat(background.failing())
                .extracting(FailingWork::sentence)
                .containsExactly("java.lang.IllegalStateException: one two");
    }

    @Test
    void piecesOfOneNameAreNamedOnceAndUntilTheLastSucceeds() {
        Tasks named = background.tasks("a task");
        for (String piece : List.of("first", "second")) {
            failures.add(new IllegalStateException(piece));
            named.run(this::workUnchecked);
        }
        tasks.next();
        tasks.next();
        assertThat(background.failing())
                .singleElement()
                .extracting(FailingWork::failures)
                .isEqualTo(2);
        tasks.next();
        assertThat(background.failing())
                .singleElement()
                .extracting(FailingWork::failures)
                .isEqualTo(1);
        tasks.next();
        assertThat(background.failing()).isEmpty();
    }

    @Test
    void workOfAThreadOfItsOwnIsDoneUntilItSucceeds() {
        failWithAll();
        background.untilDone("a task", this::work);
        assertThat(done).hasValue(1);
        assertThat(background.failing()).isEmpty();
    }

    @Test
    void nothingPeriodicBeginsOnceItIsClosed() {
        background.every("a task", Duration.ZERO, HOUR, this::work);
        background.close();
        assertThat(tasks.next()).isTrue();
        assertThat(tasks.next()).isFalse();
        assertThat(done).hasValue(0);
    }

    @Test
    void theLatestWordsOfSeveralPiecesAreTold() {
        FailingWork one = new FailingWork("a task", NOW, 3, "old", NOW.plusSeconds(10));
        FailingWork two = new FailingWork("a task", NOW.plusSeconds(5), 1, "new", NOW.plusSeconds(30));
        for (FailingWork both : List.of(one.with(two), two.with(one))) {
            assertThat(both).isEqualTo(new FailingWork("a task", NOW, 4, "new", NOW.plusSeconds(10)));
        }
    }
}
