package dev.berth.server.code;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Tar archives block by block, as no honest program would write them (POSIX.1-2017, pax, "ustar Interchange Format"). */
final class Tar {
    static final int BLOCK = 512;

    private static final int MODE_AT = 100;
    private static final int SIZE_AT = 124;
    private static final int CHECKSUM_AT = 148;
    private static final int TYPE_AT = 156;
    private static final int LINK_AT = 157;
    private static final int MAGIC_AT = 257;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    Tar file(String name, String content) {
        return file(name, content, 0644);
    }

    Tar file(String name, String content, int mode) {
        byte[] body = content.getBytes(StandardCharsets.UTF_8);
        return raw(header(name, '0', body.length, mode, "")).body(body);
    }

    Tar directory(String name) {
        return raw(header(name, '5', 0, 0755, ""));
    }

    Tar directory(String name, int mode) {
        return raw(header(name, '5', 0, mode, ""));
    }

    Tar link(String name, String target) {
        return raw(header(name, '2', 0, 0777, target));
    }

    /** An entry of any type flag. */
    Tar entry(String name, char type) {
        return raw(header(name, type, 0, 0644, ""));
    }

    /** A pax extended header for the next entry: keys and values in turn. */
    Tar pax(String... records) {
        return extended('x', records);
    }

    Tar extended(char type, String... records) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        for (int i = 0; i < records.length; i += 2) {
            body.writeBytes(record(records[i], records[i + 1]));
        }
        return raw(header("pax", type, body.size(), 0644, "")).body(body.toByteArray());
    }

    /** The length at the front of a record counts itself. */
    private static byte[] record(String key, String value) {
        byte[] rest = (" " + key + "=" + value + "\n").getBytes(StandardCharsets.UTF_8);
        int length = rest.length + 1;
        while (Integer.toString(length).length() + rest.length != length) {
            length++;
        }
        ByteArrayOutputStream record = new ByteArrayOutputStream();
        record.writeBytes(Integer.toString(length).getBytes(StandardCharsets.US_ASCII));
        record.writeBytes(rest);
        return record.toByteArray();
    }

    Tar raw(byte[] block) {
        bytes.writeBytes(block);
        return this;
    }

    private Tar body(byte[] body) {
        bytes.writeBytes(body);
        bytes.writeBytes(new byte[(BLOCK - body.length % BLOCK) % BLOCK]);
        return this;
    }

    static byte[] header(String name, char type, long size, int mode, String target) {
        byte[] block = new byte[BLOCK];
        put(block, 0, name);
        put(block, MODE_AT, "%07o".formatted(mode));
        put(block, SIZE_AT, "%011o".formatted(size));
        block[TYPE_AT] = (byte) type;
        put(block, LINK_AT, target);
        put(block, MAGIC_AT, "ustar\00000");
        return sealed(block);
    }

    /** The block with the checksum that it must have. */
    static byte[] sealed(byte[] block) {
        Arrays.fill(block, CHECKSUM_AT, CHECKSUM_AT + 8, (byte) ' ');
        int sum = 0;
        for (byte b : block) {
            sum += b & 0xff;
        }
        put(block, CHECKSUM_AT, "%06o\0".formatted(sum));
        return block;
    }

    static void put(byte[] block, int at, String text) {
        byte[] chars = text.getBytes(StandardCharsets.UTF_8);
        System.arraycopy(chars, 0, block, at, chars.length);
    }

    /** Without the mark of the end. */
    byte[] unended() {
        return bytes.toByteArray();
    }

    byte[] bytes() {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(unended());
        all.writeBytes(new byte[2 * BLOCK]);
        return all.toByteArray();
    }

    InputStream stream() {
        return new ByteArrayInputStream(bytes());
    }
}
