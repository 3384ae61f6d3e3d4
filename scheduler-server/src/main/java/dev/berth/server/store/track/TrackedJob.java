package dev.berth.server.store.track;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** What is known of a job while something is written of it, so that its bounds are kept without a question to the database. */
final class TrackedJob {
    static final int MAX_METRICS = 1_000;
    static final int MAX_PARAMETERS = 1_000;
    static final int MAX_TAGS = 100;
    static final int MAX_ARTIFACTS = 1_000;
    static final long MAX_POINTS = 20_000_000;

    final long job;
    final Map<String, OpenSeries> series = new HashMap<>();
    final Set<String> parameters;
    final Set<String> tags;
    final Set<String> artifacts;
    long points;

    private TrackedJob(Connection connection, long job) throws SQLException {
        this.job = job;
        this.parameters = names(connection, "SELECT name FROM parameter WHERE job = ?");
        this.tags = names(connection, "SELECT name FROM tag WHERE job = ?");
        this.artifacts = names(connection, "SELECT path FROM artifact WHERE job = ?");
    }

    /** Reads what is known of a job; notes that there is one where nothing was told of it before. */
    static TrackedJob read(Connection connection, long job) throws SQLException {
        TrackedJob tracked = new TrackedJob(connection, job);
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO tracked (job) VALUES (?) ON CONFLICT DO NOTHING")) {
            insert.setLong(1, job);
            insert.executeUpdate();
        }
        try (PreparedStatement select = connection.prepareStatement("SELECT * FROM series WHERE job = ?")) {
            select.setLong(1, job);
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    OpenSeries open = new OpenSeries(row.getLong("id"), MetricRows.read(row), row.getInt("loose"));
                    tracked.series.put(open.metric().name(), open);
                    tracked.points += open.metric().points();
                }
            }
        }
        return tracked;
    }

    private Set<String> names(Connection connection, String sql) throws SQLException {
        Set<String> names = new HashSet<>();
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setLong(1, job);
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    names.add(row.getString(1));
                }
            }
        }
        return names;
    }

    /** Whether there is room for a name among those, which has it from now on. */
    static boolean hasRoom(Set<String> names, String name, int most) {
        return names.contains(name) || (names.size() < most && names.add(name));
    }
}
