package dev.berth.server.runner.target;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.Outcome;
import dev.berth.core.job.Part;
import dev.berth.core.job.Program;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.JobEvent.LaunchRefused;
import dev.berth.core.machine.JobEvent.RunEnded;
import dev.berth.core.machine.JobEvent.RunHandedOver;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.target.Handover.Needed;
import dev.berth.server.runner.target.HandoverMarks.Mark;
import dev.berth.server.runner.target.TargetEngine.Ability;
import dev.berth.server.upkeep.Tasks;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The hand-overs to targets: in the order of turns, each once, and tasks of an array that follow each other as one where the engine
 * has arrays. Safe for any thread.
 */
final class Handovers {
    private static final Logger LOG = LoggerFactory.getLogger(Handovers.class);

    /** How long one waits at most for those before it, before it is looked whether that is still of any use. */
    private static final Duration TURN = Duration.ofSeconds(10);

    /** The most tasks in one hand-over, and the highest number of one: Slurm's own default (slurm.conf, "MaxArraySize"). */
    static final int MAX_TASKS = 1_000;

    private final HandoverTurns turns = new HandoverTurns();
    private final Set<Attempt> forbidden = ConcurrentHashMap.newKeySet();

    /** Those that are being handed over by somebody; guarded by this. */
    private final Set<Attempt> underway = new HashSet<>();

    /** The arrays that an engine did not take as such. */
    private final Set<JobId> taskByTask = ConcurrentHashMap.newKeySet();

    private final TargetParts parts;
    private final HandoverDependencies dependencies;
    private final Tasks tasks;

    Handovers(TargetParts parts, Tasks tasks) {
        this.parts = parts;
        this.dependencies = new HandoverDependencies(parts);
        this.tasks = tasks;
    }

    /** Notes that an attempt is to be handed over, behind all others that are. */
    void expect(String target, Attempt attempt, long user) {
        turns.expect(target, attempt, user);
    }

    /** Notes that an attempt is not to be handed over any more. */
    void forbid(Attempt attempt) {
        forbidden.add(attempt);
        // What would hand it over may itself wait for long.
        turns.end(attempt);
    }

    boolean isForbidden(Attempt attempt) {
        return forbidden.contains(attempt);
    }

    /** Lets the one behind an attempt have its turn. */
    void end(String target, Attempt attempt) {
        turns.end(target, attempt);
    }

    void forget(Attempt attempt) {
        forbidden.remove(attempt);
    }

    /** Whether an attempt need not be handed over, for it is not to be, or was with others of its array. */
    synchronized boolean isSettled(Optional<TargetLooks> looks, Attempt attempt) {
        return !underway.contains(attempt)
                && (forbidden.contains(attempt)
                        || looks.flatMap(there -> there.find(attempt)).isPresent());
    }

    /** Hands a job over once it is its turn; whether that is done. */
    boolean handOver(TargetLooks looks, Job job) {
        Attempt attempt = Attempt.of(job);
        looks.outage().ifPresent(outage -> {
            throw new EngineException(Kind.UNREACHABLE, outage.sentence());
        });
        if (!isItsTurn(looks.name(), attempt) || isSettled(Optional.of(looks), attempt)) {
            return false;
        }
        Optional<Outcome> broken = dependencies.broken(job);
        if (broken.isPresent()) {
            if (parts.marks().has(attempt)) {
                looks.engine().cancel(parts.handed(job), Duration.ZERO);
            }
            parts.notices()
                    .post(
                            job.id(),
                            new RunEnded(
                                    attempt.number(),
                                    broken.get(),
                                    null,
                                    parts.clock().instant()));
            turns.end(looks.name(), attempt);
            return true;
        }
        Together together = begin(looks, job);
        boolean isForeseen = false;
        try {
            handOver(looks, together);
            isForeseen = true;
        } catch (ArrayRefusedException e) {
            isForeseen = true;
            divide(looks, Objects.requireNonNull(job.array()), e);
            return false;
        } catch (EngineException e) {
            isForeseen = true;
            failed(looks, attempt, e);
            return true;
        } finally {
            if (!isForeseen) {
                turns.putBack(looks.name(), attempt);
            }
            finish(together);
        }
        together.jobs().forEach(one -> turns.end(looks.name(), Attempt.of(one)));
        return true;
    }

    /** Lets the tasks go one by one: nothing of them is there but their files, which have the array's name. */
    private void divide(TargetLooks looks, JobId array, ArrayRefusedException refusal) {
        LOG.info("array {} goes to target {} task by task: {}", array, looks.name(), refusal.getMessage());
        taskByTask.add(array);
        for (Handed task : refusal.tasks()) {
            looks.engine().discard(task);
            try {
                parts.marks().clear(task.attempt());
            } catch (IOException e) {
                throw new EngineException(Kind.FAILING, "its mark could not be removed: " + e.getMessage(), e);
            }
        }
    }

    private boolean isItsTurn(String target, Attempt attempt) {
        try {
            return tasks.await(turns.turn(target, attempt), TURN);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EngineException(Kind.INTERRUPTED, "the server ends", e);
        }
    }

