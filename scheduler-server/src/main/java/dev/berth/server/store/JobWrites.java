package dev.berth.server.store;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.EngineRun;
import dev.berth.core.job.GpuShare;
import dev.berth.core.job.ImageState;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState;
import dev.berth.core.job.JobState.Creating;
import dev.berth.core.job.JobState.Deferred;
import dev.berth.core.job.JobState.Dispatched;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.JobState.HandedOver;
import dev.berth.core.job.JobState.Held;
import dev.berth.core.job.JobState.Live;
import dev.berth.core.job.JobState.Packed;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.JobState.Running;
import dev.berth.core.job.JobState.Starting;
import dev.berth.core.job.JobState.Stopping;
import dev.berth.core.job.Part;
import dev.berth.core.job.SignalState;
import dev.berth.core.job.StopCause;
import dev.berth.core.job.Unmet;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Change;
import dev.berth.core.machine.Starts;
import dev.berth.server.store.database.StoreException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The statements of the writer, each prepared once, each with the number of rows it must hit. */
final class JobWrites implements AutoCloseable {
    /** The event of a warning that is new. */
    static final String WARNED = "Warned";

    /** The fact that starts are paused: since when, and by whom. */
    static final String PAUSE = "pause";

    /** The fact under which start of the machine the last server ran. */
    static final String BOOT = "boot";

    static final String STEADY_ZERO = "steady-zero";
    static final String DATE_AHEAD = "date-ahead";

    private final PreparedStatement insertJob;
    private final PreparedStatement insertTask;
    private final PreparedStatement insertPack;
    private final PreparedStatement insertPacked;
    private final PreparedStatement updateArray;
    private final PreparedStatement reserveIds;
    private final PreparedStatement updateJob;
    private final PreparedStatement decideAllocation;
    private final PreparedStatement insertAllocation;
    private final PreparedStatement deleteAllocation;
    private final PreparedStatement insertCpu;
    private final PreparedStatement deleteCpus;
    private final PreparedStatement insertAttempt;
    private final PreparedStatement insertEvent;
    private final PreparedStatement writeFact;
    private final PreparedStatement deleteFact;
    private final PreparedStatement deleteEvents;
    private final PreparedStatement deleteJob;
    private final PreparedStatement renameJob;
    private final PreparedStatement renameParts;
    private final DependencyRows dependencies;

    JobWrites(Connection connection) {
        try {
            insertJob = connection.prepareStatement("""
                INSERT INTO job (id, state, attempt, name, project, command, snapshot, image, gpu_milli,
                    environment, time_limit, user, uid, gid, groups, submitted_at, options, submit_key,
                    submit_digest, image_id, spec_bytes, begin_at, awaiting, tasks_waiting, parameters, target)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)\
                """);
            insertTask = connection.prepareStatement(insertPart("task", "state"));
            insertPack = connection.prepareStatement(insertPart("packed", "state"));
            insertPacked = connection.prepareStatement(insertPart("task", "'" + StoredState.PACKED + "'"));
            updateArray = connection.prepareStatement(
                    "UPDATE job SET tasks_waiting = ?, state = ?, image_id = ?, held_by = ?, held_at = ?, begin_at = ?,"
                            + " awaiting = ? WHERE id = ? AND tasks_waiting = ? AND state = ?");
            reserveIds = connection.prepareStatement("UPDATE sqlite_sequence SET seq = ? WHERE name = 'job'");
            updateJob = connection.prepareStatement("""
                UPDATE job SET state = ?, attempt = ?, image_id = ?, started_at = ?, stop_cause = ?, stop_by = ?,
                    ended_at = ?, reason = ?, sentence = ?, exit_code = ?, held_by = ?, held_at = ?, container_made = ?,
                    gpus_decided = 0, engine_run = ?, counted_from = ?, begin_at = ?, awaiting = ?, rest_state = ?,
                    rest_at = ?, retried = ?, moved_to = ?, signal_state = ?
                WHERE id = ? AND state = ? AND attempt = ? AND container_made = ?\
                """);
            decideAllocation = connection.prepareStatement("""
                UPDATE job SET gpus_decided = 1
                WHERE id = ? AND state = 'STARTING' AND attempt = ? AND container_made = 0\
                """);
            insertAllocation = connection.prepareStatement(
                    "INSERT INTO allocation (job, position, gpu, milli) VALUES (?, ?, ?, ?)");
            deleteAllocation = connection.prepareStatement("DELETE FROM allocation WHERE job = ?");
            insertCpu = connection.prepareStatement("INSERT INTO cpu_allocation (job, cpu) VALUES (?, ?)");
            deleteCpus = connection.prepareStatement("DELETE FROM cpu_allocation WHERE job = ?");
            insertAttempt = connection.prepareStatement("""
                INSERT INTO attempt (job, attempt, gpus, started_at, ended_at, ran_micros, state, reason, sentence, exit_code,
                    retried)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)\
                """);
            insertEvent = connection.prepareStatement("""
                INSERT INTO job_event (job, at, event, from_state, to_state, attempt, gpus, sentence)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)\
                """);
            writeFact = connection.prepareStatement("INSERT INTO server (name, value) VALUES (?, ?)");
            deleteFact = connection.prepareStatement("DELETE FROM server WHERE name = ?");
            deleteEvents = connection.prepareStatement("DELETE FROM job_event WHERE job = ?");
            deleteJob = connection.prepareStatement("DELETE FROM job WHERE id = ?");
            renameJob =
                    connection.prepareStatement("UPDATE job SET project = ? WHERE id = ? AND uid = ? AND project = ?");
            renameParts = connection.prepareStatement(
                    "UPDATE job INDEXED BY job_task SET project = ? WHERE array IN (?, ?) AND array IS NOT NULL"
                            + " AND project = ?");
            dependencies = new DependencyRows(connection);
        } catch (SQLException e) {
            throw new StoreException("the database does not have the tables it must have: " + e.getMessage(), e);
        }
    }

