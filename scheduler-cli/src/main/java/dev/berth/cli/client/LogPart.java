package dev.berth.cli.client;

import org.jspecify.annotations.Nullable;

/**
 * The part of a log that is wanted.
 *
 * @param tail how many last lines; null for all
 * @param since an ISO time; null for all
 * @param stream {@code stdout} or {@code stderr}; null for both
 */
public record LogPart(
        @Nullable Integer tail,
        @Nullable String since,
        @Nullable String stream) {
    public static final LogPart ALL = new LogPart(null, null, null);

    /** Whether it begins where the log does. */
    boolean isFromTheBeginning() {
        return tail == null && since == null;
    }

    /** The part once it is known where it begins. */
    LogPart begun() {
        return new LogPart(null, null, stream);
    }

    /** As the API wants it, to be added to a query. */
    String query() {
        return (stream == null ? "" : "&stream=" + stream)
                + (tail == null ? "" : "&tail=" + tail)
                + (since == null ? "" : "&since=" + since);
    }
}
