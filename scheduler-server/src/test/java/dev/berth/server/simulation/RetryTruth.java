package dev.berth.server.simulation;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.StateName;
import dev.berth.server.store.EndedAttempt;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Consumer;

/** What is kept of attempts after which their jobs began others, held against what became of their programs. */
final class RetryTruth {
    /** No event is so late. */
    static final long NEVER = Long.MAX_VALUE;

    /**
     * A retry.
     *
     * @param event the number of the event by which the attempt before it ended
     * @param ready the first event at which it may have its turn; that of the end itself where it has no delay
     */
    private record Retried(int attempt, long event, long ready) {}

    private final World world;

    /** What was asked for, of all that may have had a turn. */
    private final SortedMap<Long, JobSpec> jobs;

    private final Map<Long, List<EndedAttempt>> rows = new HashMap<>();
    private final Map<Long, List<Retried>> retries = new HashMap<>();

    /** The number of the event by which each job was accepted; a task or a pack has that of its array. */
    private final Map<Long, Long> accepted = new HashMap<>();

    RetryTruth(World world, SortedMap<Long, JobSpec> jobs) {
        this.world = world;
        this.jobs = jobs;
        Map<Long, Long> own = world.books.pairs("SELECT job, sequence FROM job_event WHERE event = 'JobAccepted'");
        jobs.keySet().forEach(id -> {
            Long event = own.get(id);
            long array = event == null
                    ? world.clients.arrayOfTurn(new JobId(id)).map(JobId::value).orElse(0L)
                    : 0;
            accepted.put(id, event == null ? own.getOrDefault(array, 0L) : event);
        });
        world.books
                .pairs("SELECT job, count(*) FROM attempt GROUP BY job")
                .keySet()
                .forEach(this::read);
    }

    private void read(long id) {
        JobId job = new JobId(id);
        List<EndedAttempt> own = world.server().queries().attempts(job);
        rows.put(id, own);
        JobSpec spec = jobs.get(id);
        if (spec != null) {
            RetryTerms terms = RetryTerms.of(spec);
            List<Retried> retried = new ArrayList<>();
            own.stream()
                    .filter(EndedAttempt::isRetried)
                    .forEach(row -> retried.add(retried(job, row.end().attempt(), terms, retried.size())));
            retries.put(id, retried);
        }
    }

    private Retried retried(JobId job, int attempt, RetryTerms terms, int before) {
        long event = world.books.beginOf(job, attempt + 1);
        if (terms.delay(before).isZero()) {
            return new Retried(attempt, event, event);
        }
        long due = world.books.at(event) + terms.delay(before).toNanos() / 1_000;
        long ready = world.books.begun(job, event, due);
        // A date that nobody set has come where anything is of it, whatever the server knew.
        long reached = world.time.wasSet() ? NEVER : world.books.firstEventSince(due);
        return new Retried(attempt, event, Math.min(ready == 0 ? NEVER : ready, reached == 0 ? NEVER : reached));
    }

    /** Whether an attempt of a job had ended before another one began. */
    boolean wasOver(JobId job, int attempt) {
        return rows.getOrDefault(job.value(), List.of()).stream()
                .anyMatch(row -> row.end().attempt() == attempt);
    }

    /** Whether one job has its turn before another one, by what has happened before an event. */
    boolean isBefore(long job, long other, long event) {
        long moved = movedBefore(job, event);
        long otherMoved = movedBefore(other, event);
        if (moved == 0 && otherMoved == 0) {
            return job < other;
        }
        return (moved == 0 ? accepted.get(job) : moved) < (otherMoved == 0 ? accepted.get(other) : otherMoved);
    }

    /** The last event before one by which a job went to the end of the queue; 0 for none. */
    private long movedBefore(long job, long event) {
        JobSpec spec = jobs.get(job);
        return spec == null || !spec.retry().atEnd()
                ? 0
                : retries.getOrDefault(job, List.of()).stream()
                        .mapToLong(Retried::event)
                        .filter(retry -> retry < event)
                        .max()
                        .orElse(0);
    }

    /** Whether a job waits for the end of the delay of a retry when an event comes. */
    boolean isDelayed(long job, long event) {
        return retries.getOrDefault(job, List.of()).stream()
                .anyMatch(retry -> retry.event() < event && event < retry.ready());
    }

    /** The turns of jobs at the end of the queue, each with the event by which it went there. */
    List<Place> placesAtEnd() {
        List<Place> places = new ArrayList<>();
        retries.forEach((job, own) -> {
            boolean isMoved = Objects.requireNonNull(jobs.get(job)).retry().atEnd();
            if (isMoved && !world.books.wasHeld(new JobId(job))) {
                own.forEach(retry -> {
                    long turn = world.books.turnAfter(new JobId(job), retry.event());
                    if (turn > 0) {
                        world.tally.count("retry at the end that had its turn");
                        long arrival = world.books.arrivalBefore(new JobId(job), turn);
                        places.add(new Place(job, retry.event(), turn, retry.ready(), arrival));
                    }
                });
            }
        });
        return places;
    }

