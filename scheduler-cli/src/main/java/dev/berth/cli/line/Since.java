package dev.berth.cli.line;

import dev.berth.cli.exit.Failure;
import dev.berth.core.option.Forms;
import dev.berth.core.text.DurationText;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import org.jspecify.annotations.Nullable;

/** A moment in the past, as people write it: how long ago, or when. */
public final class Since {
    private Since() {}

    /** The moment as an ISO time in UTC, or null where nothing is said. */
    public static @Nullable String instant(@Nullable String text, Instant now) {
        if (text == null) {
            return null;
        }
        long ago = DurationText.seconds(text);
        return (ago > 0 ? now.minusSeconds(ago) : time(text)).toString();
    }

    private static Instant time(String text) {
        try {
            // Years of more than four digits are no times of logs, and their sign means something else in a query.
            if (!text.isEmpty() && Character.isDigit(text.charAt(0))) {
                return OffsetDateTime.parse(text).toInstant();
            }
        } catch (DateTimeException notATime) {
            throw expected(text);
        }
        throw expected(text);
    }

    private static Failure expected(String text) {
        return Failure.usage("--since: '" + text + "' is neither a duration (" + Forms.DURATION
                + ") nor a time with its zone; for example --since 10m or --since 2026-01-31T08:00:00Z");
    }
}
