package dev.berth.core.option;

/** The least and the most that a number may be, both included. */
public record Bounds(long min, long max) {
    /** Those of what is no number. */
    static final Bounds ANY = new Bounds(Long.MIN_VALUE, Long.MAX_VALUE);

    public boolean contains(long number) {
        return number >= min && number <= max;
    }

    /** As it goes on from a verb: "from 1 to 64". */
    public String inWords() {
        return "from " + min + " to " + max;
    }
}
