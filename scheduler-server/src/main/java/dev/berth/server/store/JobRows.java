package dev.berth.server.store;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.berth.core.job.Allocation;
import dev.berth.core.job.EngineRun;
import dev.berth.core.job.GpuId;
import dev.berth.core.job.GpuRequest;
import dev.berth.core.job.GpuShare;
import dev.berth.core.job.ImageState;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.JobState;
import dev.berth.core.job.JobState.Creating;
import dev.berth.core.job.JobState.Deferred;
import dev.berth.core.job.JobState.Dispatched;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.JobState.HandedOver;
import dev.berth.core.job.JobState.Held;
import dev.berth.core.job.JobState.Packed;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.JobState.Running;
import dev.berth.core.job.JobState.Starting;
import dev.berth.core.job.JobState.Stopping;
import dev.berth.core.job.Outcome;
import dev.berth.core.job.OutcomeReason;
import dev.berth.core.job.Part;
import dev.berth.core.job.Program;
import dev.berth.core.job.SignalState;
import dev.berth.core.job.StateName;
import dev.berth.core.job.StopCause;
import dev.berth.core.job.Submitter;
import dev.berth.core.job.TaskSet;
import dev.berth.core.text.Utf8;
import dev.berth.server.store.database.StoreException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Rows of {@code job} as jobs. */
final class JobRows {
    private static final Set<String> PACKED =
            Set.of(StoredState.PACKED, StoredState.PACKED_RUNNING, StoredState.PACKED_STOPPING);

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final TypeReference<List<String>> STRINGS = new TypeReference<>() {};
    private static final TypeReference<List<Long>> NUMBERS = new TypeReference<>() {};
    private static final TypeReference<Map<String, String>> VARIABLES = new TypeReference<>() {};

    private JobRows() {}

    /** All rows, each without its program. */
    static List<Job> readAll(Connection connection, PreparedStatement select) throws SQLException {
        return read(connection, select, Integer.MAX_VALUE, Long.MAX_VALUE).items();
    }

    /** At most so many rows, each without its program, up to the one with which they take so many bytes. */
    static Rows<Job> read(Connection connection, PreparedStatement select, int limit, long maxBytes)
            throws SQLException {
        try (ResultSet row = select.executeQuery()) {
            return Rows.read(row, limit, maxBytes, next -> read(connection, next), JobRows::bytes);
        }
    }

    private static long bytes(Job job) {
        return job.spec().bytes()
                + (job.state() instanceof Finished end
                        ? Utf8.length(end.outcome().sentence())
                        : 0);
    }

