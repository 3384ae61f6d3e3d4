package dev.berth.server.runner.docker;

import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import dev.berth.server.log.JobLog;
import dev.berth.server.log.LogSink;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.Notices;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The way of what programs write from the engine into the logs that are kept. One thread at a time for one job. */
final class ContainerLogs {
    private static final Logger LOG = LoggerFactory.getLogger(ContainerLogs.class);

    /** The time that a container's last output may take to arrive after its end. */
    private static final Duration LOG_PATIENCE = Duration.ofSeconds(30);

    /** The number of times that the engine's copy of an ended program's log is read at most. */
    private static final int MAX_READINGS = 3;

    /** Up to here reading it once more takes a moment. */
    private static final long MAX_REREAD_BYTES = 16L << 20;

    /** The time by which the engine's clock may differ from ours. */
    private static final Duration CLOCK_SLACK = Duration.ofSeconds(5);

    /** The time for which a line may be under way to us from an engine that was frozen meanwhile. */
    private static final Duration MAX_DELAY = Duration.ofMinutes(1);

    private record OpenLog(JobLog log, ContainerLogStream stream, DeviceLoss loss) {}

    private final ConcurrentMap<JobId, OpenLog> logs = new ConcurrentHashMap<>();
    private final ContainerEngine engine;
    private final ContainerParts parts;
    private final Notices notices;

    ContainerLogs(ContainerEngine engine, ContainerParts parts, Notices notices) {
        this.engine = engine;
        this.parts = parts;
        this.notices = notices;
    }

    /** Whether a log of the job's container is open. */
    boolean isOpen(JobId job) {
        OpenLog open = logs.get(job);
        return open != null && open.stream().isOpen();
    }

    /**
     * A stream that was cut looks like one that has ended, so a log is complete only when the engine's whole copy was
     * read to its end after the program's; one that is long, or that the engine has cut, is believed.
     */
    void keepTheRest(Attempt attempt, String name) {
        boolean isWhole = logEnded(attempt.job()) && isBelieved(attempt.job());
        for (int reading = 0; reading < MAX_READINGS && !isWhole; reading++) {
            listen(attempt, name, true);
            isWhole = logEnded(attempt.job());
        }
        sayWhatIsMissing(attempt, isWhole);
    }

    private boolean isBelieved(JobId job) {
        OpenLog open = logs.get(job);
        return open != null
                && (open.log().ofAttempt() > MAX_REREAD_BYTES || open.log().isCut());
    }

    private boolean logEnded(JobId job) {
        OpenLog open = logs.get(job);
        return open != null
                && open.stream().awaitEnd(LOG_PATIENCE)
                && open.log().isWhole();
    }

    /** The last reading was the last chance: what it did not bring is not in the log. */
    private void sayWhatIsMissing(Attempt attempt, boolean ended) {
        if (!ended) {
            LOG.error("job={} the end of its log could not be kept", attempt.job());
            discard(attempt.job());
            try (JobLog log = parts.logs().append(attempt)) {
                log.say("the end of this log could not be kept; the server's log says why");
            }
        }
    }

    /**
     * Says in the log that the start was lost. What a program writes whose start its engine forgot is read by nobody,
     * and may be nowhere.
     */
    void sayThatStartWasLost(Attempt attempt) {
        discard(attempt.job());
        try (JobLog log = parts.logs().append(attempt)) {
            log.say(
                    "the container engine, or the connection to it, ended while it was to start this program; what it wrote may be missing");
        }
    }

    /** Nothing more comes; where the engine's own copy was shorter than what is kept, that is said. */
    void close(JobId job) {
        sayWhatWasCut(job);
        discard(job);
    }

    private void sayWhatWasCut(JobId job) {
        OpenLog open = logs.get(job);
        if (open != null && open.log().missing() > 0) {
            LOG.warn("job={} the engine's copy of its log is shorter than what is kept", job);
            open.log()
                    .say("the container engine's own copy of this log ends earlier, as it was killed or has cut it;"
                            + " nothing is missing up to here, but what the program wrote after this may be");
        }
    }

    /** Notes that the job has been told that its program runs: only now does anybody care what befalls it. */
    void begin(JobId job) {
        OpenLog open = logs.get(job);
        if (open != null) {
            open.loss().begin();
        }
    }

    /** A log that cannot be opened is no reason to leave the program alone: it takes nothing, and has said why. */
    void listen(Attempt attempt, String name, boolean fromItsBeginning) {
        JobId job = attempt.job();
        discard(job);
        try {
            parts.workspaces().open(job);
        } catch (IOException e) {
            LOG.error("job={} its directory could not be made", job, e);
        }
        JobLog log =
                fromItsBeginning ? parts.logs().replay(attempt) : parts.logs().append(attempt);
        try {
            DeviceLoss sink = new DeviceLoss(log, attempt, notices);
            ContainerLogStream stream = fromItsBeginning ? reread(name, log, sink) : engine.attach(name, sink);
            logs.put(job, new OpenLog(log, stream, sink));
        } catch (EngineException e) {
            log.close();
            throw e;
        }
    }

    /** The engine's copy has a bound of its own; where its beginning is gone, no counting tells what is new in it. */
    private ContainerLogStream reread(String name, JobLog log, LogSink sink) {
        if (!isCut(logBegins(name), log)) {
            return engine.readLog(name, sink);
        }
        LOG.warn("{}: the engine has cut its copy of the log; it is read on from the last second that is kept", name);
        Instant latest = log.giveReplayUp();
        log.say("the server came back, and the container engine had cut its own copy of this log: up to a second of"
                + " output may be missing here");
        return engine.readLogSince(name, latest.truncatedTo(ChronoUnit.SECONDS).plusSeconds(1), sink);
    }

    /**
     * A stream that was cut looks like the log of a program that has written nothing: such an answer counts once it
     * comes again.
     */
    private Optional<Instant> logBegins(String name) {
        return engine.logBegins(name).or(() -> engine.logBegins(name));
    }

    /** Whether it is cut, by the engine's own time where that is known: our clock may have been set since. */
    private static boolean isCut(Optional<Instant> begins, JobLog log) {
        Optional<Instant> began = log.began();
        Optional<Instant> engineBegan = log.engineBegan();
        if (engineBegan.isPresent()) {
            return !begins.equals(engineBegan);
        }
        boolean isCut = began.isPresent()
                && begins.map(begin -> isLater(begin, log, began.get())).orElse(true);
        if (!isCut) {
            begins.ifPresent(log::keepEngineBegan);
        }
        return isCut;
    }

    /**
     * Whether the engine's first line is not our first; a later one may have an earlier date where that was set back.
     */
    private static boolean isLater(Instant begins, JobLog log, Instant began) {
        // Our first may have been on its way when the date was set.
        return !isOfMoment(begins, began)
                && !isOfMoment(begins, began.minus(log.setBeforeItBegan()))
                && (begins.isAfter(began) || log.isDateSetBack());
    }

    /** Whether a line with this date may have come to us at that one. */
    private static boolean isOfMoment(Instant line, Instant came) {
        return !line.isAfter(came.plus(CLOCK_SLACK)) && !line.isBefore(came.minus(MAX_DELAY));
    }

    private void discard(JobId job) {
        OpenLog open = logs.remove(job);
        if (open != null) {
            open.stream().close();
            open.log().close();
        }
    }
}
