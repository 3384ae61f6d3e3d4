package dev.berth.cli.fetch;

import dev.berth.cli.exit.Failure;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A tar archive, member by member: POSIX.1-1988 headers, with pax records and GNU's members for long names. An
 * {@link IOException} is the stream's; an archive that is none is a {@link Failure}. For one thread.
 */
final class TarInput {
    /** The record of the server's by which it names what it left out. */
    private static final String LEFT_OUT = "BERTH.leftout";

    private static final int BLOCK = 512;
    private static final int MAX_RECORDS = 1024 * 1024;
    private static final int CHECKSUM_AT = 148;
    private static final int CHECKSUM_END = 156;

    private final InputStream in;
    private final byte[] header = new byte[BLOCK];
    private long left;
    private int padding;
    private @Nullable String leftOut;

    TarInput(InputStream in) {
        this.in = in;
    }

    /** The next member, the bytes of the one before passed over; null at the end, to which the stream is then read. */
    @Nullable
    TarEntry next() throws IOException {
        Map<String, String> said = new HashMap<>();
        while (true) {
            skip(left + padding);
            block();
            if (isEmpty()) {
                drain();
                return null;
            }
            check();
            char type = header[156] == 0 || header[156] == '7' ? TarEntry.FILE : (char) header[156];
            long size = said.containsKey("size") ? decimal(said.get("size")) : number(124, 12);
            switch (type) {
                case 'x' -> readRecords(text(size), said);
                case 'g' -> skip(padded(size));
                case 'L' -> said.put("path", untilZero(text(size)));
                case 'K' -> said.put("linkpath", untilZero(text(size)));
                default -> {
                    return entry(type, size, said);
                }
            }
        }
    }

    /** The names that the member that came last says are not in the archive; null where it says nothing of the kind. */
    @Nullable
    String leftOut() {
        return leftOut;
    }

    private TarEntry entry(char type, long size, Map<String, String> said) {
        leftOut = said.get(LEFT_OUT);
        String name = said.getOrDefault("path", name());
        boolean bytes = type == TarEntry.FILE && !name.endsWith("/");
        // Links, devices, directories and pipes have no bytes, whatever their size says.
        left = type >= '1' && type <= '6' ? 0 : size;
        padding = (int) (padded(left) - left);
        return new TarEntry(
                name,
                type == TarEntry.FILE && !bytes ? TarEntry.DIRECTORY : type,
                left,
                (int) number(100, 8),
                said.getOrDefault("linkpath", field(157, 100)));
    }

    /** The member's bytes; -1 at its end. */
    int read(byte[] target) throws IOException {
        if (left == 0) {
            return -1;
        }
        int count = in.read(target, 0, (int) Math.min(target.length, left));
        if (count < 0) {
            throw new EOFException("the archive ended in the middle of a file");
        }
        left -= count;
        return count;
    }

    private void block() throws IOException {
        left = 0;
        padding = 0;
        int count = in.readNBytes(header, 0, BLOCK);
        if (count < BLOCK) {
            throw broken("it ends without its last block");
        }
    }

    private boolean isEmpty() {
        for (byte next : header) {
            if (next != 0) {
                return false;
            }
        }
        return true;
    }

    /** The header's sum, its own field taken for blanks. */
    private void check() {
        long sum = 0;
        for (int at = 0; at < BLOCK; at++) {
            sum += at >= CHECKSUM_AT && at < CHECKSUM_END ? ' ' : header[at] & 0xff;
        }
        if (sum != number(CHECKSUM_AT, 8)) {
            throw broken("a header's checksum is wrong");
        }
    }

    private String name() {
        String name = field(0, 100);
        String prefix = field(257, 5).equals("ustar") ? field(345, 155) : "";
        return prefix.isEmpty() ? name : prefix + "/" + name;
    }

    private String field(int from, int length) {
        int end = from;
        while (end < from + length && header[end] != 0) {
            end++;
        }
        return new String(header, from, end - from, StandardCharsets.UTF_8);
    }

    /** Octal digits between blanks, or GNU's binary form, which its first bit tells. */
    private long number(int from, int length) {
        long number = 0;
        if ((header[from] & 0x80) != 0) {
            number = header[from] & 0x7f;
            for (int at = from + 1; at < from + length; at++) {
                if (number >>> 54 != 0) {
                    throw broken("a number in it is too large");
                }
                number = (number << 8) | (header[at] & 0xff);
            }
            return number;
        }
        for (char next : field(from, length).strip().toCharArray()) {
            if (next < '0' || next > '7') {
                throw broken("a header holds a number that is none");
            }
            number = (number << 3) | (next - '0');
        }
        return number;
    }

    /** A member's bytes that speak of the next one. */
    private String text(long size) throws IOException {
        if (size > MAX_RECORDS) {
            throw broken("a name in it is longer than " + MAX_RECORDS + " bytes");
        }
        byte[] bytes = in.readNBytes((int) size);
        if (bytes.length < size) {
            throw new EOFException("the archive ended in the middle of a name");
        }
        skip(padded(size) - size);
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    /** Records of the form "LENGTH KEY=VALUE" and a line's end, the length being that of all of it. */
    private static void readRecords(String records, Map<String, String> said) {
        int from = 0;
        while (from < records.length()) {
            int blank = records.indexOf(' ', from);
            long length = blank < 0 ? -1 : decimal(records.substring(from, blank));
            int equals = records.indexOf('=', blank);
            if (length < 5 || from + length > records.length() || equals < 0 || equals >= from + length) {
                throw broken("a pax record in it is malformed");
            }
            int end = (int) (from + length);
            said.put(records.substring(blank + 1, equals), utf8(records.substring(equals + 1, end - 1)));
            from = end;
        }
    }

    private static String untilZero(String text) {
        int zero = text.indexOf(0);
        return utf8(zero < 0 ? text : text.substring(0, zero));
    }

    private static String utf8(String bytes) {
        return new String(bytes.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }

    private static long decimal(@Nullable String digits) {
        try {
            long number = Long.parseLong(String.valueOf(digits));
            if (number >= 0) {
                return number;
            }
        } catch (NumberFormatException notANumber) {
            throw broken("a pax record in it holds a number that is none");
        }
        throw broken("a pax record in it holds a number that is none");
    }

    private static long padded(long size) {
        return (size + BLOCK - 1) / BLOCK * BLOCK;
    }

    private void skip(long count) throws IOException {
        in.skipNBytes(count);
    }

    /**
     * Reads on to the end. What follows the last block is filling; the end of the answer must come for it to be whole.
     */
    private void drain() throws IOException {
        byte[] filling = new byte[BLOCK];
        while (in.read(filling) >= 0) {
            left = 0;
        }
    }

    private static Failure broken(String what) {
        return Failure.badAnswer("the archive of the output is broken, " + what);
    }
}
