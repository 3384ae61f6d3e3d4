package dev.berth.server.store;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.DependencyKind;
import dev.berth.core.job.GpuId;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.JobState.Packed;
import dev.berth.core.job.Part;
import dev.berth.core.job.StateName;
import dev.berth.core.job.StopCause;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Change;
import dev.berth.core.machine.DeferredJobs;
import dev.berth.core.machine.Drain;
import dev.berth.core.machine.GpuConditions;
import dev.berth.core.machine.Lane;
import dev.berth.core.machine.QueueWindow;
import dev.berth.core.machine.Starts;
import dev.berth.server.store.database.Database;
import dev.berth.server.store.database.DatabaseFile;
import dev.berth.server.store.database.OpenDatabaseFiles;
import dev.berth.server.store.database.StoreException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The only writer. All of it belongs to one thread. A write that fails throws {@link StoreException}, and the server
 * stops: a scheduler that cannot remember must not act.
 */
public final class JobStore implements AutoCloseable {
    private static final String SERVER_ID = "id";

    private final DatabaseFile file;
    private final Connection connection;
    private final JobWrites writes;

    /** The questions that are asked at each step, prepared once: that takes SQLite longer than to answer most of them. */
    private final Map<String, PreparedStatement> questions = new HashMap<>();

    private final GpuRows gpus;
    private final OpenDatabaseFiles standing;
    private final HighestId highestId;
    private Optional<Instant> steadyZero;
    private Duration dateAhead;
    private Duration aheadBefore = Duration.ZERO;
    private long lastAccepted;
    private boolean hasTold;

    /** Opens the database of a data directory, made and migrated where needed. */
    public JobStore(Path file) {
        this.file = new DatabaseFile(file);
        this.connection = Database.openWriter(file);
        this.writes = new JobWrites(connection);
        this.gpus = new GpuRows(connection);
        this.standing = OpenDatabaseFiles.of(this.file);
        this.highestId = highestId(file, connection);
        this.steadyZero = fact(JobWrites.STEADY_ZERO).map(JobRows::instant);
        this.dateAhead = Duration.ofMillis(fact(JobWrites.DATE_AHEAD).orElse(0L));
    }

    private static HighestId highestId(Path file, Connection opened) {
        try {
            return HighestId.beside(file);
        } catch (StoreException e) {
            try {
                opened.close();
            } catch (SQLException alsoFailed) {
                e.addSuppressed(alsoFailed);
            }
            throw e;
        }
    }

    /** Whether there is no database in that place, or an empty file. */
    public static boolean isMissing(Path file) {
        return new DatabaseFile(file).isMissing();
    }

    /** Writes all changes or none; what was committed survives a power cut. */
    public void write(List<Change> changes) {
        changes.forEach(this::writeOne);
    }

    private void writeOne(Change change) {
        try {
            switch (change) {
                case Change.Accepted accepted -> accept(accepted);
                case Change.Singled singled -> writes.single(singled);
                case Change.Packed packed -> writes.pack(packed);
                case Change.Advanced advanced -> writes.advance(advanced);
                case Change.AllocationDecided(Instant _, Attempt attempt) -> writes.decide(attempt);
                case Change.DependenciesMet(Instant _, JobId other) -> writes.endDependencies(other);
                case Change.StartsChanged changed -> writes.starts(changed.starts());
                case Change.GpuDrained(Instant _, GpuId gpu, Drain drain) -> gpus.drain(gpu, drain);
                case Change.GpuResumed(Instant _, GpuId gpu, String _) -> gpus.resume(gpu);
                case Change.CleaningBegun(Instant _, Attempt attempt, Allocation left) ->
                    gpus.beginCleaning(attempt, left);
                case Change.CleaningEnded(Instant _, Attempt attempt) -> gpus.endCleaning(attempt);
            }
        } catch (SQLException e) {
            String what = change instanceof Change.OfJob of ? "job " + of.job().id() : "a change of the server";
            throw file.failed(what + " could not be written", e);
        }
    }

    private void accept(Change.Accepted accepted) throws SQLException {
        writes.accept(accepted);
        lastAccepted = accepted.job().lastId();
    }

