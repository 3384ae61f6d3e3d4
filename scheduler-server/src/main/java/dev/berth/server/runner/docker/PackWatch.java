package dev.berth.server.runner.docker;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState.Packed;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.JobEvent.RunExited;
import dev.berth.core.machine.JobEvent.RunGone;
import dev.berth.core.machine.JobEvent.RunStarted;
import dev.berth.core.machine.JobEvent.TimeLimitReached;
import dev.berth.server.code.PackFiles;
import dev.berth.server.code.PackFiles.End;
import dev.berth.server.code.PackFiles.How;
import dev.berth.server.log.JobLog;
import dev.berth.server.log.LogSink;
import dev.berth.server.log.LogSink.Stream;
import dev.berth.server.runner.Notices;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The way of what the tasks of a pack write, and of what becomes of them, from its files into their logs and to the loop. The
 * files are read from where the logs end, so that nothing is kept twice, and nothing is lost with a server. Safe for any thread.
 */
final class PackWatch {
    private static final Logger LOG = LoggerFactory.getLogger(PackWatch.class);
    private static final int ATTEMPT = Packed.WAITING.attempt();
    private static final int PIECE_BYTES = 1 << 16;

    private record OpenLog(JobLog log, LogSink sink) {}

    private final Attempt attempt;
    private final PackFiles files;
    private final ContainerParts parts;
    private final Notices notices;
    private final Set<JobId> begun = new HashSet<>();

    /** Those of which that was said: what is there is their submitter's, and may stay so. */
    private final Set<JobId> unreadable = new HashSet<>();

    /** Those that have not ended, each with its log once there is something to write to it. */
    private final SortedMap<JobId, Optional<OpenLog>> open = new TreeMap<>();

    private final ByteBuffer piece = ByteBuffer.allocate(PIECE_BYTES);
    private boolean closed;

    PackWatch(Attempt attempt, ContainerParts parts, Notices notices) {
        this.attempt = attempt;
        this.files = parts.workspaces().pack(attempt);
        this.parts = parts;
        this.notices = notices;
        // A task that has left it may write to its log from a container of its own by now.
        for (Job task : parts.packed().apply(attempt.job())) {
            open.put(task.id(), Optional.empty());
            parts.logs().expect(task.id());
        }
    }

    /** Whether nothing more is to be looked for. */
    synchronized boolean isOver() {
        return closed || open.isEmpty();
    }

    /** Keeps and tells what is new. */
    synchronized void look() {
        if (!closed) {
            for (JobId task : List.copyOf(open.keySet())) {
                try {
                    look(task);
                } catch (IOException e) {
                    boolean isFirst = unreadable.add(task);
                    LOG.atLevel(isFirst ? Level.WARN : Level.DEBUG)
                            .log("job={} the files of its pack cannot be read: {}", task, e.toString());
                }
            }
        }
    }

    /** Keeps and tells the rest: nothing is written any more. */
    synchronized void close() {
        look();
        closed = true;
        for (JobId task : List.copyOf(open.keySet())) {
            finish(task);
        }
    }

    private void look(JobId task) throws IOException {
        Optional<Instant> began = files.began(task);
        // Before its words are read: what it wrote before it ended is there by now.
        Optional<End> end = files.ended(task);
        if (began.isPresent()) {
            keep(task, false);
            keep(task, true);
            if (begun.add(task)) {
                notices.post(task, new RunStarted(ATTEMPT, upToNow(began.get())));
            }
        }
        if (end.isPresent()) {
            // What it has left open is of no matter any more.
            finish(task);
            tell(task, end.get(), began.map(this::upToNow).orElse(null));
        }
    }

    /** What becomes of one that was stopped with the whole pack is told with that. */
    private void tell(JobId task, End end, @Nullable Instant began) {
        Instant now = upToNow(end.at());
        Instant endedAt = began != null && now.isBefore(began) ? began : now;
        if (end.how() == How.TIMEOUT) {
            notices.post(task, new TimeLimitReached(ATTEMPT));
        }
        switch (end.how()) {
            case EXIT, OUT_OF_MEMORY, TIMEOUT, CANCELLED ->
                notices.post(
                        task, new RunExited(ATTEMPT, end.exitCode(), end.how() == How.OUT_OF_MEMORY, began, endedAt));
            case SKIPPED -> notices.post(task, new RunGone(ATTEMPT));
            case STOPPED -> {}
        }
    }

    /** Anybody may give a file of theirs any date. */
    private Instant upToNow(Instant told) {
        Instant now = parts.clock().instant();
        return told.isAfter(now) ? now : told;
    }

    private void keep(JobId task, boolean error) throws IOException {
        Stream stream = error ? Stream.ERR : Stream.OUT;
        OpenLog open = openLog(task);
        long kept = open.log().ofAttempt(stream);
        boolean more = true;
        while (more) {
            files.read(task, error, kept, piece.clear());
            if (piece.position() > 0) {
                open.sink().write(stream, piece.flip());
            }
            long now = open.log().ofAttempt(stream);
            more = now > kept;
            kept = now;
        }
        if (!open.log().isWhole()) {
            // A disk that takes no more is tried again at the next look.
            close(task);
        }
    }

    private OpenLog openLog(JobId task) throws IOException {
        Optional<OpenLog> known = open.getOrDefault(task, Optional.empty());
        if (known.isPresent()) {
            return known.get();
        }
        parts.workspaces().open(task);
        JobLog log = parts.logs().append(new Attempt(task, ATTEMPT));
        DeviceLoss sink = new DeviceLoss(log, attempt, notices);
        sink.begin();
        OpenLog made = new OpenLog(log, sink);
        open.put(task, Optional.of(made));
        return made;
    }

    private void close(JobId task) {
        Optional<OpenLog> known = open.put(task, Optional.empty());
        if (known != null) {
            known.ifPresent(log -> log.log().close());
        }
    }

    private void finish(JobId task) {
        close(task);
        open.remove(task);
        parts.logs().finish(task);
    }
}