    /** Only a no ends the job; whatever may go the next time is done again, and an engine that is away lets nobody pass. */
    private void failed(TargetLooks looks, Attempt attempt, EngineException failure) {
        switch (failure.kind()) {
            case REFUSED, NOT_FOUND -> {
                parts.notices().post(attempt.job(), new LaunchRefused(attempt.number(), failure.sentence()));
                turns.end(looks.name(), attempt);
            }
            case UNREACHABLE -> {
                looks.away(failure);
                throw failure;
            }
            case LATE, FAILING, UNABLE, BEGUN, INTERRUPTED -> {
                switch (failure.scope()) {
                    case ONE -> turns.putBack(looks.name(), attempt);
                    case USER -> turns.rest(looks.name(), attempt);
                    case ALL -> {
                        // Whoever came first is first when it has passed.
                    }
                }
                throw failure;
            }
        }
    }

    /**
     * The jobs of one hand-over.
     *
     * @param isArray whether they are tasks that go as one array, of which some may be there or ended already
     */
    private record Together(List<Job> jobs, boolean isArray) {}

    private synchronized Together begin(TargetLooks looks, Job job) {
        Together together = together(looks, job);
        together.jobs().forEach(one -> underway.add(Attempt.of(one)));
        return together;
    }

    private synchronized void finish(Together together) {
        together.jobs().forEach(one -> underway.remove(Attempt.of(one)));
    }

    /** The job, with the tasks of its array whose turn comes next. Those that may be there as one array stay one. */
    private Together together(TargetLooks looks, Job job) {
        JobId array = job.array();
        Mark mark = parts.marks().of(Attempt.of(job)).orElse(null);
        if (array == null || !looks.engine().abilities().has(Ability.ARRAYS)) {
            return new Together(List.of(job), false);
        }
        if (taskByTask.contains(array) || (mark != null && mark.task() == null)) {
            return new Together(List.of(job), mark != null && mark.task() != null);
        }
        List<Job> together = new ArrayList<>(List.of(job));
        for (Attempt next : turns.waiting(looks.name())) {
            Job other = parts.jobs().apply(next.job()).orElse(null);
            if (other == null || !array.equals(other.array()) || together.size() == MAX_TASKS) {
                break;
            }
            if (!other.id().equals(job.id()) && isOf(mark, next) && !forbidden.contains(next)) {
                together.add(other);
            }
        }
        return new Together(together, together.size() > 1 || mark != null);
    }

    /** Whether an earlier hand-over was of this one, too; with null, whether there was none. */
    private boolean isOf(@Nullable Mark mark, Attempt other) {
        Mark others = parts.marks().of(other).orElse(null);
        return mark == null ? others == null : others != null && mark.name().equals(others.name());
    }

    private void handOver(TargetLooks looks, Together together) {
        // Tasks of an array wait for the same.
        List<Needed> needed = dependencies.of(together.jobs().getFirst(), looks.engine());
        Set<Attempt> marked = mark(together);
        List<Handover> plans = together.jobs().stream()
                .map(job -> plan(job, needed, marked.contains(Attempt.of(job))))
                .toList();
        looks.engine().handOver(plans);
        for (Job job : together.jobs()) {
            looks.follow(job);
            Attempt attempt = Attempt.of(job);
            parts.notices().post(attempt.job(), new RunHandedOver(attempt.number()));
        }
        looks.soon();
    }

    /** What a task is called that goes with others: an earlier hand-over of them has said it, or its index does. */
    private Mark task(List<Job> together, Job task) {
        Mark before = parts.marks().named(Attempt.of(task));
        if (before.task() != null) {
            return before;
        }
        boolean isByIndex = together.stream().allMatch(job -> index(job) <= MAX_TASKS);
        return new Mark(
                parts.marks().alone(Attempt.of(together.getFirst())).name() + "-array",
                isByIndex ? index(task) : together.indexOf(task));
    }

    private static int index(Job job) {
        return job.part() instanceof Part.Task task ? task.index() : 0;
    }

    /** Keeps what they are called there before they can be there; those for which that was kept before. */
    private Set<Attempt> mark(Together together) {
        Set<Attempt> before = new HashSet<>();
        try {
            for (Job job : together.jobs()) {
                Attempt attempt = Attempt.of(job);
                if (parts.marks().has(attempt)) {
                    before.add(attempt);
                }
                parts.marks()
                        .set(
                                attempt,
                                together.isArray()
                                        ? task(together.jobs(), job)
                                        : parts.marks().alone(attempt));
            }
            // A cancel believes that what has no mark never went there.
            parts.marks().force();
            return before;
        } catch (IOException e) {
            throw notLaidOut(together.jobs().getFirst().id(), e);
        }
    }

    private Handover plan(Job job, List<Needed> needed, boolean mayBeThere) {
        try {
            parts.workspaces().prepareElsewhere(job);
        } catch (IOException e) {
            throw notLaidOut(job.id(), e);
        }
        Program program = parts.programs()
                .apply(job.id())
                .orElseThrow(() -> new EngineException(Kind.REFUSED, "its program is not in the database any more"));
        return HandoverPlan.of(parts, job, program, needed, mayBeThere);
    }

    private static EngineException notLaidOut(JobId job, IOException e) {
        LOG.error("job={} its files not laid out", job, e);
        return new EngineException(Kind.REFUSED, "its files could not be laid out: " + e.getMessage(), e);
    }
}
