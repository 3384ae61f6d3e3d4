package dev.berth.server.runner;

import dev.berth.core.text.Utf8;

/** The engine did not do what it was asked. The message is for people. */
public final class EngineException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** An engine quotes what it was given, a command of a hundred kilobytes too; the sentence is kept with each job. */
    private static final int MAX_BYTES = 2_000;

    /** The kind of a failure, which says what to make of it. */
    public enum Kind {
        /** No answer: nothing is known, ask again later. */
        UNREACHABLE,
        /** The engine answers others, and did not do this in time: it may still do it. */
        LATE,
        /** The image or container is not there. */
        NOT_FOUND,
        /** The engine said no, and would say it again. */
        REFUSED,
        /** The engine failed, by its own fault or by that of what it was asked for, and may not fail the next time. */
        FAILING,
        /** Things that the engine left have to go first; it can do nothing of the kind until that has changed. */
        UNABLE,
        /** The program that was to be started may have begun without the engine's knowledge. */
        BEGUN,
        /** The caller gave up. */
        INTERRUPTED
    }

    /** Whom a failure that may pass concerns, and so who waits until it has. */
    public enum Scope {
        /** What was asked for alone. */
        ONE,
        /** All that is asked for as the same user. */
        USER,
        /** Everybody. */
        ALL
    }

    private final Kind kind;
    private final Scope scope;

    public EngineException(Kind kind, String message) {
        this(kind, Scope.ONE, message);
    }

    public EngineException(Kind kind, Scope scope, String message) {
        super(Utf8.cut(message, MAX_BYTES));
        this.kind = kind;
        this.scope = scope;
    }

    public EngineException(Kind kind, String message, Throwable cause) {
        this(kind, Scope.ONE, message, cause);
    }

    public EngineException(Kind kind, Scope scope, String message, Throwable cause) {
        super(Utf8.cut(message, MAX_BYTES), cause);
        this.kind = kind;
        this.scope = scope;
    }

    /** The sentence about what happened, for people. */
    public String sentence() {
        return String.valueOf(getMessage());
    }

    public Kind kind() {
        return kind;
    }

    public Scope scope() {
        return scope;
    }
}
