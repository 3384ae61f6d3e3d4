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
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at the outputs of jobs: every few seconds while a job runs, more seldom where a look takes long, and once more after the
 * end of each attempt. Each look is on a thread of its own, a few at a time in the order in which they became due: one whose file
 * system does not answer keeps no other from being read. For one thread at a time.
 */
final class OutputLooks {
    static final Duration EVERY = Duration.ofSeconds(5);

    /** So many times as long as looking took it is not looked: a server with few cores has other things to do. */
    private static final int REST = 50;

    /** Looks that follow each other where there is more to read. */
    private static final int MAX_IN_A_ROW = 16;

    /** Looks that go on at the same time: what each finds is in memory until it is kept. */
    static final int MAX_AT_ONCE = 4;

    /** Those of one owner, those that last long among them. */
    static final int MAX_OF_OWNER = 2;

    /** A look that lasts longer waits for a file system, and takes the place of no other but its owner's. */
    static final Duration LONG = Duration.ofSeconds(10);

    private static final Logger LOG = LoggerFactory.getLogger(OutputLooks.class);

    private final Workspaces workspaces;
    private final Function<JobId, Optional<Job>> jobs;
    private final Function<JobId, Map<String, Position>> known;
    private final InstantSource steady;
    private final Executor threads;
    private final Map<JobId, Watched> watched = new HashMap<>();

    /** Those that are due, in the order in which they became so. */
    private final Set<JobId> waiting = new LinkedHashSet<>();

    /** The looks that go on, by the owner's uid; each takes itself out. */
    private final Map<Long, Integer> ofOwner = new ConcurrentHashMap<>();

    /**
     * A look that goes on, or whose end nobody has noticed yet.
     *
     * @param ended the attempt that had ended when it began; null for none
     */
    private record Running(@Nullable Attempt ended, Instant begin, CompletableFuture<Found> found) {
        boolean isLong(Instant now) {
            return !found.isDone() && Duration.between(begin, now).compareTo(LONG) > 0;
        }
    }

    /** What came of a look. */
    private record Found(OutputFiles.Look look, @Nullable Exception failure, Instant end) {}

    /** The record of one job that is watched. */
    private static final class Watched {
        private final @Nullable Job job;
        private final @Nullable OutputFiles files;
        private Instant due = Instant.MIN;
        private Duration spent = Duration.ZERO;
        private int inARow;
        private boolean isFailing;
        private boolean isLongTold;
        private @Nullable Running running;

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
     * @param threads where the looks are, which may wait for long
     */
    OutputLooks(
            Workspaces workspaces,
            Function<JobId, Optional<Job>> jobs,
            Function<JobId, Map<String, Position>> known,
            InstantSource steady,
            Executor threads) {
        this.workspaces = workspaces;
        this.jobs = jobs;
        this.known = known;
        this.steady = steady;
        this.threads = threads;
    }

    /**
     * Gives what a look found, and begins another one where it is time to. What is given is to be kept before the next call.
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
        if (of.job == null) {
            of.isRead = true;
            return List.of();
        }
        Instant now = steady.instant();
        List<Reading> found = take(of, now);
        if (found.isEmpty() && of.running == null && !isRead(attempt) && !now.isBefore(of.due)) {
            waiting.add(attempt.job());
            beginSome(now);
            found = take(of, now);
        }
        return found;
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

    private void beginSome(Instant now) {
        long busy = watched.values().stream()
                .map(of -> of.running)
                .filter(running -> running != null && !running.isLong(now))
                .count();
        Iterator<JobId> next = waiting.iterator();
        while (busy < MAX_AT_ONCE && next.hasNext()) {
            Watched of = watched.get(next.next());
            if (of == null || of.job == null || of.files == null) {
                next.remove();
            } else if (ofOwner.getOrDefault(of.job.owner().uid(), 0) < MAX_OF_OWNER) {
                next.remove();
                begin(of, of.job, of.files, now);
                busy++;
            }
        }
    }

    private void begin(Watched of, Job job, OutputFiles files, Instant now) {
        Long uid = job.owner().uid();
        Integer _ = ofOwner.merge(uid, 1, Integer::sum);
        CompletableFuture<Found> found = CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return find(job, files);
                    } finally {
                        Integer _ = ofOwner.computeIfPresent(uid, (_, count) -> count == 1 ? null : count - 1);
                    }
                },
                threads);
        of.running = new Running(of.ended, now, found);
    }

    private Found find(Job job, OutputFiles files) {
        try {
            return new Found(files.look(workspaces, job), null, steady.instant());
        } catch (IOException | RightsException e) {
            return new Found(new OutputFiles.Look(List.of(), false), e, steady.instant());
        }
    }

    /** What a look found that has ended meanwhile. */
    private List<Reading> take(Watched of, Instant now) {
        Running running = of.running;
        if (running == null || of.job == null || of.files == null) {
            return List.of();
        }
        if (!running.found().isDone()) {
            if (running.isLong(now) && !of.isLongTold) {
                of.isLongTold = true;
                LOG.warn(
                        "job={} its output has been read for metrics for {} s; does its file system answer?",
                        of.job.id(),
                        LONG.toSeconds());
            }
            return List.of();
        }
        of.running = null;
        Found found = running.found().join();
        boolean hasMore = found.look().hasMore();
        boolean isOfEnd = of.ended != null && of.ended.equals(running.ended());
        of.isRead = isOfEnd && !hasMore;
        of.spent = of.spent.plus(Duration.between(running.begin(), found.end()));
        of.inARow++;
        if (!hasMore || of.inARow >= MAX_IN_A_ROW) {
            Duration rest = of.spent.multipliedBy(REST);
            // One that ended meanwhile is due at once.
            of.due = of.ended == null || isOfEnd
                    ? found.end().plus(rest.compareTo(EVERY) > 0 ? rest : EVERY)
                    : Instant.MIN;
            of.spent = Duration.ZERO;
            of.inARow = 0;
        }
        return readings(of, of.job, of.files, found, isOfEnd);
    }

    private static List<Reading> readings(Watched of, Job job, OutputFiles files, Found found, boolean isOfEnd) {
        List<Reading> readings = new ArrayList<>(found.look().readings());
        Exception failure = found.failure();
        if (failure != null) {
            if (!of.isFailing) {
                LOG.warn("job={} its output cannot be read for metrics: {}", job.id(), failure.toString());
            }
            if (isOfEnd) {
                files.tell(
                        readings,
                        "OUTPUT_UNREADABLE",
                        "The output could not be read for files of TensorBoard and CW2; the server's log says why.");
            }
        }
        of.isFailing = failure != null;
        return readings;
    }

    /** The looks at some jobs' outputs that go on, but for those that last long. */
    List<CompletableFuture<?>> running(Set<JobId> jobs) {
        Instant now = steady.instant();
        List<CompletableFuture<?>> looks = new ArrayList<>();
        for (JobId job : jobs) {
            Watched of = watched.get(job);
            Running running = of == null ? null : of.running;
            if (running != null && !running.isLong(now)) {
                looks.add(running.found());
            }
        }
        return looks;
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
        waiting.retainAll(those);
    }

    /** Forgets what it knows of jobs of which nothing is kept any more. */
    void forget(List<JobId> jobs) {
        jobs.forEach(watched::remove);
        jobs.forEach(waiting::remove);
    }

    /** Forgets what it knows, as it is not kept. */
    void clear() {
        watched.clear();
        waiting.clear();
    }
}
