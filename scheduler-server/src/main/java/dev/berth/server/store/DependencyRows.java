package dev.berth.server.store;

import dev.berth.core.job.Dependency;
import dev.berth.core.job.DependencyKind;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState;
import dev.berth.core.job.StateName;
import dev.berth.core.job.Unmet;
import dev.berth.server.store.database.StoreException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Rows of {@code dependency}: what jobs wait for that are not ready. */
final class DependencyRows implements AutoCloseable {
    private final PreparedStatement insert;
    private final PreparedStatement markBroken;
    private final PreparedStatement delete;
    private final PreparedStatement deleteMet;
    private final PreparedStatement endAwaiting;

    DependencyRows(Connection connection) throws SQLException {
        insert = connection.prepareStatement("INSERT INTO dependency (job, other, kind) VALUES (?, ?, ?)");
        markBroken = connection.prepareStatement(
                "UPDATE dependency SET broken = 1 WHERE job = ? AND other = ? AND kind = ? AND broken = 0");
        delete = connection.prepareStatement("DELETE FROM dependency WHERE job = ? AND other = ? AND kind = ?");
        deleteMet = connection.prepareStatement("DELETE FROM dependency WHERE other = ? AND broken = 0");
        endAwaiting = connection.prepareStatement("""
            UPDATE job SET awaiting = 0 WHERE id IN (SELECT job FROM dependency AS met WHERE met.other = ?1 AND met.broken = 0
                AND NOT EXISTS (SELECT 1 FROM dependency AS more
                    WHERE more.job = met.job AND more.other <> ?1 AND more.broken = 0))\
            """);
    }

    /** What a state waits for beside its turn. */
    static Unmet unmet(JobState state) {
        return state.unmet();
    }

    void accept(JobId job, JobState state) throws SQLException {
        for (Dependency dependency : unmet(state).pending()) {
            run(insert, job, dependency);
        }
        // Of a task of an array that waits for somebody's decision.
        for (Dependency dependency : unmet(state).broken()) {
            run(insert, job, dependency);
            run(markBroken, job, dependency);
        }
    }

    /** Writes what has become of them. */
    void advance(JobId job, JobState before, JobState after) throws SQLException {
        Unmet was = unmet(before);
        Unmet is = unmet(after);
        if (was.equals(is)) {
            return;
        }
        for (Dependency dependency : was.pending()) {
            if (!is.pending().contains(dependency)) {
                run(is.broken().contains(dependency) ? markBroken : delete, job, dependency);
            }
        }
        for (Dependency dependency : was.broken()) {
            if (!is.broken().contains(dependency)) {
                run(delete, job, dependency);
            }
        }
    }

    /** Those who are left wait for something else, too; for this one they wait no more. */
    void end(JobId other) throws SQLException {
        endAwaiting.setLong(1, other.value());
        endAwaiting.executeUpdate();
        deleteMet.setLong(1, other.value());
        deleteMet.executeUpdate();
    }

    private static void run(PreparedStatement statement, JobId job, Dependency dependency) throws SQLException {
        JobWrites.run(
                1,
                statement,
                job.value(),
                dependency.job().value(),
                dependency.kind().word());
    }

    static Unmet read(Connection connection, JobId job, @Nullable Instant begin) throws SQLException {
        SortedSet<Dependency> pending = new TreeSet<>();
        SortedSet<Dependency> broken = new TreeSet<>();
        try (PreparedStatement select = connection.prepareStatement(Selects.DEPENDENCIES)) {
            select.setLong(1, job.value());
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    Dependency dependency =
                            new Dependency(kind(row.getString(2)), new JobId(row.getLong(1)), row.getString(4));
                    (row.getInt(3) == 0 ? pending : broken).add(dependency);
                }
            }
        }
        return new Unmet(begin, pending, broken);
    }

    static DependencyKind kind(String word) {
        return DependencyKind.of(word).orElseThrow(() -> StoreException.unknown("dependency.kind", word));
    }

    /** Whether there are any that may still be met. */
    static boolean exist(Connection connection) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(Selects.ANY_DEPENDENCY);
                ResultSet row = select.executeQuery()) {
            return row.next();
        }
    }

    static boolean isAwaited(Connection connection, JobId job) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(Selects.IS_AWAITED)) {
            select.setLong(1, job.value());
            try (ResultSet row = select.executeQuery()) {
                return row.next();
            }
        }
    }

    /** The jobs that have ended and that others still wait for, with how they ended. */
    static SortedMap<JobId, StateName> ended(Connection connection) throws SQLException {
        SortedMap<JobId, StateName> ended = new TreeMap<>();
        for (String awaited : List.of(Selects.ENDED_AND_AWAITED, Selects.ENDED_PAIRS)) {
            try (PreparedStatement select = connection.prepareStatement(awaited);
                    ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    ended.put(new JobId(row.getLong(1)), JobRows.word(StateName.class, row, "state"));
                }
            }
        }
        return ended;
    }

    @Override
    public void close() throws SQLException {
        insert.close();
        markBroken.close();
        delete.close();
        deleteMet.close();
        endAwaiting.close();
    }
}
