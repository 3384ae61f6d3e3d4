package dev.berth.server.store;

import dev.berth.core.api.JobEventView;
import dev.berth.core.api.ServerView.StateCount;
import dev.berth.core.job.GpuId;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.JobState.Packed;
import dev.berth.core.job.Program;
import dev.berth.core.job.StateName;
import dev.berth.core.job.Submitter;
import dev.berth.core.job.TaskSet;
import dev.berth.core.job.Tasks;
import dev.berth.core.parameter.Parameters;
import dev.berth.core.text.Utf8;
import dev.berth.server.store.database.ReadConnections;
import dev.berth.server.store.database.ReadConnections.Query;
import dev.berth.server.store.database.StoreException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Questions to the database of jobs, answered from what was committed. Safe for any thread, which may have to wait for one of
 * its {@link ReadConnections}.
 */
public final class JobQueries implements AutoCloseable {
    /** The bytes that are read at a time, so that no list is whole in memory. */
    private static final long PIECE_BYTES = 64L << 10;

    /** The bytes of events that are read at a time: their readers are many and slow. */
    private static final long EVENT_BYTES = 16L << 10;

    /** So many jobs are looked at and sorted within milliseconds. */
    private static final long FEW_WAITING = 10_000;

    /**
     * The owner of the jobs, and which of them.
     *
     * @param uid the owner, or null for everybody's
     * @param states empty for all
     * @param project or null for any
     * @param name or null for any
     * @param array the array whose tasks are meant, those that are jobs of their own, or null
     * @param tasks whether tasks are there beside their arrays
     */
    public record Filter(
            @Nullable Long uid,
            List<StateName> states,
            @Nullable String project,
            @Nullable String name,
            @Nullable Long array,
            boolean tasks) {
        public Filter {
            states = List.copyOf(states);
        }

        /** Filter for jobs and arrays, and for no task. */
        public Filter(@Nullable Long uid, List<StateName> states, @Nullable String project, @Nullable String name) {
            this(uid, states, project, name, null, false);
        }

        /** The tasks of an array that are jobs of their own. */
        public static Filter ofTasks(JobId array) {
            return new Filter(null, List.of(), null, null, array.value(), true);
        }

        /** Everybody's jobs that have ended. */
        public static Filter ended() {
            return of(null).with(Stream.of(StateName.values())
                    .filter(StateName::isFinal)
                    .toList());
        }

        /** Filter for these jobs where they are in one of these states. */
        public Filter with(List<StateName> wanted) {
            return new Filter(uid, wanted, project, name, array, tasks);
        }

        /** Filter for these jobs where a user owns them. */
        public Filter ofUser(long owner) {
            return new Filter(owner, states, project, name, array, tasks);
        }

        /** Filter for these jobs, tasks of arrays beside them. */
        public Filter unfolded() {
            return new Filter(uid, states, project, name, array, true);
        }

        /** All jobs of a user, or with null of everybody. */
        public static Filter of(@Nullable Long uid) {
            return new Filter(uid, List.of(), null, null);
        }
    }

    private final ReadSweeps sweeps = new ReadSweeps();
    private final ReadConnections readers;

    public JobQueries(Path file) {
        this(file, _ -> {});
    }

    /**
     * Questions to the database in that file.
     *
     * @param broken hears of it when the file turns out to be damaged or gone
     */
    public JobQueries(Path file, Consumer<StoreException> broken) {
        this.readers = new ReadConnections(file, broken);
    }

    /** A job by its id; a task of an array that is no job of its own as it stands with its array. */
    public Optional<Job> find(JobId id) {
        return ask(connection -> {
            List<Job> found = select(connection, Selects.BY_ID, List.of(id.value()));
            if (!found.isEmpty()) {
                return Optional.of(found.getFirst());
            }
            List<Job> arrays = select(connection, Selects.ARRAY_BEFORE, List.of(id.value()));
            Optional<Job> task =
                    arrays.stream().flatMap(array -> array.task(id).stream()).findFirst();
            // It may have become a job of its own between the two.
            return task.isPresent() || arrays.isEmpty()
                    ? task
                    : select(connection, Selects.BY_ID, List.of(id.value())).stream()
                            .findFirst();
        });
    }

    /** What people call a job, {@code 42_7} for a task of an array; the number itself where no job has it. */
    public String number(JobId id) {
        return find(id).map(Job::number).orElseGet(id::toString);
    }

