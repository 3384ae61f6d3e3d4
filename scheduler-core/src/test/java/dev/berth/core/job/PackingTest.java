package dev.berth.core.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.Place.InContainer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PackingTest {
    private static final Duration HOUR = Duration.ofHours(1);

    @ParameterizedTest
    @CsvSource({"0, 1", "65, 1", "4, 0", "4, 5"})
    void aPackHasSomeTasksAndRunsAtMostAllOfThemAtTheSameTime(int size, int parallel) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Packing(size, parallel))
                .withMessage("no packs of " + size + " tasks, " + parallel + " at a time");
        assertThat(new Packing(Packing.MAX_SIZE, Packing.MAX_SIZE).parallel()).isEqualTo(64);
    }

    /** So many turns, each with what a program may run, what it has to end, and a minute. */
    @ParameterizedTest
    @CsvSource({
        "1, 1, PT2M, PT1H3M",
        "4, 1, PT2M, PT4H12M",
        "4, 2, PT2M, PT2H6M",
        "5, 2, PT2M, PT3H9M",
        "4, 1, PT10S, PT4H4M40S",
        "4, 1, , PT4H4M"
    })
    void aPackMayRunUntilNoneOfItsTasksCanRunAnyMore(
            int tasks, int parallel, @Nullable Duration grace, Duration limit) {
        LimitSignal signal = new LimitSignal(Signal.USR1, Duration.ofMinutes(5));
        JobSpec each = spec(new Limits(HOUR, Duration.ofMinutes(7), signal, grace), new Packing(5, parallel));
        assertThat(each.ofPack(tasks).limits()).isEqualTo(new Limits(limit, Duration.ofMinutes(7), null, grace));
    }

    @Test
    void aPackOfTasksWithoutALimitHasNone() {
        assertThat(spec(Limits.NONE, new Packing(5, 1)).ofPack(5).timeLimit()).isNull();
        JobSpec longest = spec(new Limits(Limits.MAX, null), new Packing(64, 1));
        assertThat(longest.ofPack(64).timeLimit()).isEqualTo(Limits.MAX);
    }

    @Test
    void aPackWaitsForNothingAndIsNotRequeued() {
        JobSpec plain = spec(Limits.NONE, new Packing(5, 1));
        Prerequisites others =
                new Prerequisites(null, List.of(new Dependency(DependencyKind.AFTER_OK, new JobId(3))), false);
        JobSpec pack = plain.waitingFor(others).ofPack(5);
        assertThat(pack.prerequisites()).isEqualTo(Prerequisites.NONE);
        assertThat(pack.requeue()).isFalse();
        assertThatIllegalStateException()
                .isThrownBy(() -> plain.with(Tasks.parse("0-3")).ofPack(2));
    }

    @Test
    void theNumbersOfPacksFollowThoseOfTheTasks() {
        Job array = array("3,7-9,20", new Packing(2, 2));
        assertThat(array.lastId()).isEqualTo(42 + 5 + 3);
        assertThat(array.place()).isEqualTo(48);
        Job first = array.nextPack();
        assertThat(first.id()).isEqualTo(new JobId(48));
        assertThat(first.place()).isEqualTo(48);
        assertThat(List.of(first.firstPacked(), first.lastPacked())).containsExactly(new JobId(43), new JobId(44));
        Job rest = array.without(first.packed());
        assertThat(rest.place()).isEqualTo(49);
        Job last = rest.without(rest.nextPack().packed()).nextPack();
        assertThat(last.id()).isEqualTo(new JobId(50));
        assertThat(last.number()).isEqualTo("42_[20]");
        assertThat(rest.without(rest.nextPack().packed()).without(last.packed()).state())
                .isInstanceOf(JobState.Dispatched.class);
    }

    @Test
    void noTaskHasTheNumberOfAPack() {
        Job array = array("3,7-9,20", new Packing(2, 2));
        assertThat(LongStream.rangeClosed(43, 50).mapToObj(id -> array.indexOf(new JobId(id))))
                .containsExactly(3, 7, 8, 9, 20, null, null, null);
        assertThat(array.task(new JobId(48))).isEmpty();
    }

    /** However many of its tasks became jobs of their own before their turn. */
    @Test
    void aTaskStaysInThePackOfItsPosition() {
        Job array = array("0-9", new Packing(4, 3));
        assertThat(array.task(4).pack()).isEqualTo(new JobId(42 + 10 + 2));
        Job later = array.without(0).without(1).without(3).without(4);
        assertThat(later.nextPack().number()).isEqualTo("42_[2]");
        assertThat(later.width()).isEqualTo(1);
        assertThat(later.without(2).nextPack().number()).isEqualTo("42_[5-7]");
        assertThat(later.without(2).width()).isEqualTo(3);
        assertThat(array("0-9", null).width()).isEqualTo(1);
        assertThatIllegalStateException()
                .isThrownBy(() -> array("0-9", null).task(4).pack())
                .withMessage("job 42_4 is in no pack");
    }

    private static Job array(String tasks, @Nullable Packing packing) {
        return new Job(
                new JobId(42),
                spec(Limits.NONE, null).with(Tasks.parse(tasks).with(packing)),
                new Submitter(1000, 1000, List.of(), "ada"),
                Instant.EPOCH,
                new Queued(1, new ImageState.Ready("sha256:a1")));
    }

    private static JobSpec spec(Limits limits, @Nullable Packing packing) {
        JobSpec plain = new JobSpec(
                new Label("train", "ships", List.of()),
                InContainer.of("5a5a", "python:3.13"),
                Resources.of(GpuRequest.NONE),
                limits,
                true,
                null);
        return plain.with(Tasks.parse("0-63").with(packing));
    }
}
