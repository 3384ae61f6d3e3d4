package dev.berth.server.bounds;

/** The requests that are under way take as much memory as they may; nothing was taken on. */
public final class NoMemoryException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NoMemoryException(long most, boolean ofUser) {
        super((ofUser ? "your requests that are under way take" : "the requests that are under way take")
                + " as much memory as they may (" + (most >> 20)
                + " MiB); try again when some are answered, fewer at once");
    }
}
