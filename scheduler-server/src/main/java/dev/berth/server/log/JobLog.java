package dev.berth.server.log;

import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import dev.berth.server.log.EngineCopy.DateSet;
import dev.berth.server.time.Clocks;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log of one job, open for writing. It counts what it has of each stream, so that a replay from the engine goes on
 * exactly where it ends. A disk that takes no more is said once in the server's log and breaks nothing else: the log
 * stays as it is, takes no more, and can be opened again for a replay. Safe for any thread.
 */
public final class JobLog implements LogSink, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(JobLog.class);

    private final JobId job;
    private final Clocks clock;
    private final LogProgress growth;
    private final Path directory;
    private final DateSet opened;
    private final Map<Stream, Replay> replays = new EnumMap<>(Stream.class);

    /** Of each stream that comes from the engine's copy; empty where the program's own bytes come. */
    private final Map<Stream, WholeReplacements> copied = new EnumMap<>(Stream.class);

    private @Nullable LogWriter writer;
    private EngineCopy copy = EngineCopy.FIRST;
    private boolean whole = true;
    private boolean cut;

    JobLog(Attempt attempt, Path directory, LogBounds bounds, Clocks clock, LogProgress growth) {
        this.job = attempt.job();
        this.clock = clock;
        this.growth = growth;
        this.directory = directory;
        this.opened = DateSet.of(clock, clock.instant());
        try {
            writer = LogWriter.open(directory, bounds, this::drop);
            copy = begun(attempt, writer);
            growth.reached(writer.written().total());
        } catch (IOException e) {
            broken(e);
        }
    }

    /**
     * Where an attempt began is kept before anything of it is written: its replay is counted from there, and its part of the
     * log.
     */
    private EngineCopy begun(Attempt attempt, LogWriter opened) throws IOException {
        EngineCopy kept = EngineCopyFile.read(directory);
        if (kept.attempt() >= attempt.number()) {
            return kept;
        }
        Instant now = clock.instant();
        long before = opened.written().total();
        String words = before > 0 ? AttemptMarks.beginning(attempt.number()) : "";
        AttemptMarksFile.write(
                directory, AttemptMarksFile.read(directory).with(attempt.number(), before, words.length()));
        if (before > 0) {
            opened.append(Stream.NOTICE, ByteBuffer.wrap(words.getBytes(StandardCharsets.UTF_8)), now.toEpochMilli());
        }
        EngineCopy next = EngineCopy.ofAttempt(attempt.number(), opened.written(), DateSet.of(clock, now));
        EngineCopyFile.write(directory, next);
        return next;
    }

    /** From now on everything comes again from the attempt's first byte; what is here already is skipped. */
    synchronized void expectReplay() {
        if (writer == null) {
            return;
        }
        try {
            for (Stream stream : List.of(Stream.OUT, Stream.ERR)) {
                replays.put(stream, new Replay(kept(stream, writer.written()), copy));
                copied.put(stream, new WholeReplacements());
            }
        } catch (IOException e) {
            broken(e);
        }
    }

    private KeptStream kept(Stream stream, WrittenBytes written) throws IOException {
        return new KeptStream(directory, stream, copy.before(), written);
    }

    @Override
    public synchronized void write(Stream stream, ByteBuffer piece) {
        skip(stream, piece);
        WholeReplacements whole = copied.get(stream);
        ByteBuffer more = whole == null ? piece : whole.next(piece);
        if (more.hasRemaining() && ofAttempt() == 0) {
            beginAttempt();
        }
        append(stream, more);
    }

    private void skip(Stream stream, ByteBuffer piece) {
        Replay replay = replays.get(stream);
        if (replay == null) {
            return;
        }
        try {
            Gap gap = replay.skip(piece);
            if (replay.isOver()) {
                replays.remove(stream);
            }
            if (gap != null) {
                disagree(gap);
            }
        } catch (IOException e) {
            broken(e);
        }
    }

    /** Before its first byte. */
    private void beginAttempt() {
        long set = opened.setMillis(DateSet.of(clock, clock.instant()));
        if (set != 0) {
            keep(copy.withFirstByte(set));
        }
    }

    private void keep(EngineCopy next) {
        try {
            if (writer != null) {
                copy = next;
                EngineCopyFile.write(directory, copy);
            }
        } catch (IOException e) {
            broken(e);
        }
    }

    /** Kept before anything that follows: else the next replay would take that for something else. */
    private void disagree(Gap gap) {
        LOG.warn(
                "job={} the engine's copy of its log lacks {} bytes that are kept here; nothing is missing",
                job,
                gap.length());
        if (writer != null) {
            keep(copy.lacking(gap));
        }
    }

    /** Before what is kept gets shorter: a replay begins with what is no longer kept. */
    private void drop(WrittenBytes until) throws IOException {
        copy = KeptAttempt.dropping(directory, copy, until);
        EngineCopyFile.write(directory, copy);
    }

    private void append(Stream stream, ByteBuffer piece) {
        if (writer == null || !piece.hasRemaining()) {
            return;
        }
        Instant now = clock.instant();
        EngineCopy next = copy.with(DateSet.of(clock, now), writer.written());
        try {
            if (!next.equals(copy)) {
                // Before what comes at that date: else nobody could tell it from one that was set since.
                copy = next;
                EngineCopyFile.write(directory, copy);
            }
            writer.append(stream, piece, now.toEpochMilli());
            growth.reached(writer.written().total());
        } catch (IOException e) {
            broken(e);
        }
    }

    private void broken(IOException e) {
        whole = false;
        LOG.error(
                "job={} its log cannot be written on, and is read again from the engine when the job ends; the job is"
                        + " not affected: {}",
                job,
                e.toString());
        discardWriter();
    }

    private void endReplays() {
        try {
            for (Replay replay : replays.values()) {
                replay.close();
            }
        } catch (IOException e) {
            LOG.warn("job={} its log could not be closed: {}", job, e.toString());
        }
        replays.clear();
    }

    private void discardWriter() {
        endReplays();
        LogWriter old = writer;
        writer = null;
        try {
            if (old != null) {
                old.close();
            }
        } catch (IOException e) {
            LOG.warn("job={} its log could not be closed: {}", job, e.toString());
        }
    }

    /** Whether everything that came is here; where not, a replay can bring the rest. */
    public synchronized boolean isWhole() {
        return whole;
    }

    /**
     * The number of bytes that a replay has still not brought again. While the program runs these may be of a line that it
     * has not ended; above 0 at its end, the engine has no whole copy.
     */
    public synchronized long missing() {
        return replays.values().stream().mapToLong(Replay::missing).sum();
    }

    /**
     * The time when the first line of either stream was whole, or as much of it as the engine writes down at once, also if
     * that is no longer kept; empty where none is.
     */
    public synchronized Optional<Instant> firstLineEnded() {
        if (writer == null) {
            return Optional.empty();
        }
        try {
            long millis = KeptAttempt.firstLineMillis(directory, copy, writer.written());
            return millis == 0 ? Optional.empty() : Optional.of(Instant.ofEpochMilli(millis));
        } catch (IOException e) {
            broken(e);
            return Optional.empty();
        }
    }

    /** Whether the first message that the engine has of the attempt may be what is kept here as the first. */
    public synchronized boolean mayBeginWith(Stream stream, ByteBuffer message) {
        if (writer == null) {
            return true;
        }
        try (KeptStream kept = kept(stream, writer.written())) {
            return kept.start() > copy.before().of(stream) || new Replay(kept, copy).skip(message) == null;
        } catch (IOException e) {
            broken(e);
            return true;
        }
    }

    /**
     * The distance by which the date was set between the opening of the log and that byte: ahead, or back where it is
     * negative.
     */
    public synchronized Duration setBeforeItBegan() {
        return Duration.ofMillis(copy.setMillis());
    }

    /** Whether the date was set back since the attempt's first byte came. */
    public synchronized boolean isDateSetBack() {
        return writer != null
                && copy.with(DateSet.of(clock, clock.instant()), writer.written())
                        .date()
                        .isSetBack();
    }

    /** The engine's own time of its first line of the attempt, as it was when it was first asked. */
    public synchronized Optional<Instant> engineBegan() {
        return copy.begin();
    }

    /** Keeps that time. */
    public synchronized void keepEngineBegan(Instant first) {
        keep(copy.withBegin(first));
    }

    /** The number of bytes of the attempt that are kept here. */
    public synchronized long ofAttempt() {
        return writer == null ? 0 : writer.written().total() - copy.before().total();
    }

    /** The number of bytes of a stream that its last attempt wrote; of those that are not kept any more, too. */
    public synchronized long ofAttempt(Stream stream) {
        return writer == null ? 0 : writer.written().of(stream) - copy.before().of(stream);
    }

    /** Whether the engine has cut its own copy, so that no replay can tell whether something is missing. */
    public synchronized boolean isCut() {
        return cut;
    }

    /**
     * No replay comes, but only what was written after what is here.
     *
     * @return a date such that the engine gives none that is earlier to what it has written since; where the date was set
     *     back meanwhile some of what is here has such a date too
     */
    public synchronized Instant giveReplayUp() {
        endReplays();
        cut = true;
        if (writer == null) {
            return Instant.EPOCH;
        }
        return Instant.ofEpochMilli(
                writer.lastMillis() - copy.date().setBackMillis(DateSet.of(clock, clock.instant())));
    }

    /** Adds a sentence of Berth's own, on a line of its own. */
    public synchronized void say(String sentence) {
        append(Stream.NOTICE, ByteBuffer.wrap(("\n[berth: " + sentence + "]\n").getBytes(StandardCharsets.UTF_8)));
    }

    @Override
    public synchronized void close() {
        discardWriter();
        growth.signal().raise();
    }
}