    /** Makes all that was written since the last commit durable, where a restart will find it. */
    public void commit() {
        highestId.raise(lastAccepted);
        try {
            connection.commit();
        } catch (SQLException e) {
            throw file.failed("the database did not commit", e);
        }
        standing.require();
    }

    /** A job by its id, as written so far. */
    public Optional<Job> find(JobId id) {
        return select(Selects.BY_ID, id.value()).stream().findFirst();
    }

    /** The array that a task's number belongs to, whether or not the task is a job of its own. */
    public Optional<Job> arrayOf(JobId task) {
        return select(Selects.ARRAY_BEFORE, task.value()).stream()
                .filter(array -> array.indexOf(task) != null)
                .findFirst();
    }

    /** Whether any of an array's tasks that are jobs of their own has not ended. */
    public boolean hasOpenTasks(JobId array) {
        return number(Selects.ANY_OPEN_TASK, array.value()) != 0;
    }

    /** The number of an array's tasks that are jobs of their own and have had no turn. */
    public long singleTasks(JobId array) {
        return number(Selects.SINGLE_TASKS, array.value());
    }

    /** How many tasks of an array that are jobs of their own are in which state, those that have ended alone. */
    public SortedMap<StateName, Long> endedTasks(JobId array) {
        try {
            return TaskRows.ended(connection, array);
        } catch (SQLException e) {
            throw unreadable(e);
        }
    }

    /** The packs of an array that have not ended. */
    public List<Job> openPacks(JobId array) {
        return select(Selects.OPEN_TASKS_BEHIND, -array.value(), 0, Integer.MAX_VALUE);
    }

    /** The tasks that a pack was made of, as they stand. */
    public List<Job> tasksOfPack(Job pack) {
        return select(
                        Selects.BETWEEN,
                        pack.firstPacked().value(),
                        pack.lastPacked().value())
                .stream()
                .filter(task -> task.part() instanceof Part.Task(JobId _, int index)
                        && pack.packed().contains(index))
                .toList();
    }

    /** The packs that have ended and left tasks of which nobody was told. */
    public List<Job> packsToRead() {
        return select(Selects.PACKED_TASKS, 0, Long.MAX_VALUE).stream()
                .map(Job::pack)
                .distinct()
                .flatMap(pack -> find(pack).stream())
                .filter(pack -> pack.state() instanceof Finished)
                .toList();
    }

    /** The tasks in packs that have been cancelled and have not ended. */
    public List<Job> cancelledInPacks() {
        return select(Selects.PACKED_TASKS, 0, Long.MAX_VALUE).stream()
                .filter(task -> task.state() instanceof Packed packed && packed.stop() instanceof StopCause.Cancelled)
                .toList();
    }

    /** At most so many of an array's packs, and of its tasks that are jobs of their own. */
    public List<Job> parts(JobId array, int limit) {
        return select(Selects.PARTS, array.value(), -array.value(), limit);
    }

    /** At most so many of an array's tasks that are jobs of their own, the first of them. */
    public List<Job> tasks(JobId array, int limit) {
        return select(Selects.FIRST_TASKS, array.value(), limit);
    }

    /** At most so many of an array's tasks behind a number that are jobs of their own and have not ended, in order. */
    public List<Job> openTasks(JobId array, long after, int limit) {
        return select(Selects.OPEN_TASKS_BEHIND, array.value(), after, limit);
    }

    /** The job that a user's earlier try of a submit made. */
    public Optional<Submitted> findSubmitted(long uid, String key) {
        try {
            PreparedStatement select = question(Selects.BY_SUBMIT_KEY);
            select.setLong(1, uid);
            select.setString(2, key);
            try (ResultSet row = select.executeQuery()) {
                return row.next()
                        ? find(new JobId(row.getLong(1))).map(job -> new Submitted(job, digest(row)))
                        : Optional.empty();
            }
        } catch (SQLException e) {
            throw unreadable(e);
        }
    }

    /**
     * A job and what was asked for when it was submitted.
     *
     * @param digest of the request
     */
    public record Submitted(Job job, String digest) {}

    private String digest(ResultSet row) {
        try {
            return row.getString(2);
        } catch (SQLException e) {
            throw unreadable(e);
        }
    }

