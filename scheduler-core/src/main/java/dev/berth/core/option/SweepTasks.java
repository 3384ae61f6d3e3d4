package dev.berth.core.option;

import dev.berth.core.job.TaskSet;
import dev.berth.core.job.Tasks;
import dev.berth.core.parameter.Parameters;
import dev.berth.core.parameter.TaskParameters;
import dev.berth.core.sweep.SweepParameters;
import org.jspecify.annotations.Nullable;

/** Tasks that a sweep would have. The parameters of each are made as it is asked for: there may be a million. */
public record SweepTasks(Parameters parameters, TaskSet tasks) {
    /**
     * The tasks that are asked for: all, where {@code array} names none.
     *
     * @param array as in a request: {@code 0,3-5}, {@code 0-9%4}, {@code %4}, or null
     */
    public static SweepTasks of(Parameters parameters, @Nullable String array) {
        TaskSet tasks = array == null || array.startsWith("%")
                ? TaskSet.parse("0-" + (parameters.count() - 1))
                : Tasks.parse(array).all();
        return new SweepTasks(parameters, tasks);
    }

    /** What is sent of a sweep file's runs where some are asked for: a file may have more of them than a server takes at a time. */
    public static Parameters sent(Parameters all, @Nullable String array) {
        TaskSet named = of(all, array).tasks();
        return named.last() < all.count() ? SweepParameters.part(all, named.first(), named.last()) : all;
    }

    public int count() {
        return tasks.size();
    }

    /** The task at a place, from 0. */
    public TaskParameters at(int place) {
        return new TaskParameters(parameters, tasks.at(place));
    }
}
