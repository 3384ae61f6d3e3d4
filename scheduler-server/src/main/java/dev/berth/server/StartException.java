package dev.berth.server;

/** The server cannot start; the message says why and what to do, for people. */
final class StartException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Bad usage, as against a machine that is not ready. */
    static final int USAGE = 2;

    static final int FAILED = 125;

    private final int exitCode;

    private StartException(int exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    static StartException usage(String message) {
        return new StartException(USAGE, message);
    }

    static StartException failed(String message) {
        return new StartException(FAILED, message);
    }

    int exitCode() {
        return exitCode;
    }

    String sentence() {
        return String.valueOf(getMessage());
    }
}
