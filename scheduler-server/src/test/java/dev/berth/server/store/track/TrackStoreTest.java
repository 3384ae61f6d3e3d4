package dev.berth.server.store.track;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import dev.berth.server.store.database.StoreException;
import dev.berth.server.store.track.Reading.Position;
import dev.berth.server.store.track.TrackQueries.Tracked;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrackStoreTest {
    private static final JobId JOB = new JobId(7);
    private static final Attempt ATTEMPT = new Attempt(JOB, 1);
    private static final long NOW = 1_700_000_000_000L;

    @TempDir
    private Path directory;

    private TrackStore store;
    private TrackQueries queries;

    @BeforeEach
    void open() {
        store = new TrackStore(directory.resolve("tracking.db"));
        queries = new TrackQueries(directory.resolve("tracking.db"));
    }

    @AfterEach
    void close() {
        queries.close();
        store.close();
    }

    private void reopen() {
        close();
        open();
    }

    private static Reading reading(long bytes, Entry... entries) {
        Reading reading = new Reading(ATTEMPT, "", Position.START);
        for (Entry entry : entries) {
            reading.add(entry);
        }
        reading.readTo(new Position(bytes, false, false));
        return reading;
    }

    private static Entry point(String metric, double value) {
        return new Entry.Point(metric, null, null, value);
    }

    private void keep(Reading... readings) {
        store.keep(List.of(readings), NOW);
    }

    @Test
    void whatWasReadAndHowFarIsOneTransaction() {
        keep(reading(120, point("loss", 0.5), new Entry.Parameter("lr", "0.1"), new Entry.Tag("best", "")));
        reopen();
        assertThat(store.position(ATTEMPT, "")).isEqualTo(new Position(120, false, false));
        assertThat(store.position(new Attempt(JOB, 2), "")).isEqualTo(Position.START);
        Tracked tracked = queries.of(JOB);
        assertThat(tracked.parameters()).containsExactly(Map.entry("lr", "0.1"));
        assertThat(tracked.tags()).containsExactly(Map.entry("best", ""));
        assertThat(tracked.metrics())
                .containsExactly(new Metric(
                        "loss",
                        1,
                        new StoredPoint(0, NOW, 0.5),
                        new StoredPoint(0, NOW, 0.5),
                        new StoredPoint(0, NOW, 0.5)));
    }

    @Test
    void allSourcesOfAnAttemptAreThereWithTheirPositions() {
        Reading events = new Reading(ATTEMPT, "events:a", Position.START);
        events.readTo(new Position(9, false, true));
        keep(reading(120), events, new Reading(new Attempt(JOB, 2), "other", Position.START));
        reopen();
        assertThat(store.positions(ATTEMPT))
                .containsOnly(
                        Map.entry("", new Position(120, false, false)),
                        Map.entry("events:a", new Position(9, false, true)));
    }

    @Test
    void whatHasNoStepAndNoTimeGetsTheNextStepAndTheTimeOfTheLook() {
        keep(reading(1, point("loss", 3), new Entry.Point("loss", 10L, Instant.ofEpochMilli(5), 2), point("loss", 1)));
        assertThat(queries.points(JOB, "loss", 0, 10))
                .containsExactly(new StoredPoint(0, NOW, 3), new StoredPoint(10, 5, 2), new StoredPoint(11, NOW, 1));
    }

    @Test
    void valuesThatAreNoNumbersAreKeptAndAreNeitherLowestNorHighest() {
        keep(reading(
                1,
                point("a", Double.NaN),
                point("a", Double.POSITIVE_INFINITY),
                point("a", 0.5),
                point("a", Double.NEGATIVE_INFINITY),
                point("a", Double.NaN),
                point("b", Double.NaN)));
        reopen();
        Metric a = queries.metric(JOB, "a").orElseThrow();
        assertThat(a.last().value()).isNaN();
        assertThat(a.min()).extracting(StoredPoint::value).isEqualTo(Double.NEGATIVE_INFINITY);
        assertThat(a.max()).extracting(StoredPoint::value).isEqualTo(Double.POSITIVE_INFINITY);
        Metric b = queries.metric(JOB, "b").orElseThrow();
        assertThat(b.min()).isNull();
        assertThat(b.max()).isNull();
        assertThat(queries.points(JOB, "a", 0, 10))
                .extracting(StoredPoint::value)
                .containsExactly(Double.NaN, Double.POSITIVE_INFINITY, 0.5, Double.NEGATIVE_INFINITY, Double.NaN);
    }

    @Test
    void pointsComeOutInOrderHoweverManyCameAtATime() {
        List<Double> told = new ArrayList<>();
        int at = 0;
        for (int many : List.of(1, 3, 200, 60, 5_000, 2, 255, 1, 1)) {
            Reading reading = reading(++at);
            for (int i = 0; i < many; i++) {
                reading.add(point("loss", told.size()));
                told.add((double) told.size());
            }
            keep(reading);
            if (many == 60) {
                reopen();
            }
            assertThat(queries.points(JOB, "loss", 0, 100_000))
                    .extracting(StoredPoint::value)
                    .isEqualTo(told);
        }
        assertThat(queries.points(JOB, "loss", 5_400, 3))
                .extracting(StoredPoint::value)
                .containsExactly(5_400.0, 5_401.0, 5_402.0);
        assertThat(queries.points(JOB, "loss", told.size() - 2, 10)).hasSize(2);
        assertThat(queries.points(JOB, "loss", told.size(), 10)).isEmpty();
        assertThat(queries.points(JOB, "other", 0, 10)).isEmpty();
    }

    @Test
    void whatIsReadToItsEndIsPackedAndNotReadAgain() {
        keep(reading(10, point("loss", 1), point("acc", 2)));
        Reading last = reading(20, point("loss", 3));
        store.finish(last, NOW);
        reopen();
        assertThat(store.position(ATTEMPT, "")).isEqualTo(new Position(20, false, true));
        assertThat(queries.points(JOB, "loss", 0, 10))
                .extracting(StoredPoint::value)
                .containsExactly(1.0, 3.0);
        keep(reading(30, point("loss", 4)));
        assertThat(queries.points(JOB, "loss", 0, 10))
                .extracting(StoredPoint::value)
                .containsExactly(1.0, 3.0, 4.0);
    }

    @Test
    void aLaterValueTakesTheEarliersPlace() {
        keep(reading(1, new Entry.Parameter("lr", "0.1"), new Entry.Parameter("lr", "0.2"), new Entry.Tag("s", "1")));
        keep(reading(2, new Entry.Tag("s", "2"), new Entry.Artifact("m.pt", null, null)));
        keep(reading(3, new Entry.Artifact("m.pt", "model", Instant.ofEpochMilli(9))));
        Tracked tracked = queries.of(JOB);
        assertThat(tracked.parameters()).containsExactly(Map.entry("lr", "0.2"));
        assertThat(tracked.tags()).containsExactly(Map.entry("s", "2"));
        assertThat(tracked.artifacts()).extracting("path", "key", "millis").containsExactly(tuple("m.pt", "model", 9L));
    }

    @Test
    void whatAJobWasGivenGivesWayToWhatItTells() {
        keep(reading(1, new Entry.Parameter("lr", "0.5")));
        store.given(JOB, Map.of("lr", "0.1", "seed", "3"), List.of());
        assertThat(queries.of(JOB).parameters()).containsExactly(Map.entry("lr", "0.5"), Map.entry("seed", "3"));
    }

    @Test
    void progressCountsFromItsFirstValueAndAnewWhereItGoesBack() {
        keep(reading(1, new Entry.Progress(1, 10, "epoch", Instant.ofEpochMilli(1_000))));
        keep(reading(2, new Entry.Progress(3, 10, "epoch", Instant.ofEpochMilli(5_000))));
        assertThat(queries.of(JOB).progress())
                .isEqualTo(new TrackQueries.StoredProgress(3, 10, "epoch", 5_000, 1, 1, 1_000));
        keep(reading(3, new Entry.Progress(0, 10, "epoch", Instant.ofEpochMilli(9_000))));
        assertThat(queries.of(JOB).progress())
                .isEqualTo(new TrackQueries.StoredProgress(0, 10, "epoch", 9_000, 1, 0, 9_000));
    }

    @Test
    void progressOfAnotherAttemptCountsAnew() {
        keep(reading(1, new Entry.Progress(1, 10, null, Instant.ofEpochMilli(1_000))));
        Reading second = new Reading(new Attempt(JOB, 2), "", Position.START);
        second.add(new Entry.Progress(2, 10, null, Instant.ofEpochMilli(9_000)));
        second.readTo(new Position(1, false, false));
        keep(second);
        assertThat(queries.progress(List.of(JOB, new JobId(99))))
                .containsOnly(Map.entry(JOB, new TrackQueries.StoredProgress(2, 10, null, 9_000, 2, 2, 9_000)));
    }

    @Test
    void aJobHasOnlySoManyNamesOfAKind() {
        Reading reading = reading(1);
        for (int i = 0; i < TrackedJob.MAX_METRICS + 500; i++) {
            reading.add(point("m" + i, i));
            reading.add(new Entry.Parameter("p" + i, "1"));
            reading.add(new Entry.Tag("t" + i, "1"));
            reading.add(new Entry.Artifact("a" + i, null, null));
        }
        keep(reading);
        reopen();
        keep(reading(2, point("later", 1), point("m3", 4)));
        Tracked tracked = queries.of(JOB);
        assertThat(tracked.metrics()).hasSize(TrackedJob.MAX_METRICS);
        assertThat(tracked.parameters()).hasSize(TrackedJob.MAX_PARAMETERS);
        assertThat(tracked.tags()).hasSize(TrackedJob.MAX_TAGS);
        assertThat(tracked.artifacts()).hasSize(TrackedJob.MAX_ARTIFACTS);
        assertThat(queries.metric(JOB, "m3").orElseThrow().points()).isEqualTo(2);
        assertThat(tracked.omissions())
                .extracting(Reading.Omission::kind, Reading.Omission::times)
                .containsExactly(
                        tuple("too-many-artifacts", 500L),
                        tuple("too-many-metrics", 501L),
                        tuple("too-many-parameters", 500L),
                        tuple("too-many-tags", 1_400L));
        assertThat(tracked.omissions().get(1).sentence())
                .isEqualTo("it has told more than 1000 metrics; the first left out is 'm1000'");
    }

    @Test
    void aDeletedJobLeavesNothing() throws IOException {
        keep(reading(
                1,
                point("loss", 1),
                new Entry.Parameter("lr", "1"),
                new Entry.Tag("a", ""),
                new Entry.Artifact("x", null, null),
                new Entry.Progress(1, 2, null, null)));
        Reading other = new Reading(new Attempt(new JobId(9), 1), "", Position.START);
        other.add(point("loss", 5));
        keep(other);
        store.delete(List.of(JOB));
        Tracked gone = queries.of(JOB);
        assertThat(gone.parameters()).isEmpty();
        assertThat(gone.metrics()).isEmpty();
        assertThat(gone.progress()).isNull();
        assertThat(store.position(ATTEMPT, "")).isEqualTo(Position.START);
        assertThat(queries.points(new JobId(9), "loss", 0, 9)).hasSize(1);
        store.deleteAbove(8);
        assertThat(queries.of(new JobId(9)).metrics()).isEmpty();
    }

    /** A full disk, as SQLite takes it: the transaction is gone, whatever the driver thinks. */
    @Test
    void afterAFullDiskItGoesOnWhereItWas() throws Exception {
        keep(reading(1, point("loss", 1)));
        Path file = directory.resolve("tracking.db");
        store.limitPages();
        Reading large = reading(1 << 20);
        for (int i = 0; i < 200_000; i++) {
            large.add(point("loss", Math.sin(i)));
        }
        large.add(new Entry.Parameter("lr", "1"));
        assertThatThrownBy(() -> keep(large)).isInstanceOf(StoreException.class).hasMessageContaining("full");
        assertThat(store.position(ATTEMPT, "")).isEqualTo(new Position(1, false, false));
        assertThat(queries.of(JOB).parameters()).isEmpty();
        keep(reading(2, point("loss", 2)));
        store.finish(reading(3, point("loss", 3)), NOW);
        assertThat(store.position(ATTEMPT, "")).isEqualTo(new Position(3, false, true));
        assertThat(queries.points(JOB, "loss", 0, 10))
                .extracting(StoredPoint::value)
                .containsExactly(1.0, 2.0, 3.0);
        assertThat(file).exists();
    }

    @Test
    void aCurveHasTheLowestTheHighestAndTheLastOfEachStretch() {
        Reading reading = reading(1);
        for (int i = 0; i < 100_000; i++) {
            reading.add(point("loss", i == 41_234 ? -7 : i == 77_000 ? 99 : i % 5));
        }
        keep(reading);
        Metric metric = queries.metric(JOB, "loss").orElseThrow();
        List<StoredPoint> curve = queries.curve(JOB, metric, 100);
        assertThat(curve).hasSizeBetween(100, 300).isSortedAccordingTo((a, b) -> Long.compare(a.step(), b.step()));
        assertThat(curve).extracting(StoredPoint::value).contains(-7.0, 99.0);
        assertThat(curve.getLast()).isEqualTo(new StoredPoint(99_999, NOW, 4));
        assertThat(curve).doesNotHaveDuplicates();
        assertThat(queries.curve(JOB, metric, 200_000)).hasSize(100_000);
        assertThat(queries.metric(JOB, "none")).isEmpty();
    }

    @Test
    void anotherProgramsDatabaseIsLeftAsItIs() throws IOException {
        Path other = directory.resolve("other.db");
        Files.writeString(other, "no database, but long enough to have a header of one hundred bytes".repeat(20));
        byte[] before = Files.readAllBytes(other);
        assertThatThrownBy(() -> new TrackStore(other)).isInstanceOf(StoreException.class);
        assertThat(Files.readAllBytes(other)).isEqualTo(before);
    }
}
