package dev.berth.core.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Dependency;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.JobState.Creating;
import dev.berth.core.job.JobState.Deferred;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.JobState.Held;
import dev.berth.core.job.JobState.Live;
import dev.berth.core.job.JobState.Packed;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.JobState.Starting;
import dev.berth.core.job.Packing;
import dev.berth.core.job.Part;
import dev.berth.core.job.StateName;
import dev.berth.core.job.TaskSet;
import dev.berth.core.job.Tasks;
import dev.berth.core.job.Unmet;
import dev.berth.core.machine.Effect.CreateRun;
import dev.berth.core.machine.Input.DependentsOrdered;
import dev.berth.core.machine.Input.DependentsRead;
import dev.berth.core.machine.Input.JobHappening;
import dev.berth.core.machine.Input.PauseStarts;
import dev.berth.core.machine.Input.QueueRead;
import dev.berth.core.machine.Input.ResumeStarts;
import dev.berth.core.machine.Input.SubmitJob;
import dev.berth.core.machine.Input.TimePassed;
import dev.berth.core.machine.JobEvent.Allocated;
import dev.berth.core.machine.JobEvent.CancelRequested;
import dev.berth.core.machine.JobEvent.GpusConfirmed;
import dev.berth.core.machine.JobEvent.HoldRequested;
import dev.berth.core.machine.JobEvent.ImageArrived;
import dev.berth.core.machine.JobEvent.ReleaseRequested;
import dev.berth.core.machine.JobEvent.RunCreated;
import dev.berth.core.machine.JobEvent.RunExited;
import dev.berth.core.machine.JobEvent.RunHandedOver;
import dev.berth.core.machine.JobEvent.RunStarted;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A scheduler in the tester's hand, with a map for a store. It carries no effect out; it holds every change against the
 * laws of the queue.
 */
final class TestScheduler {
    private final SortedMap<JobId, Job> stored = new TreeMap<>();

    /** The jobs of which it is not known yet whether they get the GPUs that they were given. */
    private final Set<Long> undecided = new TreeSet<>();

    /** Few, so that there are often more. */
    private static final int AT_A_TIME = 2;

    private boolean confirms = true;
    private final List<Long> starts = new ArrayList<>();
    private Machine machine;
    private Instant now = TestJobs.STARTED;

    private TestScheduler(Machine machine) {
        this.machine = machine;
    }

    static TestScheduler on(Capacity capacity) {
        return new TestScheduler(Machine.idle(capacity, 0));
    }

    /** As after a restart: these jobs stand in the store, and nothing of the queue is read yet. */
    static TestScheduler restarted(Capacity capacity, Collection<Job> stored) {
        long lastId = stored.stream().mapToLong(Job::lastId).max().orElse(0);
        Machine machine = Machine.idle(capacity, lastId);
        for (Job job : stored) {
            machine = job.state() instanceof Live ? machine.restored(job) : machine;
        }
        if (stored.stream().anyMatch(job -> !unmet(job).pending().isEmpty())) {
            machine = machine.with(DeferredJobs.of(true, new TreeMap<>(), DeferredJobs.Earliest.NONE));
        }
        for (Lane lane : capacity.lanes()) {
            machine = machine.withUnreadQueue(lane);
        }
        TestScheduler driver = new TestScheduler(machine);
        stored.forEach(job -> driver.stored.put(job.id(), job));
        return driver;
    }

    /** From now on somebody else says whether GPUs that were allocated can be had; else they always can. */
    TestScheduler undecided() {
        confirms = false;
        return this;
    }

    /** The same store and hour under a new server. */
    TestScheduler again(Capacity capacity) {
        TestScheduler next = restarted(capacity, stored.values());
        next.machine = next.machine.with(machine.starts());
        next.confirms = confirms;
        next.machine.live().values().stream()
                .filter(job -> !isDecided(job))
                .forEach(job -> next.undecided.add(job.id().value()));
        next.now = now;
        return next;
    }

