package dev.berth.server.code;

import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Marks of which of many digests were seen, in 16 MiB however many they are. A digest that was seen is always known; of
 * five million seen ones, one unseen in twenty-five is taken for seen, another one at the next sweep. Lives on one
 * thread.
 */
final class DigestMarks {
    private static final int BITS = 27;
    private static final int HEX_DIGITS = 7;
    private static final int DIGEST_LENGTH = 64;

    private final long[] words = new long[1 << (BITS - 6)];
    private final int from;

    /** Which part of a digest counts is drawn by chance, so that two that are alike once are not alike for ever. */
    DigestMarks() {
        this(ThreadLocalRandom.current().nextInt(DIGEST_LENGTH - HEX_DIGITS + 1));
    }

    DigestMarks(int from) {
        this.from = from;
    }

    void clear() {
        Arrays.fill(words, 0);
    }

    void mark(String digest) {
        int bit = bit(digest);
        words[bit >> 6] |= (1L << bit);
    }

    boolean mayHave(String digest) {
        int bit = bit(digest);
        return (words[bit >> 6] & (1L << bit)) != 0;
    }

    private int bit(String digest) {
        return Integer.parseInt(digest, from, from + HEX_DIGITS, 16) & ((1 << BITS) - 1);
    }
}