    /** Whether a user's submit of this key has made a job. */
    public boolean isSubmitted(long uid, String key) {
        return ask(connection -> {
            try (PreparedStatement select = connection.prepareStatement(Selects.BY_SUBMIT_KEY)) {
                select.setLong(1, uid);
                select.setString(2, key);
                try (ResultSet row = select.executeQuery()) {
                    return row.next();
                }
            }
        });
    }

    /** The program that a job runs; of one alone, as it may be large. */
    public Optional<Program> program(JobId id) {
        return ask(connection -> JobRows.program(connection, id));
    }

    /** The same; empty, too, where it cannot be read, which the launch of the job tells. */
    public Optional<Program> readableProgram(JobId id) {
        try {
            return program(id);
        } catch (StoreException e) {
            if (e.isUnreadable()) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /** The program that a job runs; of a task, whether or not it is a job of its own, that of its array. */
    public Optional<Program> program(Job job) {
        return program(runs(job));
    }

    /** The parameters of a sweep's tasks, by its array; empty for an array that is no sweep. */
    public Optional<Parameters> parameters(JobId array) {
        return sweeps.of(
                array,
                () -> ask(connection -> {
                    try (PreparedStatement select = connection.prepareStatement(Selects.PARAMETERS)) {
                        select.setLong(1, array.value());
                        try (ResultSet row = select.executeQuery()) {
                            return row.next()
                                    ? Optional.ofNullable(StoredParameters.read(row.getString(1)))
                                    : Optional.empty();
                        }
                    }
                }));
    }

    /** The indices of an array's tasks that are jobs of their own and have ended otherwise than COMPLETED, in order. */
    public List<Integer> failedTasks(JobId array) {
        return ask(connection -> {
            List<Integer> failed = new ArrayList<>();
            try (PreparedStatement select = connection.prepareStatement(Selects.FAILED_TASKS)) {
                select.setLong(1, array.value());
                try (ResultSet row = select.executeQuery()) {
                    while (row.next()) {
                        failed.add(row.getInt(1));
                    }
                }
            }
            return failed;
        });
    }

    /** The packs in whose containers tasks run, are to run or ended, by the tasks; of those that are in none there is nothing. */
    public Map<JobId, Job> packs(List<Job> jobs) {
        List<Job> packed = jobs.stream().filter(JobQueries::mayBePacked).toList();
        return packed.isEmpty() ? Map.of() : ask(connection -> packs(connection, packed));
    }

    private static boolean mayBePacked(Job job) {
        return isOfPackedArray(job) && (job.state() instanceof Packed || job.state() instanceof Finished);
    }

    /** Whether it is a task of an array whose tasks share containers. */
    private static boolean isOfPackedArray(Job job) {
        Tasks tasks = job.spec().tasks();
        return tasks != null && tasks.packing() != null && job.array() != null;
    }

    private static Map<JobId, Job> packs(Connection connection, List<Job> tasks) throws SQLException {
        Set<Long> ended = endedPacked(connection, tasks);
        List<Job> packed = tasks.stream()
                .filter(task -> task.state() instanceof Packed
                        || ended.contains(task.id().value()))
                .toList();
        Map<JobId, Job> packs = new HashMap<>();
        select(connection, Selects.BY_IDS, List.of(json(packed.stream().map(Job::pack))))
                .forEach(pack -> packs.put(pack.id(), pack));
        // A task is deleted with its array, and so is the pack: there may be none any more.
        return packed.stream()
                .filter(task -> packs.containsKey(task.pack()))
                .collect(Collectors.toMap(Job::id, task -> packs.get(task.pack())));
    }

    private static Set<Long> endedPacked(Connection connection, List<Job> tasks) throws SQLException {
        String ids = json(tasks.stream().map(Job::id));
        try (PreparedStatement select = prepared(connection, Selects.ENDED_PACKED, List.of(ids));
                ResultSet row = select.executeQuery()) {
            Set<Long> ended = new HashSet<>();
            while (row.next()) {
                ended.add(row.getLong(1));
            }
            return ended;
        }
    }

    /** The numbers as {@code json_each} takes them. */
    static String json(Stream<JobId> ids) {
        return ids.map(JobId::value).distinct().toList().toString();
    }

    /** The number of bytes that the program of a job takes on disk. */
    public long programBytes(Job job) {
        return programBytes(runs(job));
    }

    private static JobId runs(Job job) {
        JobId array = job.array();
        return array == null ? job.id() : array;
    }

    /** The number of bytes that it takes on disk; 0 of a job that is not there. */
    public long programBytes(JobId id) {
        return number(Selects.PROGRAM_BYTES, id.value());
    }

    /**
     * The jobs that were active at one moment, so that a job which starts or waits again meanwhile is in one of the
     * two.
     *
     * @param live the jobs that hold a worker, by id
     * @param waiting the first queued and held jobs, in order
     */
    public record Active(List<Job> live, Rows<Job> waiting) {}

    /** The live jobs, and of those that wait the first ones: at most so many, and no more than a piece. */
    public Active active(Filter filter, int limit) {
        return ask(connection -> {
            // Which a transaction of its own sees as the first of its questions did.
            connection.setAutoCommit(false);
            try {
                Selection live = Selects.live(filter);
                Active active = new Active(
                        select(connection, live.sql(), live.parameters()),
                        piece(connection, Selects.waiting(filter, 0, limit + 1), limit));
                connection.setAutoCommit(true);
                return active;
            } catch (SQLException e) {
                // What went wrong counts, and not that SQLite may have ended the transaction by itself.
                try {
                    connection.setAutoCommit(true);
                } catch (SQLException ended) {
                    e.addSuppressed(ended);
                }
                throw e;
            }
        });
    }

    /** The first queued and held jobs behind an id, in order: at most so many, and no more than a piece. */
    public Rows<Job> waiting(Filter filter, long after, int limit) {
        return piece(Selects.waiting(filter, after, limit + 1), limit);
    }

    /** The time when a job came into the state it is in. */
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

    /** The pack that the first attempt of a task was in; empty where that had a container of its own. */
    public Optional<Job> packOfFirst(Job task) {
        return isOfPackedArray(task) && number(Selects.BEGAN_IN_PACK, task.id().value()) == 1
                ? find(task.pack())
                : Optional.empty();
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

    /** How many tasks of an array are jobs of their own. */
    public long taskCount(JobId array) {
        return number(Selects.TASK_COUNT, array.value());
    }

    /**
     * The ids of the tasks of an array that are jobs of their own, in order.
     *
     * @param without so many of the first are left out
     * @param limit how many at the most
     */
    public List<JobId> taskIds(JobId array, long without, int limit) {
        return ids(Selects.taskIds(array, without, limit));
    }

    /** Those of some jobs that a filter lets through, in the same order. */
    public List<JobId> those(Filter filter, List<JobId> jobs) {
        if (jobs.isEmpty()) {
            return List.of();
        }
        Set<JobId> found = new HashSet<>(ids(Selects.those(filter, json(jobs.stream()))));
        return jobs.stream().filter(found::contains).toList();
    }

    /** Jobs by their ids, in the same order, all in memory; those that are not there are left out. */
    public List<Job> all(List<JobId> jobs) {
        Map<JobId, Job> found = new HashMap<>();
        ask(connection -> select(connection, Selects.BY_IDS, List.of(json(jobs.stream()))))
                .forEach(job -> found.put(job.id(), job));
        return jobs.stream().map(found::get).filter(Objects::nonNull).toList();
    }

    private List<JobId> ids(Selection selection) {
        return ask(connection -> {
            List<JobId> ids = new ArrayList<>();
            try (PreparedStatement select = prepared(connection, selection.sql(), selection.parameters());
                    ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    ids.add(new JobId(row.getLong(1)));
                }
            }
            return ids;
        });
    }

    /** The newest jobs before an id, the newest first: at most so many, and no more than a piece. */
    public Rows<Job> newest(Filter filter, long before, int limit) {
        boolean ofWaiting = filter.states().stream().anyMatch(state -> !state.isFinal());
        boolean fewWait = ofWaiting && number(Selects.WAITING_COUNT) <= FEW_WAITING;
        return piece(Selects.newest(filter, before, limit + 1, fewWait), limit);
    }

    /**
     * The numbers of the jobs behind one in an order, at most so many: each page looks at all jobs, in an index.
     *
     * @param behind a job of the filter's user; 0 for the first ones
     * @param now until when those ran that have not ended
     */
    public List<JobId> sorted(Filter filter, JobOrder order, long behind, int limit, Instant now) {
        return ids(Selects.sorted(filter, order, behind, limit, ChronoUnit.MICROS.between(Instant.EPOCH, now)));
    }

    /** A row more than asked for is looked for, so that the last piece knows that it is the last. */
    private Rows<Job> piece(Selection selection, int limit) {
        return ask(connection -> piece(connection, selection, limit));
    }

    private static Rows<Job> piece(Connection connection, Selection selection, int limit) throws SQLException {
        try (PreparedStatement select = prepared(connection, selection.sql(), selection.parameters())) {
            return JobRows.read(connection, select, limit, PIECE_BYTES);
        }
    }

    /**
     * The number of queued jobs behind a turn and before another one.
     *
     * @param sameLane which jobs count: all of this machine, or only those with, or only those without GPUs, or those of targets
     */
    public long queuedBetween(long after, JobId turn, LaneFilter sameLane) {
        return ask(connection -> {
            try (PreparedStatement select = connection.prepareStatement(Selects.queuedBetween(sameLane))) {
                select.setLong(1, after);
                select.setLong(2, turn.value());
                try (ResultSet row = select.executeQuery()) {
                    return row.getLong(1);
                }
            }
        });
    }

    /** The number of queued jobs before a turn, as {@link #queuedBetween} but counted from the queue's end. */
    public long queuedBefore(JobId turn) {
        return ask(connection -> {
            try (PreparedStatement select = connection.prepareStatement(Selects.QUEUED_BEFORE)) {
                select.setLong(1, turn.value());
                try (ResultSet row = select.executeQuery()) {
                    return row.getLong(1);
                }
            }
        });
    }

    /** The jobs of which lane to count. */
    public enum LaneFilter {
        ALL(" AND target IS NULL"),
        WITH_GPUS(" AND target IS NULL AND gpu_milli > 0"),
        WITHOUT_GPUS(" AND target IS NULL AND gpu_milli = 0"),
        OF_TARGETS(" AND target IS NOT NULL");

        private final String condition;

        LaneFilter(String condition) {
            this.condition = condition;
        }

        String condition() {
            return condition;
        }
    }

    /** The jobs that ended before an instant, those that ended first first. */
    public List<JobId> oldestEnded(Instant before, int limit) {
        long micros = before.equals(Instant.MAX) ? Long.MAX_VALUE : JobRows.micros(before);
        return ask(connection -> {
            List<JobId> ids = new ArrayList<>();
            try (PreparedStatement select = prepared(connection, Selects.OLDEST_ENDED, List.of(micros, limit));
                    ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    ids.add(new JobId(row.getLong(1)));
                }
            }
            return ids;
        });
    }

    /** The number of bytes that a user's jobs take that have not ended. */
    public long bytes(long uid) {
        return number(Selects.BYTES_OF_USER, uid);
    }

    private long number(String sql, Object... arguments) {
        return ask(connection -> {
            try (PreparedStatement select = prepared(connection, sql, List.of(arguments));
                    ResultSet row = select.executeQuery()) {
                return row.next() ? row.getLong(1) : 0L;
            }
        });
    }

    /** The number of jobs that have ended and are kept, an array with its tasks as one. */
    public long ended() {
        long all = counts(null).stream()
                .filter(count -> StateName.valueOf(count.state()).isFinal())
                .mapToLong(StateCount::jobs)
                .sum();
        long tasks = ask(connection -> {
            try (PreparedStatement select = connection.prepareStatement(Selects.ENDED_TASKS);
                    ResultSet row = select.executeQuery()) {
                return row.getLong(1);
            }
        });
        return all - tasks;
    }

    /** The tasks in a pack that have not ended; none of a job that is no pack. */
    public List<Job> packed(JobId pack) {
        return find(pack)
                .filter(Job::isPack)
                .map(found -> ask(connection -> select(
                        connection,
                        Selects.PACKED_TASKS,
                        List.of(found.firstPacked().value(), found.lastPacked().value()))))
                .orElse(List.of());
    }

    /** How many tasks of an array that are jobs of their own are in which state. */
    public SortedMap<StateName, Long> tasks(JobId array) {
        return ask(connection -> TaskRows.count(connection, array));
    }

    /** The arrays that have not ended. */
    public List<JobId> openArrays() {
        return ask(connection -> {
            List<JobId> ids = new ArrayList<>();
            try (PreparedStatement select = connection.prepareStatement(Selects.OPEN_ARRAYS);
                    ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    ids.add(new JobId(row.getLong(1)));
                }
            }
            return ids;
        });
    }