    Machine machine() {
        return machine;
    }

    Instant now() {
        return now;
    }

    /** Submits, and the image is here at once. */
    Job submit(int gpus) {
        Job job = submitPending(gpus);
        imageArrives(job.id().value());
        return job;
    }

    Job submitPending(int gpus) {
        Step step = submit(TestJobs.spec(gpus));
        assertThat(step.reply()).isInstanceOf(Step.Reply.Accepted.class);
        return ((Step.Reply.Accepted) step.reply()).job();
    }

    Step submit(JobSpec spec) {
        SortedMap<JobId, StateName> ended = new TreeMap<>();
        for (Dependency dependency : spec.prerequisites().dependencies()) {
            Job other = job(dependency.job().value());
            if (other.state() instanceof Finished end) {
                ended.put(other.id(), end.name());
            }
        }
        return step(new SubmitJob(now, spec, TestJobs.PROGRAM, TestJobs.ADA, null, ended));
    }

    Step imageArrives(long id) {
        return tell(id, new ImageArrived(TestJobs.IMAGE_ID));
    }

    Step starts(long id) {
        if (job(id).state() instanceof Creating creating) {
            tell(id, new RunCreated(creating.attempt(), TestJobs.ENGINE));
        }
        return tell(id, new RunStarted(job(id).state().attempt(), now));
    }

    Step exits(long id) {
        if (job(id).state() instanceof Creating || job(id).state() instanceof Starting) {
            starts(id);
        }
        return tell(id, new RunExited(job(id).state().attempt(), 0, false, null, now));
    }

    /** Its target has taken it. */
    Step handsOver(long id) {
        return tell(id, new RunHandedOver(job(id).state().attempt()));
    }

    /** Its program runs, and ends with another code than 0. */
    Step fails(long id) {
        starts(id);
        return tell(id, new RunExited(job(id).state().attempt(), 3, false, null, now));
    }

    Step cancel(long id) {
        return tell(id, new CancelRequested("grace"));
    }

    Step hold(long id) {
        return tell(id, new HoldRequested("grace"));
    }

    Step release(long id) {
        return tell(id, new ReleaseRequested("grace"));
    }

    Step pause() {
        return step(new PauseStarts(now, "grace"));
    }

    Step resume() {
        return step(new ResumeStarts(now, "grace"));
    }

    Step passes(Duration time) {
        now = now.plus(time);
        return step(new TimePassed(now));
    }

    /** Somebody sets the date; no time passes. */
    Step setsDate(Duration by) {
        now = now.plus(by);
        machine = machine.withDateAhead(machine.clock().ahead().plus(by));
        return step(new TimePassed(now));
    }

    Step tell(long id, JobEvent event) {
        return step(new JobHappening(now, job(id), event));
    }

    Step step(Input input) {
        Step step = Scheduler.step(machine, input);
        if (input instanceof JobHappening(Instant _, Job job, GpusConfirmed _)) {
            undecided.remove(job.id().value());
        }
        step.changes().forEach(this::write);
        step.effects().stream()
                .filter(CreateRun.class::isInstance)
                .forEach(effect -> starts.add(effect.job().value()));
        machine = step.machine();
        assertThat(machine.live().values()).containsExactlyElementsOf(liveInStore());
        step = told(step);
        undecided.removeIf(
                id -> machine.live().values().stream().noneMatch(job -> job.id().value() == id && !isDecided(job)));
        return confirms ? confirmed(step) : step;
    }

    /** With what follows once those who wait for a job that has ended know of it, some at a time. */
    private Step told(Step step) {
        if (!machine.deferred().arrays().isEmpty()) {
            return step.then(step(arrayRead(machine.deferred().arrays().first())));
        }
        if (machine.deferred().ended().isEmpty()) {
            return ordered(step);
        }
        JobId ended = machine.deferred().ended().lastKey();
        StateName end = job(ended.value()).state().name();
        List<Job> waiting = stored.values().stream()
                .filter(job -> unmet(job).waitsFor(ended) && isConcerned(unmet(job), ended, end))
                .toList();
        List<Job> some = waiting.subList(0, Math.min(AT_A_TIME, waiting.size()));
        Input.Told told = some.size() < waiting.size() ? Input.Told.SOME : Input.Told.ALL;
        return step.then(step(new DependentsRead(now, ended, some, told)));
    }

