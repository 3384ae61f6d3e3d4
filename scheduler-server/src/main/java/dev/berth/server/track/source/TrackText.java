package dev.berth.server.track.source;

import java.nio.charset.StandardCharsets;

/** The rules of the texts that programs give: names and values. */
public final class TrackText {
    static final int MAX_NAME_BYTES = 250;
    static final int MAX_VALUE_BYTES = 4096;

    private static final int MAX_UTF8_BYTES_OF_CHAR = 3;
    private static final char REPLACEMENT = '\uFFFD';

    private TrackText() {}

    /** Whether the text may be a name: 1 to 250 bytes of UTF-8, no control characters, no half of a surrogate pair. */
    public static boolean isName(String text) {
        return !text.isEmpty() && fits(text, MAX_NAME_BYTES) && isPlain(text);
    }

    /** Whether the text has 1 to 4,096 bytes, no control characters and no half of a surrogate pair. */
    static boolean isPath(String text) {
        return !text.isEmpty() && fits(text, MAX_VALUE_BYTES) && isPlain(text);
    }

    /** Whether the text may be the value of a tag: at most 4,096 bytes, no control characters, no half of a surrogate pair. */
    public static boolean isTagValue(String text) {
        return fits(text, MAX_VALUE_BYTES) && isPlain(text);
    }

    static boolean fits(String text, int bytes) {
        // The first two decide nearly always, without a copy of the text.
        return text.length() <= bytes
                && (text.length() * MAX_UTF8_BYTES_OF_CHAR <= bytes
                        || text.getBytes(StandardCharsets.UTF_8).length <= bytes);
    }

    private static boolean isPlain(String text) {
        for (int at = 0; at < text.length(); at++) {
            char letter = text.charAt(at);
            if (Character.isISOControl(letter) || letter == '\u2028' || letter == '\u2029') {
                return false;
            }
            if (Character.isSurrogate(letter)) {
                if (isHalf(text, at)) {
                    return false;
                }
                at++;
            }
        }
        return true;
    }

    /** The text with U+FFFD for each half of a surrogate pair: JSON can name halves, UTF-8 cannot hold them. */
    static String whole(String text) {
        StringBuilder whole = null;
        for (int at = 0; at < text.length(); at++) {
            if (Character.isSurrogate(text.charAt(at))) {
                if (!isHalf(text, at)) {
                    at++;
                    continue;
                }
                whole = whole == null ? new StringBuilder(text) : whole;
                whole.setCharAt(at, REPLACEMENT);
            }
        }
        return whole == null ? text : whole.toString();
    }

    private static boolean isHalf(String text, int at) {
        return !Character.isHighSurrogate(text.charAt(at))
                || at + 1 == text.length()
                || !Character.isLowSurrogate(text.charAt(at + 1));
    }
}
