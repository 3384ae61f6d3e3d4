package dev.berth.server.track.source;

import dev.berth.server.store.track.Numbers;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Times as programs write them, from 1970 to the year 9999. */
final class Moments {
    /** The first second of the year 10000. */
    private static final long END = 253_402_300_800L;

    private static final int MAX_LENGTH = 40;
    private static final int DATE_LENGTH = 10;
    private static final double MICROS = 1e6;

    private static final DateTimeFormatter ISO = new DateTimeFormatterBuilder()
            .append(DateTimeFormatter.ISO_LOCAL_DATE_TIME)
            .appendPattern("[XXX][XX][X]")
            .toFormatter(Locale.ROOT);

    private Moments() {}

    /** The time of a text in seconds since 1970 or in ISO 8601, which means UTC where it names no offset; null for others. */
    static @Nullable Instant parse(String text) {
        Double seconds = Numbers.number(text);
        return seconds == null ? iso(text, ZoneOffset.UTC) : ofSeconds(seconds);
    }

    /** The time, to the microsecond, which is what 64 bits hold today; null beyond the years and for NaN. */
    static @Nullable Instant ofSeconds(double seconds) {
        if (!(seconds >= 0 && seconds < END)) {
            return null;
        }
        long whole = (long) seconds;
        return Instant.ofEpochSecond(whole).plus(Math.round((seconds - whole) * MICROS), ChronoUnit.MICROS);
    }

    /**
     * The time of a text in ISO 8601, with a space for the T too, as Python's str writes it; null for others.
     *
     * @param zone what a time without an offset means
     */
    static @Nullable Instant iso(String text, ZoneId zone) {
        if (text.length() <= DATE_LENGTH || text.length() > MAX_LENGTH) {
            return null;
        }
        String joined = text.charAt(DATE_LENGTH) == ' '
                ? text.substring(0, DATE_LENGTH) + 'T' + text.substring(DATE_LENGTH + 1)
                : text;
        try {
            Instant time = switch (ISO.parseBest(joined, OffsetDateTime::from, LocalDateTime::from)) {
                case OffsetDateTime at -> at.toInstant();
                case LocalDateTime at -> at.atZone(zone).toInstant();
                default -> null;
            };
            return time == null || time.getEpochSecond() < 0 || time.getEpochSecond() >= END ? null : time;
        } catch (DateTimeException e) {
            return null;
        }
    }
}
