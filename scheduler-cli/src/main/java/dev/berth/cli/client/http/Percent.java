package dev.berth.cli.client.http;

import java.nio.charset.StandardCharsets;

/** Texts as parts of a request's target, RFC 3986 section 2. */
public final class Percent {
    private static final String DIGITS = "0123456789ABCDEF";
    private static final String UNRESERVED = "-._~/";

    private Percent() {}

    /** The text with all but letters, digits, {@code - . _ ~} and the slash written as bytes. */
    public static String encoded(String text) {
        StringBuilder target = new StringBuilder(text.length() + 16);
        for (byte unit : text.getBytes(StandardCharsets.UTF_8)) {
            boolean letter = (unit >= 'a' && unit <= 'z') || (unit >= 'A' && unit <= 'Z');
            if (letter || (unit >= '0' && unit <= '9') || (unit > 0 && UNRESERVED.indexOf(unit) >= 0)) {
                target.append((char) unit);
            } else {
                target.append('%').append(DIGITS.charAt(unit >> 4 & 0xf)).append(DIGITS.charAt(unit & 0xf));
            }
        }
        return target.toString();
    }
}
