package dev.berth.server.gpu;

/** The GPUs, or one of them, cannot be given out as asked; the message is for people. */
public final class GpuException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Kind kind;

    /** What kind of failure it is, for programs. */
    public enum Kind {
        /** No card, no driver, no library, or a wish that cannot be. */
        UNAVAILABLE,
        /** This card has fallen off the bus. */
        LOST,
        /** The driver did not answer in time. */
        HUNG,
        /** The driver answered with an error. */
        FAILED
    }

    GpuException(String message) {
        this(Kind.UNAVAILABLE, message);
    }

    public GpuException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    GpuException(String message, Throwable cause) {
        super(message, cause);
        this.kind = Kind.UNAVAILABLE;
    }

    public Kind kind() {
        return kind;
    }
}
