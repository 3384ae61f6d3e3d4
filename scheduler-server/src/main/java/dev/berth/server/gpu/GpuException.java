package dev.berth.server.gpu;

/** The GPUs, or one of them, cannot be allocated as asked; the message is for people. */
public final class GpuException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Kind kind;

    /** The kind of a failure, for programs. */
    public enum Kind {
        /** No GPU, no driver, no library, or a wish that cannot be. */
        UNAVAILABLE,
        /** This GPU has fallen off the bus. */
        LOST,
        /** The driver did not answer in time. */
        HUNG,
        /** The driver answered with an error. */
        FAILED
    }

    public GpuException(String message) {
        this(Kind.UNAVAILABLE, message);
    }

    public GpuException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    public GpuException(String message, Throwable cause) {
        super(message, cause);
        this.kind = Kind.UNAVAILABLE;
    }

    public Kind kind() {
        return kind;
    }
}
