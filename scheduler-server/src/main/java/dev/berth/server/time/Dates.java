package dev.berth.server.time;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Dates for people, in the zone of the server's machine, which is named. */
public final class Dates {
    private static final DateTimeFormatter FORM =
            DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss xxx '('VV')'", Locale.ROOT);

    private Dates() {}

    public static String inWords(Instant date) {
        return inWords(date, ZoneId.systemDefault());
    }

    static String inWords(Instant date, ZoneId zone) {
        return FORM.format(date.atZone(zone));
    }
}
