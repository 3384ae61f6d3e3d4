package dev.berth.server.log;

import dev.berth.server.log.LogSink.Stream;
import dev.berth.server.time.Clocks;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The position of the container engine's copy of an attempt's output against the log that is kept here, in a file
 * beside that. The engine replays one attempt, not the job; and one that is killed may lose what it had handed out
 * already. Where nothing of the kind has happened there is no such file.
 *
 * @param attempt the latest, from 1
 * @param before what the log held when the attempt began
 * @param lineMillis when the first line of either stream was whole, kept once its bytes are not; 0 before that
 * @param setMillis how far the date was set between the opening of the log and its first byte, ahead or back: the engine may
 *     have written it down at the date of before
 * @param began the engine's own time of the first line that it had when it was first asked; 0 nanoseconds before that
 * @param date how it stood when the log grew last
 * @param unkept what is no longer kept of the attempt
 * @param gaps what the engine's copy lacks of what is kept, in order
 */
record EngineCopy(
        int attempt,
        WrittenBytes before,
        long lineMillis,
        long setMillis,
        long began,
        DateSet date,
        Unkept unkept,
        List<Gap> gaps) {
    static final EngineCopy FIRST =
            new EngineCopy(1, WrittenBytes.NOTHING, 0, 0, 0, DateSet.NEVER, Unkept.NOTHING, List.of());

    private static final long NANOS = 1_000_000_000;

    /** The most gaps that are kept; each is an engine that was killed in the middle of a line of this log. */
    private static final int MAX_GAPS = 256;

    /** No engine has written a first line at that time. */
    private static final long NEVER_BEGAN = -1;

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

    /**
     * The part of an attempt that is no longer kept.
     *
     * @param until where each stream of it ends
     * @param ascii how many of its bytes are ASCII, but for those that the engine's copy lacks: of these alone the engine has
     *     as many, whatever it made of the others
     */
    record Unkept(WrittenBytes until, WrittenBytes ascii) {
        static final Unkept NOTHING = new Unkept(WrittenBytes.NOTHING, WrittenBytes.NOTHING);
    }

    EngineCopy {
        gaps = List.copyOf(gaps);
    }

    /** The next attempt's, which begins behind everything that is kept. */
    static EngineCopy ofAttempt(int attempt, WrittenBytes before, DateSet now) {
        return new EngineCopy(attempt, before, 0, 0, 0, now, new Unkept(before, WrittenBytes.NOTHING), List.of());
    }

    EngineCopy withFirstByte(long set) {
        return new EngineCopy(attempt, before, lineMillis, set, began, date, unkept, gaps);
    }

    EngineCopy withBegin(Instant first) {
        long nanos = first.getEpochSecond() * NANOS + first.getNano();
        return new EngineCopy(attempt, before, lineMillis, setMillis, nanos, date, unkept, gaps);
    }

    /** The engine's own time of its first line, once it was asked. */
    Optional<Instant> begin() {
        return began == 0 ? Optional.empty() : Optional.of(Instant.ofEpochSecond(0, began));
    }

    /** The copy once the engine was found to lack everything from there on that is kept of a stream. */
    EngineCopy lacking(Gap gap) {
        List<Gap> all = new ArrayList<>(gaps);
        all.removeIf(earlier -> earlier.stream() == gap.stream() && earlier.position() >= gap.position());
        if (all.size() == MAX_GAPS) {
            // What comes in another order than it is kept cannot be compared any more.
            return new EngineCopy(attempt, before, lineMillis, setMillis, NEVER_BEGAN, date, unkept, gaps);
        }
        all.add(gap);
        return new EngineCopy(attempt, before, lineMillis, setMillis, began, date, unkept, all);
    }

    /** The copy once more of the attempt is not kept any longer. */
    EngineCopy dropping(Unkept more, long firstLineMillis) {
        List<Gap> left = gaps.stream()
                .filter(gap -> gap.end() > more.until().of(gap.stream()))
                .toList();
        return new EngineCopy(attempt, before, firstLineMillis, setMillis, began, date, more, left);
    }

    /** What it lacks of a stream, in order. */
    List<Gap> gaps(Stream stream) {
        return gaps.stream().filter(gap -> gap.stream() == stream).toList();
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
                : new EngineCopy(attempt, before, lineMillis, setMillis, began, next, unkept, gaps);
    }
}
