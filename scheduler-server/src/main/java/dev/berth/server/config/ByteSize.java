package dev.berth.server.config;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An amount of memory or disk, above zero. */
public record ByteSize(long bytes) {
    private static final String UNITS = "bkmgt";
    private static final int STEP_BITS = 10;

    /** Units are powers of 1024 whatever they are called, as Docker's options mean them. */
    private static final Pattern FORM = Pattern.compile("([0-9]{1,18})([bkmgt]?|[kmgt]i?b)");

    public ByteSize {
        if (bytes <= 0) {
            throw new IllegalArgumentException("a size is above zero, not " + bytes);
        }
    }

    /** 512m, 8g, 1GiB, or plain bytes; nothing for anything else, and for more than fits. */
    static Optional<ByteSize> parse(String text) {
        Matcher form = FORM.matcher(text.toLowerCase(Locale.ROOT));
        if (!form.matches()) {
            return Optional.empty();
        }
        long amount = Long.parseLong(form.group(1));
        int shift = form.group(2).isEmpty()
                ? 0
                : STEP_BITS * UNITS.indexOf(form.group(2).charAt(0));
        boolean fits = amount > 0 && amount <= Long.MAX_VALUE >> shift;
        return fits ? Optional.of(new ByteSize(amount << shift)) : Optional.empty();
    }
}
