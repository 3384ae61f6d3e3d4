package dev.berth.server.log;

import java.io.IOException;
import java.util.List;

/**
 * The places in a kept stream that the engine's copy of it may have come to, as its bytes come one by one: mostly one.
 * A byte that begins no character may be kept as it was written, and come as U+FFFD; so may the bytes of a character
 * that the engine cut in two. What is kept as U+FFFD came from the copy, or was written so. Where a stream breaks within a
 * U+FFFD of the program's own, nobody can tell it from a byte that came as one: the rest of it may be missing. For one
 * thread.
 */
final class Places {
    /** Two ways to read a U+FFFD at each cut of a line; what is wrong ends with the next other byte. */
    private static final int MAX = 16;

    private final KeptStream kept;
    private final List<Gap> gaps;
    private long[] at = new long[MAX];

    /** How much of the U+FFFD that stands for the byte at that place has come. */
    private int[] replaced = new int[MAX];

    private int count;
    private long[] nextAt = new long[MAX];
    private int[] nextReplaced = new int[MAX];
    private int nextCount;

    /**
     * Begins at the first byte that the copy has.
     *
     * @param gaps what the copy lacks of the stream, in order
     */
    Places(KeptStream kept, List<Gap> gaps, long begin) {
        this.kept = kept;
        this.gaps = gaps;
        at[0] = behindGaps(begin);
        count = 1;
    }

    private long behindGaps(long place) {
        long behind = place;
        for (Gap gap : gaps) {
            if (behind >= gap.position() && behind < gap.end()) {
                behind = gap.end();
            }
        }
        return Math.min(behind, kept.end());
    }

    /** The place behind all that has come. */
    long latest() {
        return at[0];
    }

    /** Whether all that is kept has come, and its last byte does not come as U+FFFD, of which the rest is to come. */
    boolean isAtEnd() {
        boolean isAtEnd = mayBeAtEnd();
        for (int place = 1; place < count && isAtEnd; place++) {
            isAtEnd = replaced[place] == 0 || at[place] < kept.end() - 1;
        }
        return isAtEnd;
    }

    /** Whether all that is kept has come as it is. */
    boolean mayBeAtEnd() {
        return replaced[0] == 0 && at[0] >= kept.end();
    }

    /** Whether there is one place, between two characters. */
    boolean isPlain() {
        return count == 1 && replaced[0] == 0;
    }

    /** Goes on over bytes that came as they are kept, where the place is plain. */
    void pass(int bytes) {
        at[0] = behindGaps(at[0] + bytes);
    }

    /** How far it is from the place to the next gap, or to the end. */
    int room() {
        long next = kept.end();
        for (Gap gap : gaps) {
            if (gap.position() > at[0]) {
                next = Math.min(next, gap.position());
            }
        }
        return (int) Math.min(Integer.MAX_VALUE, next - at[0]);
    }

    /**
     * Takes the next byte of the copy.
     *
     * @param nearCut whether the engine may have cut a character here
     * @return whether anything that is kept goes on with it; where nothing does, the places stay as they are
     */
    boolean take(int value, boolean nearCut) throws IOException {
        nextCount = 0;
        for (int place = 0; place < count; place++) {
            take(at[place], replaced[place], value, nearCut);
        }
        if (nextCount == 0) {
            return false;
        }
        long[] oldAt = at;
        int[] oldReplaced = replaced;
        at = nextAt;
        replaced = nextReplaced;
        count = nextCount;
        nextAt = oldAt;
        nextReplaced = oldReplaced;
        return true;
    }

    private void take(long place, int come, int value, boolean nearCut) throws IOException {
        if (come > 0) {
            if (value == Utf8.REPLACEMENT[come]) {
                boolean isWhole = come == Utf8.REPLACEMENT.length - 1;
                add(isWhole ? behindGaps(place + 1) : place, isWhole ? 0 : come + 1);
            }
            return;
        }
        int there = kept.at(place);
        if (there == value) {
            add(behindGaps(place + 1), 0);
        }
        if (value == Utf8.REPLACEMENT[0] && there >= 0 && !Utf8.isAscii(there) && (nearCut || !isCharacter(place))) {
            add(place, 1);
        }
    }

    private boolean isCharacter(long place) throws IOException {
        return Utf8.isCharacter(kept.at(place), kept.at(place + 1), kept.at(place + 2), kept.at(place + 3));
    }

    /** The latest stands first, as it has the least that was read as replaced; of equal ones there is one. */
    private void add(long place, int come) {
        int index = nextCount;
        while (index > 0 && isBehind(place, come, index - 1)) {
            index--;
        }
        boolean isThere = index > 0 && nextAt[index - 1] == place && nextReplaced[index - 1] == come;
        if (isThere || index == MAX) {
            return;
        }
        nextCount = Math.min(MAX, nextCount + 1);
        System.arraycopy(nextAt, index, nextAt, index + 1, nextCount - index - 1);
        System.arraycopy(nextReplaced, index, nextReplaced, index + 1, nextCount - index - 1);
        nextAt[index] = place;
        nextReplaced[index] = come;
    }

    private boolean isBehind(long place, int come, int other) {
        return place > nextAt[other] || (place == nextAt[other] && come > nextReplaced[other]);
    }
}
