package dev.berth.server.runner.kubernetes;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The new bytes of a log with time stamps, from a known position on. A line that has no end yet is taken as far as it goes; the
 * position stays before it. Memory is bounded, however long a line is.
 */
final class LogLines {
    private static final int BUFFER = 64 * 1024;

    /** Longer than any time stamp (RFC 3339 with nanoseconds). */
    private static final int MAX_STAMP = 64;

    private static final int MAX_WORDS = 300;

    private static final byte[] MISSED =
            "[berth: output is missing here: the node threw it away before it was fetched]\n".getBytes(US_ASCII);

    /** Where new bytes go. */
    @FunctionalInterface
    interface Sink {
        void take(byte[] bytes) throws IOException;
    }

    private final LogPosition known;
    private final BooleanSupplier isOther;
    private final Sink sink;
    private final ByteArrayOutputStream fresh = new ByteArrayOutputStream();
    private final ByteArrayOutputStream stamp = new ByteArrayOutputStream();

    private LogPosition position;
    private long skip;
    private long taken;
    private int sharing;
    private boolean isBehind;
    private long length;
    private @Nullable Instant at;

    /**
     * Makes one that has read nothing.
     *
     * @param known where to go on
     * @param skip how many bytes behind that are known, too
     * @param isOther asked where the known line is not there: whether this is a log of which nothing is known
     */
    LogLines(LogPosition known, long skip, BooleanSupplier isOther, Sink sink) {
        this.known = known;
        this.isOther = isOther;
        this.position = known;
        this.skip = skip;
        this.sink = sink;
        this.isBehind = known.stamp() == null;
    }

    /**
     * Reads until the end, or until so many new bytes were taken.
     *
     * @return whether there may be more
     * @throws OtherLogException before anything was taken
     */
    boolean read(InputStream log, long most) throws IOException {
        byte[] buffer = new byte[BUFFER];
        int count = 0;
        while (taken < most && (count = log.read(buffer)) >= 0) {
            for (int i = 0; i < count; i++) {
                if (!accept(buffer[i])) {
                    flush();
                    throw new NoLogException(stamp.toString(UTF_8) + line(buffer, i, count));
                }
            }
            flush();
        }
        return count >= 0;
    }

    private static String line(byte[] buffer, int from, int count) {
        return new String(buffer, from, Math.min(count - from, MAX_WORDS), UTF_8)
                .lines()
                .findFirst()
                .orElse("");
    }

    /** Whether it is of a log at all. */
    private boolean accept(byte next) throws IOException {
        if (at == null) {
            return stamp(next);
        }
        length++;
        if (isBehind) {
            content(next);
        }
        if (next == '\n') {
            endLine();
        }
        return true;
    }

    private boolean stamp(byte next) throws IOException {
        if (next != ' ' && next != '\n' && stamp.size() < MAX_STAMP) {
            stamp.write(next);
            return true;
        }
        Instant read = PodState.time(stamp.toString(US_ASCII)).orElse(null);
        if (read == null) {
            return false;
        }
        stamp.reset();
        at = read;
        length = 0;
        begin(read);
        return next != '\n' || accept(next);
    }

    /** Finds out whether the line that begins is behind what is known. */
    private void begin(Instant read) throws IOException {
        Instant last = known.stamp();
        if (isBehind || last == null) {
            return;
        }
        if (read.equals(last) && sharing < known.lines()) {
            sharing++;
        } else if (!read.isBefore(last)) {
            isBehind = true;
            if (sharing == 0) {
                if (isOther.getAsBoolean()) {
                    throw new OtherLogException();
                }
                missed(last);
            }
        }
    }

    /** The line is not there any more behind which it was to go on: its node has thrown older output away. */
    private void missed(Instant last) throws IOException {
        sink.take(MISSED);
        position = new LogPosition(known.bytes() + skip + MISSED.length, last, known.lines());
        skip = 0;
    }

    private void content(byte next) {
        if (skip > 0) {
            skip--;
        } else {
            fresh.write(next);
        }
    }

    private void endLine() {
        if (isBehind && at != null) {
            position = position.after(at, length);
        }
        at = null;
    }

    private void flush() throws IOException {
        if (fresh.size() > 0) {
            taken += fresh.size();
            sink.take(fresh.toByteArray());
            fresh.reset();
        }
    }

    /** What came is no log: a node puts its own words in the place of one that it does not have (kubelet, "unable to retrieve ..."). */
    static final class NoLogException extends IOException {
        private static final long serialVersionUID = 1L;

        NoLogException(String words) {
            super(words);
        }
    }

    /** The container whose log was to be read has been started again, and this is its next one. */
    static final class OtherLogException extends IOException {
        private static final long serialVersionUID = 1L;
    }

    /** The place behind the last whole line. */
    LogPosition position() {
        return position;
    }
}
