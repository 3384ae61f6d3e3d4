package dev.berth.server.log;

import dev.berth.server.disk.DurableFiles;
import dev.berth.server.log.LogSink.Stream;
import dev.berth.server.time.Clocks;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Optional;
import java.util.zip.CRC32;

/**
 * The position of the container engine's copy of an attempt's output against the log that is kept here, in a file
 * beside that. The engine replays one attempt, not the job; and one that is killed may lose what it had handed out
 * already. Where nothing of the kind has happened there is no such file.
 *
 * @param attempt the latest, from 1
 * @param before what the log held when the attempt began
 * @param epochMillis when its first byte came, and 0 before that; of the first attempt the log itself tells
 * @param setMillis how far the date was set between the opening of the log and that byte, ahead or back: the engine may have
 *     written it down at the date of before
 * @param began the engine's own time of the first line that it had when it was first asked; 0 nanoseconds before that
 * @param lost how much of what is kept of the attempt the engine's copy lacks
 * @param agreed up to where the log was compared when that was found: from there on the two agree again
 * @param date how it stood when the log grew last
 */
record EngineCopy(
        int attempt,
        WrittenBytes before,
        long epochMillis,
        long setMillis,
        long began,
        WrittenBytes lost,
        WrittenBytes agreed,
        DateSet date) {
    static final EngineCopy FIRST =
            new EngineCopy(1, WrittenBytes.NOTHING, 0, 0, 0, WrittenBytes.NOTHING, WrittenBytes.NOTHING, DateSet.NEVER);

    private static final String NAME = "log-attempt";
    private static final String UNFINISHED = "log-attempt.new";
    private static final int NUMBERS = 16;
    private static final int CHECKED_BYTES = NUMBERS * Long.BYTES;
    private static final int BYTES = CHECKED_BYTES + Long.BYTES;
    private static final long NANOS = 1_000_000_000;

    /** Two clocks that are read one after the other differ by less, nearly always. */
    private static final long JITTER_MILLIS = 100;

    /**
     * The date's relation to the time that passes.
     *
     * @param aheadMillis how far it is ahead of the steady clock
     * @param isSetBack whether it was set back since the attempt's first byte
     * @param zeroMillis the date at which that clock began, as each start of the machine has one of its own; 0 for any
     */
    record DateSet(long aheadMillis, boolean isSetBack, long zeroMillis) {
        static final DateSet NEVER = new DateSet(0, false, 0);

        static DateSet of(Clocks clock, Instant now) {
            return new DateSet(clock.ahead(now).toMillis(), false, clock.zero().toEpochMilli());
        }

        private boolean isOfSameClock(DateSet other) {
            return zeroMillis == 0 || zeroMillis == other.zeroMillis;
        }

        /** The distance by which it was set until {@code now}, ahead or back; the same clock has counted since. */
        long setMillis(DateSet now) {
            long set = now.aheadMillis - aheadMillis;
            return Math.abs(set) < JITTER_MILLIS ? 0 : set;
        }

        /** By how much it was set back until {@code now}; nothing where another clock counts since. */
        long setBackMillis(DateSet now) {
            return isOfSameClock(now) ? Math.max(0, aheadMillis - now.aheadMillis) : 0;
        }

        /** The copy as it stands now, an equal one as long as nobody has set it. */
        private DateSet then(DateSet now, boolean hasBegun) {
            if (isOfSameClock(now) && setMillis(now) == 0) {
                return this;
            }
            return new DateSet(now.aheadMillis, isSetBack || (hasBegun && setBackMillis(now) > 0), now.zeroMillis);
        }
    }

    /** The next attempt's, which begins behind everything that is kept. */
    static EngineCopy ofAttempt(int attempt, WrittenBytes before, DateSet now) {
        return new EngineCopy(attempt, before, 0, 0, 0, WrittenBytes.NOTHING, before, now);
    }

    EngineCopy withFirstByte(long millis, long set) {
        return new EngineCopy(attempt, before, millis, set, began, lost, agreed, date);
    }

    EngineCopy withBegin(Instant first) {
        long nanos = first.getEpochSecond() * NANOS + first.getNano();
        return new EngineCopy(attempt, before, epochMillis, setMillis, nanos, lost, agreed, date);
    }

    /** The engine's own time of its first line, once it was asked. */
    Optional<Instant> begin() {
        return began == 0 ? Optional.empty() : Optional.of(Instant.ofEpochSecond(began / NANOS, began % NANOS));
    }

    /** The copy once the engine was found to lack {@code bytes} of a stream, of which {@code written} are kept. */
    EngineCopy lacking(Stream stream, long bytes, WrittenBytes written) {
        WrittenBytes up = agreed.plus(stream, written.of(stream) - agreed.of(stream));
        return new EngineCopy(attempt, before, epochMillis, setMillis, began, lost.plus(stream, bytes), up, date);
    }

    /**
     * The copy as the date stands now; an equal one as long as nobody has set it.
     *
     * @param written what is kept
     */
    EngineCopy with(DateSet now, WrittenBytes written) {
        DateSet next = date.then(now, written.total() > before.total());
        return next.equals(date)
                ? this
                : new EngineCopy(attempt, before, epochMillis, setMillis, began, lost, agreed, next);
    }

    /** The bytes of a stream that a replay brings again, where {@code written} is kept in all. */
    long expected(Stream stream, WrittenBytes written) {
        return Math.max(0, written.of(stream) - before.of(stream) - lost.of(stream));
    }

    /** The one that is kept; the first attempt's where none is. */
    static EngineCopy read(Path directory) throws IOException {
        byte[] content;
        try {
            content = Files.readAllBytes(directory.resolve(NAME));
        } catch (NoSuchFileException e) {
            return FIRST;
        }
        ByteBuffer bytes = ByteBuffer.wrap(content);
        if (content.length != BYTES || bytes.getLong(CHECKED_BYTES) != checksum(bytes)) {
            throw new IOException("the file " + directory.resolve(NAME) + " is damaged");
        }
        int attempt = Math.toIntExact(bytes.getLong());
        WrittenBytes before = written(bytes);
        long epochMillis = bytes.getLong();
        long setMillis = bytes.getLong();
        long began = bytes.getLong();
        return new EngineCopy(
                attempt, before, epochMillis, setMillis, began, written(bytes), written(bytes), date(bytes));
    }

    private static WrittenBytes written(ByteBuffer bytes) {
        return new WrittenBytes(bytes.getLong(), bytes.getLong(), bytes.getLong());
    }

    private static DateSet date(ByteBuffer bytes) {
        return new DateSet(bytes.getLong(), bytes.getLong() != 0, bytes.getLong());
    }

    /** On disk when this returns. */
    void write(Path directory) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(BYTES).putLong(attempt);
        put(bytes, before);
        bytes.putLong(epochMillis).putLong(setMillis).putLong(began);
        put(bytes, lost);
        put(bytes, agreed);
        bytes.putLong(date.aheadMillis()).putLong(date.isSetBack() ? 1 : 0).putLong(date.zeroMillis());
        bytes.putLong(checksum(bytes)).clear();
        Path unfinished = directory.resolve(UNFINISHED);
        try (FileChannel file = FileChannel.open(
                unfinished,
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE,
                StandardOpenOption.TRUNCATE_EXISTING)) {
            while (bytes.hasRemaining()) {
                file.write(bytes);
            }
            file.force(true);
        }
        DurableFiles.move(unfinished, directory.resolve(NAME));
        DurableFiles.forceDirectory(directory);
    }

    private static void put(ByteBuffer bytes, WrittenBytes written) {
        bytes.putLong(written.out()).putLong(written.err()).putLong(written.notices());
    }

    static void delete(Path directory) throws IOException {
        Files.deleteIfExists(directory.resolve(UNFINISHED));
        Files.deleteIfExists(directory.resolve(NAME));
    }

    private static long checksum(ByteBuffer bytes) {
        CRC32 checksum = new CRC32();
        checksum.update(bytes.slice(0, CHECKED_BYTES));
        return checksum.getValue();
    }
}
