package dev.berth.server.runner.kubernetes;

import java.time.Instant;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A place between two lines of a program's output. Kubernetes can be asked for output from a second on; so the time stamp of the last
 * line says where to ask, and the count of lines with that very stamp, which several lines may share, what to leave out.
 *
 * @param bytes how much output is before it
 * @param stamp that of the last line before it, as Kubernetes wrote it; null at the beginning
 * @param lines how many of the lines before it have that stamp
 */
record LogPosition(long bytes, @Nullable Instant stamp, int lines) {
    static final LogPosition BEGINNING = new LogPosition(0, null, 0);

    private static final Pattern FORM = Pattern.compile("(\\d{1,18}) (\\S{1,40}) (\\d{1,9})");

    LogPosition after(Instant next, long length) {
        return new LogPosition(bytes + length, next, next.equals(stamp) ? lines + 1 : 1);
    }

    /** As it is kept with the Job. */
    String text() {
        return bytes + " " + stamp + " " + lines;
    }

    /** The position that a text says; empty where it says none. */
    static Optional<LogPosition> parse(String text) {
        Matcher matcher = FORM.matcher(text);
        return matcher.matches()
                ? PodState.time(matcher.group(2))
                        .map(stamp -> new LogPosition(
                                Long.parseLong(matcher.group(1)), stamp, Integer.parseInt(matcher.group(3))))
                : Optional.empty();
    }
}
