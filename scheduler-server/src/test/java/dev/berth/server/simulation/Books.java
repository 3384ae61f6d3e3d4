package dev.berth.server.simulation;

import dev.berth.core.job.JobId;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;

/** What is committed, read beside the server. */
final class Books {
    private final String url;

    Books(Path database) {
        this.url = "jdbc:sqlite:" + database;
    }

    /** How often a job has had its turn. */
    long turns(JobId job) {
        return number("SELECT count(*) FROM job_event WHERE job = " + job.value() + " AND event = 'Allocated'");
    }

    /** The number of the event by which a job had its last turn; 0 where it had none. */
    long lastTurn(JobId job) {
        return number(
                "SELECT coalesce(max(sequence), 0) FROM job_event WHERE event = 'Allocated' AND job = " + job.value());
    }

    /** The number of the event by which a job was said to have ended with the machine; 0 where none says so. */
    long lastReboot(JobId job) {
        return number("SELECT coalesce(max(sequence), 0) FROM job_event WHERE event = 'MachineRebooted' AND job = "
                + job.value());
    }

    /** The number of the last event. */
    long lastEvent() {
        return number("SELECT coalesce(max(sequence), 0) FROM job_event");
    }

    /** The number of the first event of this date or later, in microseconds since 1970. */
    long firstEventSince(long micros) {
        return number("SELECT coalesce(min(sequence), 0) FROM job_event WHERE at >= " + micros);
    }

    private long number(String select) {
        return pairs("SELECT 0, (" + select + ")").get(0L);
    }

    /** Rows of two numbers, the first one of which is never there twice. */
    Map<Long, Long> pairs(String select) {
        Map<Long, Long> pairs = new HashMap<>();
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(select)) {
            while (row.next()) {
                pairs.put(row.getLong(1), row.getLong(2));
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return pairs;
    }
}
