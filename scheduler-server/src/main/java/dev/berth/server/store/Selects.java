package dev.berth.server.store;

import dev.berth.core.job.JobId;
import dev.berth.core.job.StateName;
import dev.berth.core.machine.Lane;
import dev.berth.server.store.JobQueries.Filter;
import dev.berth.server.store.JobQueries.LaneFilter;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The questions that must be answered in the same time however many jobs there are: in one place, so that a test can
 * ask SQLite for the plan of each.
 */
final class Selects {
    /** All of a job but its program, which may be a thousand times as large. */
    private static final String JOB =
            "SELECT id, state, attempt, name, project, snapshot, image, gpu_milli, time_limit, user, uid, gid, groups,"
                    + " submitted_at, options, image_id, started_at, stop_cause, stop_by, ended_at, reason, sentence,"
                    + " exit_code, held_by, held_at, begin_at, container_made, gpus_decided, engine_run, counted_from,"
                    + " signal_state, array, task, packed, target, tasks_waiting, rest_state, rest_at, retried, moved_to"
                    + " FROM job";

    private static final String PACKED =
            " INDEXED BY job_packed WHERE state IN ('PACKED', 'PACKED_RUNNING', 'PACKED_STOPPING')";

    static final String BY_ID = JOB + " WHERE id = ?";

    /** A task runs what its array does. */
    private static final String PROGRAM_OWNER = "(SELECT coalesce(abs(array), id) FROM job WHERE id = ?)";

    /** Asks for lengths alone, which SQLite knows without reading the texts. */
    static final String PROGRAM_BYTES =
            "SELECT octet_length(command) + octet_length(environment) + coalesce(octet_length(parameters), 0)"
                    + " FROM job WHERE id = " + PROGRAM_OWNER;

    static final String PROGRAM = "SELECT command, environment, parameters FROM job WHERE id = " + PROGRAM_OWNER;

    static final String PARAMETERS = "SELECT parameters FROM job WHERE id = ?";

    /** Parameter: the number of what may be a task of it. */
    static final String ARRAY_BEFORE =
            JOB + " INDEXED BY job_array WHERE tasks_waiting IS NOT NULL AND id < ? ORDER BY id DESC LIMIT 1";

    static final String OPEN_ARRAYS =
            "SELECT id FROM job INDEXED BY job_array WHERE tasks_waiting IS NOT NULL AND ended_at IS NULL ORDER BY id";

    static final String ANY_OPEN_TASK =
            "SELECT 1 FROM job INDEXED BY job_task_open WHERE array = ? AND array IS NOT NULL AND ended_at IS NULL"
                    + " LIMIT 1";

    /** Those that are jobs of their own and have had no turn. */
    static final String SINGLE_TASKS =
            "SELECT count(*) FROM job INDEXED BY job_task_open WHERE array = ? AND array IS NOT NULL"
                    + " AND ended_at IS NULL AND attempt = 1 AND state IN ('QUEUED', 'DEFERRED', 'HELD')";

    /** Parameters: the array, the id behind which to look, the limit. */
    static final String OPEN_TASKS_BEHIND = JOB + " INDEXED BY job_task_open WHERE array = ? AND array IS NOT NULL"
            + " AND ended_at IS NULL AND id > ? ORDER BY id LIMIT ?";

    /** Parameters: the array, the same negated, the limit. */
    static final String PARTS =
            JOB + " INDEXED BY job_task WHERE array IN (?, ?) AND array IS NOT NULL ORDER BY array, id LIMIT ?";

    /** Parameters: the first number and the last one that tasks of the pack may have. */
    static final String PACKED_TASKS = JOB + PACKED + " AND id BETWEEN ? AND ? ORDER BY id";

    /** Parameters: the first number and the last one. */
    static final String BETWEEN = JOB + " WHERE id BETWEEN ? AND ? ORDER BY id";

    /** Those of a list of tasks whose last attempt ended in their pack. */
    static final String ENDED_PACKED =
            "SELECT id FROM job WHERE id IN (SELECT value FROM json_each(?)) AND packed = ''";

    static final String BY_IDS = JOB + " WHERE id IN (SELECT value FROM json_each(?))";

    /** Parameters: the array, the limit. */
    static final String FIRST_TASKS =
            JOB + " INDEXED BY job_task WHERE array = ? AND array IS NOT NULL ORDER BY id LIMIT ?";

