package dev.berth.server.log;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The places in a job's log where its attempts begin. An attempt has no mark where its log was never opened, as when it was
 * put off before its container ran.
 *
 * @param since the attempt from which on each whose log was opened has a mark
 * @param marks in order, never none
 */
public record AttemptMarks(int since, List<Mark> marks) {
    /** The most marks that are kept; more attempts of one job are not expected, and the earliest are forgotten then. */
    static final int MAX_MARKS = 4_096;

    static final AttemptMarks FIRST = new AttemptMarks(1, List.of(new Mark(1, 0, 0)));

    public AttemptMarks {
        marks = List.copyOf(marks);
        if (marks.isEmpty()) {
            throw new IllegalArgumentException("a log has an attempt");
        }
    }

    /**
     * The beginning of an attempt. Berth's own line that says so stands between the two offsets.
     *
     * @param before where the output of earlier attempts ends
     * @param begin where its own begins
     */
    record Mark(int attempt, long before, long begin) {}

    /**
     * The part of the log that is of one attempt.
     *
     * @param begin the offset of its first byte; {@link #AT_END} for one whose log was not opened yet
     * @param end the offset behind its last byte; {@link #AT_END} where no later attempt has begun
     */
    public record Part(long begin, long end) {
        /** The end of the log as it stands. */
        public static final long AT_END = Long.MAX_VALUE;
    }

    private int last() {
        return marks.getLast().attempt();
    }

    /** The part of an attempt; empty where it is not known. */
    public Optional<Part> part(int attempt) {
        Mark own = null;
        Mark next = null;
        for (Mark mark : marks) {
            own = mark.attempt() == attempt ? mark : own;
            next = mark.attempt() > attempt && next == null ? mark : next;
        }
        long end = next == null ? Part.AT_END : next.before();
        boolean isNext = next == null || next.attempt() == attempt + 1 || attempt + 1 >= since;
        return isNext && (own != null || attempt >= since) ? Optional.of(part(own, end)) : Optional.empty();
    }

    private static Part part(@Nullable Mark own, long end) {
        return new Part(own == null ? end : own.begin(), end);
    }

    /**
     * The marks once an attempt has begun.
     *
     * @param before where the log ends
     * @param words the length of Berth's own line about it
     */
    AttemptMarks with(int attempt, long before, long words) {
        List<Mark> next = new ArrayList<>();
        long end = before;
        for (Mark mark : marks) {
            if (mark.attempt() < attempt) {
                next.add(mark);
            } else {
                // Of a beginning that a crash broke off, whose line is no earlier attempt's either.
                end = Math.min(end, mark.before());
            }
        }
        next.add(new Mark(attempt, end, before + words));
        return next.size() <= MAX_MARKS
                ? new AttemptMarks(since, next)
                : new AttemptMarks(Math.max(since, next.get(1).attempt()), next.subList(1, next.size()));
    }

    /** The marks, with what is known of an attempt that an older Berth has begun without one. */
    AttemptMarks with(EngineCopy copy) {
        if (copy.attempt() <= last()) {
            return this;
        }
        long begin = copy.before().total();
        long words = begin == 0 ? 0 : beginning(copy.attempt()).length();
        AttemptMarks with = with(copy.attempt(), begin - words, words);
        return new AttemptMarks(copy.attempt(), with.marks());
    }

    /** The line with which an attempt begins where an earlier one has written something; ASCII. */
    static String beginning(int attempt) {
        return "\n[berth: attempt " + attempt + " begins]\n";
    }
}
