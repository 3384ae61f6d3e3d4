package dev.berth.server.log;

import java.nio.charset.StandardCharsets;

/** A text that is looked for byte by byte, by the method of Knuth, Morris and Pratt. Immutable. */
public final class SoughtText {
    private static final int CASE = 'a' - 'A';

    private final byte[] bytes;
    private final boolean ignoresCase;

    /** How many bytes still fit where so many did and the next one does not. */
    private final int[] fallback;

    /**
     * A text of a line.
     *
     * @param text not empty
     * @param ignoresCase of ASCII letters
     */
    public SoughtText(String text, boolean ignoresCase) {
        this.ignoresCase = ignoresCase;
        this.bytes = text.getBytes(StandardCharsets.UTF_8);
        for (int at = 0; at < bytes.length; at++) {
            bytes[at] = folded(bytes[at]);
        }
        this.fallback = new int[bytes.length];
        for (int at = 1, fitting = 0; at < bytes.length; at++) {
            while (fitting > 0 && bytes[at] != bytes[fitting]) {
                fitting = fallback[fitting - 1];
            }
            fitting += bytes[at] == bytes[fitting] ? 1 : 0;
            fallback[at] = fitting;
        }
    }

    int length() {
        return bytes.length;
    }

    /** How many of its bytes fit behind the next byte of a line, where so many did before; not all did. */
    int fitting(int before, byte next) {
        byte value = folded(next);
        int fitting = before;
        while (fitting > 0 && bytes[fitting] != value) {
            fitting = fallback[fitting - 1];
        }
        return bytes[fitting] == value ? fitting + 1 : 0;
    }

    private byte folded(byte value) {
        return ignoresCase && value >= 'A' && value <= 'Z' ? (byte) (value + CASE) : value;
    }
}
