package dev.berth.cli.output.text;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;

/** The API's times for people. Read by hand: the JDK's formatters cost more than a whole request. */
public final class Times {
    private static final int DATE_END = 10;
    private static final int CLOCK_END = 16;
    private static final int SECONDS_END = 19;

    private Times() {}

    /** "2026-03-01T09:30:00.123Z" as "2026-03-01 09:30:00 UTC". */
    public static String utc(String time) {
        return time.length() > SECONDS_END ? time.substring(0, SECONDS_END).replace('T', ' ') + " UTC" : time;
    }

    /** "2026-03-01T09:30:00.123Z" as "2026-03-01 09:30": for where it is said that this is UTC. */
    static String minute(String time) {
        return time.length() > CLOCK_END ? time.substring(0, CLOCK_END).replace('T', ' ') : time;
    }

    /** The time to the minute: "15:04 UTC" where it is on the same day as the other one, else with its date. */
    public static String clock(String time, String other) {
        if (time.length() < CLOCK_END || other.length() < DATE_END) {
            return time;
        }
        String date = time.substring(0, DATE_END);
        return (other.startsWith(date) ? "" : date + " ") + time.substring(DATE_END + 1, CLOCK_END) + " UTC";
    }

    public static boolean isSameMinute(String time, String other) {
        return time.length() >= CLOCK_END && other.startsWith(time.substring(0, CLOCK_END));
    }

    /** The time from one moment to another, in words; less than nothing is "0s". */
    public static String between(String from, Instant to) {
        return inWords(Duration.between(instant(from), to));
    }

    /** An ISO-8601 time in UTC, to the second. */
    public static Instant instant(String time) {
        try {
            return LocalDateTime.of(
                            Integer.parseInt(time, 0, 4, 10),
                            Integer.parseInt(time, 5, 7, 10),
                            Integer.parseInt(time, 8, 10, 10),
                            Integer.parseInt(time, 11, 13, 10),
                            Integer.parseInt(time, 14, 16, 10),
                            Integer.parseInt(time, 17, SECONDS_END, 10))
                    .toInstant(ZoneOffset.UTC);
        } catch (DateTimeException | NumberFormatException | IndexOutOfBoundsException oddlyWritten) {
            return Instant.parse(time);
        }
    }

    /** At most two units: "45s", "2m 5s", "3h", "1d 4h". */
    public static String inWords(Duration duration) {
        long seconds = Math.max(0, duration.toSeconds());
        if (seconds < 60) {
            return seconds + "s";
        }
        if (seconds < 3_600) {
            return two(seconds / 60, "m", seconds % 60, "s");
        }
        return seconds < 86_400
                ? two(seconds / 3_600, "h", seconds / 60 % 60, "m")
                : two(seconds / 86_400, "d", seconds / 3_600 % 24, "h");
    }

    private static String two(long large, String largeUnit, long small, String smallUnit) {
        return small == 0 ? large + largeUnit : large + largeUnit + " " + small + smallUnit;
    }
}
