package dev.berth.server.simulation;

import dev.berth.core.job.Dependency;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.Packing;
import dev.berth.core.job.Part;
import dev.berth.core.job.PullPolicy;
import dev.berth.core.job.StateName;
import dev.berth.core.job.TaskSet;
import dev.berth.core.job.Tasks;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/** What became of arrays, held against what became of their tasks. */
final class ArrayTruth {
    private final World world;

    /** The number of the event by which each job has ended. */
    private final Map<Long, Long> ends;

    private final Predicate<Dependency> isBroken;

    /** The state to which each event has brought its job, by the job and the number of the event. */
    private final Map<Long, TreeMap<Long, StateName>> states = new HashMap<>();

    /** Whether each event has left its job in a pack, by the job and the number of the event. */
    private final Map<Long, TreeMap<Long, Boolean>> inPack = new HashMap<>();

    ArrayTruth(World world, Map<Long, Long> ends, Predicate<Dependency> isBroken) {
        this.world = world;
        this.ends = ends;
        this.isBroken = isBroken;
        Map<Long, Long> subjects = world.books.pairs(
                "SELECT sequence, job_event.job FROM job_event JOIN job ON job.id = job_event.job WHERE array <> 0");
        Set<Long> packed = world.books
                .pairs("SELECT sequence, 0 FROM job_event WHERE event = 'TaskPacked'")
                .keySet();
        for (StateName state : StateName.values()) {
            Set<Long> events = world.books
                    .pairs("SELECT sequence, 0 FROM job_event WHERE to_state = '" + state + "'")
                    .keySet();
            subjects.forEach((event, job) -> {
                if (events.contains(event)) {
                    states.computeIfAbsent(job, _ -> new TreeMap<>()).put(event, state);
                }
            });
        }
        states.forEach((job, own) -> {
            boolean isPacked = false;
            for (Map.Entry<Long, StateName> entry : own.entrySet()) {
                isPacked = packed.contains(entry.getKey()) || (isPacked && isLive(entry.getValue()));
                inPack.computeIfAbsent(job, _ -> new TreeMap<>()).put(entry.getKey(), isPacked);
            }
        });
    }

    /** Whether a job is a task or a pack of an array of which too many tasks had workers before an event for it to have one. */
    boolean isThrottled(long job, long event) {
        return world.clients
                .arrayOfTurn(new JobId(job))
                .filter(array -> {
                    int atOnce = tasks(array).atOnce();
                    return atOnce > 0 && live(array, event) + mostWidth(array, job) > atOnce;
                })
                .isPresent();
    }

    private Tasks tasks(JobId array) {
        return Objects.requireNonNull(
                world.clients.acknowledged().get(array.value()).tasks());
    }

    /** The number of tasks of an array that run, or may, where those of a pack count as many as may run at once in it. */
    private long live(JobId array, long event) {
        return states.entrySet().stream()
                .filter(entry -> world.clients
                        .arrayOfTurn(new JobId(entry.getKey()))
                        .filter(array::equals)
                        .isPresent())
                .filter(entry -> isLiveBefore(entry.getKey(), event) && !isInPack(entry.getKey(), event))
                .mapToLong(entry -> width(entry.getKey()))
                .sum();
    }

    /** The most tasks of a pack that run at once: the one before it, which may have kept it waiting, may have more than itself. */
    private long mostWidth(JobId array, long job) {
        Packing packing = tasks(array).packing();
        boolean isPack = job > array.value() + tasks(array).all().size();
        return packing == null || !isPack ? 1 : packing.parallel();
    }

    private long width(long job) {
        Job part = world.store().find(new JobId(job)).orElse(null);
        return part != null && part.part() instanceof Part.Pack(JobId array, TaskSet packed)
                ? Math.min(Objects.requireNonNull(tasks(array).packing()).parallel(), packed.size())
                : 1;
    }

    private boolean isLiveBefore(long job, long event) {
        Map.Entry<Long, StateName> last = states.get(job).lowerEntry(event);
        return last != null && isLive(last.getValue());
    }

    /** Whether a task was in a pack before an event. */
    private boolean isInPack(long job, long event) {
        Map.Entry<Long, Boolean> last = inPack.get(job).lowerEntry(event);
        return last != null && last.getValue();
    }

    private static boolean isLive(StateName state) {
        return state == StateName.STARTING || state == StateName.RUNNING || state == StateName.STOPPING;
    }

