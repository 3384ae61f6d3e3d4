package dev.berth.server.http.route;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.TaskSet;
import dev.berth.core.parameter.ParameterMatches;
import dev.berth.core.parameter.Parameters;
import dev.berth.server.store.JobQueries;
import dev.berth.server.store.JobQueries.Filter;
import dev.berth.server.store.Rows;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The tasks of a sweep that have had no turn and have a value of a parameter, newest first. They are in no table: which
 * they are is computed, and they stand where their array stood when this was made. For one thread.
 */
final class WaitingTasks {
    private static final Comparator<Job> NEWEST_FIRST =
            Comparator.comparing(Job::id).reversed();

    private final Job array;
    private final ParameterMatches matches;

    private WaitingTasks(Job array, ParameterMatches matches) {
        this.array = array;
        this.matches = matches;
    }

    /** Those that such a filter lets through; empty where none can be. */
    static Optional<WaitingTasks> of(JobQueries queries, Filter filter, String name, String value) {
        JobId id = new JobId(Objects.requireNonNull(filter.array()));
        Job array = queries.find(id).filter(job -> !job.waiting().isEmpty()).orElse(null);
        Parameters parameters = queries.parameters(id).orElse(null);
        if (array == null
                || parameters == null
                || !isMeant(array.task(array.waiting().first()), filter)) {
            return Optional.empty();
        }
        return Optional.of(new WaitingTasks(array, new ParameterMatches(parameters, name, value)));
    }

    /** All of them stand as one does. */
    private static boolean isMeant(Job task, Filter filter) {
        boolean isInState = filter.states().isEmpty()
                || filter.states().contains(task.state().name());
        boolean isOwn = filter.uid() == null || filter.uid() == task.owner().uid();
        boolean isOfProject = filter.project() == null
                || filter.project().equals(task.spec().label().project());
        boolean isOfName = filter.name() == null
                || filter.name().equals(task.spec().label().name());
        return isInState && isOwn && isOfProject && isOfName;
    }

    /** These rows with those among them that are before an id, at most so many: a task that is a job by now as that. */
    Rows<Job> with(Rows<Job> rows, long before, int limit) {
        Rows<Job> waiting = before(before, limit);
        long known = Math.max(end(rows), end(waiting));
        Map<JobId, Job> all = new HashMap<>();
        waiting.items().forEach(job -> all.put(job.id(), job));
        rows.items().forEach(job -> all.put(job.id(), job));
        List<Job> merged = all.values().stream()
                .filter(job -> job.id().value() >= known)
                .sorted(NEWEST_FIRST)
                .toList();
        return new Rows<>(merged, rows.more() || waiting.more());
    }

    /** The id down to which all are known. */
    private static long end(Rows<Job> rows) {
        return rows.more() ? rows.items().getLast().id().value() : 0;
    }

    private Rows<Job> before(long id, int limit) {
        TaskSet tasks = Objects.requireNonNull(array.spec().tasks()).all();
        List<Job> found = new ArrayList<>();
        long position = id - array.id().value() - 1;
        int bound = position >= tasks.size() ? tasks.last() + 1 : position <= 0 ? 0 : tasks.at((int) position);
        OptionalInt next = matches.below(bound);
        while (next.isPresent() && next.getAsInt() >= array.waiting().first()) {
            if (array.waiting().contains(next.getAsInt())) {
                if (found.size() == limit) {
                    return new Rows<>(found, true);
                }
                found.add(array.task(next.getAsInt()));
            }
            next = matches.below(next.getAsInt());
        }
        return new Rows<>(found, false);
    }
}
