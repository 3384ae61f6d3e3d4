package dev.berth.server.log;

import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
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
    private final InstantSource clock;
    private final Growth growth;
    private final long[] toSkip = new long[Stream.values().length];
    private @Nullable LogWriter writer;
    private AttemptStart start = AttemptStart.FIRST;
    private boolean whole = true;

    JobLog(Attempt attempt, Path directory, LogBounds bounds, InstantSource clock, Growth growth) {
        this.job = attempt.job();
        this.clock = clock;
        this.growth = growth;
        try {
            writer = LogWriter.open(directory, bounds);
            start = begun(attempt, directory, writer);
            growth.reached(writer.written().total());
        } catch (IOException e) {
            broken(e);
        }
    }

    /** Where an attempt began is kept before anything of it is written: its replay is counted from there. */
    private AttemptStart begun(Attempt attempt, Path directory, LogWriter opened) throws IOException {
        AttemptStart kept = AttemptStart.read(directory);
        if (kept.attempt() >= attempt.number()) {
            return kept;
        }
        long now = clock.instant().toEpochMilli();
        if (opened.written().total() > 0) {
            String words = "\n[berth: attempt " + attempt.number() + " begins]\n";
            opened.append(Stream.NOTICE, ByteBuffer.wrap(words.getBytes(StandardCharsets.UTF_8)), now);
        }
        AttemptStart next = new AttemptStart(attempt.number(), opened.written(), now);
        next.write(directory);
        return next;
    }

    /** From now on everything comes again from the program's first byte; what is here already is skipped. */
    synchronized void expectReplay() {
        for (Stream stream : new Stream[] {Stream.OUT, Stream.ERR}) {
            long written = writer == null ? 0 : writer.written().of(stream);
            toSkip[stream.number()] = Math.max(0, written - start.before().of(stream));
        }
    }

    @Override
    public synchronized void write(Stream stream, ByteBuffer piece) {
        int skipped = (int) Math.min(toSkip[stream.number()], piece.remaining());
        toSkip[stream.number()] -= skipped;
        piece.position(piece.position() + skipped);
        append(stream, piece);
    }

    private void append(Stream stream, ByteBuffer piece) {
        if (writer == null || !piece.hasRemaining()) {
            return;
        }
        try {
            writer.append(stream, piece, clock.instant().toEpochMilli());
            growth.reached(writer.written().total());
        } catch (IOException e) {
            broken(e);
        }
    }

    private void broken(IOException e) {
        whole = false;
        LOG.error("job={} its log cannot be written on; the job is not affected: {}", job, e.toString());
        discardWriter();
    }

    private void discardWriter() {
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

    /** How many bytes a replay has still not brought again: above 0 at its end, the engine has no whole copy. */
    public synchronized long missing() {
        return toSkip[Stream.OUT.number()] + toSkip[Stream.ERR.number()];
    }

    /** When the attempt's first byte came, at the latest, also if it is no longer kept; empty where none has. */
    public synchronized Optional<Instant> began() {
        return Optional.ofNullable(writer)
                .filter(open -> open.written().total() > start.before().total())
                .map(open -> Math.max(open.firstMillis(), start.epochMillis()))
                .filter(millis -> millis > 0)
                .map(Instant::ofEpochMilli);
    }

    /** No replay comes, but only what was written after what is here; answers when that was. */
    public synchronized Instant giveReplayUp() {
        Arrays.fill(toSkip, 0);
        return writer == null ? Instant.EPOCH : Instant.ofEpochMilli(writer.latestMillis());
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