    /** With what follows once those who wait for a job that a target has know of that. */
    private Step ordered(Step step) {
        if (machine.deferred().handedOver().isEmpty()) {
            return step;
        }
        JobId other = machine.deferred().handedOver().first();
        List<Job> waiting = stored.values().stream()
                .filter(job -> unmet(job).waitsFor(other))
                .limit(AT_A_TIME)
                .toList();
        return step.then(step(new DependentsOrdered(now, other, waiting)));
    }

    private Input arrayRead(JobId array) {
        List<Job> tasks = stored.values().stream()
                .filter(job -> array.equals(job.array()))
                .toList();
        SortedMap<StateName, Long> ended = new TreeMap<>();
        tasks.stream()
                .filter(task -> task.state() instanceof Finished)
                .forEach(task -> ended.merge(task.state().name(), 1L, Long::sum));
        return new Input.ArrayRead(now, job(array.value()), open(array) > 0, ended);
    }

    private long open(JobId array) {
        return stored.values().stream()
                .filter(job -> array.equals(job.array()) && !(job.state() instanceof Finished))
                .count();
    }

    /** Asks something of a task, which may be no job of its own yet. */
    Step tellTask(long array, int index, JobEvent event) {
        JobId id = job(array).taskId(index);
        return stored.containsKey(id)
                ? tell(id.value(), event)
                : step(new Input.TaskHappening(now, job(array), index, open(new JobId(array)), event));
    }

    /** What a pack that has ended has told of its tasks is read. */
    Step released(long pack) {
        return released(pack, true);
    }

    /** The same, where its files may be gone. */
    Step released(long pack, boolean isKnown) {
        return step(new Input.PackRead(now, job(pack), Attempt.of(job(pack)), isKnown, tasksOf(job(pack))));
    }

    /** The tasks in a pack that have not ended, in order. */
    List<Job> inPack(long pack) {
        return tasksOf(job(pack)).stream()
                .filter(task -> task.state() instanceof Packed)
                .toList();
    }

    /** The tasks that a pack was made of, as they stand. */
    private List<Job> tasksOf(Job pack) {
        return pack.packed().indices().stream()
                .map(index -> pack.pairOf(Objects.requireNonNull(pack.arrayOfTurn()), index))
                .flatMap(task -> Optional.ofNullable(stored.get(task)).stream())
                .toList();
    }

    /** The number of a task. */
    long task(long array, int index) {
        return job(array).taskId(index).value();
    }

    /** The job as the store holds it; the tasks of an array follow it as it was told. */
    Job submitArray(JobSpec spec) {
        Step step = submit(spec);
        Job array = ((Step.Reply.Accepted) step.reply()).job();
        if (array.state() instanceof Queued) {
            imageArrives(array.id().value());
        }
        return job(array.id().value());
    }

    /** Whether it waits for nothing else, or for another end: of the others the store takes note by itself. */
    private static boolean isConcerned(Unmet unmet, JobId ended, StateName end) {
        Unmet left = unmet.after(ended, end);
        return left.broken().size() > unmet.broken().size() || left.isEmpty();
    }

    private static Unmet unmet(Job job) {
        return switch (job.state()) {
            case Deferred deferred -> deferred.unmet();
            case Held held -> held.unmet();
            default -> Unmet.NONE;
        };
    }