    /** Those of an array that have ended otherwise than COMPLETED, by their indices. */
    static final String FAILED_TASKS = "SELECT task FROM job INDEXED BY job_task WHERE array = ? AND array IS NOT NULL"
            + " AND ended_at IS NOT NULL AND state <> 'COMPLETED' ORDER BY id";

    static final String TASK_COUNTS = "SELECT state, tasks FROM task_count WHERE array = ? AND tasks > 0";

    /** The sums over those of an array's tasks and packs that have ended, which held the GPUs; parameter: the array. */
    static final String TASK_USAGE = "SELECT count(*), coalesce(sum(job.ended_at - job.counted_from), 0) / 1000,"
            + " coalesce(sum(known_millis), 0), coalesce(sum(utilisation_millis), 0), max(peak_memory_mib),"
            + " coalesce(sum(idle_millis), 0), sum(energy_millijoules) FROM job INDEXED BY job_task"
            + " LEFT JOIN job_usage ON job_usage.job = job.id AND job_usage.attempt = job.attempt"
            + " AND job_usage.job NOT IN (SELECT value FROM json_each(?2))"
            + " WHERE job.array IN (?1, -?1) AND job.array IS NOT NULL AND job.ended_at IS NOT NULL"
            + " AND job.started_at IS NOT NULL AND job.packed IS NOT ''";

    /** The newest warnings about the last attempts of an array's tasks and packs, the oldest of them first. */
    static String taskWarnings(boolean ofOpenTasks) {
        return "SELECT * FROM (SELECT job.id, job_warning.attempt, code, subject,"
                + " iif(array > 0, 'task ' || array || '_' || task, 'pack ' || -array || '_[' || packed || ']')"
                + " || ': ' || job_warning.sentence AS sentence, since,"
                + " coalesce(job_warning.ended_at, job.ended_at) AS ended_at FROM job INDEXED BY "
                + (ofOpenTasks ? "job_task_open" : "job_task")
                + " CROSS JOIN job_warning ON job_warning.job = job.id AND job_warning.attempt = job.attempt"
                + " WHERE array IN (?1, -?1) AND array IS NOT NULL" + (ofOpenTasks ? " AND job.ended_at IS NULL" : "")
                + " ORDER BY since DESC, job.id DESC LIMIT 100) ORDER BY since, id, code, subject";
    }

    /** Those that have ended, of all arrays. */
    static final String ENDED_TASKS = "SELECT coalesce(sum(tasks), 0) FROM task_count"
            + " WHERE state NOT IN ('QUEUED', 'DEFERRED', 'HELD', 'STARTING', 'RUNNING', 'STOPPING',"
            + " 'PACKED', 'PACKED_RUNNING', 'PACKED_STOPPING', 'HANDED_OVER', 'HANDED_OVER_HELD')";

    static final String BY_SUBMIT_KEY =
            "SELECT id, submit_digest FROM job WHERE uid = ? AND submit_key = ? AND submit_key IS NOT NULL";

    /** Parameter: the turn before which to count. All that wait are counted already; those behind it are few. */
    static final String QUEUED_BEFORE = "SELECT (SELECT coalesce(sum(jobs), 0) FROM job_count WHERE state = 'QUEUED')"
            + " - (SELECT count(*) FROM job WHERE state = 'QUEUED' AND target IS NULL AND turn >= ?)"
            + " - (SELECT count(*) FROM job WHERE state = 'QUEUED' AND target IS NOT NULL)";

    static final String WAITING_OF_USER =
            "SELECT coalesce(sum(jobs), 0) FROM job_count WHERE uid = ? AND state IN ('QUEUED', 'DEFERRED', 'HELD')";

    /** The bytes that a user's jobs take that have not ended. */
    static final String BYTES_OF_USER = "SELECT coalesce(sum(bytes), 0) FROM job_count WHERE uid = ?"
            + " AND state IN ('QUEUED', 'DEFERRED', 'HELD', 'STARTING', 'RUNNING', 'STOPPING', 'DISPATCHED',"
            + " 'PACKED', 'PACKED_RUNNING', 'PACKED_STOPPING', 'HANDED_OVER', 'HANDED_OVER_HELD')";

