package dev.berth.cli.output.text;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.api.PointList;
import dev.berth.core.api.TrackingView.MetricView;
import dev.berth.core.api.TrackingView.PointView;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TrackTextTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "-0.0, 0",
        "1, 1",
        "0.5, 0.5",
        "0.123456, 0.12346",
        "-0.000123456, -0.00012346",
        "0.00001, 1e-5",
        "1234567, 1234567",
        "12345678, 1.2346e7",
        "99999.96, 100000",
        "9.99996, 10",
        "-1e-300, -1e-300",
        "1.7976931348623157e308, 1.7977e308",
        "4.9e-324, 4.9407e-324",
        "NaN, NaN",
        "-Infinity, -Infinity",
        "1e22, 1e22"
    })
    void figuresHaveFiveDigits(double value, String text) {
        assertThat(Figures.of(value)).isEqualTo(text);
    }

    private static List<String> picture(boolean unicode, double... values) {
        return new CurvePicture(24, 4, unicode)
                .lines(DoubleStream.of(values).boxed().toList());
    }

    @Test
    void aCurveFallsFromItsHighestToItsLowest() {
        assertThat(picture(false, 4, 3, 2, 1))
                .containsExactly(
                        "4 |*     *", "  |      *     *", "  |            *      *", "1 |                   *");
        assertThat(picture(true, 1, 0))
                .containsExactly(
                        "1 │⠁                  ⢸",
                        "  │                   ⢸",
                        "  │                   ⢸",
                        "0 │                   ⢸");
    }

    @Test
    void whatIsNoNumberLeavesAGap() {
        assertThat(picture(false, Double.NaN, 1, Double.POSITIVE_INFINITY, 1))
                .containsExactly("1 |", "  |", "  |      *            *", "1 |");
        assertThat(picture(false, Double.NaN)).isEmpty();
    }

    @Test
    void valuesAsFarApartAsCanBeAreDrawn() {
        assertThat(picture(false, Double.MAX_VALUE, -Double.MAX_VALUE)).hasSize(4);
        assertThat(picture(false, 7)).hasSize(4).anyMatch(line -> line.endsWith("*"));
    }

    @Test
    void theFiguresStandBelow() {
        PointView first = new PointView(0, "2026-01-01T00:00:00Z", 0.5);
        PointView last = new PointView(1, "2026-01-01T00:00:01Z", 0.25);
        PointList points = new PointList(7, "7", "loss", 2, true, List.of(first, last), null);
        List<String> lines =
                new ArrayList<>(TrackText.curve(points, new MetricView("loss", 2, last, last, first), 60, false));
        assertThat(lines).hasSize(13);
        assertThat(lines.getLast()).isEqualTo("loss: last 0.25 @1, lowest 0.25 @1, highest 0.5 @0; 2 points");
        assertThat(lines).allMatch(line -> line.length() <= 64);
    }
}
