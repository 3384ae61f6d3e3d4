package dev.berth.server.runner.docker;

import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Found.Condition;
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

    /** How much later than we had it an engine may date a line: on a machine with much to do it writes it down late. */
    private static final Duration CLOCK_SLACK = Duration.ofSeconds(15);

    /** By how much the end of a stream may be seen earlier than the end of its program. */
    private static final Duration END_SLACK = Duration.ofMillis(300);

    /** The same where the stream may have broken off with the engine instead: then little is put down to chance. */
    private static final Duration BREAK_SLACK = Duration.ofMillis(30);

    /** The time for which a line may be under way to us from an engine that was frozen meanwhile. */
    private static final Duration MAX_DELAY = Duration.ofMinutes(1);

    private record OpenLog(JobLog log, ContainerLogStream stream, DeviceLoss loss) {}

    private final ConcurrentMap<JobId, OpenLog> logs = new ConcurrentHashMap<>();
    private final ContainerEngine engine;
    private final ContainerParts parts;
    private final Notices notices;
    private final Packs packs;

    ContainerLogs(ContainerEngine engine, ContainerParts parts, Notices notices, Packs packs) {
        this.packs = packs;
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
     *
     * @param condition the container's, whose program has ended
     */
    void keepTheRest(Attempt attempt, String name, Condition condition) {
        boolean isWhole = logEnded(attempt.job()) && isBelieved(attempt.job());
        boolean isMissed = condition instanceof Condition.Exited end && isMissed(attempt.job(), end);
        for (int reading = 0; reading < MAX_READINGS && !isWhole; reading++) {
            listen(attempt, name, true);
            isWhole = logEnded(attempt.job());
        }
        sayWhatIsMissing(attempt, isWhole, isMissed);
    }

    /** Whether the program may have ended while no engine was there, and its stream did not end with it, or may have broken off with the engine. */
    private boolean isMissed(JobId job, Condition.Exited end) {
        OpenLog open = logs.get(job);
        boolean isHeard = open != null
                && open.stream()
                        .endedAt()
                        .filter(at ->
                                at.isAfter(end.endedAt().minus(engine.mayHaveBroken(at) ? BREAK_SLACK : END_SLACK)))
                        .isPresent();
        return !isHeard && engine.mayHaveMissed(end);
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
    private void sayWhatIsMissing(Attempt attempt, boolean ended, boolean isMissed) {
        OpenLog open = logs.get(attempt.job());
        if (!ended || open == null) {
            LOG.error("job={} the end of its log could not be kept", attempt.job());
            discard(attempt.job());
            try (JobLog log = parts.logs().append(attempt)) {
                log.say("the end of this log could not be kept; the server's log says why");
            }
        } else if (isMissed) {
            LOG.warn("job={} the engine may have been away when its program ended", attempt.job());
            open.log()
                    .say("the container engine may have been away when this program ended; what the program wrote last"
                            + " may be missing");
        }
    }

    /**
     * Says in the log that the start was lost. What a program writes whose start its engine forgot is read by nobody,
     * and may be nowhere.
     */
    void sayThatStartWasLost(Attempt attempt) {
        discard(attempt.job());
        try (JobLog log = parts.logs().append(attempt)) {
            log.say("the container engine, or the connection to it, ended while it was to start this program; what it"
                    + " wrote may be missing");
        }
    }

    /** Nothing more comes. */
    void close(JobId job) {
        discard(job);
    }

    /** Notes that the job has been told that its program runs: only now does anybody care what befalls it, or its tasks. */
    void begin(Attempt attempt) {
        packs.follow(attempt);
        OpenLog open = logs.get(attempt.job());
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

    /** The engine's copy has a bound of its own; where its beginning is gone, it cannot be held against what is kept. */
    private ContainerLogStream reread(String name, JobLog log, LogSink sink) {
        Optional<LogBegin> begin = logBegins(name);
        if (!isCut(begin, log)) {
            return engine.readLog(name, sink);
        }
        LOG.warn(
                "{}: the engine's copy of the log begins later than what is kept: {}; kept: {}, first line ended {}",
                name,
                begin.map(LogBegin::inWords).orElse("nothing"),
                log.engineBegan(),
                log.firstLineEnded());
        Instant next = log.giveReplayUp().truncatedTo(ChronoUnit.SECONDS).plusSeconds(1);
        log.say(
                "the container engine's own copy of this log begins later, as it was cut or the engine was killed: up to a"
                        + " second of output, and what was cut, may be missing here");
        return begin.filter(first -> first.at().isBefore(next)).isPresent()
                ? engine.readLogSince(name, next, sink)
                : engine.readLog(name, sink);
    }

    /**
     * A stream that was cut looks like the log of a program that has written nothing: such an answer counts once it
     * comes again.
     */
    private Optional<LogBegin> logBegins(String name) {
        return engine.logBegins(name).or(() -> engine.logBegins(name));
    }

    /**
     * Whether the engine's copy begins behind the beginning of what is kept. By the engine's own time where that is known:
     * our clock may have been set since. Where we have no whole line it can have cut none that is kept.
     */
    private static boolean isCut(Optional<LogBegin> begin, JobLog log) {
        if (begin.isEmpty()) {
            return false;
        }
        LogBegin first = begin.get();
        Optional<Instant> engineBegan = log.engineBegan();
        if (engineBegan.isPresent()) {
            return !first.at().equals(engineBegan.get());
        }
        boolean isCut = log.firstLineEnded()
                .filter(ended -> isLater(first.at(), log, ended)
                        || !log.mayBeginWith(first.stream(), first.message().duplicate()))
                .isPresent();
        if (!isCut) {
            log.keepEngineBegan(first.at());
        }
        return isCut;
    }

    /** Whether the engine's first line is not our first; a later one may have an earlier date where that was set back. */
    private static boolean isLater(Instant begins, JobLog log, Instant ended) {
        // Our first may have been on its way when the date was set. If the date was also set before that line was
        // written, nobody knows the line's date: an earlier one tells nothing then, and only its text is compared.
        Duration set = log.setBeforeItBegan();
        boolean mayBeFirst = isOfMoment(begins, ended) || isOfMoment(begins, ended.minus(set));
        return !mayBeFirst && (begins.isAfter(ended) || (set.isZero() && log.isDateSetBack()));
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
