package dev.berth.server.runner.docker;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.BitSet;

/** One stream of a program's output with what became of each byte, and whether a kept log is what it must be. */
final class WrittenOutput {
    private static final int[] REPLACEMENT = {0xEF, 0xBF, 0xBD};

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    /** What a server was handed as it was written; it is kept so. */
    private final BitSet heard = new BitSet();

    /** What nobody has: an engine that was killed took it along. */
    private final BitSet lost = new BitSet();

    void write(byte[] piece, boolean isHeard) {
        heard.set(bytes.size(), bytes.size() + piece.length, isHeard);
        bytes.writeBytes(piece);
    }

    int size() {
        return bytes.size();
    }

    byte at(int position) {
        return bytes.toByteArray()[position];
    }

    /** An engine loses what it has from there on; what was heard of that is kept all the same. */
    void lose(int from) {
        for (int at = from; at < bytes.size(); at++) {
            lost.set(at, !heard.get(at));
        }
    }

    /**
     * The place, in bytes from the end, up to which the two agree from their ends on; -1 where they do throughout.
     *
     * @param isWhole whether the beginning is kept
     */
    int disagreement(byte[] kept, boolean isWhole) {
        byte[] written = bytes.toByteArray();
        int[] places = {kept.length};
        for (int at = written.length - 1; at >= 0; at--) {
            if (lost.get(at)) {
                continue;
            }
            if (!isWhole && Arrays.stream(places).anyMatch(place -> place < REPLACEMENT.length)) {
                return -1; // What is kept may begin in the middle of one.
            }
            if (places.length == 1 && places[0] > 0 && written[at] >= 0 && kept[places[0] - 1] == written[at]) {
                places[0]--;
                continue;
            }
            places = before(places, kept, written[at], !heard.get(at));
            if (places.length == 0) {
                return written.length - at;
            }
        }
        return Arrays.stream(places).anyMatch(place -> place == 0) ? -1 : Math.max(1, written.length);
    }

    private static int[] before(int[] places, byte[] kept, byte value, boolean mayBeReplaced) {
        int[] before = new int[2 * places.length];
        int count = 0;
        for (int place : places) {
            if (place > 0 && kept[place - 1] == value) {
                before[count++] = place - 1;
            }
            if (value < 0 && mayBeReplaced && isReplacement(kept, place)) {
                before[count++] = place - REPLACEMENT.length;
            }
        }
        return count < 2
                ? Arrays.copyOf(before, count)
                : Arrays.stream(before, 0, count).distinct().toArray();
    }

    private static boolean isReplacement(byte[] kept, int end) {
        for (int at = 0; at < REPLACEMENT.length; at++) {
            int place = end - REPLACEMENT.length + at;
            if (place < 0 || (kept[place] & 0xFF) != REPLACEMENT[at]) {
                return false;
            }
        }
        return true;
    }
}
