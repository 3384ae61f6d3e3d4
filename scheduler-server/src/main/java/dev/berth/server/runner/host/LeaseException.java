package dev.berth.server.runner.host;

/** A client's word about a process that is not taken; the sentence says why. */
public final class LeaseException extends Exception {
    private static final long serialVersionUID = 1L;

    private final String field;

    LeaseException(String field, String sentence) {
        super(sentence);
        this.field = field;
    }

    /** Which part of what was said is wrong. */
    public String field() {
        return field;
    }

    public String sentence() {
        return String.valueOf(getMessage());
    }
}