    static final String PAUSE = "SELECT value FROM server WHERE name = 'pause'";

    static final String FACT = "SELECT value FROM server WHERE name = ?";

    private static final String LIVE_STATES =
            " WHERE state IN ('STARTING', 'RUNNING', 'STOPPING', 'HANDED_OVER', 'HANDED_OVER_HELD')";

    static final String LIVE = JOB + LIVE_STATES + " ORDER BY id";

    /** A turn of a job that goes to a target takes nothing that another one of this machine could have had. */
    static final String LAST_TURN = "SELECT job FROM job_event WHERE event = 'Allocated'"
            + " AND (SELECT target FROM job WHERE id = job_event.job) IS NULL ORDER BY sequence DESC LIMIT 1";

    /** Parameters: the id behind which to look, the limit. */
    static final String HELD_BY_SERVER =
            JOB + " INDEXED BY job_set_aside WHERE state = 'HELD' AND held_by = '' AND id > ? ORDER BY id LIMIT ?";

    /** The jobs that are to run some day, but for those on hold; {@code asked} are the options that decide whether they can. */
    static final String TO_BE_RUN =
            "SELECT *, json_remove(options, '$.dependencies', '$.begin', '$.keepWaiting', '$.tasks') AS asked FROM ("
                    + JOB
                    + " INDEXED BY job_waiting WHERE state IN ('QUEUED', 'DEFERRED', 'HELD')"
                    + " AND (state <> 'HELD' OR held_by = '') ORDER BY turn)";

    /** What a job waits for that is not ready. */
    static final String DEPENDENCIES =
            "SELECT other, kind, broken, (SELECT array || '_' || task FROM job WHERE id = other)"
                    + " FROM dependency WHERE job = ?";

    static final String ANY_DEPENDENCY = "SELECT 1 FROM dependency WHERE broken = 0 LIMIT 1";

    /** Not the other way round, as SQLite would for the events of a user: from each of their jobs to its events. */
    private static final String EVENT =
            "SELECT job_event.*, job.array, job.task, job.packed FROM job_event CROSS JOIN job ON job.id ="
                    + " job_event.job";

    /** Whether somebody waits for a job. */
    static final String IS_AWAITED = "SELECT 1 FROM dependency WHERE other = ? AND broken = 0 LIMIT 1";

    /**
     * Those behind a job who wait for another and, as a kind is not met by its end, in vain, or for nothing else beside.
     * Parameters: the other, the job, two such kinds, the limit.
     */
    static final String DEPENDENTS = JOB + " WHERE id IN (SELECT DISTINCT job FROM dependency AS waiting WHERE other ="
            + " ? AND job > ? AND broken = 0 AND (kind IN (?, ?) OR (NOT EXISTS (SELECT 1"
            + " FROM dependency AS more WHERE more.job = waiting.job AND more.other <>"
            + " waiting.other) AND NOT EXISTS (SELECT 1 FROM job AS later WHERE later.id"
            + " = waiting.job AND later.begin_at IS NOT NULL))) ORDER BY job LIMIT ?)"
            + " ORDER BY id";

    /** Those who wait for another. Parameters: the other, the limit. */
    static final String WAITING_FOR = JOB
            + " WHERE id IN (SELECT DISTINCT job FROM dependency WHERE other = ? AND broken = 0 ORDER BY job LIMIT ?)"
            + " ORDER BY id";

    /**
     * The arrays whose tasks wait for those of another, each for that of its index. Parameter: a task of the other. All of
     * these are still to be told, or have a task of that index that was.
     */
    static final String PAIRS = JOB + " WHERE id IN (SELECT job FROM dependency WHERE kind = 'aftercorr' AND broken = 0"
            + " AND other = (SELECT array FROM job WHERE id = ?)) AND tasks_waiting IS NOT NULL ORDER BY id";

    /** Parameter: the array whose tasks others' wait for. */
    static final String PAIR_COUNT =
            "SELECT count(*) FROM dependency WHERE other = ? AND kind = 'aftercorr' AND broken = 0";

