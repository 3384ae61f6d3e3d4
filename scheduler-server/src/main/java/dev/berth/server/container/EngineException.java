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
    private final boolean ofGpu;

    public EngineException(Kind kind, String message) {
        super(message);
        this.kind = kind;
        this.ofGpu = false;
    }

    public EngineException(Kind kind, String message, Throwable cause) {
        this(kind, message, cause, false);
    }

    /**
     * One about a container.
     *
     * @param ofGpu whether a GPU, or the way to it, is at fault, and not the container
     */
    public EngineException(Kind kind, String message, Throwable cause, boolean ofGpu) {
        super(message, cause);
        this.kind = kind;
        this.ofGpu = ofGpu;
    }

    /** Whether a GPU, or the way to it, is at fault. */
    public boolean isOfGpu() {
        return ofGpu;
    }

    /** What happened, for people. */
    public String sentence() {
        return String.valueOf(getMessage());
    }

    public Kind kind() {
        return kind;
    }
}
