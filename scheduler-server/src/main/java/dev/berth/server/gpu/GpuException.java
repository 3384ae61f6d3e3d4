package dev.berth.server.gpu;

/** The GPUs cannot be given out as asked; the message is for people. */
public final class GpuException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    GpuException(String message) {
        super(message);
    }

    GpuException(String message, Throwable cause) {
        super(message, cause);
    }
}
