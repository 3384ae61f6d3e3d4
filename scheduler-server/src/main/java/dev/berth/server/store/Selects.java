package dev.berth.server.store;

import dev.berth.core.machine.Lane;
import dev.berth.server.store.JobQueries.Filter;
import dev.berth.server.store.JobQueries.LaneFilter;
import java.util.Collections;
import org.jspecify.annotations.Nullable;

/**
 * The questions that must be answered in the same time however many jobs there are: in one place, so that a test can
 * ask SQLite for the plan of each.
 */
final class Selects {
    static final String BY_ID = "SELECT * FROM job WHERE id = ?";

    static final String LAST_ID = "SELECT seq FROM sqlite_sequence WHERE name = 'job'";

    static final String ALLOCATION = "SELECT gpu, milli FROM allocation WHERE job = ? ORDER BY position";

    static final String EVENTS = "SELECT * FROM job_event WHERE job = ? AND sequence > ? ORDER BY sequence LIMIT ?";

    private Selects() {}

    /** The plus keeps SQLite from walking through all jobs of a user to find the few that run. */
    static String live(@Nullable Long uid) {
        return "SELECT * FROM job WHERE state IN ('STARTING', 'RUNNING', 'STOPPING')"
                + (uid == null ? "" : " AND +uid = " + uid) + " ORDER BY id";
    }

    /** Parameters: the id behind which to look, the limit. */
    static String queuedBehind(Lane lane, boolean everything) {
        LaneFilter which =
                everything ? LaneFilter.ALL : lane == Lane.CPU ? LaneFilter.WITHOUT_GPUS : LaneFilter.WITH_GPUS;
        return "SELECT * FROM job WHERE state = 'QUEUED'" + which.condition() + " AND id > ? ORDER BY id LIMIT ?";
    }

    /** Parameters: the id behind which to look, the limit. */
    static String queued(@Nullable Long uid) {
        return uid == null
                ? queuedBehind(Lane.MAIN, true)
                : "SELECT * FROM job INDEXED BY job_queued_user WHERE state = 'QUEUED' AND uid = " + uid
                        + " AND id > ? ORDER BY id LIMIT ?";
    }

    /** Parameters: the id behind which and the one before which to count. */
    static String queuedBetween(LaneFilter which) {
        return "SELECT count(*) FROM job WHERE state = 'QUEUED'" + which.condition() + " AND id > ? AND id < ?";
    }

    /** Parameters: the id before which to look, the owner if there is one, the states, the limit. */
    static String newest(Filter filter) {
        String states = String.join(", ", Collections.nCopies(filter.states().size(), "?"));
        return "SELECT * FROM job WHERE id < ?" + (filter.uid() == null ? "" : " AND uid = ?")
                + (states.isEmpty() ? "" : " AND state IN (" + states + ")") + " ORDER BY id DESC LIMIT ?";
    }

    static String counts(@Nullable Long uid) {
        return "SELECT state, sum(jobs) FROM job_count" + (uid == null ? "" : " WHERE uid = " + uid)
                + " GROUP BY state HAVING sum(jobs) > 0 ORDER BY state";
    }
}
