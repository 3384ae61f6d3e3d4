package dev.berth.server.http.view;

import dev.berth.core.api.TasksView;
import dev.berth.core.api.UsageView;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobState;
import dev.berth.core.job.JobState.Dispatched;
import dev.berth.core.job.StateName;
import dev.berth.core.job.TaskSet;
import dev.berth.core.machine.Machine;
import dev.berth.server.store.JobQueries;
import java.util.Collections;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Arrays as the API shows them, by what their tasks are and have been; those of one list. For one thread. */
final class ArrayViews {
    /** The most tasks that are looked at for the GPU use of the arrays of one list. */
    private static final long MAX_LOOKS = 10_000;

    private final JobQueries queries;
    private final UsageViews usages;
    private final Machine now;
    private long looks = MAX_LOOKS;

    ArrayViews(JobQueries queries, UsageViews usages, Machine now) {
        this.queries = queries;
        this.usages = usages;
        this.now = now;
    }

    /** How many tasks of an array that are jobs of their own are in which state; none of another job. */
    SortedMap<StateName, Long> counts(Job job) {
        return job.isArray() ? queries.tasks(job.id()) : Collections.emptySortedMap();
    }

    /** Whether any of them has not ended. */
    static boolean areOpen(SortedMap<StateName, Long> counts) {
        return counts.keySet().stream().anyMatch(state -> !state.isFinal());
    }

    /** Those of an array; such as are no jobs of their own stand where it does. */
    static TasksView tasks(Job array, SortedMap<StateName, Long> counts) {
        SortedMap<String, Long> states = new TreeMap<>();
        counts.forEach((state, tasks) -> states.put(state.name(), tasks));
        TaskSet waiting = array.waiting();
        int all = Objects.requireNonNull(array.spec().tasks()).all().size();
        // One may have had its turn since the array was read.
        long rest = all - sum(counts);
        StateName own = waiting.isEmpty()
                ? array.state().name()
                : array.task(waiting.first()).state().name();
        if (!waiting.isEmpty() && rest > 0) {
            states.merge(own.name(), rest, Long::sum);
        }
        return array.state() instanceof JobState.Waiting || waiting.isEmpty()
                ? new TasksView(all, waiting.toString(), states, "", null)
                : new TasksView(all, "", states, waiting.toString(), own.name());
    }

    private static long sum(SortedMap<StateName, Long> counts) {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    /** The sentence about an array whose tasks have all had their turn. */
    static String dispatched(Dispatched state, SortedMap<StateName, Long> counts) {
        String rest = state.rest() == null
                ? "all its tasks have had their turn: "
                : "the tasks that had no turn are " + state.rest().name() + "; the others: ";
        return rest + counted(counts);
    }

    private static String counted(SortedMap<StateName, Long> counts) {
        return counts.entrySet().stream()
                .map(count -> count.getValue() + " " + count.getKey())
                .collect(Collectors.joining(", "));
    }

    /** The beginning of the sentence about an array that was ended before its last task's turn; else nothing. */
    static String beforeRest(Job job, SortedMap<StateName, Long> counts) {
        return job.waiting().isEmpty() || counts.isEmpty()
                ? ""
                : "of the tasks that had their turn, " + counted(counts) + "; the others: ";
    }

    /** The GPU use of all its tasks; null where none had a GPU. */
    @Nullable
    UsageView usage(Job array) {
        return usages.ofTasks(array, now.busy(array).toList());
    }

    /** The same in a list; null, too, where the arrays of the list have so many tasks that it would take long. */
    @Nullable
    UsageView usageInList(Job array, SortedMap<StateName, Long> counts) {
        looks -= sum(counts);
        return looks < 0 ? null : usage(array);
    }
}
