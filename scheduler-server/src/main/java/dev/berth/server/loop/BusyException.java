package dev.berth.server.loop;

/** Too many requests wait, or none is taken any more; nothing was taken on. */
public final class BusyException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean stopping;

    private BusyException(String message, boolean stopping) {
        super(message);
        this.stopping = stopping;
    }

    public static BusyException full(int most) {
        return new BusyException(most + " requests wait already, the most that may; try again in a second", false);
    }

    static BusyException stopping() {
        return new BusyException("the server is stopping and takes nothing new", true);
    }

    /** Whether asking this server again is in vain. */
    public boolean isStopping() {
        return stopping;
    }
}
