package dev.berth.server.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Rows of {@code token}. */
final class TokenRows {
    /** Dead tokens are shown for a while, and go when a user has more rows than this. */
    static final int MAX_ROWS_A_USER = 200;

    private static final String ALIVE = "revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)";

    private TokenRows() {}

    /**
     * Keeps a token; false where its user has {@code max} that live already, the id is taken, or the token that makes it
     * was revoked meanwhile. Of the sessions of the page the oldest ends where there are so many.
     */
    static boolean insert(Connection connection, Token token, int max) throws SQLException {
        if (isParentGone(connection, token)) {
            return false;
        }
        if (token.browser() != null) {
            endOldest(connection, token, max);
        } else if (countAlive(connection, token) >= max) {
            return false;
        }
        try (PreparedStatement insert = connection.prepareStatement("""
                INSERT INTO token (id, name, hash, uid, user, scope, created_at, expires_at, browser, parent)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING""")) {
            set(
                    insert,
                    token.id(),
                    token.name(),
                    token.hash(),
                    token.uid(),
                    token.user(),
                    token.scope(),
                    JobRows.micros(token.createdAt()),
                    microsOrNull(token.expiresAt()),
                    token.browser(),
                    token.parent());
            if (insert.executeUpdate() == 0) {
                return false;
            }
        }
        sweep(connection, token);
        return true;
    }

    private static long countAlive(Connection connection, Token token) throws SQLException {
        try (PreparedStatement count = connection.prepareStatement(
                "SELECT count(*) FROM token WHERE uid = ? AND browser IS NULL AND " + ALIVE)) {
            set(count, token.uid(), JobRows.micros(token.createdAt()));
            try (ResultSet row = count.executeQuery()) {
                return row.getLong(1);
            }
        }
    }

    private static void endOldest(Connection connection, Token session, int max) throws SQLException {
        List<Token> alive = ofUser(connection, session.uid()).stream()
                .filter(token ->
                        token.browser() != null && token.revokedAt() == null && !token.isExpired(session.createdAt()))
                .toList();
        for (Token old : alive.subList(Math.min(max - 1, alive.size()), alive.size())) {
            revoke(connection, old.id(), session.createdAt());
        }
    }

    private static boolean isParentGone(Connection connection, Token token) throws SQLException {
        String parent = token.parent();
        return parent != null
                && find(connection, parent)
                        .filter(found -> found.revokedAt() == null)
                        .isEmpty();
    }

    private static void sweep(Connection connection, Token token) throws SQLException {
        try (PreparedStatement delete = connection.prepareStatement("DELETE FROM token WHERE uid = ? AND NOT (" + ALIVE
                + ") AND id NOT IN (SELECT id FROM token WHERE uid = ? ORDER BY created_at DESC LIMIT ?)")) {
            set(delete, token.uid(), JobRows.micros(token.createdAt()), token.uid(), MAX_ROWS_A_USER);
            delete.executeUpdate();
        }
    }

    /** Takes a token back, with all that it made and that these made; the first time counts. */
    static void revoke(Connection connection, String id, Instant at) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("""
                WITH RECURSIVE family (id) AS (
                    VALUES (?) UNION SELECT token.id FROM family JOIN token ON token.parent = family.id)
                UPDATE token SET revoked_at = ? WHERE id IN (SELECT id FROM family) AND revoked_at IS NULL""")) {
            set(update, id, JobRows.micros(at));
            update.executeUpdate();
        }
    }

    static Optional<Token> find(Connection connection, String id) throws SQLException {
        return select(connection, "SELECT * FROM token WHERE id = ?", id).stream()
                .findFirst();
    }

    static List<Token> ofUser(Connection connection, long uid) throws SQLException {
        return select(
                connection,
                "SELECT * FROM token WHERE uid = ? ORDER BY created_at DESC LIMIT " + 2 * MAX_ROWS_A_USER,
                uid);
    }

    private static List<Token> select(Connection connection, String sql, Object argument) throws SQLException {
        List<Token> tokens = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            set(select, argument);
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    tokens.add(read(row));
                }
            }
        }
        return tokens;
    }

    private static Token read(ResultSet row) throws SQLException {
        return new Token(
                row.getString("id"),
                row.getString("name"),
                row.getString("hash"),
                row.getLong("uid"),
                row.getString("user"),
                row.getString("scope"),
                JobRows.instant(row.getLong("created_at")),
                instantOrNull(row, "expires_at"),
                instantOrNull(row, "revoked_at"),
                row.getString("browser"),
                row.getString("parent"));
    }

    private static @Nullable Instant instantOrNull(ResultSet row, String column) throws SQLException {
        long micros = row.getLong(column);
        return row.wasNull() ? null : JobRows.instant(micros);
    }

    private static @Nullable Long microsOrNull(@Nullable Instant instant) {
        return instant == null ? null : Long.valueOf(JobRows.micros(instant));
    }

    private static void set(PreparedStatement statement, @Nullable Object... arguments) throws SQLException {
        for (int i = 0; i < arguments.length; i++) {
            statement.setObject(i + 1, arguments[i]);
        }
    }
}
