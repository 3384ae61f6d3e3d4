package dev.berth.server.log;

import java.nio.ByteBuffer;

/**
 * UTF-8 as the container engine reads it. Its copy of a log is JSON, where each byte that begins no character is
 * replaced by U+FFFD (moby, daemon/logger/jsonfilelog/jsonlog, after Go's utf8.DecodeRune); the other bytes stay.
 */
final class Utf8 {
    /** The bytes of U+FFFD. */
    static final int[] REPLACEMENT = {0xEF, 0xBF, 0xBD};

    private Utf8() {}

    /** Whether the byte is a character of its own: the engine keeps it as it is, and makes no other of any. */
    static boolean isAscii(int value) {
        return (value & 0xFF) < 0x80;
    }

    /**
     * Whether these bytes begin with a whole character of several bytes.
     *
     * @param second the one behind it, -1 for none, and so on
     */
    static boolean isCharacter(int first, int second, int third, int fourth) {
        if (first >= 0xC2 && first <= 0xDF) {
            return isContinuation(second);
        }
        if (first >= 0xE0 && first <= 0xEF) {
            // Longer than need be, or half of a pair of UTF-16.
            boolean isIn = first == 0xE0 ? second >= 0xA0 : first != 0xED || second <= 0x9F;
            return isContinuation(second) && isIn && isContinuation(third);
        }
        if (first >= 0xF0 && first <= 0xF4) {
            boolean isIn = first == 0xF0 ? second >= 0x90 : first != 0xF4 || second <= 0x8F;
            return isContinuation(second) && isIn && isContinuation(third) && isContinuation(fourth);
        }
        return false;
    }

    /**
     * The number of bytes before a place that may be the first ones of a U+FFFD, whose rest would follow.
     *
     * @param piece looked at from its position on
     * @param place behind the last of these bytes
     * @return 0, 1 or 2
     */
    static int begunReplacement(ByteBuffer piece, int place) {
        for (int count = REPLACEMENT.length - 1; count > 0; count--) {
            boolean isBegun = place - count >= piece.position();
            for (int at = 0; at < count && isBegun; at++) {
                isBegun = (piece.get(place - count + at) & 0xFF) == REPLACEMENT[at];
            }
            if (isBegun) {
                return count;
            }
        }
        return 0;
    }

    private static boolean isContinuation(int value) {
        return value >= 0x80 && value <= 0xBF;
    }
}
