package dev.berth.cli;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Makes tar archives by hand, those that no tool would make included. */
public final class TarBytes {
    private static final int BLOCK = 512;

    private final ByteArrayOutputStream archive = new ByteArrayOutputStream();

    public TarBytes file(String name, String text) {
        return member(name, '0', 0644, "", text.getBytes(StandardCharsets.UTF_8));
    }

    public TarBytes link(String name, String target) {
        return member(name, '2', 0777, target, new byte[0]);
    }

    public TarBytes directory(String name) {
        return member(name, '5', 0755, "", new byte[0]);
    }

    public TarBytes member(String name, char type, int mode, String link, byte[] bytes) {
        byte[] header = new byte[BLOCK];
        put(header, 0, name);
        put(header, 100, String.format("%07o", mode));
        put(header, 124, String.format("%011o", bytes.length));
        header[156] = (byte) type;
        put(header, 157, link);
        put(header, 257, "ustar");
        put(header, 263, "00");
        Arrays.fill(header, 148, 156, (byte) ' ');
        int sum = 0;
        for (byte next : header) {
            sum += next & 0xff;
        }
        put(header, 148, String.format("%06o\0", sum));
        archive.writeBytes(header);
        archive.writeBytes(bytes);
        archive.writeBytes(new byte[(BLOCK - bytes.length % BLOCK) % BLOCK]);
        return this;
    }

    private static void put(byte[] header, int at, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        System.arraycopy(bytes, 0, header, at, bytes.length);
    }

    /** A pax record for the next member. */
    public TarBytes pax(String key, String value) {
        int length = key.length() + value.getBytes(StandardCharsets.UTF_8).length + 3;
        int digits = Integer.toString(length + 2).length();
        String record = (length + digits) + " " + key + "=" + value + "\n";
        return member("PaxHeaders/x", 'x', 0644, "", record.getBytes(StandardCharsets.UTF_8));
    }

    public byte[] bytes() {
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        whole.writeBytes(archive.toByteArray());
        whole.writeBytes(new byte[2 * BLOCK]);
        return whole.toByteArray();
    }

    /** The archive without its end. */
    public byte[] unended() {
        return archive.toByteArray();
    }
}