    /** The tasks that have ended, and with which a task of another array is still to be told of that. */
    static final String ENDED_PAIRS = "SELECT ended.id, ended.state FROM dependency AS pair"
            + " JOIN job AS ended INDEXED BY job_task ON ended.array = pair.other AND ended.array IS NOT NULL"
            + " WHERE pair.kind = 'aftercorr' AND pair.broken = 0 AND ended.ended_at IS NOT NULL"
            + " AND NOT EXISTS (SELECT 1 FROM job WHERE id = pair.job + ended.id - pair.other)";

    static final String ENDED_AND_AWAITED = "SELECT id, state FROM job WHERE id IN"
            + " (SELECT DISTINCT other FROM dependency WHERE broken = 0) AND ended_at IS NOT NULL";

    static final String STATE = "SELECT state FROM job WHERE id = ? AND uid = ?";

    static final String NEXT_BEGIN = "SELECT min(begin_at) FROM job WHERE state = 'DEFERRED' AND begin_at IS NOT NULL";

    /** Parameters: the date, the limit. */
    static final String DUE = JOB + " INDEXED BY job_begin WHERE state = 'DEFERRED' AND begin_at IS NOT NULL"
            + " AND begin_at <= ? ORDER BY begin_at, id LIMIT ?";

    /** The first turn of those that wait for others and can become ready by that alone. */
    static final String FIRST_DEPENDENT =
            "SELECT turn FROM job INDEXED BY job_awaiting WHERE state = 'DEFERRED' AND awaiting = 1 ORDER BY turn"
                    + " LIMIT 1";

    static final String FIRST_DEFERRED = "SELECT turn FROM job WHERE state = 'DEFERRED' ORDER BY turn LIMIT 1";

    static final String LAST_CHANGE =
            "SELECT at FROM job_event WHERE job = ? AND from_state IS NOT to_state" + " ORDER BY sequence DESC LIMIT 1";

    static final String OLDEST_ENDED =
            "SELECT id FROM job WHERE ended_at IS NOT NULL AND array IS NULL AND ended_at < ?"
                    + " ORDER BY ended_at LIMIT ?";

    /** Whether an event says that a program has ended which was not known to run, as no server was there at its start. */
    private static final String ENDED_UNSEEN = "(event = 'ContainerExited' AND from_state IN ('QUEUED', 'STARTING'))";

    /**
     * Changes of state of which somebody may want to be told: not those of packs, and of tasks
     * that they run. Parameters: the event after which to look,
     * the limit.
     */
    static final String TOLD_EVENTS =
            "SELECT sequence, job_event.job AS job, at, to_state, job_event.attempt AS attempt, coalesce(job.array, 0)"
                    + " AS array, job.uid AS uid, json_extract(job.options, '$.notify') IS NOT NULL AS wishes, "
                    + ENDED_UNSEEN + " AS unseen"
                    + " FROM job_event CROSS JOIN job ON job.id = job_event.job"
                    + " WHERE sequence > ? AND from_state IS NOT to_state"
                    + " AND (job.array IS NULL OR job.array > 0 AND (to_state = 'RUNNING' OR " + ENDED_UNSEEN + "))"
                    + " AND (to_state NOT IN ('QUEUED', 'HELD', 'STARTING', 'STOPPING') OR " + ENDED_UNSEEN + ")"
                    + " ORDER BY sequence LIMIT ?";

    /** Whether a task of an array ran before an event. */
    static final String ANY_TASK_STARTED = "SELECT 1 FROM job INDEXED BY job_task CROSS JOIN job_event"
            + " ON job_event.job = job.id WHERE job.array = ? AND job.array IS NOT NULL"
            + " AND (to_state = 'RUNNING' OR " + ENDED_UNSEEN + ") AND sequence < ? LIMIT 1";

    static final String LAST_EVENT = "SELECT max(sequence) FROM job_event";

    /** Parameters: the event after which to look, the owner where only theirs count, the limit. */
    static String feed(boolean ofOne) {
        return EVENT + " WHERE sequence > ?" + (ofOne ? " AND job.uid = ?" : "") + " ORDER BY sequence LIMIT ?";
    }

    /** The GPUs that a job held last. */
    static final String LAST_GPUS =
            "SELECT gpus FROM job_event WHERE job = ? AND gpus IS NOT NULL ORDER BY sequence DESC LIMIT 1";

