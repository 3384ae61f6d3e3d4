package dev.berth.server.runner.docker;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;

/** Output as programs write it, and as none should: text, bars, bytes that are no text, lines of any length. */
final class RandomOutput {
    private static final int MESSAGE_BYTES = 1 << 14;

    private final SplittableRandom random;
    private byte[] line = new byte[0];
    private int written;

    RandomOutput(SplittableRandom random) {
        this.random = random;
    }

    /** The next piece: mostly a whole line, or the rest of one, at times a part of it. */
    byte[] next() {
        if (written == line.length) {
            line = line();
            written = 0;
        }
        int left = line.length - written;
        int count = random.nextInt(3) > 0 ? left : 1 + random.nextInt(left);
        written += count;
        return Arrays.copyOfRange(line, written - count, written);
    }

    /** A line, at times one that ends with the program only. */
    private byte[] line() {
        byte[] text = text(length());
        boolean ends = text.length == 0 || random.nextInt(12) > 0;
        byte[] whole = Arrays.copyOf(text, text.length + (ends ? 1 : 0));
        if (ends) {
            whole[text.length] = '\n';
        }
        return whole;
    }

    private int length() {
        return switch (random.nextInt(12)) {
            case 0 -> 0;
            case 1, 2 -> MESSAGE_BYTES * (1 + random.nextInt(2)) - 4 + random.nextInt(9);
            case 3 -> random.nextInt(random.nextInt(4) == 0 ? 100 << 10 : 9_000);
            case 4 -> 4_000 + random.nextInt(1_000);
            default -> random.nextInt(90);
        };
    }

    private byte[] text(int length) {
        String characters = switch (random.nextInt(8)) {
            case 0 -> "\u00e9\u00fc\u65e5\u672c\ud83d\ude80 ";
            case 3 -> "\r 50%|\u2588\u2588\u258c   | ";
            case 4 -> "\0\t\r\u001b[31m";
            default -> "";
        };
        if (!characters.isEmpty()) {
            int[] points = characters.codePoints().toArray();
            ByteArrayOutputStream text = new ByteArrayOutputStream();
            while (text.size() < length) {
                text.writeBytes(Character.toString(points[random.nextInt(points.length)])
                        .getBytes(StandardCharsets.UTF_8));
            }
            return Arrays.copyOf(text.toByteArray(), length);
        }
        return random.nextInt(5) == 0 ? endingInReplacements(length) : bytes(length);
    }

    /** A few U+FFFD of the program's own, where the engine may cut them. */
    private static byte[] endingInReplacements(int length) {
        byte[] end = "\ufffd".repeat(10).getBytes(StandardCharsets.UTF_8);
        byte[] text = new byte[length];
        Arrays.fill(text, (byte) 'x');
        int count = Math.min(length, end.length);
        System.arraycopy(end, 0, text, length - count, count);
        return text;
    }

    private byte[] bytes(int length) {
        byte[] text = new byte[length];
        int kind = random.nextInt(3);
        for (int at = 0; at < length; at++) {
            int value = kind == 0 ? 'a' + random.nextInt(26) : kind == 1 ? random.nextInt(256) : 0xFF;
            text[at] = (byte) (value == '\n' ? ' ' : value);
        }
        return text;
    }
}
