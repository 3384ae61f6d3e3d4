package dev.berth.server.runner.host;

/** A refusal of what a client says about a process; the sentence says why. */
public final class LeaseException extends Exception {
    private static final long serialVersionUID = 1L;

    private final String field;

    LeaseException(String field, String sentence) {
        super(sentence);
        this.field = field;
    }

    /** The field of the request that is wrong. */
    public String field() {
        return field;
    }

    public String sentence() {
        return String.valueOf(getMessage());
    }
}
