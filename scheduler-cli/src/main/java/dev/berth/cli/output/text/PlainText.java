package dev.berth.cli.output.text;

import dev.berth.cli.exit.Failure;
import java.util.ArrayList;
import java.util.List;

/** Text from elsewhere made harmless for a terminal, and its width there. */
public final class PlainText {
    private static final String DIGITS = "0123456789abcdef";
    private static final char FIRST_RIGHT_TO_LEFT = 0x590;
    private static final String FIRST_STRONG_ISOLATE = "\u2068";
    private static final String POP_ISOLATE = "\u2069";

    private PlainText() {}

    /** The text with everything that a terminal would obey instead of show written as an escape. */
    public static String of(String text) {
        for (int at = 0; at < text.length(); at++) {
            if (isUnsafe(text.charAt(at))) {
                return escaped(text);
            }
        }
        return text;
    }

    /** The lines of a failure. */
    public static List<String> complaint(Failure failure) {
        List<String> lines = new ArrayList<>();
        for (String line : failure.lines()) {
            lines.add((lines.isEmpty() ? "berth: " : "") + of(line));
        }
        return lines;
    }

    public static String warning(String sentence) {
        return "berth: warning: " + of(sentence);
    }

    private static String escaped(String text) {
        StringBuilder safe = new StringBuilder(text.length() + 16);
        for (int at = 0; at < text.length(); at++) {
            char next = text.charAt(at);
            if (!isUnsafe(next)) {
                safe.append(next);
            } else if (next == '\n') {
                safe.append("\\n");
            } else if (next == '\t') {
                safe.append("\\t");
            } else if (next < 0x100) {
                safe.append("\\x").append(digit(next, 4)).append(digit(next, 0));
            } else {
                safe.append("\\u").append(digit(next, 12)).append(digit(next, 8));
                safe.append(digit(next, 4)).append(digit(next, 0));
            }
        }
        return safe.toString();
    }

    private static char digit(char value, int shift) {
        return DIGITS.charAt(value >> shift & 0xf);
    }

    /** Control characters, line separators, and the characters that turn the direction of what follows (UAX 9). */
    private static boolean isUnsafe(char next) {
        return next < 0x20
                || (next >= 0x7f && next < 0xa0)
                || (next >= 0x2028 && next <= 0x202e)
                || (next >= 0x2066 && next <= 0x2069)
                || next == 0x200e
                || next == 0x200f
                || next == 0x061c;
    }

    /**
     * The text kept apart from what stands beside it (UAX 9, isolates) where it is written from right to left: a terminal
     * that knows directions would otherwise mix up the columns. It takes no more room.
     */
    static String isolated(String text) {
        for (int at = 0; at < text.length(); at += Character.charCount(text.codePointAt(at))) {
            if (text.charAt(at) >= FIRST_RIGHT_TO_LEFT && isRightToLeft(text.codePointAt(at))) {
                return FIRST_STRONG_ISOLATE + text + POP_ISOLATE;
            }
        }
        return text;
    }

    private static boolean isRightToLeft(int codePoint) {
        byte direction = Character.getDirectionality(codePoint);
        return direction == Character.DIRECTIONALITY_RIGHT_TO_LEFT
                || direction == Character.DIRECTIONALITY_RIGHT_TO_LEFT_ARABIC;
    }

    /**
     * The number of columns that the text takes: two for a wide East Asian character or an emoji, none for a mark on
     * another.
     */
    static int width(String text) {
        int width = 0;
        for (int at = 0; at < text.length(); at += Character.charCount(text.codePointAt(at))) {
            width += width(text.codePointAt(at));
        }
        return width;
    }

    private static int width(int codePoint) {
        if (codePoint < 0x300) {
            return 1;
        }
        int type = Character.getType(codePoint);
        if (type == Character.NON_SPACING_MARK || type == Character.ENCLOSING_MARK || type == Character.FORMAT) {
            return 0;
        }
        return isWide(codePoint) ? 2 : 1;
    }

    /** The ranges of UAX 11 that matter in names. */
    private static boolean isWide(int codePoint) {
        return (codePoint >= 0x1100 && codePoint <= 0x115f)
                || (codePoint >= 0x2e80 && codePoint <= 0xa4cf)
                || (codePoint >= 0xac00 && codePoint <= 0xd7a3)
                || (codePoint >= 0xf900 && codePoint <= 0xfaff)
                || (codePoint >= 0xfe30 && codePoint <= 0xfe6f)
                || (codePoint >= 0xff00 && codePoint <= 0xff60)
                || (codePoint >= 0xffe0 && codePoint <= 0xffe6)
                || (codePoint >= 0x1f300 && codePoint <= 0x1faff)
                || (codePoint >= 0x20000 && codePoint <= 0x3fffd);
    }

    /** The text cut to a width, with an ellipsis where something is left out. */
    public static String cut(String text, int columns) {
        if (width(text) <= columns) {
            return text;
        }
        StringBuilder kept = new StringBuilder();
        int width = 1;
        for (int at = 0; at < text.length(); at += Character.charCount(text.codePointAt(at))) {
            int next = text.codePointAt(at);
            width += width(next);
            if (width > columns) {
                break;
            }
            kept.appendCodePoint(next);
        }
        return kept.append('…').toString();
    }
}
