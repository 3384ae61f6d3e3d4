package dev.berth.server.track;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Machine;
import dev.berth.core.parameter.TaskParameters;
import dev.berth.server.code.Workspaces;
import dev.berth.server.linux.FileHandle;
import dev.berth.server.store.JobQueries;
import dev.berth.server.store.database.StoreException;
import dev.berth.server.store.track.Reading;
import dev.berth.server.store.track.Reading.Position;
import dev.berth.server.store.track.TrackQueries;
import dev.berth.server.store.track.TrackQueries.StoredProgress;
import dev.berth.server.store.track.TrackStore;
import dev.berth.server.time.Clocks;
import dev.berth.server.track.source.Problem;
import dev.berth.server.track.source.Problem.Kind;
import dev.berth.server.track.source.TrackLines;
import dev.berth.server.upkeep.BackgroundWork;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

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

    /** What is read of one file at a time, so that no job keeps the others' points waiting, nor takes much memory. */
    private static final long MAX_BYTES = 1L << 20;

    /** So many entries are kept before more are read. */
    private static final int MAX_ENTRIES = 50_000;

    /** More than the points take that a job may have; a file can be said to be longer than any disk. */
    private static final long MAX_FILE_BYTES = 4L << 30;

    /** A program may write faster than that is read: the others' turn comes all the same. */
    private static final int MAX_ROUNDS = 16;

    /** Of one job that somebody asks for, so that the rest of nearly any is there at the first question after its end. */
    private static final int MAX_ROUNDS_OF_ONE = 128;

    /** The name of the file that Berth gives a program, among the sources of an attempt. */
    private static final String FILE = "";

    /** The database, open. */
    private record Opened(TrackStore store, TrackQueries queries) {}

    private final Parts parts;

    /** The highest number of a job when this server started: what is there of higher ones is of jobs that are forgotten. */
    private final long highest;

    private final Object opening = new Object();
    private volatile @Nullable Opened opened;
    private volatile boolean closed;
    private final Map<Attempt, Position> positions = new HashMap<>();

    /** Those of which that was said. */
    private final Set<Attempt> unreadable = new HashSet<>();

    private long looks;

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
        this.highest = parts.machine().get().lastId();
        try {
            for (Map.Entry<Attempt, Path> file : parts.workspaces().tracks().entrySet()) {
                if (file.getKey().job().value() > highest) {
                    Files.deleteIfExists(file.getValue());
                }
            }
        } catch (IOException e) {
            LOG.warn("what forgotten jobs told is not removed: {}", e.toString());
        }
    }

    private Opened opened() {
        synchronized (opening) {
            Opened known = opened;
            if (closed) {
                throw new StoreException("the server ends");
            }
            if (known == null) {
                TrackStore store = new TrackStore(parts.database());
                store.deleteAbove(highest);
                known = new Opened(store, new TrackQueries(parts.database()));
                opened = known;
            }
            return known;
        }
    }

    /** Looks from now on. */
    public void start(BackgroundWork background) {
        background.every("read what jobs tell", EVERY, EVERY, this::look);
    }

    public TrackQueries queries() {
        return opened().queries();
    }

    /**
     * How far some jobs are, as their programs said last. What shows it does without where the database is not open, as before
     * anything was told, or cannot be read.
     */
    public Map<JobId, StoredProgress> progress(List<JobId> jobs) {
        Opened known = opened;
        if (known == null || closed || jobs.isEmpty()) {
            return Map.of();
        }
        try {
            return known.queries().progress(jobs);
        } catch (StoreException e) {
            LOG.debug("how far jobs are cannot be read: {}", e.toString());
            return Map.of();
        }
    }

    /** Forgets all that some jobs told. */
    public synchronized void delete(List<JobId> jobs) {
        if (Files.exists(parts.database())) {
            opened().store().delete(jobs);
        }
    }

    /** Changes the tags of a job; says whether there was room for all, as else nothing is changed. */
    public synchronized boolean tag(JobId job, Map<String, String> set, List<String> removed) {
        return opened().store().tag(job, set, removed);
    }

    /** Reads what is new of all jobs. */
    public synchronized void look() throws IOException {
        looks++;
        if (!closed) {
            SortedMap<Attempt, Path> files = parts.workspaces().tracks();
            // What a deletion removed.
            positions.keySet().retainAll(files.keySet());
            unreadable.retainAll(files.keySet());
            look(files, looks % LOOKS_TO_ASK == 0, MAX_ROUNDS);
        }
    }

    /** Reads what is new of one job, so that who asks then sees what its program had told by now. */
    public synchronized void look(JobId job) throws IOException {
        SortedMap<Attempt, Path> files = parts.workspaces().tracks();
        files.keySet().removeIf(attempt -> !attempt.job().equals(job));
        look(files, true, MAX_ROUNDS_OF_ONE);
    }

    private void look(SortedMap<Attempt, Path> files, boolean isToAsk, int rounds) throws IOException {
        boolean more = true;
        for (int round = 0; more && round < rounds && !closed; round++) {
            List<Reading> readings = new ArrayList<>();
            int entries = 0;
            more = false;
            for (Map.Entry<Attempt, Path> file : files.entrySet()) {
                Optional<Reading> reading = tryToLook(file.getKey(), file.getValue(), isToAsk);
                more |= reading.isPresent() && !reading.get().position().isDone();
                if (reading.isPresent()) {
                    readings.add(reading.get());
                    entries += reading.get().size();
                }
                if (entries > MAX_ENTRIES) {
                    keep(readings);
                    readings.clear();
                    entries = 0;
                }
            }
            keep(readings);
        }
    }

    /** One file that cannot be read keeps no other from being read. */
    private Optional<Reading> tryToLook(Attempt attempt, Path file, boolean isToAsk) {
        try {
            return look(attempt, file, isToAsk);
        } catch (IOException e) {
            boolean isFirst = unreadable.add(attempt);
            LOG.atLevel(isFirst ? Level.WARN : Level.DEBUG)
                    .log("job={} what it tells cannot be read: {}", attempt.job(), e.toString());
            return Optional.empty();
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
        } else {
            opened().store().release(attempt.job());
        }
        Files.deleteIfExists(file);
        positions.remove(attempt);
    }

    private Position begin(Attempt attempt) {
        Position position = opened().store().position(attempt, FILE);
        if (position.isDone() && !isOver(attempt, true)) {
            // Of a job of that number which the queue has forgotten.
            opened().store().delete(List.of(attempt.job()));
            position = Position.START;
        }
        if (position.equals(Position.START)) {
            parts.jobs().find(attempt.job()).ifPresent(this::keepGiven);
        }
        positions.put(attempt, position);
        return position;
    }

    private void keepGiven(Job job) {
        JobId array = job.arrayOfTurn();
        Map<String, String> parameters = array == null
                ? Map.of()
                : parts.jobs()
                        .readableProgram(array)
                        .map(program -> program.of(job))
                        .<Map<String, String>>map(TaskParameters::shown)
                        .orElse(Map.of());
        List<String> tags = job.spec().label().tags();
        if (!parameters.isEmpty() || !tags.isEmpty()) {
            opened().store().given(job.id(), parameters, tags);
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
        } catch (AccessDeniedException e) {
            // A server without root's power over files, whose user has closed the file to it.
            if (isOver) {
                reading.omit(
                        "UNREADABLE",
                        "The file that BERTH_TRACK names was closed to the server and not read to its end.");
                reading.readTo(new Position(reading.position().bytes(), false, true));
            }
        }
    }

    private static void read(FileChannel channel, Reading reading, boolean isOver) throws IOException {
        Position from = reading.position();
        long size = channel.size();
        if (size == from.bytes()) {
            // As at most looks.
            return;
        }
        if (size < from.bytes()) {
            reading.omit("FILE_CUT", "The file that BERTH_TRACK names was cut; it is read from its beginning again.");
            from = Position.START;
            reading.readTo(from);
        }
        GrowingLines lines = new GrowingLines(
                line -> TrackLines.parse(line, reading::add, problem -> omit(reading, problem)),
                () -> omit(reading, new Problem(Kind.LINE_TOO_LONG, "")));
        Position now = lines.read(channel, from, MAX_BYTES, isOver);
        if (now.bytes() > MAX_FILE_BYTES) {
            reading.omit(
                    "FILE_TOO_LARGE", "The file that BERTH_TRACK names is larger than 4 GiB; it is read no further.");
            now = new Position(now.bytes(), false, true);
        }
        reading.readTo(now);
    }

    private static void omit(Reading reading, Problem problem) {
        reading.omit(
                problem.kind().name(),
                problem.kind().sentence() + (problem.sample().isEmpty() ? "" : " It begins: " + problem.sample()));
    }

    /** Reads no more. */
    @Override
    public void close() {
        closed = true;
        synchronized (this) {
            synchronized (opening) {
                if (opened != null) {
                    opened.queries().close();
                    opened.store().close();
                }
            }
        }
    }
}
