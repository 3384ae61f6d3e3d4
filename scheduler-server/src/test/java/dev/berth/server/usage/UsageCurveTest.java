package dev.berth.server.usage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.server.store.StoredUsage;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UsageCurveTest {
    @Test
    void aShortJobHasAValueASecond() {
        UsageCurve curve = new UsageCurve(StoredUsage.UNKNOWN);
        curve.add(0, 10, 1_000);
        curve.add(2, 30, 1_000);
        assertThat(curve.step()).isEqualTo(1);
        assertThat(curve.values()).containsExactly(10, StoredUsage.UNKNOWN, 30);
    }

    @ParameterizedTest
    @ValueSource(ints = {119, 120, 121, 5_000, 86_400})
    void eachValueIsTheMeanOfItsSeconds(int seconds) {
        SplittableRandom random = new SplittableRandom(seconds);
        int[] percents = random.ints(seconds, 0, 101).toArray();
        UsageCurve curve = new UsageCurve(StoredUsage.UNKNOWN);
        for (int second = 0; second < seconds; second++) {
            curve.add(second, percents[second], 1_000);
        }
        List<Integer> values = curve.values();
        assertThat(values).hasSizeBetween(Math.min(seconds, UsageCurve.MAX / 2), UsageCurve.MAX);
        assertThat(curve.step() * values.size()).isBetween((long) seconds, seconds + curve.step());
        for (int i = 0; i < values.size(); i++) {
            double total = 0;
            int count = 0;
            for (long at = i * curve.step(); at < Math.min(seconds, (i + 1) * curve.step()); at++) {
                total += percents[(int) at];
                count++;
            }
            assertThat(Math.abs(values.get(i) - total / count)).isLessThanOrEqualTo(0.5);
        }
    }

    @Test
    void whatWasStoredGoesOn() {
        UsageCurve before = new UsageCurve(StoredUsage.UNKNOWN);
        for (int second = 0; second < 300; second++) {
            before.add(second, 80, 1_000);
        }
        UsageCurve after = new UsageCurve(StoredUsage.UNKNOWN, before.step(), before.values());
        after.add(301, 20, 1_000);
        assertThat(after.step()).isEqualTo(before.step());
        assertThat(after.values().subList(0, 75)).containsOnly(80);
        assertThat(after.values().getLast()).isEqualTo(20);
    }
}
