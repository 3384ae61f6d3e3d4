package dev.berth.server.track;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.TrackSources.Source;
import dev.berth.core.machine.Attempt;
import dev.berth.server.log.AttemptMarks.Part;
import dev.berth.server.log.LogReader;
import dev.berth.server.log.LogStore;
import dev.berth.server.store.track.Entry;
import dev.berth.server.store.track.Reading;
import dev.berth.server.store.track.Reading.Position;
import dev.berth.server.track.source.Problem;
import dev.berth.server.track.source.Problem.Kind;
import dev.berth.server.track.source.StdoutLines;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads what programs print for Berth, of jobs that ask for it, from their logs. For one thread at a time. */
final class PrintedLooks {
    /** The name of an attempt's standard output among its sources; positions are offsets of the job's log. */
    static final String SOURCE = "stdout";

    /** What is read of one log at a time. */
    private static final long MAX_BYTES = 4L << 20;

    /** How long nothing may come of what an ended job printed. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private static final Logger LOG = LoggerFactory.getLogger(PrintedLooks.class);

    private final LogStore logs;
    private final Function<JobId, Optional<Job>> jobs;
    private final Function<Attempt, Position> known;
    private final Map<Attempt, Watched> watched = new HashMap<>();

    /** The record of one attempt. */
    private static final class Watched {
        /** Null where nothing is asked for. */
        private @Nullable Position position;

        private boolean isRead;
        private boolean isFailing;

        private Watched(@Nullable Position position) {
            this.position = position;
        }
    }

    /**
     * Logs at which nobody has looked yet.
     *
     * @param known how far an attempt's standard output was read
     */
    PrintedLooks(LogStore logs, Function<JobId, Optional<Job>> jobs, Function<Attempt, Position> known) {
        this.logs = logs;
        this.jobs = jobs;
        this.known = known;
    }

    /**
     * Reads what is new.
     *
     * @param isOver whether the attempt's program has ended
     */
    Optional<Reading> look(Attempt attempt, boolean isOver) {
        Watched of = watched.computeIfAbsent(attempt, this::begun);
        Position from = of.position;
        if (from == null || of.isRead) {
            of.isRead = true;
            return Optional.empty();
        }
        Reading reading = new Reading(attempt, SOURCE, from);
        boolean isWhole = isOver;
        try {
            isWhole = read(reading, isOver);
            of.isFailing = false;
        } catch (IOException e) {
            if (!of.isFailing) {
                LOG.warn("job={} its log cannot be read for metrics: {}", attempt.job(), e.toString());
            }
            of.isFailing = true;
            if (isOver) {
                reading.omit(
                        "LOG_UNREADABLE",
                        "The log could not be read for lines with ::berth; the server's log says why.");
            }
        }
        boolean isSame = reading.position().equals(from);
        of.isRead = isWhole && isSame;
        return isSame && !reading.hasOmissions() ? Optional.empty() : Optional.of(reading);
    }

    /** Waits until all is in the log that an ended job printed, if that is asked for. Safe for any thread. */
    void await(JobId job) {
        if (logs.isExpected(job)
                && jobs.apply(job).filter(PrintedLooks::isAsked).isPresent()) {
            try {
                logs.awaitComplete(job, PATIENCE);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static boolean isAsked(Job job) {
        return job.spec().sources().has(Source.STDOUT);
    }

    private Watched begun(Attempt attempt) {
        boolean isAsked =
                jobs.apply(attempt.job()).filter(PrintedLooks::isAsked).isPresent();
        return new Watched(isAsked ? known.apply(attempt) : null);
    }

    /** Whether the attempt's part of the log grows no more. */
    private boolean read(Reading reading, boolean isOver) throws IOException {
        Attempt attempt = reading.attempt();
        JobId job = attempt.job();
        boolean isComplete = isOver && !logs.isExpected(job);
        try (LogReader log = logs.reader(job)) {
            // Before the marks, so that nothing of a later attempt counts as this one's.
            long end = log.logEnd();
            Part part = logs.marks(job).part(attempt.number()).orElse(new Part(0, Part.AT_END));
            boolean isWhole = isComplete || (isOver && part.end() != Part.AT_END);
            log.confine(part.begin(), Math.min(part.end(), end));
            Position from = reading.position();
            if (from.bytes() < part.begin()) {
                from = new Position(part.begin(), false, false);
            }
            if (from.bytes() < log.end()) {
                reading.readTo(new PrintedLines(log, new Told(reading)).read(from, MAX_BYTES, isWhole));
            }
            return isWhole;
        }
    }

    /** Has what is read become entries of a reading. */
    private record Told(Reading reading) implements PrintedLines.Listener {
        @Override
        public void line(byte[] bytes, long millis) {
            Instant printed = Instant.ofEpochMilli(millis);
            StdoutLines.parse(
                    bytes, entry -> reading.add(at(entry, printed)), problem -> OutputFiles.omit(reading, problem));
        }

        /** What has no time of its own has that at which it was printed. */
        private static Entry at(Entry entry, Instant printed) {
            return switch (entry) {
                case Entry.Point point
                when point.time() == null -> new Entry.Point(point.metric(), point.step(), printed, point.value());
                case Entry.Progress progress
                when progress.time() == null ->
                    new Entry.Progress(progress.value(), progress.of(), progress.unit(), printed);
                case Entry.Artifact artifact
                when artifact.time() == null -> new Entry.Artifact(artifact.path(), artifact.key(), printed);
                case Entry.Point _, Entry.Progress _, Entry.Artifact _, Entry.Parameter _, Entry.Tag _ -> entry;
            };
        }

        @Override
        public void tooLong() {
            OutputFiles.omit(reading, new Problem(Kind.LINE_TOO_LONG, ""));
        }

        @Override
        public void torn() {
            reading.omit(
                    "LINE_TORN",
                    "More than 4 MiB of the log stand between the beginning of a line with ::berth and its end; such a line is"
                            + " left out. Print it whole, with its line feed.");
        }

        @Override
        public void lost() {
            reading.omit(
                    "LOG_CUT",
                    "The oldest part of the log went, as it has a bound, before it was read; lines with ::berth in it are lost.");
        }
    }

    /** Whether all is read that an attempt printed, after its end. */
    boolean isRead(Attempt attempt) {
        Watched of = watched.get(attempt);
        return of != null && of.isRead;
    }

    /** Whether anything was read of what an attempt printed. */
    boolean isAny(Attempt attempt) {
        Watched of = watched.get(attempt);
        return of != null && of.position != null && !of.position.equals(Position.START);
    }

    /** What was read is kept now. */
    void keep(Reading reading) {
        Watched of = watched.get(reading.attempt());
        if (of != null) {
            of.position = reading.position();
        }
    }

    /** Forgets what it knows of other attempts than those, of which nothing more comes. */
    void retain(Set<Attempt> those) {
        watched.keySet().retainAll(those);
    }

    /** Forgets what it knows of jobs of which nothing is kept any more. */
    void forget(List<JobId> those) {
        watched.keySet().removeIf(attempt -> those.contains(attempt.job()));
    }

    /** Forgets what it knows, as it is not kept. */
    void clear() {
        watched.clear();
    }
}