    /**
     * The statement that makes a row of a part of an array, with what that was asked for; the array's program is not written
     * again. Parameters: the id, the bytes, what the column {@code array} has, the column that says which part it is, the
     * array and its state.
     *
     * @param which the column that says which part it is
     * @param state an expression
     */
    private static String insertPart(String which, String state) {
        return """
            INSERT INTO job (id, state, attempt, name, project, command, snapshot, image, gpu_milli,
                environment, time_limit, user, uid, gid, groups, submitted_at, options, image_id, spec_bytes, begin_at,
                awaiting, held_by, held_at, target, array, %s)
            SELECT ?, %s, attempt, name, project, '', snapshot, image, gpu_milli, '', time_limit, user, uid, gid, groups,
                submitted_at, options, image_id, ?, begin_at, awaiting, held_by, held_at, target, ?, ?
            FROM job WHERE id = ? AND state = ?\
            """.formatted(which, state);
    }

    void accept(Change.Accepted accepted) throws SQLException {
        Job job = accepted.job();
        run(
                1,
                insertJob,
                job.id().value(),
                StoredState.word(job.state()),
                job.state().attempt(),
                job.spec().name(),
                job.spec().project(),
                JobRows.json(accepted.program().command()),
                job.spec().snapshot(),
                job.spec().image(),
                job.spec().gpus().milli(),
                JobRows.json(accepted.program().environment()),
                job.spec().timeLimit() == null ? null : job.spec().timeLimit().toSeconds(),
                job.owner().name(),
                job.owner().uid(),
                job.owner().gid(),
                JobRows.json(job.owner().groups()),
                JobRows.micros(job.submittedAt()),
                StoredOptions.write(job.spec()),
                accepted.key() == null ? null : accepted.key().key(),
                accepted.key() == null ? null : accepted.key().digest(),
                Columns.of(job.state()).imageId(),
                job.spec().bytes() + accepted.program().bytes(),
                begin(job.state()),
                awaiting(job.state()),
                job.isArray() ? job.waiting().toString() : null,
                StoredParameters.write(accepted.program().parameters()),
                job.spec().target());
        if (job.isArray()) {
            run(1, reserveIds, job.lastId());
        }
        dependencies.accept(job.id(), job.state());
        note(accepted, null, "JobAccepted", null);
    }

    /** Makes a task a row of its own. */
    void single(Change.Singled singled) throws SQLException {
        Job task = singled.job();
        insert(insertTask, singled.before(), task);
        dependencies.accept(task.id(), task.state());
        updateArray(singled.at(), singled.before(), singled.array());
        note(singled, null, "TaskSingled", null);
    }

    /** Makes a pack and each of its tasks a row of its own. */
    void pack(Change.Packed packed) throws SQLException {
        insert(insertPack, packed.before(), packed.job());
        for (Job task : packed.tasks()) {
            insert(insertPacked, packed.before(), task);
            note(packed.at(), task, null, "TaskPacked", null);
        }
        updateArray(packed.at(), packed.before(), packed.array());
        note(packed, null, "PackMade", null);
    }