    /**
     * The GPU use of those tasks and packs of an array that have ended. It looks at each of them.
     *
     * @param without those whose time counts, but not what is stored of their GPUs
     */
    public TaskUsage taskUsage(JobId array, Set<JobId> without) {
        return ask(connection -> TaskRows.usage(connection, array, without));
    }

    /**
     * The newest warnings about an array's tasks, each of which says which task it is about; the oldest of them first.
     *
     * @param ofOpenTasks whether only those of tasks that have not ended; else it looks at each task
     */
    public List<JobWarning> taskWarnings(JobId array, boolean ofOpenTasks) {
        return ask(connection -> TaskRows.warnings(connection, array, ofOpenTasks));
    }

    /**
     * The task of an array: the job that it is, or else as it stands with its array; empty where the array has no such
     * task.
     */
    public Optional<Job> findTask(JobId array, long index) {
        return arrayWith(array, index).flatMap(job -> find(job.taskId((int) index)));
    }

    /** The pack of an array that its task is, was or would have been in; empty where there is none. */
    public Optional<Job> findPack(JobId array, long index) {
        return arrayWith(array, index)
                .filter(job -> Objects.requireNonNull(job.spec().tasks()).packing() != null)
                .flatMap(job -> find(job.task((int) index).pack()));
    }

