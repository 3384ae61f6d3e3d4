package dev.berth.server.store.track;

import dev.berth.core.machine.Attempt;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What one look at a source of an attempt gave, and how far it was read. For one thread.
 */
public final class Reading {
    /** More than a piece of a file has in which each value takes the room that writers give it. */
    private static final int MAX_ENTRIES = 100_000;

    private final Attempt attempt;
    private final String source;
    private final List<Entry> entries = new ArrayList<>();
    private final Map<String, Omission> omissions = new LinkedHashMap<>();
    private Position position;

    /**
     * How far a source is read.
     *
     * @param bytes from its beginning
     * @param isSkipping whether a line that is too long goes on there
     * @param isDone whether nothing will come any more
     */
    public record Position(long bytes, boolean isSkipping, boolean isDone) {
        /** Where a source begins. */
        public static final Position START = new Position(0, false, false);
    }

    /**
     * What was left out.
     *
     * @param kind for programs
     * @param sentence for people, of the first of its kind
     * @param times how often
     */
    public record Omission(String kind, String sentence, long times) {
        Omission again() {
            return new Omission(kind, sentence, times + 1);
        }
    }

    /**
     * A look that found nothing yet.
     *
     * @param source which of the attempt's sources
     * @param position up to where it was read before
     */
    public Reading(Attempt attempt, String source, Position position) {
        this.attempt = attempt;
        this.source = source;
        this.position = position;
    }

    /** Adds what was found; beyond what one look may have in memory it is left out, and that is noted. */
    public void add(Entry entry) {
        if (entries.size() < MAX_ENTRIES) {
            entries.add(entry);
        } else {
            omit(
                    "TOO_MANY_AT_ONCE",
                    "More than 100,000 values stand in a piece of a file; the others of it are left out.");
        }
    }

    /** Notes that something was left out; the sentence of the first of a kind is kept. */
    public void omit(String kind, String sentence) {
        Omission before = omissions.get(kind);
        omissions.put(kind, before == null ? new Omission(kind, sentence, 1) : before.again());
    }

    public void readTo(Position now) {
        position = now;
    }

    public Attempt attempt() {
        return attempt;
    }

    /** Which of the attempt's sources was read. */
    public String source() {
        return source;
    }

    public Position position() {
        return position;
    }

    List<Entry> entries() {
        return entries;
    }

    Map<String, Omission> omissions() {
        return omissions;
    }

    /** Whether something was left out. */
    public boolean hasOmissions() {
        return !omissions.isEmpty();
    }

    /** The number of entries found up to now. */
    public int size() {
        return entries.size();
    }
}
