package dev.berth.server.store;

import dev.berth.core.job.JobId;
import dev.berth.core.job.StateName;
import dev.berth.core.job.Submitter;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What there is of the projects of a user, by the jobs that are in them. */
final class ProjectRows {
    /** An array is one job. */
    private static final String COUNTS = "SELECT project, max(submitted_at), "
            + Stream.of(StateName.values()).map(ProjectRows::count).collect(Collectors.joining(", "))
            + " FROM job INDEXED BY job_of_own_project WHERE array IS NULL AND uid = ? AND project ";

    static final String OF_USER = COUNTS + "> ? GROUP BY project ORDER BY project LIMIT ?";

    static final String ONE = COUNTS + "= ? GROUP BY project LIMIT ?";

    static final String JOBS =
            "SELECT id, tasks_waiting IS NOT NULL FROM job INDEXED BY job_of_own_project WHERE array IS NULL AND uid = ?"
                    + " AND project = ? AND id > ? ORDER BY id LIMIT ?";

    private static final String PARTS = "SELECT id FROM job INDEXED BY job_task WHERE array = ? AND array IS NOT NULL"
            + " AND project = ? AND id > ? ORDER BY id LIMIT ?";

    /** Each user has a newest job, found by an index; which name a job has of its own is not looked for among all. */
    static final String OWNER =
            "SELECT uid, gid, user FROM job WHERE id IN (SELECT (SELECT id FROM job INDEXED BY job_of_user"
                    + " WHERE array IS NULL AND uid = job_count.uid ORDER BY id DESC LIMIT 1) FROM job_count) AND user = ?"
                    + " ORDER BY id DESC LIMIT 1";

    private ProjectRows() {}

    private static String count(StateName state) {
        return "sum(state IN ("
                + StoredState.words(state).stream()
                        .map(word -> "'" + word + "'")
                        .collect(Collectors.joining(",")) + "))";
    }

    /** The projects of a user behind a name, in order. */
    static List<ProjectJobs> ofUser(Connection connection, long uid, String after, int limit) throws SQLException {
        return counted(connection, OF_USER, uid, after, limit);
    }

    /** A project of a user; none where it has no job. */
    static List<ProjectJobs> one(Connection connection, long uid, String project) throws SQLException {
        return counted(connection, ONE, uid, project, 1);
    }

    private static List<ProjectJobs> counted(Connection connection, String sql, long uid, String project, int limit)
            throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setLong(1, uid);
            select.setString(2, project);
            select.setInt(3, limit);
            List<ProjectJobs> projects = new ArrayList<>();
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    projects.add(read(row));
                }
            }
            return projects;
        }
    }

    private static ProjectJobs read(ResultSet row) throws SQLException {
        Map<StateName, Long> states = new EnumMap<>(StateName.class);
        int column = 3;
        for (StateName state : StateName.values()) {
            long jobs = row.getLong(column++);
            if (jobs > 0) {
                states.put(state, jobs);
            }
        }
        Instant last = JobRows.instant(row.getLong(2));
        return new ProjectJobs(row.getString(1), states, last);
    }

    /** The user of that name who submitted last; empty where nobody's newest job has it. */
    static Optional<Submitter> owner(Connection connection, String user) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(OWNER)) {
            select.setString(1, user);
            try (ResultSet row = select.executeQuery()) {
                return row.next()
                        ? Optional.of(new Submitter(row.getLong(1), row.getLong(2), List.of(), row.getString(3)))
                        : Optional.empty();
            }
        }
    }

    /** At most so many jobs of a project behind an id, in order, and whether each is an array. */
    static SortedMap<JobId, Boolean> jobs(Connection connection, long uid, String project, long after, int limit)
            throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(JOBS)) {
            select.setLong(1, uid);
            select.setString(2, project);
            select.setLong(3, after);
            select.setInt(4, limit);
            SortedMap<JobId, Boolean> jobs = new TreeMap<>();
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    jobs.put(new JobId(row.getLong(1)), row.getBoolean(2));
                }
            }
            return jobs;
        }
    }

    /** At most so many of the rows behind an id that have this in their column {@code array}, and are in the project. */
    static List<JobId> parts(Connection connection, long array, String project, long after, int limit)
            throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(PARTS)) {
            select.setLong(1, array);
            select.setString(2, project);
            select.setLong(3, after);
            select.setInt(4, limit);
            List<JobId> parts = new ArrayList<>();
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    parts.add(new JobId(row.getLong(1)));
                }
            }
            return parts;
        }
    }
}