    /** With what follows once the GPUs that it allocates have been looked at. */
    private Step confirmed(Step step) {
        Step all = step;
        for (Effect effect : step.effects()) {
            if (effect instanceof CreateRun create
                    && undecided.contains(create.job().value())) {
                Step next = tell(
                        create.job().value(), new GpusConfirmed(create.attempt().number()));
                all = all.then(next);
            }
        }
        return all;
    }

    private static boolean isDecided(Job job) {
        return !(job.state() instanceof Creating creating) || creating.isDecided();
    }

    /** What the loop does when a window runs low. */
    Step readQueue(Lane lane) {
        List<Job> waiting = waiting(lane);
        List<Job> window = machine.window(lane).jobs();
        long last = window.isEmpty() ? 0 : window.getLast().turn().value();
        List<Job> behind = waiting.stream()
                .filter(job -> job.turn().value() > last)
                .limit(Math.max(machine.room(lane), QueueWindow.MAX_JOBS - window.size()))
                .toList();
        boolean more = waiting.size() > window.size() + behind.size();
        return step(new QueueRead(now, lane, behind, more));
    }

    Job job(long id) {
        return Optional.ofNullable(stored.get(new JobId(id))).orElseThrow(() -> new AssertionError("no job " + id));
    }

    StateName state(long id) {
        return job(id).state().name();
    }

    Collection<Job> stored() {
        return Collections.unmodifiableCollection(stored.values());
    }

    /** The queued jobs of a lane as the store holds them, by turn. */
    List<Job> waiting(Lane lane) {
        return stored.values().stream()
                .filter(job -> job.state() instanceof Queued && machine.laneOf(job) == lane)
                .sorted(Comparator.comparing(Job::turn))
                .toList();
    }

    /** The jobs that hold a worker, by id. */
    List<Long> live() {
        return ids(machine.live().values());
    }

    /** Every start so far, in order. */
    List<Long> startOrder() {
        return Collections.unmodifiableList(starts);
    }

    static List<Long> ids(Collection<Job> jobs) {
        return jobs.stream().map(job -> job.id().value()).toList();
    }

    private List<Job> liveInStore() {
        return stored.values().stream()
                .filter(job -> job.state() instanceof Live)
                .toList();
    }

    private void write(Change change) {
        if (change instanceof Change.Advanced advanced) {
            assertThat(stored.get(advanced.job().id())).isEqualTo(advanced.before());
            if (advanced.event() instanceof Allocated) {
                assertItsTurn(advanced.before());
            }
            undecided.remove(advanced.job().id().value());
            if (!isDecided(advanced.job())) {
                undecided.add(advanced.job().id().value());
            }
        } else if (change instanceof Change.Accepted accepted) {
            assertThat(stored).doesNotContainKey(accepted.job().id());
        }
        if (change instanceof Change.AllocationDecided(Instant _, Attempt(JobId id, int _))) {
            Job job = job(id.value());
            stored.put(id, job.with(((Creating) job.state()).decided()));
        }
        if (change instanceof Change.Singled singled) {
            assertThat(stored.get(singled.array().id())).isEqualTo(singled.before());
            assertThat(stored).doesNotContainKey(singled.job().id());
            stored.put(singled.array().id(), singled.array());
        }
        if (change instanceof Change.Packed packed) {
            assertThat(stored.get(packed.array().id())).isEqualTo(packed.before());
            assertThat(stored).doesNotContainKey(packed.job().id());
            stored.put(packed.array().id(), packed.array());
            for (Job task : packed.tasks()) {
                assertThat(stored).doesNotContainKey(task.id());
                stored.put(task.id(), task);
            }
        }
        if (change instanceof Change.OfJob of) {
            stored.put(of.job().id(), of.job());
        } else if (change instanceof Change.DependenciesMet(Instant _, JobId other)) {
            StateName end = job(other.value()).state().name();
            stored.replaceAll((_, job) -> unmet(job).waitsFor(other) ? without(job, other, end) : job);
        }
    }