    /**
     * Removes all that is known of a job that has ended; another is left as it is, and so is one whose end others have
     * not been told of.
     */
    public void delete(JobId id) {
        if (find(id).filter(job -> job.state().name().isFinal()).isEmpty()) {
            return;
        }
        try {
            if (DependencyRows.isAwaited(connection, id)) {
                return;
            }
            WarningRows.delete(connection, id);
            UsageRows.delete(connection, id);
            MachineUsageRows.delete(connection, id);
            writes.delete(id);
        } catch (SQLException e) {
            throw file.failed("job " + id + " could not be deleted", e);
        }
    }

    /** Gives jobs another project. */
    public void rename(Renaming renaming) {
        try {
            writes.rename(renaming);
        } catch (SQLException e) {
            throw file.failed("the project of jobs could not be written", e);
        }
    }

    /** The state of the GPUs that is kept beside what jobs hold. */
    public GpuConditions gpus() {
        try {
            return gpus.read();
        } catch (SQLException e) {
            throw unreadable(e);
        }
    }

    /**
     * Keeps a warning, or what has become of it; of a job that is not there any more nothing is kept. One that is new is
     * a line of the job's history too.
     */
    public void warn(JobWarning warning) {
        Optional<Job> job = find(warning.job());
        if (job.isEmpty()) {
            return;
        }
        try {
            boolean isNew = warning.endedAt() == null && !WarningRows.isKnown(connection, warning);
            WarningRows.write(connection, warning);
            if (isNew) {
                writes.warned(job.get(), warning);
                hasTold = true;
            }
        } catch (SQLException e) {
            throw file.failed("a warning of job " + warning.job() + " could not be written", e);
        }
    }

    /**
     * Ends the warnings of live jobs that are about what was seen on their GPUs: nobody has looked since the server before,
     * and what is still so is said anew.
     */
    public void endSeenWarnings(Instant at) {
        int ended = 0;
        for (Job job : live()) {
            try {
                ended += WarningRows.endSeen(connection, job.id(), at);
            } catch (SQLException e) {
                throw file.failed("the warnings of job " + job.id() + " could not be ended", e);
            }
        }
        if (ended > 0) {
            commit();
        }
    }

    /** Whether a line of history was written that no change of the scheduler's tells of; asked once, it is forgotten. */
    public boolean takeTold() {
        boolean told = hasTold;
        hasTold = false;
        return told;
    }

    /** Keeps blocks of the GPUs' history, each in the place of the one that stood there a round before. */
    public void keep(List<GpuSamples> blocks) {
        try {
            for (GpuSamples block : blocks) {
                UsageRows.write(connection, block);
            }
        } catch (SQLException e) {
            throw file.failed("the history of the GPUs could not be written", e);
        }
    }

    /** Keeps what a job makes of its GPUs; of a job that is not there any more nothing is kept. */
    public void keep(StoredUsage usage) {
        if (find(usage.job()).isEmpty()) {
            return;
        }
        try {
            UsageRows.write(connection, usage);
        } catch (SQLException e) {
            throw file.failed("the usage of job " + usage.job() + " could not be written", e);
        }
    }

    /** Keeps what a job uses of the machine; of a job that is not there any more nothing is kept. */
    public void keep(StoredMachineUsage usage) {
        if (find(usage.job()).isEmpty()) {
            return;
        }
        try {
            MachineUsageRows.write(connection, usage);
        } catch (SQLException e) {
            throw file.failed("the cores and memory used by job " + usage.job() + " could not be written", e);
        }
    }

    /** Whether starts are allowed, as last written. */
    public Starts starts() {
        try (PreparedStatement select = connection.prepareStatement(Selects.PAUSE);
                ResultSet row = select.executeQuery()) {
            return row.next() ? JobWrites.paused(row.getString(1)) : new Starts.Allowed();
        } catch (SQLException e) {
            throw unreadable(e);
        }
    }

    /** Under which start of the machine the last server ran; empty before the first. */
    public Optional<String> boot() {
        return text(JobWrites.BOOT);
    }

    /** Keeps that it runs under this one now. */
    public void keepBoot(String id) {
        keepFact(JobWrites.BOOT, id);
    }

    /** The date at which the steady clock of this start of the machine said 0; empty before it was first kept. */
    public Optional<Instant> steadyZero() {
        return steadyZero;
    }

