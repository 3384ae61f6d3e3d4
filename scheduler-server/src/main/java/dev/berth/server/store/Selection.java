package dev.berth.server.store;

import dev.berth.server.store.JobQueries.Filter;
import java.util.ArrayList;
import java.util.List;

/** A question in the making, with its parameters in their order; lives on one thread for the length of one call. */
final class Selection {
    private final StringBuilder sql;
    private final List<Object> parameters = new ArrayList<>();

    Selection(String sql, Object... parameters) {
        this.sql = new StringBuilder(sql);
        this.parameters.addAll(List.of(parameters));
    }

    /**
     * A question that ends in conditions, and whose jobs those are.
     *
     * @param plus before a column keeps SQLite from choosing its index
     */
    Selection(String sql, Filter filter, String plus, Object... parameters) {
        this(sql, parameters);
        and(plus + "uid", filter.uid());
        and(plus + "project", filter.project());
        and(plus + "name", filter.name());
        and("array", filter.array());
        if (filter.array() == null) {
            // No list has packs: those have their array negated.
            then(" AND " + (filter.tasks() ? "coalesce(array, 0) >= 0" : plus + "array IS NULL"));
        }
    }

    private void and(String column, @org.jspecify.annotations.Nullable Object value) {
        if (value != null) {
            then(" AND " + column + " = ?", value);
        }
    }

    Selection then(String more, Object... values) {
        sql.append(more);
        parameters.addAll(List.of(values));
        return this;
    }

    Selection then(Selection inner) {
        sql.append(inner.sql);
        parameters.addAll(inner.parameters);
        return this;
    }

    String sql() {
        return sql.toString();
    }

    List<Object> parameters() {
        return List.copyOf(parameters);
    }
}
