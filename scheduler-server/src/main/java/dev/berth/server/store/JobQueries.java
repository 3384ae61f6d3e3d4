package dev.berth.server.store;

import dev.berth.core.api.JobEventView;
import dev.berth.core.api.ServerView.StateCount;
import dev.berth.core.job.GpuId;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.StateName;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.function.Consumer;
import java.util.stream.Stream;
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
     * @param states empty for all
     * @param project or null for any
     * @param name or null for any
     */
    public record Filter(
            @Nullable Long uid,
            List<StateName> states,
            @Nullable String project,
            @Nullable String name) {
        public Filter {
            states = List.copyOf(states);
        }

        /** Everybody's jobs that have ended. */
        public static Filter ended() {
            return of(null).with(Stream.of(StateName.values())
                    .filter(StateName::isFinal)
                    .toList());
        }

        /** The same jobs where they are in one of these states. */
        public Filter with(List<StateName> wanted) {
            return new Filter(uid, wanted, project, name);
        }

        /** All jobs of a user, or with null of everybody. */
        public static Filter of(@Nullable Long uid) {
            return new Filter(uid, List.of(), null, null);
        }
    }

    private interface Query<T> {
        T on(Connection connection) throws SQLException;
    }

    private final BlockingQueue<Connection> idle = new ArrayBlockingQueue<>(CONNECTIONS);
    private final DatabaseFile file;
    private final Standing standing;
    private final Consumer<StoreException> broken;

    public JobQueries(Path file) {
        this(file, _ -> {});
    }

    /**
     * Questions to the database in that file.
     *
     * @param broken hears of it when the file turns out to be damaged or gone
     */
    public JobQueries(Path file, Consumer<StoreException> broken) {
        this.file = new DatabaseFile(file);
        this.broken = broken;
        for (int i = 0; i < CONNECTIONS; i++) {
            idle.add(Database.openReader(file));
        }
        this.standing = Standing.of(this.file);
    }

    public Optional<Job> find(JobId id) {
        return ask(connection ->
                select(connection, Selects.BY_ID, List.of(id.value())).stream().findFirst());
    }

    /** The jobs that hold a worker, by id. */
    public List<Job> live(Filter filter) {
        return select(Selects.live(filter));
    }

    /** The queued and held jobs behind an id, in order. */
    public List<Job> waiting(Filter filter, long after, int limit) {
        return select(Selects.waiting(filter, after, limit));
    }

    /** When a job came into the state it is in. */
    public Optional<Instant> lastChange(JobId id) {
        return ask(connection -> {
            try (PreparedStatement select = connection.prepareStatement(Selects.LAST_CHANGE)) {
                select.setLong(1, id.value());
                try (ResultSet row = select.executeQuery()) {
                    return row.next() ? Optional.of(JobRows.instant(row.getLong(1))) : Optional.empty();
                }
            }
        });
    }

    /** The GPUs that a job held last, in the order in which it saw them; empty for one that never held any. */
    public List<String> lastGpus(JobId id) {
        return ask(connection -> {
            try (PreparedStatement select = connection.prepareStatement(Selects.LAST_GPUS)) {
                select.setLong(1, id.value());
                try (ResultSet row = select.executeQuery()) {
                    return row.next() ? List.of(row.getString(1).split(",")) : List.of();
                }
            }
        });
    }

    /** Jobs before an id, the newest first. */
    public List<Job> newest(Filter filter, long before, int limit) {
        return select(Selects.newest(filter, before, limit));
    }

    private List<Job> select(Selection selection) {
        return ask(connection -> select(connection, selection.sql(), selection.parameters()));
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

    /** How many queued jobs stand before a job, as {@link #queuedBetween} but counted from the queue's end. */
    public long queuedBefore(JobId id) {
        return ask(connection -> {
            try (PreparedStatement select = connection.prepareStatement(Selects.QUEUED_BEFORE)) {
                select.setLong(1, id.value());
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

    /** The jobs that ended before an instant, those that ended first first. */
    public List<Job> oldestEnded(Instant before, int limit) {
        long micros = before.equals(Instant.MAX) ? Long.MAX_VALUE : JobRows.micros(before);
        return ask(connection -> select(connection, Selects.OLDEST_ENDED, List.of(micros, (long) limit)));
    }

    /** How many jobs have ended and are kept. */
    public long ended() {
        return counts(null).stream()
                .filter(count -> StateName.valueOf(count.state()).isFinal())
                .mapToLong(StateCount::jobs)
                .sum();
    }

    /** What happened to any of a user's jobs after an event, or with null of everybody's, in order. */
    public List<JobEventView> feed(@Nullable Long uid, long after, int limit) {
        return ask(connection -> {
            List<Object> arguments = uid == null ? List.of(after, limit) : List.of(after, uid, limit);
            List<JobEventView> events = new ArrayList<>();
            try (PreparedStatement select = connection.prepareStatement(Selects.feed(uid != null))) {
                for (int i = 0; i < arguments.size(); i++) {
                    select.setObject(i + 1, arguments.get(i));
                }
                try (ResultSet row = select.executeQuery()) {
                    while (row.next()) {
                        events.add(event(row));
                    }
                }
            }
            return events;
        });
    }

    /** The number of the last thing that happened, 0 before the first. */
    public long lastEvent() {
        return ask(connection -> {
            try (PreparedStatement select = connection.prepareStatement(Selects.LAST_EVENT);
                    ResultSet row = select.executeQuery()) {
                return row.next() ? row.getLong(1) : 0L;
            }
        });
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

    /** Whether any job of that user, also one that is over, names that snapshot. */
    public boolean isReferenced(long uid, String snapshot) {
        return ask(connection -> {
            try (PreparedStatement select = connection.prepareStatement(Selects.OF_SNAPSHOT)) {
                select.setLong(1, uid);
                select.setString(2, snapshot);
                try (ResultSet row = select.executeQuery()) {
                    return row.next();
                }
            }
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
                row.getInt("attempt"),
                row.getString("sentence"));
    }

    /** What somebody should know of a job's last attempt, the oldest first. */
    public List<JobWarning> warnings(JobId id, int attempt) {
        return ask(connection -> WarningRows.read(connection, id, attempt));
    }

    /** What a job's last attempt made of its GPUs. */
    public Optional<StoredUsage> usage(JobId id) {
        return ask(connection -> UsageRows.read(connection, id));
    }

    /** The same of many jobs, those without any left out. */
    public List<StoredUsage> usages(List<JobId> ids) {
        return ask(connection -> {
            List<StoredUsage> usages = new ArrayList<>();
            for (JobId id : ids) {
                UsageRows.read(connection, id).ifPresent(usages::add);
            }
            return usages;
        });
    }

    /** What is kept of a GPU's history, the oldest first. */
    public List<GpuSamples> history(GpuId gpu) {
        return ask(connection -> UsageRows.read(connection, gpu));
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
            StoreException why = why(e);
            if (why.isBroken()) {
                broken.accept(why);
            }
            throw why;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreException("interrupted while reading the database", e);
        }
    }

    /** A file that is gone shows as this error or that; what is asked then is where it is. */
    private StoreException why(SQLException e) {
        try {
            standing.require();
            return file.failed("the database could not be read", e);
        } catch (StoreException gone) {
            gone.addSuppressed(e);
            return gone;
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