    /** Whether the first attempt of a task was that in its pack, which it did not leave for a first one of its own. */
    static final String BEGAN_IN_PACK =
            "SELECT EXISTS (SELECT 1 FROM job_event WHERE job = ?1 AND event = 'TaskPacked') AND NOT EXISTS (SELECT 1"
                    + " FROM job_event WHERE job = ?1 AND event = 'PackEnded' AND to_state = 'QUEUED' AND attempt = 1)";

    static final String LAST_ID = "SELECT seq FROM sqlite_sequence WHERE name = 'job'";

    static final String ALLOCATION = "SELECT gpu, milli FROM allocation WHERE job = ? ORDER BY position";

    static final String ATTEMPTS = "SELECT * FROM attempt WHERE job = ? ORDER BY attempt";

    /**
     * How long those attempts ran after which a job began another. One of a task in a pack held no GPUs of its own: its time is
     * the pack's. Parameters: the first job and the last one, the attempt before which to look.
     */
    static final String EARLIER_RAN = "SELECT coalesce(sum(ran_micros), 0) FROM attempt"
            + " WHERE job BETWEEN ? AND ? AND attempt < ? AND gpus IS NOT NULL";

    static final String CPUS = "SELECT cpu FROM cpu_allocation WHERE job = ? ORDER BY cpu";

    static final String EVENTS = EVENT + " WHERE job = ? AND sequence > ? ORDER BY sequence LIMIT ?";

    static final String OF_SNAPSHOT = "SELECT 1 FROM job WHERE uid = ? AND snapshot = ? LIMIT 1";

    private static final String LIVE_JOBS = " INDEXED BY job_live" + LIVE_STATES;

    /** The indices of the states in which few are: without their names SQLite walks through all jobs to find these. */
    private static final Map<String, String> RARE = Map.of(
            "STARTING", LIVE_JOBS,
            "RUNNING", LIVE_JOBS,
            "STOPPING", LIVE_JOBS,
            "HANDED_OVER", LIVE_JOBS,
            "HANDED_OVER_HELD", LIVE_JOBS,
            "DISPATCHED", " INDEXED BY job_dispatched WHERE state = 'DISPATCHED'",
            "PACKED", PACKED,
            "PACKED_RUNNING", PACKED,
            "PACKED_STOPPING", PACKED);

    /** The words of those that wait, where they are few. */
    private static final List<String> WAITING = List.of("QUEUED", "DEFERRED", "HELD");

    private static final String WAITING_JOBS = " INDEXED BY job_waiting WHERE state IN ('QUEUED', 'DEFERRED', 'HELD')";

    static final String WAITING_COUNT =
            "SELECT coalesce(sum(jobs), 0) FROM job_count WHERE state IN ('QUEUED', 'DEFERRED', 'HELD')";

    private Selects() {}

    /** Parameters: the turn behind which to look, the limit. */
    static String queuedBehind(Lane lane, boolean everything) {
        LaneFilter which = switch (lane) {
            case MAIN -> everything ? LaneFilter.ALL : LaneFilter.WITH_GPUS;
            case CPU -> everything ? LaneFilter.ALL : LaneFilter.WITHOUT_GPUS;
            case TARGET -> LaneFilter.OF_TARGETS;
        };
        return JOB + " WHERE state = 'QUEUED'" + which.condition() + " AND turn > ? ORDER BY turn LIMIT ?";
    }

    /** Parameters: the turn behind which and the one before which to count. */
    static String queuedBetween(LaneFilter which) {
        return "SELECT count(*) FROM job WHERE state = 'QUEUED'" + which.condition() + " AND turn > ? AND turn < ?";
    }

    static final String TASK_COUNT =
            "SELECT count(*) FROM job INDEXED BY job_task WHERE array = ? AND array IS NOT NULL";

    static Selection taskIds(JobId array, long without, int limit) {
        return new Selection(
                "SELECT id FROM job INDEXED BY job_task WHERE array = ? AND array IS NOT NULL ORDER BY id LIMIT ?"
                        + " OFFSET ?",
                array.value(),
                limit,
                without);
    }

    /**
     * The ids of those among some.
     *
     * @param ids as {@code json_each} takes them
     */
    static Selection those(Filter filter, String ids) {
        Selection those =
                new Selection("SELECT id FROM job WHERE id IN (SELECT value FROM json_each(?))", filter, "+", ids);
        addStates(those, filter);
        return those;
    }

