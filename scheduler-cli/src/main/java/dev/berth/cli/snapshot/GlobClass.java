package dev.berth.cli.snapshot;

import java.nio.charset.StandardCharsets;
import java.util.BitSet;

/**
 * A class of bytes in a pattern, such as {@code [a-z]}, {@code [!0-9]} or {@code [[:alpha:]_]}.
 *
 * @param set the bytes in it; none where the class is not closed or names a class that there is not
 * @param end where the pattern goes on
 */
record GlobClass(BitSet set, int end) {
    static final int BYTES = 256;

    private static final int FIRST_PRINTED = ' ';
    private static final int DELETE = 0x7f;

    /** Reads the class whose bracket opens at {@code open}. */
    static GlobClass read(byte[] pattern, int open) {
        return new Reader(pattern, open + 1).read();
    }

    /** A class while it is read. */
    private static final class Reader {
        private final byte[] pattern;
        private final BitSet set = new BitSet(BYTES);
        private int at;

        /** The byte that a range may begin with: the byte before the dash, or -1. */
        private int last = -1;

        Reader(byte[] pattern, int at) {
            this.pattern = pattern;
            this.at = at;
        }

        GlobClass read() {
            boolean negated = at < pattern.length && (pattern[at] == '!' || pattern[at] == '^');
            at += negated ? 1 : 0;
            int first = at;
            while (at < pattern.length && (pattern[at] != ']' || at == first)) {
                if (!member()) {
                    return never();
                }
            }
            if (at >= pattern.length) {
                return never();
            }
            if (negated) {
                set.flip(0, BYTES);
            }
            return new GlobClass(set, at + 1);
        }

        private GlobClass never() {
            return new GlobClass(new BitSet(), pattern.length);
        }

        /** Reads one byte, range or named class; false where the whole class is none. */
        private boolean member() {
            if (isNamed()) {
                return named();
            }
            boolean isRange = pattern[at] == '-' && last >= 0 && at + 1 < pattern.length && pattern[at + 1] != ']';
            at += isRange ? 1 : 0;
            if (pattern[at] == '\\') {
                at++;
            }
            if (at >= pattern.length) {
                return false;
            }
            int value = pattern[at++] & 0xff;
            if (isRange) {
                if (last <= value) {
                    set.set(last, value + 1);
                }
                last = -1;
            } else {
                set.set(value);
                last = value;
            }
            return true;
        }

        private boolean isNamed() {
            int close = close();
            return pattern[at] == '['
                    && at + 1 < pattern.length
                    && pattern[at + 1] == ':'
                    && (close == pattern.length || (close > at + 2 && pattern[close - 1] == ':'));
        }

        private int close() {
            int close = at + 2;
            while (close < pattern.length && pattern[close] != ']') {
                close++;
            }
            return Math.min(close, pattern.length);
        }

        private boolean named() {
            int close = close();
            if (close == pattern.length) {
                return false;
            }
            String name = new String(pattern, at + 2, Math.max(0, close - at - 3), StandardCharsets.ISO_8859_1);
            boolean isKnown = false;
            for (int value = 0; value < BYTES; value++) {
                int known = isIn(name, value);
                isKnown |= known >= 0;
                if (known > 0) {
                    set.set(value);
                }
            }
            at = close + 1;
            last = -1;
            return isKnown;
        }
    }

    /** 1 where the byte is in the POSIX class of that name, 0 where it is not, -1 where there is no such class. */
    private static int isIn(String name, int value) {
        boolean isDigit = value >= '0' && value <= '9';
        boolean isLower = value >= 'a' && value <= 'z';
        boolean isUpper = value >= 'A' && value <= 'Z';
        boolean isShown = value > FIRST_PRINTED && value < DELETE;
        boolean isIn;
        switch (name) {
            case "alnum" -> isIn = isLower || isUpper || isDigit;
            case "alpha" -> isIn = isLower || isUpper;
            case "blank" -> isIn = value == ' ' || value == '\t';
            case "cntrl" -> isIn = value < FIRST_PRINTED || value == DELETE;
            case "digit" -> isIn = isDigit;
            case "graph" -> isIn = isShown;
            case "lower" -> isIn = isLower;
            case "print" -> isIn = isShown || value == ' ';
            case "punct" -> isIn = isShown && !isLower && !isUpper && !isDigit;
            case "space" -> isIn = value == ' ' || (value >= '\t' && value <= '\r');
            case "upper" -> isIn = isUpper;
            case "xdigit" -> isIn = isDigit || (value >= 'a' && value <= 'f') || (value >= 'A' && value <= 'F');
            default -> {
                return -1;
            }
        }
        return isIn ? 1 : 0;
    }
}
