package dev.berth.server.store.database;

import dev.berth.server.bounds.UserTurns;
import dev.berth.server.bounds.UserTurns.Turn;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A few connections that read what was committed; a reader never holds the writer back. Safe for any thread; a caller waits
 * while all connections are in use, the first to come first, and a user while two of theirs are.
 */
public final class ReadConnections implements AutoCloseable {
    private static final int CONNECTIONS = 4;

    /**
     * The connections that one user's questions have at a time, so that the dear ones of one do not keep all others
     * waiting.
     */
    private static final int OF_ONE_USER = 2;

    /** The user for whom a thread asks; nobody where the server asks for itself. */
    private static final ThreadLocal<@Nullable Long> ASKER = new ThreadLocal<>();

    private static final Turn NO_TURN = () -> {};

    /** A question to the database. */
    @FunctionalInterface
    public interface Query<T> {
        T on(Connection connection) throws SQLException;
    }

    private final Semaphore free = new Semaphore(CONNECTIONS, true);

    /** The one that was used last is taken first: SQLite has read the schema on it, and pages that it needs again. */
    private final Deque<Connection> idle = new ConcurrentLinkedDeque<>();

    private final UserTurns turns = new UserTurns(OF_ONE_USER);
    private final DatabaseFile file;
    private final OpenDatabaseFiles standing;
    private final Consumer<StoreException> broken;

    /**
     * Connections to the database in that file, which is there.
     *
     * @param broken hears of it when the file turns out to be damaged or gone
     */
    public ReadConnections(Path file, Consumer<StoreException> broken) {
        this.file = new DatabaseFile(file);
        this.broken = broken;
        for (int i = 0; i < CONNECTIONS; i++) {
            idle.add(Database.openReader(file));
        }
        this.standing = OpenDatabaseFiles.of(this.file);
    }

    /** From now on this thread asks for that user, until what is returned is closed by it. */
    public static Turn askedBy(long uid) {
        ASKER.set(uid);
        return ASKER::remove;
    }

    /** Answers a question on a connection of its own. */
    public <T> T ask(Query<T> query) {
        Long asker = ASKER.get();
        try (Turn _ = asker == null ? NO_TURN : turns.take(asker)) {
            free.acquire();
            try {
                return askOnIdle(query);
            } finally {
                free.release();
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

    private <T> T askOnIdle(Query<T> query) throws SQLException {
        Connection connection = idle.pop();
        try {
            return query.on(connection);
        } finally {
            idle.push(connection);
        }
    }

    /** Looks whether the database is still where a restart would find it; who hears of a broken one hears where not. */
    public void requireInPlace() {
        try {
            standing.require();
        } catch (StoreException gone) {
            broken.accept(gone);
            throw gone;
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
