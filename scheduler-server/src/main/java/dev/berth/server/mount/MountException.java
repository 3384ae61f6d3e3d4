package dev.berth.server.mount;

/** A mount that is not given. The message says why and what to do, for people. */
public final class MountException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    MountException(String sentence) {
        super(sentence);
    }

    /** The sentence about what is in the way. */
    public String sentence() {
        return String.valueOf(getMessage());
    }
}
