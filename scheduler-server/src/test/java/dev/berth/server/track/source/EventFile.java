package dev.berth.server.track.source;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Makes records and messages by hand, those too that no writer makes. Its checksum is bit by bit, as RFC 3720 defines it. */
public final class EventFile {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    public static byte[] scalar(String tag, float value) {
        return message(1, message(1, tag.getBytes(StandardCharsets.UTF_8)), fixed32(2, Float.floatToIntBits(value)));
    }

    public static byte[] event(double wallTime, long step, byte[]... values) {
        return join(fixed64(1, Double.doubleToLongBits(wallTime)), varint(2, step), message(5, values));
    }

    public EventFile record(byte[] message) {
        return record(message, message.length);
    }

    /** A record whose length is said to be another one. */
    public EventFile record(byte[] message, long length) {
        byte[] header = little(8).putLong(length).array();
        bytes.writeBytes(header);
        bytes.writeBytes(little(4).putInt(masked(header)).array());
        bytes.writeBytes(message);
        bytes.writeBytes(little(4).putInt(masked(message)).array());
        return this;
    }

    public byte[] bytes() {
        return bytes.toByteArray();
    }

    public static byte[] message(int field, byte[]... parts) {
        byte[] whole = join(parts);
        return join(raw(((long) field << 3) | 2), raw(whole.length), whole);
    }

    static byte[] varint(int field, long value) {
        return join(raw((long) field << 3), raw(value));
    }

    static byte[] fixed64(int field, long bits) {
        return join(raw(((long) field << 3) | 1), little(8).putLong(bits).array());
    }

    static byte[] fixed32(int field, int bits) {
        return join(raw(((long) field << 3) | 5), little(4).putInt(bits).array());
    }

    static byte[] raw(long varint) {
        ByteArrayOutputStream to = new ByteArrayOutputStream();
        long left = varint;
        while ((left & ~0x7FL) != 0) {
            to.write((int) ((left & 0x7F) | 0x80));
            left >>>= 7;
        }
        to.write((int) left);
        return to.toByteArray();
    }

    static byte[] join(byte[]... parts) {
        ByteArrayOutputStream to = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            to.writeBytes(part);
        }
        return to.toByteArray();
    }

    /** CRC-32C by its polynomial, a bit at a time. */
    static int checksum(byte[] of) {
        int crc = -1;
        for (byte each : of) {
            crc ^= each & 0xFF;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc >>> 1) ^ ((crc & 1) == 0 ? 0 : 0x82F63B78);
            }
        }
        return ~crc;
    }

    static int masked(byte[] of) {
        int crc = checksum(of);
        return ((crc >>> 15) | (crc << 17)) + 0xa282ead8;
    }

    private static ByteBuffer little(int count) {
        return ByteBuffer.allocate(count).order(ByteOrder.LITTLE_ENDIAN);
    }
}
