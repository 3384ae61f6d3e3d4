package dev.berth.cli.output.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class SparklineTest {
    @Test
    void nothingIsTheLowestAndOnlyNothing() {
        assertThat(Sparkline.of(List.of(0, 1, 15, 50, 99, 100), 10, true)).isEqualTo("▁▂▂▅██");
        assertThat(Sparkline.of(List.of(0, 1, 100), 10, false)).isEqualTo("_.#");
    }

    @Test
    void whatNobodyKnowsIsBlank() {
        assertThat(Sparkline.of(Arrays.asList(null, 100, null), 10, false)).isEqualTo(" # ");
    }

    @Test
    void moreValuesThanRoomBecomeMeans() {
        assertThat(Sparkline.of(Arrays.asList(0, 100, null, 100, null, null), 3, false))
                .isEqualTo("=# ");
        assertThat(Sparkline.of(Collections.nCopies(3_600, 100), 7, false)).isEqualTo("#######");
    }

    @Test
    void valuesBeyondThePossibleDoNoHarm() {
        assertThat(Sparkline.of(List.of(-5, 250), 10, false)).isEqualTo("_#");
    }
}
