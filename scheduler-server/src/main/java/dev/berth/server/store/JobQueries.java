package dev.berth.server.store;

import dev.berth.core.api.JobEventView;
import dev.berth.core.api.ServerView.StateCount;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * Reads what was committed, on a few connections of its own; a reader never holds the writer back. Safe for any thread;
 * a caller waits while all connections are in use.
 */
public final class JobQueries implements AutoCloseable {
    private static final int CONNECTIONS = 4;

    /**
     * Whose jobs, and which.
     *
     * @param uid the owner, or null for everybody's
     * @param states the names of the states, empty for all
     */
    public record Filter(@Nullable Long uid, List<String> states) {
        public Filter {
            states = List.copyOf(states);
        }
    }

    private interface Query<T> {
        T on(Connection connection) throws SQLException;
    }

    private final BlockingQueue<Connection> idle = new ArrayBlockingQueue<>(CONNECTIONS);

    public JobQueries(Path file) {
        for (int i = 0; i < CONNECTIONS; i++) {
            idle.add(Database.openReader(file));
        }
    }

    public Optional<Job> find(JobId id) {
        return ask(connection ->
                select(connection, Selects.BY_ID, List.of(id.value())).stream().findFirst());
    }

    /** The jobs that hold a worker, by id. */
    public List<Job> live(@Nullable Long uid) {
        return ask(connection -> select(connection, Selects.live(uid), List.of()));
    }

    /** The queued jobs behind an id, in order. */
    public List<Job> queued(@Nullable Long uid, long after, int limit) {
        return ask(connection -> select(connection, Selects.queued(uid), List.of(after, (long) limit)));
    }

    /** Jobs before an id, the newest first. */
    public List<Job> newest(Filter filter, long before, int limit) {
        List<Object> arguments = new ArrayList<>();
        arguments.add(before);
        if (filter.uid() != null) {
            arguments.add(filter.uid());
        }
        arguments.addAll(filter.states());
        arguments.add((long) limit);
        return ask(connection -> select(connection, Selects.newest(filter), arguments));
    }

    /**
     * How many queued jobs stand behind an id and before a job.
     *
     * @param sameLane which jobs count: all, or only those with, or only those without GPUs
     */
    public long queuedBetween(long after, JobId id, LaneFilter sameLane) {
        return ask(connection -> {
            try (PreparedStatement select = connection.prepareStatement(Selects.queuedBetween(sameLane))) {
                select.setLong(1, after);
                select.setLong(2, id.value());
                try (ResultSet row = select.executeQuery()) {
                    return row.getLong(1);
                }
            }
        });
    }

    /** The jobs of which lane to count. */
    public enum LaneFilter {
        ALL(""),
        WITH_GPUS(" AND gpu_milli > 0"),
        WITHOUT_GPUS(" AND gpu_milli = 0");

        private final String condition;

        LaneFilter(String condition) {
            this.condition = condition;
        }

        String condition() {
            return condition;
        }
    }

    /** How many jobs there are in each state. */
    public List<StateCount> counts(@Nullable Long uid) {
        return ask(connection -> {
            List<StateCount> counts = new ArrayList<>();
            try (PreparedStatement select = connection.prepareStatement(Selects.counts(uid));
                    ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    counts.add(new StateCount(row.getString(1), row.getLong(2)));
                }
            }
            return counts;
        });
    }

    /** What happened to a job after an event, in order. */
    public List<JobEventView> events(JobId id, long after, int limit) {
        return ask(connection -> {
            List<JobEventView> events = new ArrayList<>();
            try (PreparedStatement select = connection.prepareStatement(Selects.EVENTS)) {
                select.setLong(1, id.value());
                select.setLong(2, after);
                select.setInt(3, limit);
                try (ResultSet row = select.executeQuery()) {
                    while (row.next()) {
                        events.add(event(row));
                    }
                }
            }
            return events;
        });
    }

    private static JobEventView event(ResultSet row) throws SQLException {
        return new JobEventView(
                row.getLong("sequence"),
                row.getLong("job"),
                JobRows.instant(row.getLong("at")).toString(),
                row.getString("event"),
                row.getString("from_state"),
                row.getString("to_state"),
                row.getInt("attempt"));
    }

    public Optional<Token> token(String id) {
        return ask(connection -> TokenRows.find(connection, id));
    }

    /** The tokens of a user, the newest first. */
    public List<Token> tokens(long uid) {
        return ask(connection -> TokenRows.ofUser(connection, uid));
    }

    private static List<Job> select(Connection connection, String sql, List<?> arguments) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            for (int i = 0; i < arguments.size(); i++) {
                select.setObject(i + 1, arguments.get(i));
            }
            return JobRows.readAll(connection, select);
        }
    }

    private <T> T ask(Query<T> query) {
        try {
            Connection connection = idle.take();
            try {
                return query.on(connection);
            } finally {
                idle.add(connection);
            }
        } catch (SQLException e) {
            throw new StoreException("the database could not be read: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreException("interrupted while reading the database", e);
        }
    }

    @Override
    public void close() {
        for (Connection connection : idle) {
            try {
                connection.close();
            } catch (SQLException e) {
                throw new StoreException("a reading connection did not close: " + e.getMessage(), e);
            }
        }
    }
}