    /** Keeps that date, which is the one of now. */
    public void keepSteadyZero(Instant zero) {
        aheadBefore = dateAhead;
        steadyZero = Optional.of(zero);
        keepDateAhead(Duration.ZERO);
        keepFact(JobWrites.STEADY_ZERO, Long.toString(JobRows.micros(zero)));
    }

    /**
     * The time by which the machine's date was at last ahead of the steady clock of before; nothing where this one goes
     * on.
     */
    public Duration aheadBefore() {
        return aheadBefore;
    }

    /** The time by which the machine's date was ahead of the steady clock when that was last kept. */
    public Duration dateAhead() {
        return dateAhead;
    }

    /** Keeps how far it is. */
    public void keepDateAhead(Duration ahead) {
        dateAhead = ahead;
        keepFact(JobWrites.DATE_AHEAD, Long.toString(ahead.toMillis()));
    }

    private void keepFact(String name, String value) {
        try {
            writes.fact(name, value);
        } catch (SQLException e) {
            throw file.failed("what the server keeps of itself could not be written", e);
        }
    }

    private Optional<Long> fact(String name) {
        try {
            return text(name).map(Long::parseLong);
        } catch (NumberFormatException e) {
            throw new StoreException("the database says " + name + " by no number", e);
        }
    }