    private static void insert(PreparedStatement statement, Job array, Job part) throws SQLException {
        boolean isPack = part.isPack();
        run(
                1,
                statement,
                part.id().value(),
                part.spec().bytes(),
                isPack ? -array.id().value() : array.id().value(),
                switch (Objects.requireNonNull(part.part())) {
                    case Part.Task task -> task.index();
                    case Part.Pack pack -> pack.tasks().toString();
                    case Part.Array _ -> throw new IllegalArgumentException("array " + part.id() + " in an array");
                },
                array.id().value(),
                StoredState.word(array.state()));
    }

    private void updateArray(Instant at, Job before, Job array) throws SQLException {
        String word = StoredState.word(before.state());
        if (!StoredState.word(array.state()).equals(word)) {
            dependencies.advance(array.id(), before.state(), array.state());
        }
        Columns columns = Columns.of(array.state());
        run(
                1,
                updateArray,
                array.waiting().toString(),
                StoredState.word(array.state()),
                columns.imageId,
                columns.heldBy,
                columns.heldAt,
                begin(array.state()),
                awaiting(array.state()),
                before.id().value(),
                before.waiting().toString(),
                word);
        if (array.state() instanceof Dispatched) {
            note(at, array, before.state(), "TasksDispatched", null);
        }
    }

    void advance(Change.Advanced advanced) throws SQLException {
        Job job = advanced.job();
        Columns columns = Columns.of(job.state());
        Finished rest = rest(job.state());
        // The state before is part of the condition: a job that is not where the scheduler believes it is hits no row.
        run(
                1,
                updateJob,
                StoredState.word(job.state()),
                job.state().attempt(),
                columns.imageId,
                columns.startedAt,
                columns.stopCause,
                columns.stopBy,
                columns.endedAt,
                columns.reason,
                columns.sentence,
                columns.exitCode,
                columns.heldBy,
                columns.heldAt,
                containerMade(job.state()),
                engineRun(job.state()),
                countedFrom(job.state()),
                begin(job.state()),
                awaiting(job.state()),
                rest == null ? null : rest.outcome().state().name(),
                rest == null ? null : JobRows.micros(rest.endedAt()),
                job.retried(),
                job.movedTo() == null ? null : job.movedTo().value(),
                signal(job.state()),
                job.id().value(),
                StoredState.word(advanced.before().state()),
                advanced.before().state().attempt(),
                containerMade(advanced.before().state()));
        dependencies.advance(job.id(), advanced.before().state(), job.state());
        reallocate(job, allocation(advanced.before().state()), allocation(job.state()));
        note(advanced, advanced.before().state(), advanced.event().name(), advanced.sentence());
        Finished attempt = advanced.attempt();
        if (attempt != null) {
            keep(advanced, attempt);
        }
    }

    /** An attempt that the job's own row tells no more of. */
    private void keep(Change.Advanced advanced, Finished attempt) throws SQLException {
        Job job = advanced.job();
        Allocation held = allocation(advanced.before().state());
        run(
                1,
                insertAttempt,
                job.id().value(),
                attempt.attempt(),
                held.isNone() ? null : held.uuids(),
                attempt.startedAt() == null ? null : JobRows.micros(attempt.startedAt()),
                JobRows.micros(attempt.endedAt()),
                attempt.ran().toNanos() / 1_000,
                attempt.outcome().state().name(),
                attempt.outcome().reason().name(),
                attempt.outcome().sentence(),
                attempt.outcome().exitCode(),
                advanced.isRetry() ? 1 : 0);
        if (!job.turn().equals(advanced.before().turn())) {
            run(1, reserveIds, job.turn().value());
        }
    }

    /** Of a job that is not in the project any more, or is gone, nothing changes. */
    void rename(Renaming renaming) throws SQLException {
        for (JobId job : renaming.jobs()) {
            renameJob.setString(1, renaming.to());
            renameJob.setLong(2, job.value());
            renameJob.setLong(3, renaming.uid());
            renameJob.setString(4, renaming.from());
            renameJob.executeUpdate();
        }
        JobId array = renaming.array();
        if (array != null) {
            renameParts.setString(1, renaming.to());
            renameParts.setLong(2, array.value());
            renameParts.setLong(3, -array.value());
            renameParts.setString(4, renaming.from());
            renameParts.executeUpdate();
        }
    }

