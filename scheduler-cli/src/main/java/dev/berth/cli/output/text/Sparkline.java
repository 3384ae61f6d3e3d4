package dev.berth.cli.output.text;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Percentages over time in one line: block characters, or plain ones where the terminal has no others. */
public final class Sparkline {
    private static final String BLOCKS = "▁▂▃▄▅▆▇█";
    private static final String PLAIN = "_.:-=+*#";
    private static final char UNKNOWN = ' ';
    private static final int FULL = 100;

    private Sparkline() {}

    /** A character a value, or the mean of several where there are more than that; blank where nobody could tell. */
    public static String of(List<@Nullable Integer> percents, int width, boolean unicode) {
        List<@Nullable Integer> shown = percents.size() > width ? means(percents, width) : percents;
        String characters = unicode ? BLOCKS : PLAIN;
        StringBuilder line = new StringBuilder(shown.size());
        for (Integer percent : shown) {
            line.append(percent == null ? UNKNOWN : characters.charAt(level(percent, characters.length())));
        }
        return line.toString();
    }

    /** The lowest is for nothing at all. */
    private static int level(int percent, int levels) {
        int bounded = Math.clamp(percent, 0, FULL);
        return bounded == 0 ? 0 : 1 + (bounded - 1) * (levels - 1) / FULL;
    }

    private static List<@Nullable Integer> means(List<@Nullable Integer> percents, int width) {
        List<@Nullable Integer> means = new ArrayList<>(width);
        for (int at = 0; at < width; at++) {
            int from = (int) ((long) at * percents.size() / width);
            int to = (int) ((long) (at + 1) * percents.size() / width);
            int total = 0;
            int known = 0;
            for (Integer percent : percents.subList(from, to)) {
                if (percent != null) {
                    total += percent;
                    known++;
                }
            }
            means.add(known == 0 ? null : Integer.valueOf((2 * total + known) / (2 * known)));
        }
        return means;
    }
}