    /** The place of a job that was accepted, and has had this turn. */
    Place place(long job, long turn, long ready, long arrival) {
        return new Place(job, accepted.get(job), turn, ready, arrival);
    }

    /**
     * A place in the queue that led to a turn.
     *
     * @param since the event by which the job came to it
     * @param turn the event of the turn
     * @param ready the event at which it was ready
     * @param arrival the event at which its image was here
     */
    record Place(long job, long since, long turn, long ready, long arrival) implements Comparable<Place> {
        @Override
        public int compareTo(Place other) {
            int order = Long.compare(since, other.since);
            return order == 0 ? Long.compare(job, other.job) : order;
        }
    }

    /**
     * Holds what is kept of a job against its programs.
     *
     * @param asTheyDid holds the end of one attempt against its program
     */
    void check(Job job, Finished end, List<Fate> attempts, Consumer<Finished> asTheyDid) {
        List<EndedAttempt> ended = rows.getOrDefault(job.id().value(), List.of());
        String what = "job " + job.number() + " " + end + " with " + attempts + " and " + ended;
        ended.forEach(row -> {
            world.tally.count((row.isRetried() ? "retried after " : "queued again after ")
                    + row.end().outcome().reason());
            asTheyDid.accept(row.end());
            held(row, attempts, what);
        });
        follows(job, end, ended, what);
    }

    /** Of each job, all attempts whose programs began before that of its last one. */
    void requireKept() {
        for (Long id : jobs.keySet()) {
            JobId job = new JobId(id);
            List<Fate> begun = world.ground.of(job).stream()
                    .filter(fate -> fate.starts > 0)
                    .toList();
            for (Fate fate : begun) {
                Law.ATTEMPTS_KEPT.require(
                        fate.forgotten || fate == begun.getLast() || wasOver(job, fate.attempt),
                        () -> fate + " is not kept");
            }
        }
    }

    private void held(EndedAttempt row, List<Fate> attempts, String what) {
        attempts.stream()
                .filter(fate -> fate.starts > 0 && fate.attempt == row.end().attempt())
                .forEach(fate -> {
                    Law.ATTEMPTS_KEPT.require(
                            Set.copyOf(fate.gpus).equals(Set.copyOf(row.gpus())),
                            () -> what + ": " + fate + " had " + fate.gpus);
                    Law.ATTEMPTS_KEPT.require(
                            world.time.wasSet()
                                    || fate.startedAt == null
                                    || row.end().startedAt() == null
                                    || fate.startedAt
                                            .truncatedTo(ChronoUnit.MICROS)
                                            .equals(row.end().startedAt()),
                            () -> what + ": " + fate + " began at " + fate.startedAt);
                });
    }

    /** As often as it asked for, and no more. */
    private void follows(Job job, Finished end, List<EndedAttempt> ended, String what) {
        JobSpec spec = Objects.requireNonNull(jobs.get(job.id().value()));
        RetryTerms terms = RetryTerms.of(spec);
        long used = ended.stream().filter(EndedAttempt::isRetried).count();
        for (EndedAttempt row : ended) {
            Law.RETRIES.require(
                    row.isRetried()
                            ? terms.cover(row.end().outcome())
                            : spec.requeue() && row.end().name() == StateName.LOST,
                    () -> what + " asked for " + terms);
        }
        Law.RETRIES.require(used <= terms.most() && used == job.retried(), () -> what + " asked for " + terms);
        Law.RETRIES.require(
                !terms.cover(end.outcome()) || used == terms.most(),
                () -> what + " was not retried, and asked for " + terms);
        long cancel = world.books.lastCancel(job.id());
        Law.RETRIES.require(
                cancel == 0 || world.books.lastTurn(job.id()) < cancel,
                () -> what + " had a turn after it was cancelled");
        keepsDelays(job, terms, what);
    }

    /** By the dates of the books, which somebody may have set. */
    private void keepsDelays(Job job, RetryTerms terms, String what) {
        int before = 0;
        for (Retried retry : retries.getOrDefault(job.id().value(), List.of())) {
            long delay = terms.delay(before).toNanos() / 1_000;
            long due = world.books.at(retry.event()) + delay;
            long turn = world.books.turnAfter(job.id(), retry.event());
            Law.RETRIES.require(
                    delay == 0 || turn == 0 || world.books.latestBetween(job.id(), retry.event(), turn) >= due,
                    () -> "turn " + turn + " came too soon after attempt " + retry.attempt() + " at " + retry.event()
                            + ", not before " + due + ": " + what);
            before++;
        }
    }
}
