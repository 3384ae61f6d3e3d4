package dev.berth.core.sweep;

/** What is wrong with a sweep file, and at which place. */
public final class SweepRefusal extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public SweepRefusal(SourceLine place, String sentence) {
        super(place + ": " + sentence, null, false, false);
    }

    /** The place and the sentence. */
    public String sentence() {
        return String.valueOf(getMessage());
    }
}
