package dev.berth.server.loop;

/** The inbox is full, or closed for good; nothing was taken on. */
public final class BusyException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    BusyException(String message) {
        super(message);
    }
}
