package dev.berth.cli.output.text;

import dev.berth.core.api.TrackingView.ProgressView;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** How far programs are, and when jobs are expected to start and to end, for people. */
final class ProgressText {
    private ProgressText() {}

    /** "40 % (4/10 epoch), ends about 14:20 UTC", as far as it is told. */
    static String of(ProgressView progress, Instant now) {
        String end = progress.expectedEnd();
        return percent(progress)
                + amount(progress)
                + (end == null ? "" : ", ends about " + Times.clock(end, now.toString()));
    }

    /** "40 %, about 4h 20m left (4/10 epoch)": what matters first, as a narrow terminal cuts the rest. */
    static String brief(ProgressView progress, Instant now) {
        String end = progress.expectedEnd();
        String left =
                end == null ? "" : ", about " + Times.inWords(Duration.between(now, Times.instant(end))) + " left";
        return percent(progress) + left + amount(progress);
    }

    private static String percent(ProgressView progress) {
        return (long) Math.floor(100 * progress.value() / progress.of()) + " %";
    }

    /** Where it says more than the percentage. */
    private static String amount(ProgressView progress) {
        String unit = progress.unit();
        return unit == null && progress.of() == 1
                ? ""
                : " (" + Figures.of(progress.value()) + "/" + Figures.of(progress.of())
                        + (unit == null ? "" : " " + unit) + ")";
    }

    /** "about 14:20 UTC, by 18:00 UTC at the latest", as far as it is told; empty where nothing is. */
    static String start(@Nullable String expected, @Nullable String latest, Instant now) {
        String about = expected == null ? "" : "about " + Times.clock(expected, now.toString());
        if (latest == null) {
            return about;
        }
        return about + (about.isEmpty() ? "" : ", ") + "by " + Times.utc(latest) + " at the latest";
    }
}
