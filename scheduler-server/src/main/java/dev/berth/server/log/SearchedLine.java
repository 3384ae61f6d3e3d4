package dev.berth.server.log;

import java.nio.charset.StandardCharsets;

/**
 * The line of a stream that is being looked through: as a terminal shows it, so without escape sequences, and without what a
 * carriage return drew over. It keeps the bytes around the place, however long the line is. For one thread.
 */
final class SearchedLine {
    private static final int KEPT_BYTES = 1 << 11;
    private static final int AROUND_BYTES = 256;
    private static final byte ESCAPE = 0x1B;
    private static final byte BELL = 7;

    private enum Sequence {
        NONE,
        BEGUN,
        CONTROL,
        STRING,
        STRING_ESCAPE
    }

    private final SoughtText text;
    private final byte[] kept = new byte[KEPT_BYTES];
    private Sequence sequence = Sequence.NONE;
    private boolean isReturned;
    private int length;
    private int fitting;

    /** Where in what is kept the text ends; -1 where it was not found. */
    private int foundEnd = -1;

    /** A line that has not begun. Of a text of at most {@link LogSearch#MAX_TEXT_BYTES}. */
    SearchedLine(SoughtText text) {
        this.text = text;
    }

    boolean isFound() {
        return foundEnd >= 0;
    }

    /** Takes the next byte, which is no end of a line. */
    void take(byte value) {
        if (value == '\r') {
            isReturned = true;
            return;
        }
        if (isReturned) {
            clear();
        }
        if (value == ESCAPE || sequence != Sequence.NONE) {
            sequence = after(value);
            return;
        }
        if (foundEnd < 0) {
            keep(value);
            fitting = text.fitting(fitting, value);
            if (fitting == text.length()) {
                find();
            }
        } else if (length < foundEnd + AROUND_BYTES) {
            kept[length++] = value;
        }
    }

    /** ECMA-48: what follows an escape, up to the byte that ends it. */
    private Sequence after(byte value) {
        return switch (sequence) {
            case NONE -> Sequence.BEGUN;
            case BEGUN ->
                switch (value) {
                    case '[' -> Sequence.CONTROL;
                    case ']', 'P', 'X', '^', '_' -> Sequence.STRING;
                    case ESCAPE -> Sequence.BEGUN;
                    default -> value >= ' ' && value < '0' ? Sequence.BEGUN : Sequence.NONE;
                };
            case CONTROL ->
                value == ESCAPE ? Sequence.BEGUN : value >= '@' && value <= '~' ? Sequence.NONE : Sequence.CONTROL;
            case STRING -> value == BELL ? Sequence.NONE : value == ESCAPE ? Sequence.STRING_ESCAPE : Sequence.STRING;
            case STRING_ESCAPE -> value == '\\' ? Sequence.NONE : Sequence.STRING;
        };
    }

    private void keep(byte value) {
        if (length == kept.length) {
            int half = kept.length / 2;
            System.arraycopy(kept, half, kept, 0, half);
            length = half;
        }
        kept[length++] = value;
    }

    /** Keeps what is before the place, from the beginning of a character on, and has room for what follows. */
    private void find() {
        int from = Math.max(0, length - text.length() - AROUND_BYTES);
        while (from < length && from > 0 && (kept[from] & 0xC0) == 0x80) {
            from++;
        }
        length -= from;
        System.arraycopy(kept, from, kept, 0, length);
        foundEnd = length;
    }

    /** What is around the place; what is no UTF-8 as U+FFFD. */
    String excerpt() {
        return new String(kept, 0, length, StandardCharsets.UTF_8);
    }

    /** Begins another line. */
    void clear() {
        sequence = Sequence.NONE;
        isReturned = false;
        length = 0;
        fitting = 0;
        foundEnd = -1;
    }
}
