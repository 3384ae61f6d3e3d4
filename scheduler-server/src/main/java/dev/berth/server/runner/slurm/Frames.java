package dev.berth.server.runner.slurm;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What {@link SharedScripts#COLLECT} prints: heads, each with its bytes behind it. What is broken off, since a file became shorter while it
 * was read, is left for the next look.
 */
final class Frames {
    private static final Pattern HEAD = Pattern.compile("(\\d{1,9}) (\\d{1,9})");
    private static final String MORE = "more";

    private final byte[] bytes;
    private int at;

    Frames(byte[] bytes) {
        this.bytes = bytes;
    }

    /** Gives each its bytes; whether there is more to be had. */
    boolean handOut(List<SharedFiles.Part> parts) {
        while (true) {
            String line = line();
            Matcher head = HEAD.matcher(line);
            if (!head.matches()) {
                return line.equals(MORE);
            }
            int number = Integer.parseInt(head.group(1));
            int count = Integer.parseInt(head.group(2));
            if (number >= parts.size() || count > bytes.length - at) {
                return false;
            }
            byte[] taken = Arrays.copyOfRange(bytes, at, at + count);
            at += count;
            parts.get(number).take(taken);
        }
    }

    private String line() {
        int begin = at;
        while (at < bytes.length && bytes[at] != '\n') {
            at++;
        }
        String line = new String(bytes, begin, at - begin, StandardCharsets.US_ASCII);
        at = Math.min(at + 1, bytes.length);
        return line;
    }
}