    void endDependencies(JobId other) throws SQLException {
        dependencies.end(other);
    }

    /** Holds until the next change of its job, which takes it back. */
    void decide(Attempt attempt) throws SQLException {
        run(1, decideAllocation, attempt.job().value(), attempt.number());
    }

    private static @Nullable Finished rest(JobState state) {
        return state instanceof Dispatched dispatched ? dispatched.rest() : null;
    }

    private static @Nullable String signal(JobState state) {
        return state instanceof Running running && running.signal() != SignalState.NOT_DUE
                ? running.signal().name()
                : null;
    }

    private static @Nullable Long begin(JobState state) {
        Instant begin = DependencyRows.unmet(state).begin();
        return begin == null ? null : JobRows.micros(begin);
    }

    private static int awaiting(JobState state) {
        Unmet unmet = DependencyRows.unmet(state);
        return !unmet.pending().isEmpty() && unmet.broken().isEmpty() ? 1 : 0;
    }

    /** The value that tells the two halves of a launch apart; both are STARTING for everybody else. */
    private static int containerMade(JobState state) {
        return state instanceof Starting ? 1 : 0;
    }

    private static @Nullable String engineRun(JobState state) {
        return state instanceof Starting starting && !starting.engine().equals(EngineRun.UNKNOWN)
                ? starting.engine().id()
                : null;
    }

    void fact(String name, String value) throws SQLException {
        deleteFact.setString(1, name);
        deleteFact.executeUpdate();
        run(1, writeFact, name, value);
    }

    /** Of one that is finished, its end less the time that it ran. */
    private static @Nullable Long countedFrom(JobState state) {
        Instant from = switch (state) {
            case Live live -> live.countedFrom();
            case Finished end when end.startedAt() != null -> end.endedAt().minus(end.ran());
            default -> null;
        };
        return from == null ? null : JobRows.micros(from);
    }

    void starts(Starts starts) throws SQLException {
        switch (starts) {
            case Starts.Paused(String by, Instant since) -> run(1, writeFact, PAUSE, JobRows.micros(since) + " " + by);
            case Starts.Allowed() -> run(1, deleteFact, PAUSE);
            case Starts.Stopping() -> throw new IllegalArgumentException("a stop is not kept");
        }
    }

    static Starts paused(String kept) {
        int space = kept.indexOf(' ');
        return new Starts.Paused(kept.substring(space + 1), JobRows.instant(Long.parseLong(kept, 0, space, 10)));
    }

    /** The history first: it refers to the job. */
    void delete(JobId id) throws SQLException {
        deleteEvents.setLong(1, id.value());
        deleteEvents.executeUpdate();
        run(1, deleteJob, id.value());
    }

    private void reallocate(Job job, Allocation before, Allocation after) throws SQLException {
        if (before.equals(after)) {
            return;
        }
        run(before.shares().size(), deleteAllocation, job.id().value());
        for (int position = 0; position < after.shares().size(); position++) {
            GpuShare share = after.shares().get(position);
            run(1, insertAllocation, job.id().value(), position, share.gpu().uuid(), share.milli());
        }
        run(before.cpus().size(), deleteCpus, job.id().value());
        for (Integer cpu : after.cpus()) {
            run(1, insertCpu, job.id().value(), cpu);
        }
    }

    private static Allocation allocation(JobState state) {
        return state instanceof Live live ? live.allocation() : Allocation.NONE;
    }

    /** A line of a job's history that changes nothing of its state. */
    void warned(Job job, JobWarning warning) throws SQLException {
        Allocation held = allocation(job.state());
        run(
                1,
                insertEvent,
                job.id().value(),
                JobRows.micros(warning.since()),
                WARNED,
                job.state().name().name(),
                job.state().name().name(),
                warning.attempt(),
                held.isNone() ? null : held.uuids(),
                warning.sentence());
    }

    private void note(Change.OfJob change, @Nullable JobState before, String event, @Nullable String told)
            throws SQLException {
        note(change.at(), change.job(), before, event, told);
    }

    private void note(Instant at, Job job, @Nullable JobState before, String event, @Nullable String told)
            throws SQLException {
        JobState after = job.state();
        Allocation held = allocation(after);
        run(
                1,
                insertEvent,
                job.id().value(),
                JobRows.micros(at),
                event,
                before == null ? null : before.name().name(),
                after.name().name(),
                after.attempt(),
                held.isNone() ? null : held.uuids(),
                told);
    }

