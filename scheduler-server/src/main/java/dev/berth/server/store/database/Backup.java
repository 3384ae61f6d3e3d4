package dev.berth.server.store.database;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A whole copy of the database at one instant, in one file; what jobs told of themselves is in a second one beside it.
 *
 * @param madeAt to the second; a copy that was made before a migration is as old as the file it is of
 */
public record Backup(Path file, Kind kind, Instant madeAt) {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);
    private static final Pattern NAME =
            Pattern.compile("berth-(?:(daily|before-schema)-)?(?:[0-9]{3}-)?([0-9]{8}T[0-9]{6}Z)(?:-[0-9]{1,3})?\\.db");

    /** The reason why a backup was made. */
    public enum Kind {
        /** A backup that was asked for: it is never removed. */
        ASKED(""),
        /** The server made it by itself. */
        DAILY("daily-"),
        /** Made before a newer version changed the schema. */
        BEFORE_SCHEMA("before-schema-");

        private final String mark;

        Kind(String mark) {
            this.mark = mark;
        }
    }

    /** Its second file, with what jobs told of themselves; empty where it has none. */
    public Optional<Path> tracking() {
        return Optional.of(TrackingCopy.beside(file)).filter(Files::exists);
    }

    /** Whether it cannot have been made when it says, if it is {@code now}. */
    boolean isStillToCome(Instant now) {
        return madeAt.isAfter(now);
    }

    /** As in {@code berth-daily-20261121T030000Z.db}; {@code detail} is a part more or nothing. */
    static String name(Kind kind, String detail, Instant madeAt) {
        return "berth-" + kind.mark + detail + time(madeAt) + ".db";
    }

    /** As in {@code 20261121T030000Z}. */
    static String time(Instant instant) {
        return TIME.format(instant);
    }

    /** The backup in a file, if it has the name of one. */
    static Optional<Backup> of(Path file) {
        Matcher name = NAME.matcher(String.valueOf(file.getFileName()));
        if (!name.matches()) {
            return Optional.empty();
        }
        Kind kind =
                name.group(1) == null ? Kind.ASKED : name.group(1).equals("daily") ? Kind.DAILY : Kind.BEFORE_SCHEMA;
        try {
            return Optional.of(new Backup(file, kind, Instant.from(TIME.parse(name.group(2)))));
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }
}
