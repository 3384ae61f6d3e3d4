package dev.berth.server.usage;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState.Running;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.JobEvent;
import dev.berth.core.machine.Machine;
import dev.berth.server.loop.BusyException;
import dev.berth.server.store.JobQueries;
import dev.berth.server.store.JobWarning;
import dev.berth.server.usage.JobReading.Activity;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Jobs that leave all their GPUs idle: a warning while they do, and their end where they asked for that. Nobody is judged
 * by what was not seen: where it cannot be told whether a job computes, it counts as computing. Belongs to the sampler's
 * thread.
 */
public final class IdleJobs {
    private static final Logger LOG = LoggerFactory.getLogger(IdleJobs.class);

    /** At the latest so long before its end a job is warned, but never in the first half of its time. */
    private static final Duration NOTICE = Duration.ofMinutes(5);

    private final Supplier<Machine> machine;
    private final LatestGpuStatus board;
    private final JobQueries queries;
    private final UsageKeeper.Writer writer;
    private final BiConsumer<JobId, JobEvent> events;
    private final @Nullable Duration warnAfter;
    private final Map<Attempt, Watched> watched = new HashMap<>();

    /**
     * A watch.
     *
     * @param events takes the news to the loop
     * @param warnAfter after how long a job is warned that sets no end to it itself, null for never
     */
    public IdleJobs(
            Supplier<Machine> machine,
            LatestGpuStatus board,
            JobQueries queries,
            UsageKeeper.Writer writer,
            BiConsumer<JobId, JobEvent> events,
            @Nullable Duration warnAfter) {
        this.machine = machine;
        this.board = board;
        this.queries = queries;
        this.writer = writer;
        this.events = events;
        this.warnAfter = warnAfter;
    }

    /** The record of one attempt that is watched. */
    private static final class Watched {
        private @Nullable Instant idleSince;
        private @Nullable JobWarning warning;
        private boolean isTold;
    }

    /** Takes a look in; the board has it already. */
    public void look(GpuReadings look) {
        Machine now = machine.get();
        now.live().values().forEach(job -> {
            if (job.state() instanceof Running running && !running.allocation().isNone()) {
                Attempt attempt = new Attempt(job.id(), running.attempt());
                Watched known = watched.computeIfAbsent(attempt, this::begun);
                look(now, job, running, known, look);
            }
        });
        watched.entrySet().removeIf(entry -> isOver(now, entry.getKey()) && end(entry.getValue(), look.at()));
    }

    /** A warning of the server before this one is finished: nobody saw what the job did since. */
    private Watched begun(Attempt attempt) {
        Watched fresh = new Watched();
        fresh.warning = queries.warnings(attempt.job(), attempt.number()).stream()
                .filter(warning -> warning.code().equals(JobWarning.GPU_IDLE) && warning.endedAt() == null)
                .findFirst()
                .orElse(null);
        return fresh;
    }

    private static boolean isOver(Machine now, Attempt attempt) {
        Job job = now.live().get(attempt.job());
        return job == null || !(job.state() instanceof Running running) || running.attempt() != attempt.number();
    }

    private void look(Machine now, Job job, Running running, Watched known, GpuReadings look) {
        Instant at = look.at();
        if (JobReading.of(now, board, job).activity() != Activity.IDLE) {
            known.idleSince = null;
            var _ = end(known, at);
            return;
        }
        if (known.idleSince == null) {
            known.idleSince = look.passed();
            var _ = end(known, at);
            return;
        }
        Duration idle = Duration.between(known.idleSince, look.passed());
        Instant since = at.minus(idle);
        Duration timeout = job.spec().limits().idle();
        String who = words(now, running);
        String are = isOne(running) ? " is" : " are";
        if (timeout != null && idle.compareTo(timeout) >= 0) {
            tell(
                    job,
                    running,
                    known,
                    who + (isOne(running) ? " was" : " were") + " idle from " + text(since)
                            + " on, as long as its --idle-timeout of " + inWords(timeout) + " allows");
        } else if (timeout != null && idle.compareTo(noticeAfter(timeout)) >= 0) {
            warn(
                    job,
                    running,
                    known,
                    since,
                    who + are + " idle since " + text(since) + "; it is stopped at " + text(since.plus(timeout))
                            + " if that goes on, because its --idle-timeout is " + inWords(timeout));
        } else if (warnAfter != null && idle.compareTo(warnAfter) >= 0) {
            warn(job, running, known, since, who + are + " idle since " + text(since));
        }
    }

    static Duration noticeAfter(Duration timeout) {
        Duration half = timeout.dividedBy(2);
        Duration late = timeout.minus(NOTICE);
        return late.compareTo(half) > 0 ? late : half;
    }

    private void tell(Job job, Running running, Watched known, String sentence) {
        if (!known.isTold) {
            known.isTold = true;
            events.accept(job.id(), new JobEvent.IdleTimeoutReached(running.attempt(), sentence));
        }
    }

    private void warn(Job job, Running running, Watched known, Instant since, String sentence) {
        JobWarning before = known.warning;
        if (before != null && before.sentence().equals(sentence)) {
            return;
        }
        JobWarning warning =
                new JobWarning(job.id(), running.attempt(), JobWarning.GPU_IDLE, "", sentence, since, null);
        if (write(warning)) {
            known.warning = warning;
            LOG.info("job={} {}", job.id(), sentence);
        }
    }

    /** Ends the warning where there is one; false where that could not be handed to the loop. */
    private boolean end(Watched known, Instant at) {
        JobWarning open = known.warning;
        if (open == null) {
            return true;
        }
        boolean isWritten = write(new JobWarning(
                open.job(), open.attempt(), open.code(), open.subject(), open.sentence(), open.since(), at));
        known.warning = isWritten ? null : open;
        return isWritten;
    }

    /** False where the loop is too busy; the next look tries again. */
    private boolean write(JobWarning warning) {
        try {
            var _ = writer.write(store -> store.warn(warning));
            return true;
        } catch (BusyException e) {
            LOG.debug("job={} a warning is written later: {}", warning.job(), e.getMessage());
            return false;
        }
    }

    private static String words(Machine now, Running running) {
        return running.allocation().gpus().stream()
                .map(id -> now.capacity().index(id).orElse(id.uuid()))
                .collect(Collectors.joining(", ", isOne(running) ? "its GPU " : "its GPUs ", ""));
    }

    private static boolean isOne(Running running) {
        return running.allocation().shares().size() == 1;
    }

    private static String text(Instant at) {
        return at.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    /** "90s", "30m", "1h30m", as it can be typed. */
    static String inWords(Duration time) {
        StringBuilder words = new StringBuilder();
        part(words, time.toDays(), "d");
        part(words, time.toHoursPart(), "h");
        part(words, time.toMinutesPart(), "m");
        part(words, time.toSecondsPart(), "s");
        return words.isEmpty() ? "0s" : words.toString();
    }

    private static void part(StringBuilder words, long amount, String unit) {
        if (amount > 0) {
            words.append(amount).append(unit);
        }
    }
}
