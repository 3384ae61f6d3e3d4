package dev.berth.cli.line;

import dev.berth.cli.exit.Failure;
import dev.berth.core.option.Forms;
import dev.berth.core.text.DurationText;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;

/** A moment to come, as people write it: a date, a time of day, or how long from now. */
public final class BeginTime {
    private static final Duration LONGEST = Duration.ofDays(3_650);
    private static final String TODAY = "today";
    private static final String TOMORROW = "tomorrow";
    private static final String NOW = "now";
    private static final int DATE_LENGTH = "2026-12-01".length();
    private static final int HOUR_LENGTH = "8:00".length();

    private static final String NONE = "is neither a date, a time of day, nor + and a duration";

    private final String option;
    private final String text;
    private final ZonedDateTime now;

    private BeginTime(String option, String text, ZonedDateTime now) {
        this.option = option;
        this.text = text;
        this.now = now;
    }

    /** The moment that an option says, as an ISO time in UTC. Times without a zone are of {@code zone}. */
    public static String instant(String option, String text, Instant now, ZoneId zone) {
        return new BeginTime(option, text, now.atZone(zone)).instant().toString();
    }

    /** Refuses a date or a day whose time of day is a word of its own, which the program would get. */
    public static void requireWhole(String option, String text, String next) {
        boolean isDay =
                text.equals(TODAY) || text.equals(TOMORROW) || (text.length() == DATE_LENGTH && text.indexOf('-') > 0);
        boolean isTime = next.length() >= HOUR_LENGTH && Character.isDigit(next.charAt(0)) && next.indexOf(':') > 0;
        if (isDay && isTime) {
            throw Failure.usage(option + ": '" + text + "' and '" + next + "' are two words; write " + option + " '"
                    + text + " " + next + "', or put what is the program's behind --");
        }
    }

    private Instant instant() {
        SlurmForm.BEGIN.refuse(option, text);
        String relative = text.startsWith(NOW) ? text.substring(NOW.length()) : text;
        if (relative.startsWith("+")) {
            return later(relative.substring(1));
        }
        try {
            Instant begin = absolute();
            if (begin.isAfter(now.plus(LONGEST).toInstant())) {
                throw refused("is more than ten years away");
            }
            return begin;
        } catch (DateTimeException noSuchTime) {
            // A parser that has read a number in the right place says by its cause what is wrong with that.
            throw refused(noSuchTime.getCause() instanceof DateTimeException ? "is no time that there is" : NONE);
        }
    }

    private Instant later(String duration) {
        long seconds = DurationText.seconds(duration);
        if (seconds <= 0 || seconds > LONGEST.toSeconds()) {
            throw refused("is not + and a duration of at most ten years (" + Forms.DURATION + ")");
        }
        return now.toInstant().plusSeconds(seconds);
    }

    private Instant absolute() {
        if (text.startsWith(TODAY)) {
            return coming(at(now.toLocalDate(), text.substring(TODAY.length()).strip()));
        }
        if (text.startsWith(TOMORROW)) {
            String time = text.substring(TOMORROW.length()).strip();
            return at(now.toLocalDate().plusDays(1), time.isEmpty() ? "0:00" : time);
        }
        if (text.length() >= DATE_LENGTH && text.charAt("2026".length()) == '-') {
            return coming(dated());
        }
        if (DurationText.seconds(text) > 0 && text.indexOf(':') < 0) {
            throw refused("is a duration; + stands before it");
        }
        LocalTime time = time(text);
        // Where the hour comes twice today, the second one may be to come.
        return now.getZone().getRules().getValidOffsets(now.toLocalDate().atTime(time)).stream()
                .map(offset -> now.toLocalDate().atTime(time).toInstant(offset))
                .filter(today -> today.isAfter(now.toInstant()))
                .findFirst()
                .orElseGet(() -> notToday(time));
    }

    /** A time that there is not today, but later on, is refused as such. */
    private Instant notToday(LocalTime time) {
        boolean isToCome = time.isAfter(now.toLocalTime());
        return local(now.toLocalDate().plusDays(isToCome ? 0 : 1).atTime(time));
    }

    private Instant dated() {
        LocalDate date = LocalDate.parse(text.substring(0, DATE_LENGTH));
        if (text.length() == DATE_LENGTH) {
            return local(date.atStartOfDay());
        }
        char between = text.charAt(DATE_LENGTH);
        if (between != 'T' && between != ' ') {
            throw refused(NONE);
        }
        String time = padded(text.substring(DATE_LENGTH + 1));
        boolean hasZone = time.endsWith("Z") || time.indexOf('+') >= 0 || time.indexOf('-') >= 0;
        return hasZone ? OffsetDateTime.parse(date + "T" + time).toInstant() : at(date, time);
    }

    private Instant at(LocalDate date, String time) {
        return local(date.atTime(time(time)));
    }

    private static LocalTime time(String text) {
        return LocalTime.parse(padded(text));
    }

    /** With an hour of two digits. */
    private static String padded(String time) {
        return time.length() >= HOUR_LENGTH && time.charAt(1) == ':' ? "0" + time : time;
    }

    /** Where clocks are set forward an hour is missing, and one comes twice where they are set back: the first counts. */
    private Instant local(LocalDateTime time) {
        if (now.getZone().getRules().getValidOffsets(time).isEmpty()) {
            throw refused("is a time that there is not in " + now.getZone() + ", where clocks are set forward then");
        }
        return time.atZone(now.getZone()).toInstant();
    }

    private Instant coming(Instant begin) {
        if (!begin.isAfter(now.toInstant())) {
            throw refused("is over already");
        }
        return begin;
    }

    private Failure refused(String rule) {
        return Failure.usage(option + ": '" + text + "' " + rule + "; write it as " + Forms.DATE + ", for example "
                + option + " +2h");
    }
}
