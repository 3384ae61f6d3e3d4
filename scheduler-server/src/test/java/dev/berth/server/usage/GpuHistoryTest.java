package dev.berth.server.usage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.GpuId;
import dev.berth.server.example.Jobs;
import dev.berth.server.store.GpuSamples;
import dev.berth.server.usage.GpuHistory.Stretch;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What comes out of the rings is what went in, or its mean. */
class GpuHistoryTest {
    private static final GpuId GPU = Jobs.gpu(0);

    /** 20,000 days after 1970, at midnight. */
    private static final long MIDNIGHT = 20_000L * 86_400;

    private static GpuHistory fresh() {
        return new GpuHistory(GPU, List.of(), at(0));
    }

    private static Instant at(long second) {
        return Instant.ofEpochSecond(MIDNIGHT + second);
    }

    private static Sample computing(int percent) {
        return new Sample(percent, 50, 200, 1_000 + percent);
    }

    @Test
    void aSampleIsWhatItWas() {
        for (Sample sample : List.of(
                Sample.NONE,
                new Sample(0, 0, 0, 0),
                new Sample(100, 254, 65_534, Integer.MAX_VALUE),
                new Sample(null, 77, null, 12_287),
                new Sample(96, null, 310, null))) {
            assertThat(Sample.unpacked(sample.packed())).isEqualTo(sample);
        }
        assertThat(Sample.unpacked(new Sample(300, -4, 70_000, 1).packed())).isEqualTo(new Sample(254, 0, 65_534, 1));
    }

    @Test
    void secondsThatNobodyLookedAtAreGaps() {
        GpuHistory history = fresh();
        history.add(at(10), computing(40));
        history.add(at(13), computing(60));
        Stretch seconds = history.upTo(at(15), Resolution.SECONDS);
        assertThat(seconds.samples()).hasSize(3_600);
        assertThat(seconds.start()).isEqualTo(at(15 - 3_600));
        assertThat(seconds.samples().subList(3_594, 3_600))
                .containsExactly(Sample.NONE, computing(40), Sample.NONE, Sample.NONE, computing(60), Sample.NONE);
    }

    @Test
    void aMinuteIsTheMeanOfItsSecondsOnceItIsOver() {
        GpuHistory history = fresh();
        history.add(at(0), computing(0));
        history.add(at(1), computing(100));
        history.add(at(59), new Sample(null, 50, 200, null));
        assertThat(history.upTo(at(60), Resolution.MINUTES).samples()).containsOnly(Sample.NONE);
        history.add(at(60), computing(7));
        assertThat(history.upTo(at(60), Resolution.MINUTES).samples().getLast()).isEqualTo(computing(50));
    }

    @Test
    void aRoundLaterNothingOfTheFormerOneIsLeft() {
        GpuHistory history = fresh();
        for (int second = 0; second < 3_660; second++) {
            history.add(at(second), computing(90));
        }
        history.add(at(2 * 3_660), computing(10));
        List<Sample> seconds =
                history.upTo(at(2 * 3_660 + 1), Resolution.SECONDS).samples();
        assertThat(seconds.subList(0, 3_599)).containsOnly(Sample.NONE);
        assertThat(seconds.getLast()).isEqualTo(computing(10));
    }

    @Test
    void aClockThatWasAheadIsForgotten() {
        GpuHistory history = fresh();
        history.add(at(400 * 86_400L), computing(90));
        List<GpuSamples> stored = history.takeUnwritten();
        history.add(at(5), computing(10));
        assertThat(history.upTo(at(6), Resolution.SECONDS).samples().getLast()).isEqualTo(computing(10));
        GpuHistory next = new GpuHistory(GPU, stored, at(6));
        next.add(at(7), computing(20));
        assertThat(next.upTo(at(8), Resolution.SECONDS).samples().getLast()).isEqualTo(computing(20));
    }

    /** Looks at odd times over days, with servers that come and go: all three rings against plain arithmetic. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void whatComesOutIsTheMeanOfWhatWentIn(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        TreeMap<Long, Sample> truth = new TreeMap<>();
        Map<String, GpuSamples> disk = new TreeMap<>();
        GpuHistory history = fresh();
        long second = random.nextLong(100);
        while (second < 3 * 86_400) {
            Sample sample = new Sample(
                    random.nextInt(10) == 0 ? null : random.nextInt(101),
                    random.nextInt(90),
                    null,
                    random.nextInt(24_576));
            truth.put(second, sample);
            history.add(at(second), sample);
            if (random.nextInt(2_000) == 0) {
                history.takeUnwritten()
                        .forEach(block -> disk.put(block.step() + "/" + "%04d".formatted(block.place()), block));
                List<GpuSamples> inOrder = new ArrayList<>(disk.values());
                inOrder.sort(Comparator.comparingLong(GpuSamples::block));
                history = new GpuHistory(GPU, inOrder, at(second));
            }
            second += random.nextInt(500) == 0 ? random.nextLong(20_000) : 1 + random.nextLong(3);
        }
        long now = second;
        for (Resolution resolution : Resolution.values()) {
            Stretch stretch = history.upTo(at(now), resolution);
            long step = resolution.step();
            for (int i = 0; i < stretch.samples().size(); i++) {
                long from = stretch.start().getEpochSecond() - MIDNIGHT + i * step;
                List<Sample> in =
                        truth.subMap(from, from + step).values().stream().toList();
                boolean isOver = truth.lastKey() >= from + step || step == 1;
                Sample out = stretch.samples().get(i);
                // A server that came between may have had to go on from whole numbers.
                assertNear(out.utilisationPercent(), isOver ? mean(in, Sample::utilisationPercent) : null);
                assertNear(out.temperatureCelsius(), isOver ? mean(in, Sample::temperatureCelsius) : null);
                assertNear(out.memoryMiB(), isOver ? mean(in, Sample::memoryMiB) : null);
                assertThat(out.powerWatts()).isNull();
            }
        }
    }

    private static @Nullable Double mean(List<Sample> samples, Function<Sample, @Nullable Integer> figure) {
        var known = samples.stream()
                .map(figure)
                .filter(Objects::nonNull)
                .mapToInt(Integer::intValue)
                .average();
        return known.isPresent() ? known.getAsDouble() : null;
    }

    private static void assertNear(@Nullable Integer out, @Nullable Double mean) {
        if (mean == null || out == null) {
            assertThat(out).isEqualTo(mean == null ? null : out);
            assertThat(mean).isEqualTo(out == null ? null : mean);
        } else {
            assertThat(Math.abs(out - mean)).isLessThanOrEqualTo(0.5);
        }
    }
}