    static Optional<Program> program(Connection connection, JobId id) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(Selects.PROGRAM)) {
            select.setLong(1, id.value());
            try (ResultSet row = select.executeQuery()) {
                return row.next()
                        ? Optional.of(new Program(
                                parse(row.getString(1), STRINGS),
                                parse(row.getString(2), VARIABLES),
                                StoredParameters.read(row.getString(3))))
                        : Optional.empty();
            }
        }
    }

    private static Job read(Connection connection, ResultSet row) throws SQLException {
        JobId id = new JobId(row.getLong("id"));
        Submitter owner = new Submitter(
                row.getLong("uid"), row.getLong("gid"), parse(row.getString("groups"), NUMBERS), row.getString("user"));
        Part part = part(row);
        JobSpec spec = spec(row);
        return new Job(
                id,
                part instanceof Part.Pack pack ? spec.ofPack(pack.tasks().size()) : spec,
                owner,
                instant(row.getLong("submitted_at")),
                state(connection, id, row),
                part,
                row.getInt("retried"),
                movedTo(row));
    }

    private static @Nullable JobId movedTo(ResultSet row) throws SQLException {
        long turn = row.getLong("moved_to");
        return row.wasNull() ? null : new JobId(turn);
    }

    private static @Nullable Part part(ResultSet row) throws SQLException {
        if (row.getString("tasks_waiting") != null) {
            return new Part.Array(tasks(row, "tasks_waiting"));
        }
        long array = row.getLong("array");
        if (row.wasNull()) {
            return null;
        }
        return array > 0
                ? new Part.Task(new JobId(array), row.getInt("task"))
                : new Part.Pack(new JobId(-array), tasks(row, "packed"));
    }

    private static TaskSet tasks(ResultSet row, String column) throws SQLException {
        String text = row.getString(column);
        try {
            return text.isEmpty() ? TaskSet.NONE : TaskSet.parse(text);
        } catch (IllegalArgumentException e) {
            throw StoreException.unknown("job." + column, text);
        }
    }

    static JobSpec spec(ResultSet row) throws SQLException {
        Number limit = (Number) row.getObject("time_limit");
        return StoredOptions.read(
                row.getString("options"),
                new StoredOptions.Columns(
                        row.getString("name"),
                        row.getString("project"),
                        row.getString("snapshot"),
                        row.getString("image"),
                        row.getString("target"),
                        new GpuRequest(row.getInt("gpu_milli")),
                        limit == null ? null : Duration.ofSeconds(limit.longValue())));
    }

    /** Without GPUs there is nothing to decide; a server that did not keep it looks again. */
    private static Creating creating(int attempt, String imageId, Allocation allocation, ResultSet row)
            throws SQLException {
        boolean isDecided = allocation.isNone() || row.getInt("gpus_decided") == 1;
        return new Creating(attempt, imageId, allocation, isDecided);
    }

    private static JobState state(Connection connection, JobId id, ResultSet row) throws SQLException {
        int attempt = row.getInt("attempt");
        if (row.getString("state").equals(StoredState.DEFERRED)) {
            return new Deferred(attempt, DependencyRows.read(connection, id, instantOrNull(row, "begin_at")));
        }
        if (row.getString("state").equals(StoredState.DISPATCHED)) {
            return new Dispatched(attempt, rest(row));
        }
        if (row.getString("state").equals(StoredState.HANDED_OVER)) {
            return new HandedOver(attempt, false);
        }
        if (row.getString("state").equals(StoredState.HANDED_OVER_HELD)) {
            return new HandedOver(attempt, true);
        }
        if (PACKED.contains(row.getString("state"))) {
            return new Packed(
                    instantOrNull(row, "started_at"), row.getString("stop_cause") == null ? null : cause(row));
        }
        StateName name = word(StateName.class, row, "state");
        Instant startedAt = instantOrNull(row, "started_at");
        // One of a server that did not keep it counts from its date.
        String from = row.getObject("counted_from") == null ? "started_at" : "counted_from";
        String imageId = row.getString("image_id");
        return switch (name) {
            case QUEUED -> new Queued(attempt, image(imageId));
            case HELD ->
                new Held(
                        attempt,
                        image(imageId),
                        DependencyRows.read(connection, id, instantOrNull(row, "begin_at")),
                        row.getString("held_by"),
                        instant(row.getLong("held_at")));
            case STARTING ->
                row.getInt("container_made") == 0
                        ? creating(attempt, imageId, allocation(connection, id), row)
                        : new Starting(
                                attempt,
                                imageId,
                                allocation(connection, id),
                                engine(row.getString("engine_run")),
                                instantOrNull(row, "counted_from"));
            case RUNNING ->
                new Running(
                        attempt,
                        allocation(connection, id),
                        required(row, "started_at"),
                        required(row, from),
                        signal(row));
            case STOPPING ->
                new Stopping(attempt, allocation(connection, id), startedAt, instantOrNull(row, from), cause(row));
            case COMPLETED, FAILED, TIMEOUT, OUT_OF_MEMORY, LOST, CANCELLED ->
                ended(
                        new Finished(attempt, startedAt, required(row, "ended_at"), outcome(name, row)),
                        instantOrNull(row, "counted_from"));
        };
    }

    /** How the tasks of an array ended that had no turn; null where all had one. */
    private static @Nullable Finished rest(ResultSet row) throws SQLException {
        String state = row.getString("rest_state");
        return state == null
                ? null
                : new Finished(
                        row.getInt("attempt") - 1,
                        null,
                        required(row, "rest_at"),
                        outcome(word(StateName.class, row, "rest_state"), row));
    }

    private static Finished ended(Finished end, @Nullable Instant countedFrom) {
        return countedFrom == null ? end : end.lasting(Duration.between(countedFrom, end.endedAt()));
    }

    private static EngineRun engine(@Nullable String id) {
        return id == null ? EngineRun.UNKNOWN : new EngineRun(id);
    }

    private static ImageState image(@Nullable String imageId) {
        return imageId == null ? new ImageState.Pending() : new ImageState.Ready(imageId);
    }

    private static SignalState signal(ResultSet row) throws SQLException {
        return row.getString("signal_state") == null
                ? SignalState.NOT_DUE
                : word(SignalState.class, row, "signal_state");
    }

    private static StopCause cause(ResultSet row) throws SQLException {
        String word = row.getString("stop_cause");
        return switch (word) {
            case "CANCELLED" -> new StopCause.Cancelled(row.getString("stop_by"));
            case "TIME_LIMIT" -> new StopCause.TimeLimit();
            case "IDLE" -> new StopCause.Idle(row.getString("stop_by"));
            case "DEVICE_LOST" -> new StopCause.DeviceLost(row.getString("stop_by"));
            case null, default -> throw StoreException.unknown("job.stop_cause", String.valueOf(word));
        };
    }

    /** A word of a set whose names are the same in code, database, API and command line. */
    static <E extends Enum<E>> E word(Class<E> words, ResultSet row, String column) throws SQLException {
        String text = row.getString(column);
        for (E word : words.getEnumConstants()) {
            if (word.name().equals(text)) {
                return word;
            }
        }
        throw StoreException.unknown("job." + column, String.valueOf(text));
    }

    static Outcome outcome(StateName name, ResultSet row) throws SQLException {
        Number exitCode = (Number) row.getObject("exit_code");
        return new Outcome(
                name,
                word(OutcomeReason.class, row, "reason"),
                row.getString("sentence"),
                exitCode == null ? null : exitCode.intValue());
    }

    private static Allocation allocation(Connection connection, JobId id) throws SQLException {
        List<GpuShare> shares = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement(Selects.ALLOCATION)) {
            select.setLong(1, id.value());
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    shares.add(new GpuShare(new GpuId(row.getString(1)), row.getInt(2)));
                }
            }
        }
        return new Allocation(shares, cpus(connection, id));
    }

    private static List<Integer> cpus(Connection connection, JobId id) throws SQLException {
        List<Integer> cpus = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement(Selects.CPUS)) {
            select.setLong(1, id.value());
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    cpus.add(row.getInt(1));
                }
            }
        }
        return cpus;
    }

    static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    static long micros(Instant instant) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
    }

    static @Nullable Instant instantOrNull(ResultSet row, String column) throws SQLException {
        long micros = row.getLong(column);
        return row.wasNull() ? null : instant(micros);
    }

    /** A time without which the state makes no sense: none is no year 1970. */
    private static Instant required(ResultSet row, String column) throws SQLException {
        Instant at = instantOrNull(row, column);
        if (at == null) {
            throw StoreException.unknown("job." + column, "null");
        }
        return at;
    }

    static String json(Object value) {
        try {
            return JSON.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("strings and numbers can always be written", e);
        }
    }

    static <T> T parse(String json, TypeReference<T> type) {
        try {
            return JSON.readValue(json, type);
        } catch (JsonProcessingException e) {
            throw StoreException.unreadable("the database", e);
        }
    }
}