    private static Job without(Job job, JobId other, StateName end) {
        Unmet unmet = unmet(job).after(other, end);
        assertThat(unmet.broken()).isEqualTo(unmet(job).broken());
        return switch (job.state()) {
            case Deferred deferred -> job.with(new Deferred(deferred.attempt(), unmet));
            case Held held -> job.with(new Held(held.attempt(), held.image(), unmet, held.by(), held.since()));
            default -> throw new AssertionError(job);
        };
    }

    private boolean isThrottled(Job job) {
        Tasks tasks = job.spec().tasks();
        return tasks != null && tasks.atOnce() > 0 && atOnce(arrayOf(job)) + wouldRun(job) > tasks.atOnce();
    }

    /** Whether its target has as many jobs as it may have at once. */
    boolean isTargetFull(Job job) {
        TargetRules rules = job.spec().target() == null
                ? null
                : machine.capacity().targets().get(job.spec().target());
        return rules != null && atTarget(job.spec().target()) >= rules.atOnce();
    }

    private long atTarget(@Nullable String target) {
        return liveInStore().stream()
                .filter(job -> Objects.equals(job.spec().target(), target))
                .count();
    }

    private static JobId arrayOf(Job job) {
        return switch (job.part()) {
            case Part.Task task -> task.array();
            case Part.Pack pack -> pack.array();
            case Part.Array _ -> job.id();
            case null -> job.id();
        };
    }

    /** The number of tasks of an array that run at the same time. */
    int atOnce(JobId array) {
        return liveInStore().stream()
                .filter(live -> arrayOf(live).equals(array))
                .mapToInt(TestScheduler::wouldRun)
                .sum();
    }

    /** The number of tasks that run at the same time once a job, or the next task or pack of an array, has its turn. */
    private static int wouldRun(Job job) {
        Packing packing =
                Optional.ofNullable(job.spec().tasks()).map(Tasks::packing).orElse(null);
        if (packing == null || job.part() instanceof Part.Task) {
            return 1;
        }
        if (job.part() instanceof Part.Pack pack) {
            return Math.min(pack.tasks().size(), packing.parallel());
        }
        TaskSet all = Objects.requireNonNull(job.spec().tasks()).all();
        int block = all.position(job.waiting().first()) / packing.size();
        long inBlock = IntStream.range(0, all.size())
                .filter(position -> position / packing.size() == block)
                .filter(position -> job.waiting().contains(all.at(position)))
                .count();
        return Math.toIntExact(Math.min(inBlock, packing.parallel()));
    }

    private void assertItsTurn(Job job) {
        Lane lane = machine.laneOf(job);
        boolean passes = machine.capacity().order().passesPulling();
        assertThat(waiting(lane).stream()
                        .filter(other -> !passes || Machine.hasImage(other))
                        .filter(other -> !isThrottled(other) && !isTargetFull(other))
                        .min(Comparator.comparingLong(Job::place))
                        .orElseThrow()
                        .id())
                .as("the first of lane %s when job %s starts", lane, job.id())
                .isEqualTo(job.id());
        assertThat(isTargetFull(job))
                .as("job %s goes to a target that has as many as it may", job.id())
                .isFalse();
        if (lane != Lane.TARGET && machine.capacity().order().startsOneByOne()) {
            assertThat(liveInStore().stream().filter(other -> machine.laneOf(other) == lane))
                    .as("jobs of lane %s whose programs have not started when job %s has its turn", lane, job.id())
                    .noneMatch(other -> other.state() instanceof Creating || other.state() instanceof Starting);
        }
        assertThat(undecided.stream().filter(id -> machine.laneOf(job(id)) == lane))
                .as(
                        "jobs of lane %s of which nobody knows whether they get their GPUs when job %s starts",
                        lane, job.id())
                .isEmpty();
        assertThat(liveInStore().stream().filter(other -> machine.laneOf(other) == lane))
                .as("jobs on the workers of lane %s when job %s starts", lane, job.id())
                .hasSizeLessThan(machine.capacity().workers(lane));
    }
}