    private static void addStates(Selection jobs, Filter filter) {
        if (!filter.states().isEmpty()) {
            jobs.then(filter.states().stream()
                    .flatMap(state -> StoredState.words(state).stream())
                    .collect(Collectors.joining("', '", " AND state IN ('", "')")));
        }
    }

    /**
     * Those that run, the arrays whose tasks have all had their turn, and the tasks in packs. Without the names of the indices
     * SQLite walks through all jobs to find these few.
     */
    static Selection live(Filter filter) {
        return new Selection("SELECT * FROM (")
                .then(new Selection(JOB + LIVE_JOBS, filter, "+"))
                .then(" UNION ALL ")
                .then(new Selection(JOB + " INDEXED BY job_dispatched WHERE state = 'DISPATCHED'", filter, "+"))
                .then(" UNION ALL ")
                .then(new Selection(JOB + PACKED, filter, "+"))
                .then(") ORDER BY id");
    }

    /** The queue in its order, held jobs among it; the tasks of an array in that of their indices. */
    static Selection waiting(Filter filter, long after, int limit) {
        if (filter.array() != null) {
            String open = " INDEXED BY job_task_open WHERE array IS NOT NULL AND ended_at IS NULL";
            return new Selection(JOB + open + " AND state IN ('QUEUED', 'DEFERRED', 'HELD')", filter, "+")
                    .then(" AND id > ? ORDER BY id LIMIT ?", after, limit);
        }
        String index = " INDEXED BY job_waiting"
                + (filter.project() != null
                        ? "_project"
                        : filter.name() != null ? "_name" : filter.uid() != null ? "_user" : "");
        return new Selection(JOB + index + " WHERE state IN ('QUEUED', 'DEFERRED', 'HELD')", filter, "")
                .then(" AND turn > ? ORDER BY turn LIMIT ?", after, limit);
    }

    /**
     * The newest first. Each state by an index of its own: one that is rare is not searched for among all jobs.
     *
     * @param fewWait whether those that wait are so few that all of them are looked at rather than those that have ended
     */
    static Selection newest(Filter filter, long before, int limit, boolean fewWait) {
        if (filter.states().isEmpty()) {
            return new Selection(JOB + " WHERE id < ?", filter, "", before).then(" ORDER BY id DESC LIMIT ?", limit);
        }
        Selection all = new Selection("SELECT * FROM (");
        String union = "";
        for (StateName state : filter.states()) {
            for (String stored : StoredState.words(state)) {
                String index = fewWait && WAITING.contains(stored) ? WAITING_JOBS : RARE.get(stored);
                boolean isRare = filter.array() == null && index != null;
                String ended = state.isFinal() ? " AND ended_at IS NOT NULL" : "";
                String which = isRare ? index + " AND" : " WHERE";
                all.then(union + "SELECT * FROM (")
                        .then(new Selection(
                                        JOB + which + " state = '" + stored + "'" + ended + " AND id < ?",
                                        filter,
                                        isRare ? "+" : "",
                                        before)
                                .then(" ORDER BY id DESC LIMIT ?", limit));
                all.then(")");
                union = " UNION ALL ";
            }
        }
        return all.then(") ORDER BY id DESC LIMIT ?", limit);
    }

    /**
     * The numbers of those behind a job in an order, from an index that has all of it.
     *
     * @param behind the job, which the filter's user owns; 0 for the first ones
     */
    static Selection sorted(Filter filter, JobOrder order, long behind, int limit, long nowMicros) {
        String value = order.sql(nowMicros);
        Selection sorted = new Selection("SELECT id FROM job INDEXED BY job_sorted WHERE id > 0", filter, "");
        addStates(sorted, filter);
        if (behind > 0) {
            sorted.then(
                    " AND (" + value + ", id)" + order.behind() + "(SELECT " + value + ", id FROM job WHERE id = ?)",
                    behind);
        }
        String direction = order.direction();
        return sorted.then(" ORDER BY " + value + direction + ", id" + direction + " LIMIT ?", limit);
    }

    static String counts(@Nullable Long uid) {
        return "SELECT state, sum(jobs) FROM job_count WHERE state <> 'DISPATCHED'"
                + (uid == null ? "" : " AND uid = " + uid) + " GROUP BY state HAVING sum(jobs) > 0 ORDER BY state";
    }
}
