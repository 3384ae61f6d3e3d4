package dev.berth.core.machine;

import java.time.Duration;

/** Durations for people. */
public final class Durations {
    private Durations() {}

    /** At most two units, from days to seconds: "45s", "2m 5s", "3h", "1d 4h"; less than a second is "0s". */
    public static String inWords(Duration duration) {
        long seconds = Math.max(0, duration.toSeconds());
        long[] amounts = {seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60};
        String[] units = {"d", "h", "m", "s"};
        StringBuilder words = new StringBuilder();
        for (int unit = 0, shown = 0; unit < amounts.length && shown < 2; unit++) {
            if (amounts[unit] > 0) {
                words.append(words.isEmpty() ? "" : " ").append(amounts[unit]).append(units[unit]);
            }
            shown += words.isEmpty() ? 0 : 1;
        }
        return words.isEmpty() ? "0s" : words.toString();
    }
}
