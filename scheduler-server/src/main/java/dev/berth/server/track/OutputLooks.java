package dev.berth.server.track;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.TrackSources;
import dev.berth.core.job.TrackSources.Source;
import dev.berth.core.machine.Attempt;
import dev.berth.server.code.Workspaces;
import dev.berth.server.linux.RightsException;
import dev.berth.server.store.track.Reading;
import dev.berth.server.store.track.Reading.Position;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at the outputs of jobs: every few seconds while a job runs, more seldom where a look takes long, and once more after the
 * end of each attempt. For one thread at a time.
 */
final class OutputLooks {
    static final Duration EVERY = Duration.ofSeconds(5);

    /** So many times as long as looking took it is not looked: a server with few cores has other things to do. */
    private static final int REST = 50;

    /** Looks that follow each other where there is more to read. */
    private static final int MAX_IN_A_ROW = 16;

    private static final Logger LOG = LoggerFactory.getLogger(OutputLooks.class);

    private final Workspaces workspaces;
    private final Function<JobId, Optional<Job>> jobs;
    private final Function<JobId, Map<String, Position>> known;
    private final InstantSource steady;
    private final Map<JobId, Watched> watched = new HashMap<>();

    /** The record of one job that is watched. */
    private static final class Watched {
        private final @Nullable Job job;
        private final @Nullable OutputFiles files;
        private Instant due = Instant.MIN;
        private Duration spent = Duration.ZERO;
        private int inARow;
        private boolean isFailing;

        /** The last attempt that has ended, and whether all that it left is read. */
        private @Nullable Attempt ended;

        private boolean isRead;

        private Watched(@Nullable Job job, @Nullable OutputFiles files) {
            this.job = job;
            this.files = files;
        }
    }

    /**
     * Outputs at which nobody has looked yet.
     *
     * @param known how far the sources of a job's output were read, by name
     */
    OutputLooks(
            Workspaces workspaces,
            Function<JobId, Optional<Job>> jobs,
            Function<JobId, Map<String, Position>> known,
            InstantSource steady) {
        this.workspaces = workspaces;
        this.jobs = jobs;
        this.known = known;
        this.steady = steady;
    }

    /**
     * Reads what is new where it is time to.
     *
     * @param isOver whether the attempt's program has ended; what it left is read at once then
     */
    List<Reading> look(Attempt attempt, boolean isOver) {
        Watched of = watched.computeIfAbsent(attempt.job(), this::begun);
        if (isOver && !attempt.equals(of.ended)) {
            of.ended = attempt;
            of.isRead = false;
            of.due = Instant.MIN;
        }
        Job job = of.job;
        OutputFiles files = of.files;
        if (job == null || files == null) {
            of.isRead = true;
            return List.of();
        }
        if (isRead(attempt) || steady.instant().isBefore(of.due)) {
            return List.of();
        }
        return look(of, job, files, isOver);
    }

    /** The program of a host job writes where it likes, and has no directory of Berth's. */
    private Watched begun(JobId id) {
        Optional<Job> job = jobs.apply(id).filter(OutputLooks::isAsked);
        return new Watched(
                job.orElse(null),
                job.map(found -> new OutputFiles(found, known.apply(id))).orElse(null));
    }

    private static boolean isAsked(Job job) {
        TrackSources sources = job.spec().sources();
        return sources.has(Source.TENSORBOARD) || sources.has(Source.CSV);
    }

    private List<Reading> look(Watched of, Job job, OutputFiles files, boolean isOver) {
        Instant begin = steady.instant();
        List<Reading> readings = new ArrayList<>();
        boolean hasMore = false;
        try {
            OutputFiles.Look look = files.look(workspaces, job);
            readings.addAll(look.readings());
            hasMore = look.hasMore();
            of.isFailing = false;
        } catch (IOException | RightsException e) {
            if (!of.isFailing) {
                LOG.warn("job={} its output cannot be read for metrics: {}", job.id(), e.toString());
            }
            of.isFailing = true;
            if (isOver) {
                files.tell(
                        readings,
                        "OUTPUT_UNREADABLE",
                        "The output could not be read for files of TensorBoard and CW2; the server's log says why.");
            }
        }
        of.isRead = isOver && !hasMore;
        Instant end = steady.instant();
        of.spent = of.spent.plus(Duration.between(begin, end));
        of.inARow++;
        if (!hasMore || of.inARow >= MAX_IN_A_ROW) {
            Duration rest = of.spent.multipliedBy(REST);
            of.due = end.plus(rest.compareTo(EVERY) > 0 ? rest : EVERY);
            of.spent = Duration.ZERO;
            of.inARow = 0;
        }
        return readings;
    }

    /** Whether all is read that was there after an attempt's end. */
    boolean isRead(Attempt attempt) {
        Watched of = watched.get(attempt.job());
        return of != null && of.isRead && (of.files == null || attempt.equals(of.ended));
    }

    /** Whether anything was found in the output of a job. */
    boolean isAny(JobId job) {
        Watched of = watched.get(job);
        return of != null && of.files != null && of.files.isAny();
    }

    /** What was read is kept now. */
    void keep(Reading reading) {
        Watched of = watched.get(reading.attempt().job());
        if (of != null && of.files != null) {
            of.files.keep(reading);
        }
    }

    /** Forgets what it knows of the jobs that are not among those, of which nothing more comes. */
    void retain(Set<JobId> those) {
        watched.keySet().retainAll(those);
    }

    /** Forgets what it knows of jobs of which nothing is kept any more. */
    void forget(List<JobId> jobs) {
        jobs.forEach(watched::remove);
    }

    /** Forgets what it knows, as it is not kept. */
    void clear() {
        watched.clear();
    }
}
