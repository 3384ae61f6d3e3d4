package dev.berth.core.parameter;

import java.util.regex.Pattern;

/** Texts that were meant as a range or as several values and are neither; as a text, one would be a sweep of one task. */
final class MalformedRange {
    private static final String NUMBER =
            "[+-]?(?:[0-9][0-9_]*\\.?[0-9_]*|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?(?i:nan|inf|infinity)";

    /** A number before or behind the points: {@code 1..x}, {@code 1...5}, but not {@code ../data}. */
    private static final Pattern POINTS =
            Pattern.compile("\\s*(?:" + NUMBER + ")\\s*\\.\\..*|.*\\.\\.\\s*(?:" + NUMBER + ")\\s*|\\.\\.\\.+");

    private static final Pattern SCALE = Pattern.compile("\\s*(?i:log):.*");

    private static final Pattern SEMICOLONS = Pattern.compile("(?:" + NUMBER + ")(?:\\s*;\\s*(?:" + NUMBER + "))+");

    /** A range as other languages have it. Beside other values it may be a ratio, such as 16:9. */
    private static final Pattern COLONS = Pattern.compile("(?:" + NUMBER + ")(?::(?:" + NUMBER + ")){1,2}");

    /** A longer text is none that was meant as numbers, and would take its time. */
    private static final int MOST_LETTERS = 100;

    private static final int SHOWN_LETTERS = 40;

    private MalformedRange() {}

    /**
     * Throws where a value looks like more than one.
     *
     * @param isAlone whether the parameter has no other value
     */
    static void refuse(String value, boolean isAlone) {
        if (value.length() > MOST_LETTERS) {
            return;
        }
        if (SEMICOLONS.matcher(value).matches()) {
            throw refused(value, "which is no number; between values stand commas, as in 0.1,0.01");
        }
        boolean isColons = isAlone && COLONS.matcher(value).matches();
        if (isColons || POINTS.matcher(value).matches() || SCALE.matcher(value).matches()) {
            throw refused(
                    value,
                    "which is no range; write one in numbers of at most 20 digits as 1..5 or 0..1:0.25, or to draw from,"
                            + " alone, as 0.1..0.5 or log:1e-5..1e-1");
        }
    }

    private static IllegalArgumentException refused(String value, String rule) {
        String shown = value.length() > SHOWN_LETTERS ? value.substring(0, SHOWN_LETTERS) + "..." : value;
        return new IllegalArgumentException(
                "has the value " + shown + ", " + rule + "; a text begins with a backslash, as in '\\" + shown + "'");
    }
}
