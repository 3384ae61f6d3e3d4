package dev.berth.server.store;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * The first rows of an answer, as many as there was room for.
 *
 * @param more whether the answer has others behind them
 */
public record Rows<T>(List<T> items, boolean more) {
    /** The bytes that a row takes beside its texts. */
    private static final long ROW_BYTES = 256;

    public Rows {
        items = List.copyOf(items);
    }

    /** Makes something of the row that a result stands at. */
    @FunctionalInterface
    interface Reader<T> {
        T read(ResultSet row) throws SQLException;
    }

    /** Reads at most so many rows, up to the one with which they take so many bytes. */
    static <T> Rows<T> read(ResultSet row, int limit, long maxBytes, Reader<T> reader, ToLongFunction<T> size)
            throws SQLException {
        List<T> items = new ArrayList<>();
        long bytes = 0;
        while (row.next()) {
            if (items.size() >= limit || bytes >= maxBytes) {
                return new Rows<>(items, true);
            }
            T item = reader.read(row);
            items.add(item);
            bytes += ROW_BYTES + size.applyAsLong(item);
        }
        return new Rows<>(items, false);
    }
}
