package dev.berth.server.track;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Machine;
import dev.berth.server.code.Workspaces;
import dev.berth.server.linux.FileHandle;
import dev.berth.server.store.JobQueries;
import dev.berth.server.store.database.StoreException;
import dev.berth.server.store.track.Reading;
import dev.berth.server.store.track.Reading.Position;
import dev.berth.server.store.track.TrackQueries;
import dev.berth.server.store.track.TrackStore;
import dev.berth.server.time.Clocks;
import dev.berth.server.track.source.Problem;
import dev.berth.server.track.source.Problem.Kind;
import dev.berth.server.track.source.TrackLines;
import dev.berth.server.upkeep.BackgroundWork;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads what programs tell of their jobs, while they run and once more after their end, and has it kept. Safe for any thread, one
 * look at a time.
 */
public final class Tracking implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Tracking.class);

    /** How long a point may be on its way: short beside a step of training, long beside a look. */
    private static final Duration EVERY = Duration.ofMillis(500);

    /** How often it is looked whether one that the queue does not list among those that run has ended. */
    private static final int LOOKS_TO_ASK = 4;

    /** What is read of one file at a time, so that no job keeps the others' points waiting. */
    private static final long MAX_BYTES = 4L << 20;

    /** A program may write faster than that is read: the others' turn comes all the same. */
    private static final int MAX_ROUNDS = 16;

    /** The name of the file that Berth gives a program, among the sources of an attempt. */
    private static final String FILE = "";

    /** The database, open. */
    private record Opened(TrackStore store, TrackQueries queries) {}

    private final Parts parts;
    private @Nullable Opened opened;
    private final Map<Attempt, Position> positions = new HashMap<>();
    private long looks;
    private boolean closed;

    /**
     * The parts of a server that tracking needs.
     *
     * @param database the file of what programs tell, which is made where it is missing
     * @param jobs what the queue knows
     */
    public record Parts(
            Path database, Workspaces workspaces, Supplier<Machine> machine, JobQueries jobs, Clocks clock) {}

    /** Tracking that looks at nothing yet. Its database is opened when it is needed: jobs do not wait for it, nor for what ails it. */
    public Tracking(Parts parts) {
        this.parts = parts;
    }

    private synchronized Opened opened() {
        Opened known = opened;
        if (known == null) {
            TrackStore store = new TrackStore(parts.database());
            // Of jobs that the queue does not know, as it was brought back from a backup.
            store.deleteAbove(parts.machine().get().lastId());
            known = new Opened(store, new TrackQueries(parts.database()));
            opened = known;
        }
        return known;
    }

    /** Looks from now on. */
    public void start(BackgroundWork background) {
        background.every("read what jobs tell", EVERY, EVERY, this::look);
    }

    public TrackQueries queries() {
        return opened().queries();
    }

    /** Forgets all that some jobs told. */
    public void delete(List<JobId> jobs) {
        if (Files.exists(parts.database())) {
            opened().store().delete(jobs);
        }
    }

    /** Reads what is new of all jobs. */
    synchronized void look() throws IOException {
        looks++;
        if (!closed) {
            SortedMap<Attempt, Path> files = parts.workspaces().tracks();
            // What a deletion removed.
            positions.keySet().retainAll(files.keySet());
            look(files, looks % LOOKS_TO_ASK == 0);
        }
    }

    /** Reads what is new of one job, so that who asks then sees what its program had told by now. */
    public synchronized void look(JobId job) throws IOException {
        SortedMap<Attempt, Path> files = parts.workspaces().tracks();
        files.keySet().removeIf(attempt -> !attempt.job().equals(job));
        look(files, true);
    }

    private void look(SortedMap<Attempt, Path> files, boolean isToAsk) throws IOException {
        boolean more = true;
        for (int round = 0; more && round < MAX_ROUNDS; round++) {
            List<Reading> readings = new ArrayList<>();
            more = false;
            for (Map.Entry<Attempt, Path> file : files.entrySet()) {
                Optional<Reading> reading = look(file.getKey(), file.getValue(), isToAsk);
                reading.ifPresent(readings::add);
                more |= reading.isPresent() && !reading.get().position().isDone();
            }
            keep(readings);
        }
    }

    /** What is new in a file; what is the last of it is kept at once, and the file removed. */
    private Optional<Reading> look(Attempt attempt, Path file, boolean isToAsk) throws IOException {
        Position from = positions.get(attempt);
        if (from == null) {
            from = begin(attempt);
        }
        // Before the file is read: what was written by then is read.
        boolean isOver = from.isDone() || isOver(attempt, isToAsk);
        Reading reading = new Reading(attempt, FILE, from);
        if (!from.isDone()) {
            read(file, reading, isOver);
        }
        boolean isRead = reading.position().equals(from);
        if (isOver && isRead) {
            finish(attempt, file, from.isDone() ? null : reading);
        } else if (!isRead) {
            return Optional.of(reading);
        }
        return Optional.empty();
    }

    private void keep(List<Reading> readings) {
        if (!readings.isEmpty()) {
            try {
                opened().store().keep(readings, parts.clock().instant().toEpochMilli());
            } catch (StoreException e) {
                positions.clear();
                throw e;
            }
            readings.forEach(reading -> positions.put(reading.attempt(), reading.position()));
        }
    }

    private void finish(Attempt attempt, Path file, @Nullable Reading last) throws IOException {
        // Most programs tell nothing: of those there is nothing to keep.
        if (last != null && !last.position().equals(Position.START)) {
            opened().store().finish(last, parts.clock().instant().toEpochMilli());
        }
        Files.deleteIfExists(file);
        positions.remove(attempt);
    }

    private Position begin(Attempt attempt) {
        Position position = opened().store().position(attempt, FILE);
        if (position.equals(Position.START)) {
            parts.jobs().find(attempt.job()).ifPresent(this::keepParameters);
        }
        positions.put(attempt, position);
        return position;
    }

    private void keepParameters(Job job) {
        JobId array = job.arrayOfTurn();
        if (array != null) {
            parts.jobs()
                    .readableProgram(array)
                    .map(program -> program.of(job))
                    .ifPresent(parameters -> opened().store().given(job.id(), parameters.shown()));
        }
    }

    /** Whether nothing writes to the file of an attempt any more. */
    private boolean isOver(Attempt attempt, boolean isToAsk) {
        Job live = parts.machine().get().live().get(attempt.job());
        if (live != null || !isToAsk) {
            return live != null && live.state().attempt() != attempt.number();
        }
        return parts.jobs()
                .find(attempt.job())
                .filter(job -> !job.state().name().isFinal() && job.state().attempt() == attempt.number())
                .isEmpty();
    }

    private static void read(Path file, Reading reading, boolean isOver) throws IOException {
        try (FileHandle handle = FileHandle.of(file)) {
            if (!handle.status().isRegular()) {
                // Where the server is its submitter, who may put anything there.
                reading.omit("NO_FILE", "The file that BERTH_TRACK names was replaced by what is no file.");
                reading.readTo(new Position(reading.position().bytes(), false, true));
                return;
            }
            try (FileChannel channel = handle.open(StandardOpenOption.READ)) {
                read(channel, reading, isOver);
            }
        } catch (NoSuchFileException e) {
            LOG.debug("{} is gone", file);
        }
    }

    private static void read(FileChannel channel, Reading reading, boolean isOver) throws IOException {
        Position from = reading.position();
        if (channel.size() < from.bytes()) {
            reading.omit("FILE_CUT", "The file that BERTH_TRACK names was cut; it is read from its beginning again.");
            from = Position.START;
            reading.readTo(from);
        }
        GrowingLines lines = new GrowingLines(
                line -> TrackLines.parse(line, reading::add, problem -> omit(reading, problem)),
                () -> omit(reading, new Problem(Kind.LINE_TOO_LONG, "")));
        reading.readTo(lines.read(channel, from, MAX_BYTES, isOver));
    }

    private static void omit(Reading reading, Problem problem) {
        reading.omit(
                problem.kind().name(),
                problem.kind().sentence() + (problem.sample().isEmpty() ? "" : " It begins: " + problem.sample()));
    }

    /** Reads no more. */
    @Override
    public synchronized void close() {
        closed = true;
        if (opened != null) {
            opened.queries().close();
            opened.store().close();
        }
    }
}
