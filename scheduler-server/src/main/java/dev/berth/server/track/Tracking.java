package dev.berth.server.track;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Machine;
import dev.berth.core.parameter.TaskParameters;
import dev.berth.server.code.Workspaces;
import dev.berth.server.log.LogStore;
import dev.berth.server.store.JobQueries;
import dev.berth.server.store.JobQueries.Filter;
import dev.berth.server.store.JobWarning;
import dev.berth.server.store.database.StoreException;
import dev.berth.server.store.track.Reading;
import dev.berth.server.store.track.Reading.Position;
import dev.berth.server.store.track.TrackQueries;
import dev.berth.server.store.track.TrackQueries.StoredProgress;
import dev.berth.server.store.track.TrackStore;
import dev.berth.server.store.track.TrackingException;
import dev.berth.server.time.Clocks;
import dev.berth.server.upkeep.BackgroundWork;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
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

    /** So many entries are kept before more are read. */
    private static final int MAX_ENTRIES = 50_000;

    /** A program may write faster than that is read: the others' turn comes all the same. */
    private static final int MAX_ROUNDS = 16;

    /** Of one job that somebody asks for, so that the rest of nearly any is there at the first question after its end. */
    private static final int MAX_ROUNDS_OF_ONE = 128;

    /** The first begins looks at outputs, the second has what they found. */
    private static final int ROUNDS_OF_ALL = 2;

    /** How long looks at outputs are waited for: those that last longer are asked for again at the next look. */
    private static final Duration PATIENCE = Duration.ofMillis(250);

    /** The same where somebody asks for one job. */
    private static final Duration PATIENCE_OF_ONE = Duration.ofSeconds(2);

    private static final int JOBS_A_PIECE = 5_000;

    /** All jobs, tasks of arrays among them. */
    private static final Filter ANY = Filter.of(null).unfolded();

    /** More projects than anybody notes something of. */
    public static final int MAX_NOTED_PROJECTS = 1_000;

    /** The name of the file that Berth gives a program, among the sources of an attempt. */
    private static final String FILE = "";

    /** The database, open. */
    private record Opened(TrackStore store, TrackQueries queries) {}

    private final Parts parts;

    /** The highest number of a job when this server started: what is there of higher ones is of jobs that are forgotten. */
    private final long highest;

    private final Object opening = new Object();

    /** Fair: who asks for a job does not wait for all that the others tell. */
    private final ReentrantLock turn = new ReentrantLock(true);

    private volatile @Nullable Opened opened;
    private volatile boolean closed;
    private final Map<Attempt, Position> positions = new HashMap<>();
    private final OutputLooks outputs;
    private final PrintedLooks printed;
    private final TrackWarnings warnings;

    /** Those of which that was said. */
    private final Set<Attempt> unreadable = new HashSet<>();

    /**
     * Those whose file is read no further, although their programs may run. Kept in memory alone: that a source is done, in the
     * database, means that its attempt is over.
     */
    private final Set<Attempt> abandoned = new HashSet<>();

    private long looks;

    /**
     * The parts of a server that tracking needs.
     *
     * @param database the file of what programs tell, which is made where it is missing
     * @param jobs what the queue knows
     * @param warnings keeps what is to be known of a job; false where it is too busy, and is asked again at the next look
     */
    public record Parts(
            Path database,
            Workspaces workspaces,
            LogStore logs,
            Supplier<Machine> machine,
            JobQueries jobs,
            Predicate<JobWarning> warnings,
            Clocks clock) {}

    /** Tracking that looks at nothing yet. Its database is opened when it is needed: jobs do not wait for it, nor for what ails it. */
    public Tracking(Parts parts) {
        this(parts, Tracking::begin);
    }

    /** With other threads for the looks at outputs. */
    Tracking(Parts parts, Executor threads) {
        this.parts = parts;
        this.highest = parts.machine().get().lastId();
        this.outputs = new OutputLooks(
                parts.workspaces(),
                this::find,
                this::outputPositions,
                parts.clock().steady(),
                threads);
        this.printed = new PrintedLooks(
                parts.logs(), this::find, attempt -> opened().store().position(attempt, PrintedLooks.SOURCE));
        this.warnings = new TrackWarnings(this::find, parts.warnings(), parts.clock());
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

    /** A thread of the platform: what it waits for may never come, and it would hold one of the few below virtual threads. */
    private static void begin(Runnable look) {
        Thread _ = Thread.ofPlatform().daemon().name("output-look").start(look);
    }

    private Optional<Job> find(JobId id) {
        Job live = parts.machine().get().live().get(id);
        return live != null ? Optional.of(live) : parts.jobs().find(id);
    }

    private Map<String, Position> outputPositions(JobId id) {
        Map<String, Position> positions = opened().store().positions(new Attempt(id, 1));
        positions.remove(FILE);
        positions.remove(PrintedLooks.SOURCE);
        return positions;
    }

    /** The number of points that were stored since the server started. */
    public long pointsStored() {
        Opened known = opened;
        return known == null ? 0 : known.store().pointsStored();
    }

    private Opened opened() {
        synchronized (opening) {
            Opened known = opened;
            if (closed) {
                throw new TrackingException("the server ends");
            }
            if (known == null) {
                TrackStore store = new TrackStore(parts.database());
                store.deleteAbove(highest);
                known = new Opened(store, new TrackQueries(parts.database()));
                forgetUnknown(known);
                opened = known;
            }
            return known;
        }
    }

    /** Forgets what jobs told that the queue does not know, as where this database was away when they were deleted. */
    private void forgetUnknown(Opened told) {
        List<JobId> piece;
        long before = Long.MAX_VALUE;
        do {
            piece = told.queries().lists().tracked(before, JOBS_A_PIECE);
            Set<JobId> known = new HashSet<>(parts.jobs().those(ANY, piece));
            List<JobId> unknown =
                    piece.stream().filter(job -> !known.contains(job)).toList();
            if (!unknown.isEmpty()) {
                told.store().delete(unknown);
            }
            before = piece.isEmpty() ? 0 : piece.getLast().value();
        } while (piece.size() == JOBS_A_PIECE);
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

    /** The questions about notes; empty where nothing was told or noted yet, as they make no database. */
    public Optional<TrackQueries> notes() {
        return Files.exists(parts.database()) ? Optional.of(opened().queries()) : Optional.empty();
    }

    /**
     * Keeps the notes of a project; empty ones are removed.
     *
     * @return false where the user has notes of too many projects
     */
    public boolean note(long uid, String project, String notes) {
        if (notes.isEmpty() && !Files.exists(parts.database())) {
            return true;
        }
        return opened().store()
                .note(uid, project, notes, parts.clock().instant().toEpochMilli(), MAX_NOTED_PROJECTS);
    }

    /** Moves the notes of a project to another one, behind those that it has. */
    public void moveNotes(long uid, String from, String to) {
        if (Files.exists(parts.database())) {
            opened().store().moveNotes(uid, from, to);
        }
    }

    /** Forgets all that some jobs told. */
    public void delete(List<JobId> jobs) {
        turn.lock();
        try {
            if (Files.exists(parts.database())) {
                opened().store().delete(jobs);
            }
            outputs.forget(jobs);
            printed.forget(jobs);
        } finally {
            turn.unlock();
        }
    }

    /** What became of a change of tags. */
    public enum Tagged {
        DONE,
        NO_JOB,
        /** There would be too many, and nothing is changed. */
        NO_ROOM
    }

    /** Changes the tags of a job. */
    public Tagged tag(JobId id, Map<String, String> set, List<String> removed) {
        turn.lock();
        try {
            Job job = parts.jobs().find(id).orElse(null);
            if (job == null) {
                return Tagged.NO_JOB;
            }
            keepGiven(job);
            return opened().store().tag(id, set, removed) ? Tagged.DONE : Tagged.NO_ROOM;
        } finally {
            turn.unlock();
        }
    }

    /** Reads what is new of all jobs. */
    void look() throws IOException {
        if (closed) {
            return;
        }
        SortedMap<Attempt, Path> files = parts.workspaces().tracks();
        turn.lock();
        try {
            looks++;
            // What a deletion removed.
            positions.keySet().retainAll(files.keySet());
            unreadable.retainAll(files.keySet());
            abandoned.retainAll(files.keySet());
            Set<JobId> jobs = files.keySet().stream().map(Attempt::job).collect(Collectors.toSet());
            outputs.retain(jobs);
            warnings.retain(jobs);
            printed.retain(files.keySet());
        } finally {
            turn.unlock();
        }
        look(files, looks % LOOKS_TO_ASK == 0, MAX_ROUNDS, PATIENCE);
    }

    /**
     * Reads what is new of some jobs, so that who asks then sees what their programs had told by now. Where that cannot be kept,
     * as on a full disk, there is what was told before.
     */
    public void refresh(Set<JobId> jobs) {
        SortedMap<Attempt, Path> files;
        try {
            files = parts.workspaces().tracks();
            files.keySet().removeIf(attempt -> !jobs.contains(attempt.job()));
            if (jobs.size() == 1 && !files.isEmpty()) {
                // Who asks for many does not wait for each of them.
                awaitPrinted(files.firstKey().job());
            }
            look(files, true, MAX_ROUNDS_OF_ONE, jobs.size() == 1 ? PATIENCE_OF_ONE : PATIENCE);
        } catch (IOException | StoreException e) {
            LOG.debug("what is new is not read: {}", e.toString());
        }
    }

    /** The same of all jobs, but no more than a little of each: of those that tell much the last may be missing. */
    public void refresh() {
        try {
            look(parts.workspaces().tracks(), true, ROUNDS_OF_ALL, PATIENCE);
        } catch (IOException | StoreException e) {
            LOG.debug("what is new is not read: {}", e.toString());
        }
    }

    private void awaitPrinted(JobId job) {
        if (find(job).filter(ended -> ended.state().name().isFinal()).isPresent()) {
            printed.await(job);
        }
    }

    private void look(SortedMap<Attempt, Path> files, boolean isToAsk, int rounds, Duration patience)
            throws IOException {
        InstantSource steady = parts.clock().steady();
        Instant until = steady.instant().plus(patience);
        Set<JobId> jobs = files.keySet().stream().map(Attempt::job).collect(Collectors.toSet());
        boolean more = !files.isEmpty();
        for (int round = 0; more && round < rounds; round++) {
            List<CompletableFuture<?>> running;
            // Others who wait have their turn between the rounds.
            turn.lock();
            try {
                more = !closed && lookOnce(files, isToAsk);
                running = outputs.running(jobs);
            } finally {
                turn.unlock();
            }
            more |= isAnyDone(running, Duration.between(steady.instant(), until));
        }
        turn.lock();
        try {
            warnings.tell();
        } finally {
            turn.unlock();
        }
    }

    /** Waits for the end of all of them, but no longer than that; whether any has ended. */
    private static boolean isAnyDone(List<CompletableFuture<?>> looks, Duration patience) {
        try {
            Object _ = CompletableFuture.allOf(looks.toArray(CompletableFuture[]::new))
                    .get(Math.max(0, patience.toMillis()), TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            LOG.trace("not all outputs are looked at", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return looks.stream().anyMatch(CompletableFuture::isDone);
    }

    /** Reads a piece of each file; says whether there may be more. */
    private boolean lookOnce(SortedMap<Attempt, Path> files, boolean isToAsk) {
        List<Reading> readings = new ArrayList<>();
        int entries = 0;
        boolean more = false;
        for (Map.Entry<Attempt, Path> file : files.entrySet()) {
            List<Reading> found = tryToLook(file.getKey(), file.getValue(), isToAsk);
            more |= found.stream()
                    .anyMatch(reading ->
                            !reading.position().isDone() || !reading.source().equals(FILE));
            readings.addAll(found);
            entries += found.stream().mapToInt(Reading::size).sum();
            if (entries > MAX_ENTRIES) {
                keep(readings);
                readings.clear();
                entries = 0;
            }
        }
        keep(readings);
        return more;
    }

    /** One file that cannot be read keeps no other from being read. */
    private List<Reading> tryToLook(Attempt attempt, Path file, boolean isToAsk) {
        try {
            return look(attempt, file, isToAsk);
        } catch (IOException e) {
            boolean isFirst = unreadable.add(attempt);
            LOG.atLevel(isFirst ? Level.WARN : Level.DEBUG)
                    .log("job={} what it tells cannot be read: {}", attempt.job(), e.toString());
            return List.of();
        }
    }

    /** What is new in a file and in its job's output; the last of the file is kept at once, and the file removed. */
    private List<Reading> look(Attempt attempt, Path file, boolean isToAsk) throws IOException {
        Position from = positions.get(attempt);
        if (from == null) {
            from = begin(attempt);
        }
        // Before anything is read: what was written by then is read.
        boolean isOver = from.isDone() || isOver(attempt, isToAsk);
        List<Reading> found = new ArrayList<>(outputs.look(attempt, isOver));
        printed.look(attempt, isOver).ifPresent(found::add);
        Reading reading = new Reading(attempt, FILE, from);
        if (!from.isDone() && !abandoned.contains(attempt) && !TrackFile.read(file, reading, isOver)) {
            abandoned.add(attempt);
        }
        if (!reading.position().equals(from) || reading.hasOmissions()) {
            found.add(reading);
        } else if (isOver && found.isEmpty() && outputs.isRead(attempt) && printed.isRead(attempt)) {
            finish(attempt, file, reading);
        }
        return found;
    }

    private void keep(List<Reading> readings) {
        if (!readings.isEmpty()) {
            try {
                opened().store().keep(readings, parts.clock().instant().toEpochMilli());
            } catch (StoreException e) {
                positions.clear();
                abandoned.clear();
                outputs.clear();
                printed.clear();
                throw e;
            }
            readings.forEach(this::kept);
        }
    }

    private void kept(Reading reading) {
        if (reading.source().equals(FILE)) {
            positions.put(reading.attempt(), reading.position());
        } else if (reading.source().equals(PrintedLooks.SOURCE)) {
            printed.keep(reading);
        } else {
            outputs.keep(reading);
        }
        warnings.add(reading);
    }

    private void finish(Attempt attempt, Path file, Reading last) throws IOException {
        // Most programs tell nothing: of those there is nothing to keep.
        boolean isAny = outputs.isAny(attempt.job()) || printed.isAny(attempt);
        if (isAny || !last.position().equals(Position.START)) {
            opened().store().finish(last, parts.clock().instant().toEpochMilli());
            warnings.add(last);
        } else {
            opened().store().release(attempt.job());
        }
        Files.deleteIfExists(file);
        positions.remove(attempt);
        abandoned.remove(attempt);
    }

    private Position begin(Attempt attempt) {
        Position position = opened().store().position(attempt, FILE);
        if (position.isDone() && !isOver(attempt, true)) {
            // Of a job of that number which the queue has forgotten.
            delete(List.of(attempt.job()));
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

    /** Whether nothing writes to the file of an attempt any more: at a target that is so once the rest was brought, as of its log. */
    private boolean isOver(Attempt attempt, boolean isToAsk) {
        Job live = parts.machine().get().live().get(attempt.job());
        if (live != null || !isToAsk) {
            return live != null && live.state().attempt() != attempt.number();
        }
        return parts.jobs()
                .find(attempt.job())
                .filter(job -> job.state().attempt() == attempt.number())
                .filter(job -> !job.state().name().isFinal()
                        || (job.spec().isAtTarget() && parts.logs().isExpected(job.id())))
                .isEmpty();
    }

    /** Reads no more. */
    @Override
    public void close() {
        closed = true;
        turn.lock();
        try {
            synchronized (opening) {
                if (opened != null) {
                    opened.queries().close();
                    opened.store().close();
                }
            }
        } finally {
            turn.unlock();
        }
    }
}
