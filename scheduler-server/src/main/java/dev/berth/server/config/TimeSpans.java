package dev.berth.server.config;

import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Lengths of time as people write them. */
final class TimeSpans {
    private static final Pattern FORM =
            Pattern.compile("(?:([0-9]{1,9})d)?(?:([0-9]{1,9})h)?(?:([0-9]{1,9})m)?(?:([0-9]{1,9})s)?");
    private static final long[] SECONDS = {86_400, 3_600, 60, 1};
    private static final Duration MAX = Duration.ofDays(3_650);

    private TimeSpans() {}

    /** 30s, 45m, 2h, 1d12h; units from large to small, and no number without one. */
    static Optional<Duration> parse(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            return Optional.empty();
        }
        long total = 0;
        for (int unit = 0; unit < SECONDS.length; unit++) {
            String amount = form.group(unit + 1);
            total += amount == null ? 0 : Long.parseLong(amount) * SECONDS[unit];
        }
        return Optional.of(Duration.ofSeconds(total)).filter(span -> span.isPositive() && span.compareTo(MAX) <= 0);
    }
}