    private Optional<Job> arrayWith(JobId array, long index) {
        return find(array)
                .filter(Job::isArray)
                .filter(job -> index <= TaskSet.MAX_INDEX)
                .filter(job -> Objects.requireNonNull(job.spec().tasks()).all().contains((int) index));
    }

    /** The events of any of a user's jobs after an event, or with null of everybody's, in order: a piece of it. */
    public Rows<JobEventView> feed(@Nullable Long uid, long after, int limit) {
        List<Object> arguments = uid == null ? List.of(after, limit + 1) : List.of(after, uid, limit + 1);
        return events(Selects.feed(uid != null), arguments, limit);
    }

    private Rows<JobEventView> events(String sql, List<Object> arguments, int limit) {
        return ask(connection -> {
            try (PreparedStatement select = prepared(connection, sql, arguments);
                    ResultSet row = select.executeQuery()) {
                return Rows.read(row, limit, EVENT_BYTES, JobQueries::event, JobQueries::bytes);
            }
        });
    }

    private static long bytes(JobEventView event) {
        return event.sentence() == null ? 0 : Utf8.length(event.sentence());
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

    /** The number of jobs in each state. */
    public List<StateCount> counts(@Nullable Long uid) {
        return ask(connection -> {
            SortedMap<String, Long> counts = new TreeMap<>();
            try (PreparedStatement select = connection.prepareStatement(Selects.counts(uid));
                    ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    counts.merge(StoredState.shown(row.getString(1)), row.getLong(2), Long::sum);
                }
            }
            return counts.entrySet().stream()
                    .map(count -> new StateCount(count.getKey(), count.getValue()))
                    .toList();
        });
    }

