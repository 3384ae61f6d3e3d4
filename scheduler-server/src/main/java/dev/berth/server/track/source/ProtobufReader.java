package dev.berth.server.track.source;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The wire format of protocol buffers (protobuf.dev/programming-guides/encoding) read from a part of a file, field by field.
 * Nothing is held in memory but the window; a field that is not looked at costs nothing. A message that is not well formed
 * makes the reader broken: it then has no more fields, and all values are 0. Groups, which proto3 does not have, are
 * refused. For one thread.
 */
final class ProtobufReader {
    private static final int MAX_DEPTH = 8;
    private static final int MAX_VARINT = 10;
    private static final int TAG_BITS = 3;

    private final FileWindow file;
    private final long[] outerEnds = new long[MAX_DEPTH];
    private int depth;
    private long at;
    private long end;
    private boolean isBroken;

    private Wire wire = Wire.VARINT;
    private long bits;
    private long place;
    private long length;

    /** How a field's value is written. */
    enum Wire {
        VARINT,
        FIXED64,
        BYTES,
        FIXED32
    }

    ProtobufReader(FileWindow file) {
        this.file = file;
    }

    /** Begins at a message that stands between two places of the file. */
    void open(long from, long to) {
        depth = 0;
        at = from;
        end = to;
        isBroken = false;
    }

    boolean isBroken() {
        return isBroken;
    }

    /** Goes to the next field and returns its number; 0 at the end of the message and where it is broken. */
    int next() throws IOException {
        if (isBroken || at == end) {
            return 0;
        }
        long tag = varint();
        long number = tag >>> TAG_BITS;
        if (number == 0 || number > 0x1FFF_FFFF) {
            return broken();
        }
        switch ((int) tag & 0b111) {
            case 0 -> readNumber(Wire.VARINT);
            case 1 -> readNumber(Wire.FIXED64);
            case 2 -> skipBytes();
            case 5 -> readNumber(Wire.FIXED32);
            default -> broken();
        }
        return isBroken ? 0 : (int) number;
    }

    /** Whether the field that was gone to is written so; a known field that is written otherwise is left out. */
    boolean is(Wire form) {
        return wire == form;
    }

    /** The bits of a field that is a number. */
    long bits() {
        return bits;
    }

    /** Where the bytes of the field begin. */
    long place() {
        return place;
    }

    /** How many bytes the field has. */
    long length() {
        return length;
    }

    /** The field's bytes as a text; null where they are more than a bound or no UTF-8. */
    @Nullable
    String text(int maxBytes) throws IOException {
        return text(place, length, maxBytes);
    }

    /** Bytes of the file as a text; null where they are more than a bound or no UTF-8. */
    @Nullable
    String text(long from, long count, int maxBytes) throws IOException {
        if (count > maxBytes || !file.has(from, (int) count)) {
            return null;
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(file.copy(from, (int) count)))
                    .toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    /** Goes into the message that the field's bytes are. */
    void enter() {
        outerEnds[depth++] = end;
        at = place;
        end = place + length;
    }

    /** Goes back to the message around, behind the field that was entered. */
    void leave() {
        at = end;
        end = outerEnds[--depth];
    }

    /** Whether there are more bytes in what was entered, for numbers that are packed. */
    boolean hasBytes() {
        return !isBroken && at < end;
    }

    /** The next of numbers that are packed. */
    long packed(Wire form) throws IOException {
        readNumber(form);
        return bits;
    }

    private void readNumber(Wire form) throws IOException {
        wire = form;
        bits = switch (form) {
            case VARINT -> varint();
            case FIXED64 -> take(Long.BYTES) ? file.longAt(at - Long.BYTES) : 0;
            case FIXED32 -> take(Integer.BYTES) ? file.intAt(at - Integer.BYTES) : 0;
            case BYTES -> throw new IllegalArgumentException("Bytes are no number.");
        };
    }

    private void skipBytes() throws IOException {
        wire = Wire.BYTES;
        length = varint();
        place = at;
        if (length < 0 || length > end - at) {
            broken();
        } else {
            at += length;
        }
    }

    private long varint() throws IOException {
        long value = 0;
        for (int count = 0; count < MAX_VARINT && take(1); count++) {
            byte next = file.byteAt(at - 1);
            value |= (next & 0x7FL) << (7 * count);
            if (next >= 0) {
                return value;
            }
        }
        return broken();
    }

    private boolean take(int count) throws IOException {
        if (count > end - at || !file.has(at, count)) {
            broken();
            return false;
        }
        at += count;
        return true;
    }

    private int broken() {
        isBroken = true;
        bits = 0;
        length = 0;
        return 0;
    }
}
