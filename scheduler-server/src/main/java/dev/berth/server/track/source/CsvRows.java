package dev.berth.server.track.source;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The rows of a CSV file as pandas writes it (RFC 4180): commas, double quotes around a field that needs them, which may
 * hold line feeds then, and a doubled quote for one. For one thread.
 */
final class CsvRows {
    private static final int MAX_ROW = 1 << 20;
    private static final int FIRST_FIELD_BYTES = 64;

    private final FileWindow file;
    private final List<String> fields = new ArrayList<>();
    private byte[] field = new byte[FIRST_FIELD_BYTES];
    private int length;
    private long at;
    private boolean isTooLong;

    CsvRows(FileWindow file) {
        this.file = file;
    }

    /** Whether the row that was asked for last is longer than 1 MiB. */
    boolean isTooLong() {
        return isTooLong;
    }

    /** The fields of the row that was read last. */
    List<String> fields() {
        return fields;
    }

    /** Reads the next row; false where no whole one follows, or one that is too long. */
    boolean next() throws IOException {
        return row(true);
    }

    /** Passes over the next row; false as in {@link #next}. */
    boolean skip() throws IOException {
        return row(false);
    }

    private boolean row(boolean isKept) throws IOException {
        fields.clear();
        length = 0;
        boolean isQuoted = false;
        boolean mayOpen = true;
        long begin = at;
        while (at - begin < MAX_ROW) {
            if (!file.has(at, 1)) {
                at = begin;
                return false;
            }
            byte letter = file.byteAt(at++);
            if (letter == '"' && (isQuoted || mayOpen)) {
                if (isQuoted && file.has(at, 1) && file.byteAt(at) == '"') {
                    at++;
                    keep(letter, isKept);
                } else {
                    isQuoted = !isQuoted;
                }
                mayOpen = false;
            } else if (isQuoted || (letter != ',' && letter != '\n')) {
                mayOpen = false;
                keep(letter, isKept);
            } else {
                mayOpen = true;
                endField(letter, isKept);
                if (letter == '\n') {
                    return true;
                }
            }
        }
        isTooLong = true;
        return false;
    }

    private void keep(byte letter, boolean isKept) {
        if (isKept) {
            if (length == field.length) {
                field = Arrays.copyOf(field, 2 * length);
            }
            field[length++] = letter;
        }
    }

    private void endField(byte by, boolean isKept) {
        if (isKept) {
            boolean hasReturn = by == '\n' && length > 0 && field[length - 1] == '\r';
            fields.add(new String(field, 0, hasReturn ? length - 1 : length, StandardCharsets.UTF_8));
            length = 0;
        }
    }
}
