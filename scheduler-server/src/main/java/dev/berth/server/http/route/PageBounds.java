package dev.berth.server.http.route;

/** The bounds of a page of a list of jobs, whatever they are chosen and ordered by. */
final class PageBounds {
    /** The jobs of a page where no limit is asked for. */
    static final int DEFAULT_LIMIT = 100;

    static final int MAX_LIMIT = 1_000;

    /** With that many bytes a page ends, however few jobs it has; what is behind them is another page. */
    static final long MAX_BYTES = 4L << 20;

    /** With so many jobs looked at a page ends, however few of them are shown. */
    static final int MAX_LOOKED = 20_000;

    private PageBounds() {}
}