    /**
     * Holds an array that has ended against its tasks.
     *
     * @param parts its tasks and packs that are jobs of their own, which all have ended
     */
    void check(Job array, Finished end, List<Job> parts) {
        List<Job> tasks = parts.stream().filter(part -> !part.isPack()).toList();
        Set<StateName> ended = EnumSet.noneOf(StateName.class);
        tasks.forEach(task -> ended.add(task.state().name()));
        int all = Objects.requireNonNull(array.spec().tasks()).all().size();
        String what = "array " + array.id() + " " + end + " with " + told(tasks);
        Law.WHOLE_ARRAY.require(tasks.size() + array.waiting().size() == all, () -> what);
        Law.WHOLE_ARRAY.require(endsAsItsTasks(array, end, ended), () -> what);
        tasks.forEach(task -> knowsWhichItIs(array, task));
        endsWithTheLast(array, tasks);
        cancelled(array, end, parts);
        held(array, parts);
    }

    private static List<String> told(List<Job> tasks) {
        return tasks.stream()
                .map(task -> task.number() + " " + task.state().name())
                .toList();
    }

    /** Where some tasks had no turn, they were ended with the array, and by what ends them. */
    private boolean endsAsItsTasks(Job array, Finished end, Set<StateName> ended) {
        boolean isWhole = array.waiting().isEmpty();
        return switch (end.outcome().reason()) {
            case EXITED -> isWhole && ended.equals(Set.of(StateName.COMPLETED));
            case CANCELLED_BY_USER ->
                world.clients.wasCancelled(array.id())
                        || (isWhole
                                && ended.contains(StateName.CANCELLED)
                                && Set.of(StateName.CANCELLED, StateName.COMPLETED)
                                        .containsAll(ended));
            case TASKS_FAILED ->
                isWhole && !Set.of(StateName.CANCELLED, StateName.COMPLETED).containsAll(ended);
            case DEPENDENCY_FAILED ->
                !isWhole
                        && !array.spec().prerequisites().keepWaiting()
                        && array.spec().prerequisites().dependencies().stream().anyMatch(isBroken);
            case IMAGE_UNAVAILABLE -> !isWhole && couldLack(array);
            default -> false;
        };
    }

    private boolean couldLack(Job array) {
        String image = array.spec().image();
        return image.equals("nowhere")
                || array.spec().place().pull() != PullPolicy.MISSING
                || world.ground.hasRemovedImage(image)
                || world.ground.hasRefused("pull", image);
    }

    private void knowsWhichItIs(Job array, Job task) {
        Integer index = array.indexOf(task.id());
        for (Fate fate : world.ground.of(task.id())) {
            Law.WHOLE_ARRAY.require(
                    fate.forgotten || (fate.array == array.id().value() && index != null && fate.index == index),
                    () -> fate + " was told that it is task " + fate.index + " of array " + fate.array);
        }
    }

    /** Before anything else has its turn. */
    private void endsWithTheLast(Job array, List<Job> tasks) {
        long end = ends.get(array.id().value());
        long last = tasks.stream()
                .mapToLong(task -> ends.get(task.id().value()))
                .max()
                .orElse(end);
        Law.WHOLE_ARRAY.require(last <= end, () -> "array " + array.id() + " has ended before one of " + told(tasks));
        if (array.waiting().isEmpty()) {
            Law.WHOLE_ARRAY.require(
                    world.books.turnsBetween(last, end) == 0,
                    () -> "something had its turn before array " + array.id() + " has ended with the last of "
                            + told(tasks));
        }
    }

    /** What ran when its array was held runs on, and is started again where it is to be; also what waited in a pack. */
    private void held(Job array, List<Job> parts) {
        for (long hold : world.books.holds(array.id())) {
            for (Job task : parts) {
                long id = task.id().value();
                Law.NO_TASK_MORE.require(
                        isLiveBefore(id, hold)
                                || isInPack(id, hold)
                                || !world.books.hasTurnBeforeRelease(array.id(), task.id(), hold),
                        () -> "task " + task.number() + " had a turn while its array was held");
            }
        }
    }

    private void cancelled(Job array, Finished end, List<Job> parts) {
        long cancel = world.books.lastCancel(array.id());
        if (cancel == 0) {
            return;
        }
        Law.NO_TASK_MORE.require(
                end.name() == StateName.CANCELLED, () -> "array " + array.id() + " was cancelled and is " + end);
        for (Job task : parts) {
            Law.NO_TASK_MORE.require(
                    world.books.lastTurn(task.id()) < cancel,
                    () -> "task " + task.number() + " had a turn after its array was cancelled");
            Map.Entry<Long, StateName> before = states.get(task.id().value()).lowerEntry(cancel);
            Law.NO_TASK_MORE.require(
                    before == null
                            || before.getValue() == StateName.STOPPING
                            || before.getValue().isFinal()
                            || world.books.isCancel(
                                    states.get(task.id().value()).higherKey(cancel)),
                    () -> "task " + task.number() + " was " + before + " and went on when its array was cancelled");
        }
    }
}
