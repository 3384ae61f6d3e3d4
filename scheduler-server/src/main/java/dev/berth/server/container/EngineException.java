package dev.berth.server.container;

/** The engine did not do what it was asked. The message is for people. */
public final class EngineException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What to make of it. */
    public enum Kind {
        /** No answer, or not in time: nothing is known, ask again later. */
        UNREACHABLE,
        /** The image or container is not there. */
        NOT_FOUND,
        /** It said no, and would say it again. */
        REFUSED,
        /** It failed by its own fault, and may not fail the next time. */
        FAILING,
        /** It is about to end, or its disk is full: it can do nothing of the kind until that has changed. */
        UNABLE,
        /** What was to be started may have begun without the engine's knowledge; nothing of it is left. */
        BEGUN,
        /** The caller gave up. */
        INTERRUPTED
    }

    private final Kind kind;

    public EngineException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    public EngineException(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    /** What happened, for people. */
    public String sentence() {
        return String.valueOf(getMessage());
    }

    public Kind kind() {
        return kind;
    }
}