    private Optional<String> text(String name) {
        try (PreparedStatement select = connection.prepareStatement(Selects.FACT)) {
            select.setString(1, name);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? Optional.of(row.getString(1)) : Optional.empty();
            }
        } catch (SQLException e) {
            throw unreadable(e);
        }
    }

    private StoreException unreadable(SQLException e) {
        return file.failed("the database could not be read", e);
    }

    /** All jobs that hold a worker, in the order of their ids. */
    public List<Job> live() {
        return select(Selects.LIVE);
    }

    /** The job of this machine that had the last turn of all, also where it has ended since; 0 before the first. */
    public long lastTurn() {
        return number(Selects.LAST_TURN);
    }

    /**
     * The queued jobs of a lane behind a job.
     *
     * @param after the turn behind which to look, 0 for the front
     * @param everything whether the main lane takes the jobs without GPUs too
     * @return at most so many, up to the one with which they take so many bytes
     */
    public Rows<Job> queuedBehind(Lane lane, boolean everything, long after, int limit, long maxBytes) {
        try {
            PreparedStatement select = question(Selects.queuedBehind(lane, everything), after, limit + 1);
            return JobRows.read(connection, select, limit, maxBytes);
        } catch (SQLException e) {
            throw unreadable(e);
        }
    }

    /** Whether jobs wait for others, as written so far. */
    public boolean hasDependents() {
        try {
            return DependencyRows.exist(connection);
        } catch (SQLException e) {
            throw unreadable(e);
        }
    }

    /** The jobs that have ended and that others still wait for, with how they ended. */
    public SortedMap<JobId, StateName> endedAndAwaited() {
        try {
            return DependencyRows.ended(connection);
        } catch (SQLException e) {
            throw unreadable(e);
        }
    }

    /**
     * At most so many of the jobs that wait for the end of a job, in order: those that wait for nothing else, and those that
     * wait for another end than this.
     *
     * @param after the job behind which they are looked for, null for all
     */
    public Rows<Job> dependents(JobId other, StateName end, @Nullable JobId after, int limit, long maxBytes) {
        List<String> unmet = Stream.of(DependencyKind.values())
                .filter(kind -> !kind.isMetBy(end))
                .map(DependencyKind::word)
                .toList();
        try (PreparedStatement select = connection.prepareStatement(Selects.DEPENDENTS)) {
            select.setLong(1, other.value());
            select.setLong(2, after == null ? 0 : after.value());
            select.setString(3, unmet.getFirst());
            select.setString(4, unmet.getLast());
            select.setInt(5, limit + 1);
            return JobRows.read(connection, select, limit, maxBytes);
        } catch (SQLException e) {
            throw unreadable(e);
        }
    }

    /** The first of those that wait for a job which has not ended, as written so far. */
    public List<Job> waitingFor(JobId other, int limit, long maxBytes) {
        try (PreparedStatement select = connection.prepareStatement(Selects.WAITING_FOR)) {
            select.setLong(1, other.value());
            select.setInt(2, limit);
            return JobRows.read(connection, select, limit, maxBytes).items();
        } catch (SQLException e) {
            throw unreadable(e);
        }
    }

    /** The arrays whose tasks wait for those of the array that a job is a task of; none of another job. */
    public List<Job> pairs(JobId task) {
        return select(Selects.PAIRS, task.value());
    }

    /** The number of arrays whose tasks wait for those of an array. */
    public long pairsOf(JobId array) {
        return number(Selects.PAIR_COUNT, array.value());
    }

    /** Whether somebody waits for a job, as written so far. */
    public boolean isAwaited(JobId id) {
        try {
            return DependencyRows.isAwaited(connection, id);
        } catch (SQLException e) {
            throw unreadable(e);
        }
    }

    /** The states of those jobs that a user has, as everybody sees them, as written so far. */
    public SortedMap<JobId, StateName> states(long uid, Collection<JobId> ids) {
        SortedMap<JobId, StateName> states = new TreeMap<>();
        try (PreparedStatement select = connection.prepareStatement(Selects.STATE)) {
            for (JobId id : ids) {
                select.setLong(1, id.value());
                select.setLong(2, uid);
                try (ResultSet row = select.executeQuery()) {
                    if (row.next()) {
                        states.put(id, StateName.valueOf(StoredState.shown(row.getString(1))));
                    }
                }
            }
            return states;
        } catch (SQLException e) {
            throw unreadable(e);
        }
    }

    /** The first of the jobs that are not ready. */
    public DeferredJobs.Earliest earliestDeferred() {
        long begin = number(Selects.NEXT_BEGIN);
        return new DeferredJobs.Earliest(
                job(number(Selects.FIRST_DEFERRED)),
                job(number(Selects.FIRST_DEPENDENT)),
                begin == 0 ? null : JobRows.instant(begin));
    }

    private static @Nullable JobId job(long id) {
        return id == 0 ? null : new JobId(id);
    }

    /** At most so many of the jobs whose date has come. */
    public Rows<Job> due(Instant date, int limit, long maxBytes) {
        return rows(Selects.DUE, JobRows.micros(date), limit, maxBytes);
    }

    private Rows<Job> rows(String sql, long about, int limit, long maxBytes) {
        try {
            return JobRows.read(connection, question(sql, about, limit + 1), limit, maxBytes);
        } catch (SQLException e) {
            throw unreadable(e);
        }
    }

    /** At most so many of the jobs behind an id that the server itself has set aside, in order. */
    public List<Job> heldByServer(long after, int limit) {
        return rows(Selects.HELD_BY_SERVER, after, limit, QueueWindow.MAX_BYTES).items();
    }

    /**
     * The jobs that wait and cannot run, however many wait; {@code refusal} says why, by the GPUs and the options
     * alone.
     */
    public UnfitJobs unfit(Function<JobSpec, Optional<String>> refusal) {
        try {
            return UnfitJobs.read(connection, refusal);
        } catch (SQLException e) {
            throw unreadable(e);
        }
    }

    /** The highest id ever assigned, 0 before the first; also by a server whose database this one is a backup of. */
    public long lastId() {
        return Math.max(number(Selects.LAST_ID), highestId.value());
    }

    /** The number of a user's jobs that are queued or held, as written so far. */
    public long waiting(long uid) {
        return number(Selects.WAITING_OF_USER, uid);
    }

    /** The number of bytes that a user's jobs take that have not ended, as written so far. */
    public long bytes(long uid) {
        return number(Selects.BYTES_OF_USER, uid);
    }

    /** The id of this server; the first call of all makes it, and commits. */
    public String serverId(Supplier<String> fresh) {
        Optional<String> known = text(SERVER_ID);
        if (known.isPresent()) {
            return known.get();
        }
        String made = fresh.get();
        keepFact(SERVER_ID, made);
        commit();
        return made;
    }

    /**
     * Keeps a token; false where its user has {@code max} that live already, the id is taken, or the token that makes it
     * was revoked meanwhile.
     */
    public boolean keepToken(Token token, int max) {
        try {
            return TokenRows.insert(connection, token, max);
        } catch (SQLException e) {
            throw file.failed("token " + token.id() + " could not be written", e);
        }
    }

    /** Takes a token back, with all that it made and that these made. */
    public void revokeToken(String id, Instant at) {
        try {
            TokenRows.revoke(connection, id, at);
        } catch (SQLException e) {
            throw file.failed("token " + id + " could not be written", e);
        }
    }

    /** Keeps a receiver of a user's that is told of what happens from now on; empty where they have {@code max}. */
    public Optional<Subscription> keepSubscription(Subscription subscription, int max) {
        try {
            return SubscriptionRows.insert(connection, subscription, max);
        } catch (SQLException e) {
            throw file.failed("a receiver of " + subscription.user() + " could not be written", e);
        }
    }

    /** Removes a receiver of a user's, with the notices that wait for it. */
    public void deleteSubscription(Subscription subscription) {
        try {
            SubscriptionRows.delete(connection, subscription);
        } catch (SQLException e) {
            throw file.failed(subscription + " could not be removed", e);
        }
    }

    /** Removes some of the notices that wait for a receiver that is to be removed; how many there were. */
    public int deleteNotices(Subscription subscription, int max) {
        try {
            return SubscriptionRows.deleteNotices(connection, subscription, max);
        } catch (SQLException e) {
            throw file.failed("the notices of " + subscription + " could not be removed", e);
        }
    }

    /** Keeps the notices of what happened up to an event, and how far that was, in one commit. */
    public void keepNotices(List<Notice> notices, List<JobWarning> warnings, long upTo) {
        try {
            for (Notice notice : notices) {
                NoticeRows.insert(connection, notice);
            }
            writes.fact(NoticeRows.NOTIFIED, Long.toString(upTo));
        } catch (SQLException e) {
            throw file.failed("notices could not be written", e);
        }
        warnings.forEach(this::warn);
    }

    /** Keeps that these are about to be sent, so that none is sent again without a mark. */
    public void beginNotices(List<Notice> notices) {
        try {
            NoticeRows.begin(connection, notices);
        } catch (SQLException e) {
            throw file.failed("notices could not be written", e);
        }
    }

    /** Keeps what has become of them. */
    public void endNotices(List<NoticeEnd> ends) {
        try {
            for (NoticeEnd end : ends) {
                NoticeRows.end(connection, end);
                if (end.kind() != NoticeEnd.Kind.NOT_BEGUN) {
                    SubscriptionRows.sent(connection, end);
                }
                if (end.warning() != null) {
                    warn(end.warning());
                }
            }
        } catch (SQLException e) {
            throw file.failed("notices could not be written", e);
        }
    }

    /** Keeps which process a job's GPUs are leased to; where the job holds none any more, nothing. */
    public void keepProcess(HostProcess process) {
        try {
            HostProcessRows.insert(connection, process);
        } catch (SQLException e) {
            throw file.failed("the process of job " + process.job() + " could not be written", e);
        }
    }

    /** The processes that jobs' GPUs are leased to. */
    public List<HostProcess> processes() {
        try {
            return HostProcessRows.all(connection);
        } catch (SQLException e) {
            throw unreadable(e);
        }
    }

    private List<Job> select(String sql, long... arguments) {
        try {
            return JobRows.readAll(connection, question(sql, arguments));
        } catch (SQLException e) {
            throw unreadable(e);
        }
    }

    private long number(String sql, long... arguments) {
        try (ResultSet row = question(sql, arguments).executeQuery()) {
            return row.next() ? row.getLong(1) : 0;
        } catch (SQLException e) {
            throw unreadable(e);
        }
    }

    /** A question as prepared once; its last answer is to be closed before it is asked again. */
    private PreparedStatement question(String sql, long... arguments) throws SQLException {
        PreparedStatement question = questions.get(sql);
        if (question == null) {
            question = connection.prepareStatement(sql);
            questions.put(sql, question);
        }
        for (int i = 0; i < arguments.length; i++) {
            question.setLong(i + 1, arguments[i]);
        }
        return question;
    }

    @Override
    public void close() {
        try {
            writes.close();
            for (PreparedStatement question : questions.values()) {
                question.close();
            }
            // Takes back what was not committed; a rollback fails where SQLite has rolled back by itself (a full disk).
            connection.close();
            highestId.close();
        } catch (SQLException e) {
            throw new StoreException("the database did not close: " + e.getMessage(), e);
        }
    }
}
