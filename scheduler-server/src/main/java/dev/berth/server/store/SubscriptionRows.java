package dev.berth.server.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Rows of {@code subscription}. */
final class SubscriptionRows {
    private SubscriptionRows() {}

    /** Keeps one that is told of what happens from now on; empty where its user has so many already. */
    static Optional<Subscription> insert(Connection connection, Subscription wanted, int max) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("""
                INSERT INTO subscription (uid, user, moments, receiver, made_at, after_event)
                SELECT ?, ?, ?, ?, ?, (SELECT coalesce(max(sequence), 0) FROM job_event)
                WHERE (SELECT count(*) FROM subscription WHERE uid = ?) < ? RETURNING *""")) {
            insert.setLong(1, wanted.uid());
            insert.setString(2, wanted.user());
            insert.setString(3, wanted.moments());
            insert.setString(4, wanted.receiver());
            insert.setLong(5, JobRows.micros(wanted.madeAt()));
            insert.setLong(6, wanted.uid());
            insert.setInt(7, max);
            return read(insert).stream().findFirst();
        }
    }

    static void delete(Connection connection, Subscription subscription) throws SQLException {
        try (PreparedStatement delete = connection.prepareStatement("DELETE FROM subscription WHERE id = ?")) {
            delete.setLong(1, subscription.id());
            delete.executeUpdate();
        }
        if (!hasOther(connection, subscription)) {
            NoticeRows.delete(connection, subscription.uid(), subscription.receiver(), Integer.MAX_VALUE);
        }
    }

    /** Removes some of the notices that wait for a receiver, unless the user has it once more; how many there were. */
    static int deleteNotices(Connection connection, Subscription subscription, int max) throws SQLException {
        return hasOther(connection, subscription)
                ? 0
                : NoticeRows.delete(connection, subscription.uid(), subscription.receiver(), max);
    }

    private static boolean hasOther(Connection connection, Subscription subscription) throws SQLException {
        return ofUser(connection, subscription.uid()).stream()
                .anyMatch(other ->
                        other.id() != subscription.id() && other.receiver().equals(subscription.receiver()));
    }

    /** Keeps what became of the last thing that was sent to a receiver. */
    static void sent(Connection connection, NoticeEnd end) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(
                "UPDATE subscription SET sent_at = ?, error = ? WHERE uid = ? AND receiver = ?")) {
            update.setLong(1, JobRows.micros(end.at()));
            update.setString(2, end.sentence());
            update.setLong(3, end.notice().uid());
            update.setString(4, end.notice().receiver());
            update.executeUpdate();
        }
    }

    static List<Subscription> ofUser(Connection connection, long uid) throws SQLException {
        try (PreparedStatement select =
                connection.prepareStatement("SELECT * FROM subscription WHERE uid = ? ORDER BY id")) {
            select.setLong(1, uid);
            return read(select);
        }
    }

    private static List<Subscription> read(PreparedStatement statement) throws SQLException {
        List<Subscription> subscriptions = new ArrayList<>();
        try (ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                subscriptions.add(new Subscription(
                        row.getLong("id"),
                        row.getLong("uid"),
                        row.getString("user"),
                        row.getString("moments"),
                        row.getString("receiver"),
                        JobRows.instant(row.getLong("made_at")),
                        row.getLong("after_event"),
                        JobRows.instantOrNull(row, "sent_at"),
                        row.getString("error")));
            }
        }
        return subscriptions;
    }
}