    /** Whether any job of that user, also one that is finished, names that snapshot. */
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

    /** The events of a job after an event, in order: at most so many, and no more than a piece. */
    public Rows<JobEventView> events(JobId id, long after, int limit) {
        return events(Selects.EVENTS, List.of(id.value(), after, limit + 1), limit);
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
                row.getString("sentence"),
                null,
                number(row));
    }

    private static String number(ResultSet row) throws SQLException {
        long array = row.getLong("array");
        if (row.wasNull()) {
            return Long.toString(row.getLong("job"));
        }
        return array > 0 ? array + "_" + row.getInt("task") : -array + "_[" + row.getString("packed") + "]";
    }

    /** The warnings about a job's last attempt, the oldest first. */
    public List<JobWarning> warnings(JobId id, int attempt) {
        return ask(connection -> WarningRows.read(connection, id, attempt));
    }

    /** The attempts of a job after which it began another, the first one first. */
    public List<EndedAttempt> attempts(JobId id) {
        return ask(connection -> AttemptRows.read(connection, id));
    }

    /** For how long the attempts of jobs ran on GPUs of their own after which these began others: of all before an attempt. */
    public Duration ranBefore(int attempt, JobId first, JobId last) {
        return Duration.of(number(Selects.EARLIER_RAN, first.value(), last.value(), (long) attempt), ChronoUnit.MICROS);
    }

    /** The GPU use of a job's last attempt. */
    public Optional<StoredUsage> usage(JobId id) {
        return ask(connection -> UsageRows.read(connection, id));
    }

    /** The cores and the memory that a job's last attempt used. */
    public Optional<StoredMachineUsage> machineUsage(JobId id) {
        return ask(connection -> MachineUsageRows.read(connection, id));
    }

    /** Usage of many jobs, those without any left out. */
    public List<StoredUsage> usages(List<JobId> ids) {
        return ask(connection -> {
            List<StoredUsage> usages = new ArrayList<>();
            for (JobId id : ids) {
                UsageRows.read(connection, id).ifPresent(usages::add);
            }
            return usages;
        });
    }

    /** The samples kept of a GPU's history, the oldest first. */
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

    /** The receivers that are told of all jobs of a user, the oldest first. */
    public List<Subscription> subscriptions(long uid) {
        return ask(connection -> SubscriptionRows.ofUser(connection, uid));
    }

    /** The event up to which notices were made. */
    public long notifiedUpTo() {
        return ask(connection -> {
            try (PreparedStatement select = prepared(connection, Selects.FACT, List.of(NoticeRows.NOTIFIED));
                    ResultSet row = select.executeQuery()) {
                return row.next() ? Long.parseLong(row.getString(1)) : 0L;
            }
        });
    }

    /** Changes of jobs after an event of which somebody may want to be told, in order: at most so many. */
    public List<ToldEvent> toldEvents(long after, int limit) {
        return ask(connection -> NoticeRows.events(connection, after, limit));
    }

    /** Whether a task of an array ran before an event. */
    public boolean hasStarted(JobId array, long event) {
        return ask(connection -> NoticeRows.hasStarted(connection, array, event));
    }

    /** The first notices that wait for a receiver, in order. */
    public List<Notice> notices(long uid, String receiver, int limit) {
        return ask(connection -> NoticeRows.waiting(connection, uid, receiver, limit));
    }

    /** The number of notices that wait for a receiver. */
    public long waitingNotices(long uid, String receiver) {
        return ask(connection -> NoticeRows.count(connection, uid, receiver));
    }

    /** The number of notices that wait, by the user whose wish they are. */
    public Map<Long, Long> waitingNotices() {
        return ask(NoticeRows::counts);
    }

    /** Has {@code each} told of every receiver for which notices wait, with the user whose wish they are. */
    public void eachReceiver(BiConsumer<Long, String> each) {
        ask(NoticeRows::lanes).forEach(lane -> each.accept(lane.uid(), lane.receiver()));
    }

    /** The projects of a user behind a name, in order. */
    public List<ProjectJobs> projects(long uid, String after, int limit) {
        return ask(connection -> ProjectRows.ofUser(connection, uid, after, limit));
    }

    /**
     * A user of that name who has jobs here, without their groups; the one who submitted last. They need not be in the machine's
     * user database any more.
     */
    public Optional<Submitter> owner(String user) {
        return ask(connection -> ProjectRows.owner(connection, user));
    }

    /** A project of a user; empty where no job is in it. */
    public Optional<ProjectJobs> project(long uid, String project) {
        return ask(
                connection -> ProjectRows.one(connection, uid, project).stream().findFirst());
    }

    /** At most so many jobs of a project behind an id, in order, and whether each is an array. */
    public SortedMap<JobId, Boolean> jobsOfProject(long uid, String project, long after, int limit) {
        return ask(connection -> ProjectRows.jobs(connection, uid, project, after, limit));
    }

    /** At most so many of an array's tasks behind a number that are jobs of their own and in the project, in order. */
    public List<JobId> tasksOfProject(JobId array, String project, long after, int limit) {
        return ask(connection -> ProjectRows.parts(connection, array.value(), project, after, limit));
    }

    /** The same of its packs. */
    public List<JobId> packsOfProject(JobId array, String project, long after, int limit) {
        return ask(connection -> ProjectRows.parts(connection, -array.value(), project, after, limit));
    }

    private static List<Job> select(Connection connection, String sql, List<?> arguments) throws SQLException {
        try (PreparedStatement select = prepared(connection, sql, arguments)) {
            return JobRows.readAll(connection, select);
        }
    }

    private static PreparedStatement prepared(Connection connection, String sql, List<?> arguments)
            throws SQLException {
        PreparedStatement select = connection.prepareStatement(sql);
        for (int i = 0; i < arguments.size(); i++) {
            select.setObject(i + 1, arguments.get(i));
        }
        return select;
    }

    <T> T ask(Query<T> query) {
        return readers.ask(query);
    }

    /** Looks whether the database is still where a restart would find it; who hears of a broken one hears where not. */
    public void requireInPlace() {
        readers.requireInPlace();
    }

    @Override
    public void close() {
        readers.close();
    }
}