    static void run(int rows, PreparedStatement statement, @Nullable Object... arguments) throws SQLException {
        for (int i = 0; i < arguments.length; i++) {
            statement.setObject(i + 1, arguments[i]);
        }
        int hit = statement.executeUpdate();
        if (hit != rows) {
            throw new StoreException("a write hit " + hit + " rows instead of " + rows
                    + ": the database and the scheduler contradict each other");
        }
    }

    /** The values that a state puts into the columns that not every state has. */
    private record Columns(
            @Nullable String imageId,
            @Nullable Long startedAt,
            @Nullable String stopCause,
            @Nullable String stopBy,
            @Nullable Long endedAt,
            @Nullable String reason,
            @Nullable String sentence,
            @Nullable Integer exitCode,
            @Nullable String heldBy,
            @Nullable Long heldAt) {

        static Columns of(JobState state) {
            return switch (state) {
                case Queued queued -> ofImage(imageId(queued.image()));
                case Deferred _ -> ofImage(null);
                case Held held -> ofHeld(held);
                case Creating creating -> ofImage(creating.imageId());
                case HandedOver _ -> ofImage(null);
                case Starting starting -> ofImage(starting.imageId());
                case Running running -> ofStart(JobRows.micros(running.startedAt()), null, null);
                case Stopping stopping -> ofStop(stopping.startedAt(), stopping.cause());
                case Packed packed -> ofStop(packed.startedAt(), packed.stop());
                case Dispatched dispatched -> dispatched.rest() == null ? ofImage(null) : ofRest(dispatched.rest());
                case Finished end -> ofEnd(end);
            };
        }

        private static @Nullable String imageId(ImageState image) {
            return image instanceof ImageState.Ready(String imageId) ? imageId : null;
        }

        private static Columns ofImage(@Nullable String imageId) {
            return new Columns(imageId, null, null, null, null, null, null, null, null, null);
        }

        private static Columns ofHeld(Held held) {
            return new Columns(
                    imageId(held.image()),
                    null,
                    null,
                    null,
                    null,
                    null,
                    null,
                    null,
                    held.by(),
                    JobRows.micros(held.since()));
        }

        /** An array that is still to end has no date of its end. */
        private static Columns ofRest(Finished rest) {
            return new Columns(
                    null,
                    null,
                    null,
                    null,
                    null,
                    rest.outcome().reason().name(),
                    rest.outcome().sentence(),
                    rest.outcome().exitCode(),
                    null,
                    null);
        }

        private static Columns ofStart(@Nullable Long startedAt, @Nullable String stopCause, @Nullable String stopBy) {
            return new Columns(null, startedAt, stopCause, stopBy, null, null, null, null, null, null);
        }

        private static Columns ofStop(@Nullable Instant start, @Nullable StopCause cause) {
            Long startedAt = start == null ? null : JobRows.micros(start);
            return switch (cause) {
                case StopCause.Cancelled(String by) -> ofStart(startedAt, "CANCELLED", by);
                case StopCause.TimeLimit() -> ofStart(startedAt, "TIME_LIMIT", null);
                // Who or what stopped it: a name, or a sentence.
                case StopCause.Idle(String sentence) -> ofStart(startedAt, "IDLE", sentence);
                case StopCause.DeviceLost(String sentence) -> ofStart(startedAt, "DEVICE_LOST", sentence);
                case null -> ofStart(startedAt, null, null);
            };
        }

        private static Columns ofEnd(Finished end) {
            return new Columns(
                    null,
                    end.startedAt() == null ? null : JobRows.micros(end.startedAt()),
                    null,
                    null,
                    JobRows.micros(end.endedAt()),
                    end.outcome().reason().name(),
                    end.outcome().sentence(),
                    end.outcome().exitCode(),
                    null,
                    null);
        }
    }

    @Override
    public void close() throws SQLException {
        insertJob.close();
        insertTask.close();
        insertPack.close();
        insertPacked.close();
        updateArray.close();
        reserveIds.close();
        updateJob.close();
        insertAllocation.close();
        deleteAllocation.close();
        insertCpu.close();
        deleteCpus.close();
        insertAttempt.close();
        insertEvent.close();
        writeFact.close();
        deleteFact.close();
        deleteEvents.close();
        deleteJob.close();
        dependencies.close();
    }
}
